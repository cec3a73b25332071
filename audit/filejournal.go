package audit

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"path/filepath"
	"sync"
)

// fileJournal is the Journal in a file of one record a line.
type fileJournal struct {
	path   string
	store  string // the folder of the store
	id     string // of the run
	open   opener
	com    *committer
	waiter waiter // in com

	mu     sync.Mutex
	f      file   // nil once closed
	end    int64  // of what was appended
	synced int64  // of what is on stable storage
	recent []byte // what was appended behind synced
	err    error  // the first failure: nothing is acknowledged after it
}

var errClosed = errors.New("the journal is closed")

// openJournal opens the journal of a run to append behind what is there, which
// ends at end.
func openJournal(s *Store, id string, end int64) (*fileJournal, error) {
	j := &fileJournal{path: filepath.Join(s.Dir, id, journalName), store: s.Dir, id: id, open: s.opener(), com: &s.com, end: end, synced: end}
	var err error
	j.f, err = j.open(j.path)
	return j, err
}

// Append writes the record at once: the system has it then, so that it outlives
// the process, and whoever follows the file sees it.
func (j *fileJournal) Append(record []byte) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.err != nil {
		return j.err
	}
	at := len(j.recent)
	j.recent = append(append(j.recent, record...), '\n')
	line := j.recent[at:]
	if n, err := j.f.WriteAt(line, j.end); err != nil {
		if n > 0 {
			_ = j.f.Truncate(j.end) // if it fails as well, the next to open cuts the torn line off
		}
		j.recent = j.recent[:at]
		j.err = unwritable(err)
		return j.err
	}
	j.end += int64(len(line))
	if len(j.recent) > maxRecent { // too much to write it twice: the file itself is synced
		j.recent = nil
	}
	return nil
}

// maxRecent bounds what a run keeps for the commit log.
const maxRecent = 1 << 20

// Commit waits for the sync that makes all that was appended lasting.
func (j *fileJournal) Commit() error {
	j.mu.Lock()
	err, done := j.err, j.synced == j.end
	j.mu.Unlock()
	if err != nil || done {
		return err
	}
	return j.com.commit(j)
}

// lasting reports whether there is nothing to commit.
func (j *fileJournal) lasting() bool {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.synced == j.end
}

// committed notes that the commit log has all that was appended.
func (j *fileJournal) committed() {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.settled(j.end)
}

// syncFile makes what was appended lasting by a sync of the file itself.
func (j *fileJournal) syncFile() error {
	j.mu.Lock()
	f, end, err := j.f, j.end, j.err
	j.mu.Unlock()
	if err != nil {
		return err
	}
	err = f.Sync()
	j.mu.Lock()
	defer j.mu.Unlock()
	if err != nil {
		return j.failed(err)
	}
	j.settled(end)
	return nil
}

// settled notes that all up to end is on stable storage. J.mu is held.
func (j *fileJournal) settled(end int64) {
	if end <= j.synced {
		return
	}
	if rest := j.end - end; rest < int64(len(j.recent)) {
		n := copy(j.recent, j.recent[int64(len(j.recent))-rest:])
		j.recent = j.recent[:n]
	}
	j.synced = end
}

// failed keeps the first error. J.mu is held.
func (j *fileJournal) failed(err error) error {
	if j.err == nil {
		j.err = unwritable(err)
	}
	return j.err
}

func (j *fileJournal) Close() error {
	j.mu.Lock()
	open, err := j.f != nil, j.err
	j.mu.Unlock()
	if !open {
		return nil
	}
	if err == nil {
		err = j.com.finish(j)
	} else {
		_ = j.com.finish(j) // what was acknowledged may still stand in the commit log
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	if e := j.f.Close(); err == nil && e != nil {
		err = unwritable(e)
	}
	j.f = nil
	if j.err == nil {
		j.err = errClosed
	}
	return err
}

func (j *fileJournal) Records() iter.Seq2[[]byte, error] { return fileLines(j.path) }

// fileLines is the whole lines of the file at path; what follows the last line
// end is still being written, or torn.
func fileLines(path string) iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		f, err := os.Open(path)
		if err != nil {
			yield(nil, fmt.Errorf("read journal: %w", plainError(err)))
			return
		}
		defer f.Close()
		r := bufio.NewReaderSize(f, 64<<10)
		for {
			line, err := readLine(r)
			if err == io.EOF {
				return
			}
			if err != nil {
				yield(nil, fmt.Errorf("read journal: %w", plainError(err)))
				return
			}
			if !yield(line, nil) {
				return
			}
		}
	}
}

// readLine is the next line without its end, in memory of its own; io.EOF when
// there is no whole one.
func readLine(r *bufio.Reader) ([]byte, error) {
	line, err := r.ReadSlice('\n')
	if err == nil {
		return bytes.Clone(line[:len(line)-1]), nil
	}
	if err != bufio.ErrBufferFull {
		return nil, err
	}
	long := bytes.Clone(line)
	rest, err := r.ReadBytes('\n')
	if err != nil {
		return nil, err
	}
	long = append(long, rest...)
	return long[:len(long)-1], nil
}
