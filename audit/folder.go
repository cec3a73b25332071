package audit

import (
	"crypto/ed25519"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"time"

	"github.com/toolpost/toolpost/internal/filelock"
	"github.com/toolpost/toolpost/tool"
)

// Names in the folder of a run.
const (
	runName       = "run.json"
	journalName   = "events.jsonl"
	artifactsName = "artifacts"
	lockName      = "lock"
	headsName     = "heads.jsonl"
)

// folder is the folder of a run, held by this process for writing.
type folder struct {
	dir   string
	lock  *filelock.Lock
	open  opener
	files [projections]appended
	heads appended // signatures
	key   ed25519.PrivateKey
}

func (d *folder) path(name string) string { return filepath.Join(d.dir, name) }

// appended is a file that is written behind its end, and not synced. It is opened
// for its first line.
type appended struct {
	f   file
	end int64
	buf []byte // lines that are to be written
}

func (a *appended) flush(open opener, path string) (err error) {
	if len(a.buf) == 0 {
		return nil
	}
	if a.f == nil {
		if a.f, err = open(path); err != nil {
			return unwritable(err)
		}
	}
	if n, err := a.f.WriteAt(a.buf, a.end); err != nil {
		if n > 0 {
			_ = a.f.Truncate(a.end) // a torn line is made good by a rebuild
		}
		return unwritable(err)
	}
	a.end += int64(len(a.buf))
	a.buf = a.buf[:0]
	return nil
}

// project takes the lines that the last record gave, and reports whether there
// is something to flush that was not there before.
func (d *folder) project(p *projector) (first bool) {
	had, has := 0, 0
	for i, lines := range p.lines {
		a := &d.files[i]
		had += len(a.buf)
		a.buf = append(a.buf, lines...)
		has += len(a.buf)
	}
	return had == 0 && has > 0
}

// flush writes the lines that wait.
func (d *folder) flush() error {
	for i := range d.files {
		if err := d.files[i].flush(d.open, filepath.Join(d.dir, projectionNames[i])); err != nil {
			return err
		}
	}
	return nil
}

// writeSummary replaces run.json, signed. The hashes of single specs are left to
// the journal: run.json is read for every line of a list.
func (d *folder) writeSummary(s *Summary, t *merkle) error {
	short := *s
	short.Specs, short.Proof = nil, nil
	b, err := json.MarshalIndent(&short, "", "  ")
	if err != nil {
		return tool.Errorf(tool.CodeInternal, "run.json of run %s: %w", s.ID, err)
	}
	b = append(b, '\n')
	if b, err = appendProof(b, sign(d.key, s.ID, t, sumOf(b))); err != nil {
		return tool.Errorf(tool.CodeInternal, "sign run.json of run %s: %w", s.ID, err)
	}
	if err := replaceFile(d.path(runName), b); err != nil {
		return unwritable(err)
	}
	return nil
}

func (d *folder) close() error {
	var err error
	for i := range d.files {
		if f := d.files[i].f; f != nil {
			err = errors.Join(err, f.Close())
		}
	}
	if d.heads.f != nil {
		err = errors.Join(err, d.heads.f.Close())
	}
	if err = errors.Join(err, d.lock.Release()); err != nil {
		return unwritable(err)
	}
	return nil
}

// hold takes the run for this process, or says who has it. A reader that looks
// whether somebody does has it for a moment, so one refusal is not the last word.
func hold(dir, id string) (*filelock.Lock, error) {
	path := filepath.Join(dir, lockName)
	for try := 0; ; try++ {
		l, err := filelock.Acquire(path)
		switch {
		case err == nil:
			return l, nil
		case !errors.Is(err, filelock.ErrHeld):
			return nil, unwritable(err)
		case try == 3:
			return nil, tool.Errorf(tool.CodeConflict, "run %s is being written (%w); wait until it has ended, or stop that process", id, err)
		}
		<-time.After(2 * time.Millisecond)
	}
}

// held reports whether somebody writes the run in dir.
func held(dir string) bool {
	l, err := filelock.Acquire(filepath.Join(dir, lockName))
	if err != nil {
		return errors.Is(err, filelock.ErrHeld)
	}
	_ = l.Release()
	return false
}

// readSummary reads run.json.
func readSummary(dir string) (*Summary, error) {
	b, err := os.ReadFile(filepath.Join(dir, runName))
	if err != nil {
		return nil, err
	}
	s := new(Summary)
	if err := json.Unmarshal(b, s); err != nil {
		return nil, err
	}
	return s, nil
}
