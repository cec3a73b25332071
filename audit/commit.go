package audit

import "sync"

// A committer makes what several journals of a store were given lasting, with
// few syncs of the disk. Whoever waits first commits for all that wait by then;
// meanwhile others come to wait, and one of them is next. So there is no timer
// and no goroutine: an idle store commits at once, on the goroutine that asks,
// and a busy one in batches as large as a sync takes long.
//
// A batch of few journals is a sync of each; a store in which many wait at once
// has a commit log, and then a batch is one sync whatever its size.
type committer struct {
	mu    sync.Mutex
	busy  bool
	queue []*waiter

	logMu sync.Mutex // held while a batch is committed and while a journal ends
	log   *commitLog
	noLog bool // the log has failed: journals are synced one by one
}

// waiter is a journal that waits until all it has is lasting.
type waiter struct {
	j    *fileJournal
	err  error
	lead bool // it is to commit the next batch
	wake chan struct{}
}

const (
	maxBatch = 256 // journals in a batch
	fewFiles = 4   // up to which files are synced one by one
)

// commit returns when what j had when it was called is lasting.
func (c *committer) commit(j *fileJournal) error {
	w := &j.waiter
	*w = waiter{j: j, wake: w.wake}
	c.mu.Lock()
	c.queue = append(c.queue, w)
	if c.busy {
		if w.wake == nil {
			w.wake = make(chan struct{}, 1)
		}
		c.mu.Unlock()
		<-w.wake
		if !w.lead {
			return w.err
		}
		c.mu.Lock()
	}
	c.busy = true
	n := min(len(c.queue), maxBatch)
	batch := append([]*waiter(nil), c.queue[:n]...)
	c.queue = append(c.queue[:0], c.queue[n:]...)
	c.mu.Unlock()

	c.logMu.Lock()
	c.run(batch)
	c.logMu.Unlock()

	c.mu.Lock()
	if len(c.queue) > 0 {
		c.queue[0].lead = true
		c.queue[0].wake <- struct{}{}
	} else {
		c.busy = false
	}
	c.mu.Unlock()
	for _, o := range batch {
		if o != w {
			o.wake <- struct{}{}
		}
	}
	return w.err
}

// run commits a batch. C.logMu is held.
func (c *committer) run(batch []*waiter) {
	if c.log == nil && len(batch) > fewFiles && !c.noLog {
		j := batch[0].j
		log, err := newCommitLog(j.open, j.store)
		c.log, c.noLog = log, err != nil // a disk that has no room for it may have room for lines
	}
	if c.log == nil {
		for _, w := range batch {
			w.err = w.j.syncFile()
		}
		return
	}
	c.log.begin()
	logged := make([]*waiter, 0, len(batch))
	for _, w := range batch {
		if c.log.add(w.j) {
			logged = append(logged, w)
		} else {
			w.err = w.j.syncFile()
		}
	}
	if len(logged) == 0 {
		return
	}
	if err := c.log.write(); err != nil {
		c.log.leave()
		c.log, c.noLog = nil, true
		for _, w := range logged {
			w.err = w.j.syncFile()
		}
		return
	}
	for _, w := range logged {
		c.log.dirty[w.j] = true
		w.j.committed()
	}
}

// finish commits j for the last time, in its own file.
func (c *committer) finish(j *fileJournal) error {
	c.logMu.Lock()
	defer c.logMu.Unlock()
	owed := c.log != nil && c.log.dirty[j]
	if !owed && j.lasting() {
		return nil
	}
	if err := j.syncFile(); err != nil {
		if owed { // the log has what the file may have lost
			c.log.leave()
			c.log, c.noLog = nil, true
		}
		return err
	}
	if c.log != nil {
		delete(c.log.dirty, j)
	}
	return nil
}

// close ends the log when nothing is owed to it any more.
func (c *committer) close() error {
	c.logMu.Lock()
	defer c.logMu.Unlock()
	if c.log == nil {
		return nil
	}
	log := c.log
	c.log = nil
	if err := log.checkpoint(); err != nil {
		log.leave()
		return err
	}
	log.remove()
	return nil
}
