package audit

import "sync"

// A committer makes what several journals of a store were given lasting, with
// few syncs of the disk. Whoever waits first commits for all that wait by then;
// meanwhile others come to wait, and one of them is next. So there is no timer
// and no goroutine: an idle store commits at once, on the goroutine that asks,
// and a busy one in batches as large as a sync takes long.
type committer struct {
	mu    sync.Mutex
	busy  bool
	queue []*waiter
}

// waiter is a journal that waits until what it had up to end is lasting.
type waiter struct {
	j    *fileJournal
	end  int64
	err  error
	lead bool // it is to commit the next batch
	wake chan struct{}
}

// maxBatch bounds a batch in journals.
const maxBatch = 256

func (c *committer) commit(j *fileJournal, end int64) error {
	w := &waiter{j: j, end: end}
	c.mu.Lock()
	c.queue = append(c.queue, w)
	if c.busy {
		w.wake = make(chan struct{}, 1)
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

	c.run(batch)

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

// run commits a batch.
func (c *committer) run(batch []*waiter) {
	for _, w := range batch {
		w.err = w.j.sync()
	}
}

// finish commits j for the last time, in its own file.
func (c *committer) finish(j *fileJournal) error {
	j.mu.Lock()
	err, done := j.err, j.synced == j.end
	j.mu.Unlock()
	if err != nil || done {
		return err
	}
	return j.sync()
}
