package audit

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"time"

	"github.com/toolpost/toolpost/event"
)

// tailEvery is how often a growing journal is looked at.
const tailEvery = 50 * time.Millisecond

// Tail is the records of a run behind number after, 0 for all, and then those
// that come, until the run has ended, nobody writes it any more, or ctx ends.
func (s *Store) Tail(ctx context.Context, id string, after int64) iter.Seq2[*Entry, error] {
	return func(yield func(*Entry, error) bool) {
		dir, err := s.runDir(id)
		if err != nil {
			yield(nil, err)
			return
		}
		t := tail{id: id, dir: dir, after: after, yield: yield}
		defer t.close()
		for {
			ended := !held(dir) // seen before the last look, so that nothing is missed
			if !t.look() || t.over || ended {
				return
			}
			select {
			case <-ctx.Done():
				return
			case <-time.After(tailEvery):
			}
		}
	}
}

type tail struct {
	id, dir string
	after   int64
	yield   func(*Entry, error) bool
	f       *os.File
	place   place
	over    bool // the run has ended
}

func (t *tail) close() {
	if t.f != nil {
		_ = t.f.Close() // it was only read
	}
}

// look yields what has come since the last look, and reports whether to go on.
func (t *tail) look() bool {
	if t.f == nil {
		f, err := os.Open(filepath.Join(t.dir, journalName))
		if errors.Is(err, fs.ErrNotExist) {
			return true
		}
		if err != nil {
			return t.fail(fmt.Errorf("read journal: %w", plainError(err)))
		}
		t.f = f
	}
	r := bufio.NewReaderSize(io.NewSectionReader(t.f, t.place.offset, 1<<62), 64<<10)
	for {
		line, err := readLine(r)
		if err == io.EOF {
			return true
		}
		if err != nil {
			return t.fail(fmt.Errorf("read journal: %w", plainError(err)))
		}
		at := t.place
		if err := t.place.check(line); err != nil {
			return t.fail(corrupt(t.id, err))
		}
		e, err := decode(line)
		if err != nil {
			return t.fail(corrupt(t.id, at.damage(err.Error())))
		}
		e.Line, e.Offset = t.place.line, at.offset
		t.over = e.Type == event.RunFinished
		if e.Seq > t.after && !t.yield(e, nil) {
			return false
		}
	}
}

func (t *tail) fail(err error) bool {
	t.yield(nil, err)
	return false
}
