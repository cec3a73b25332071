package audit

import (
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"path/filepath"
)

// Load reads a run back. What is still being written is read up to its last
// whole record. The id is a full one: see Resolve. A journal that is damaged is
// a PRECONDITION_FAILED error that wraps a *Damage; the view then holds what
// stands before the damage.
func (s *Store) Load(id string) (*View, error) {
	dir, err := s.runDir(id)
	if err != nil {
		return nil, err
	}
	stored, err := readSummary(dir)
	if err != nil {
		return nil, fmt.Errorf("read run.json of run %s: %w", id, plainError(err))
	}
	live := !stored.Sealed && held(dir)
	v, err := load(s.records(dir))
	if errors.Is(err, fs.ErrNotExist) {
		err = nil // a crash while the run was created
	}
	if err == nil && stored.Sealed {
		if err = v.end.sealed(stored); err != nil {
			if again, e := readSummary(dir); e == nil && !again.Sealed {
				stored, live, err = again, held(dir), nil // it has been resumed meanwhile
			}
		}
	}
	if err != nil {
		err = corrupt(id, err)
	}
	v.settle(stored, live)
	return v, err
}

// settle adds what run.json knows and the journal does not.
func (v *View) settle(stored *Summary, live bool) {
	if v.ID == "" {
		v.Facts = stored.Facts
	}
	if v.Exit == nil {
		v.Exit = stored.Exit
	}
	v.Head, v.Live = stored.Head, live
	if v.Status == StatusRunning && !live {
		v.Status = StatusInterrupted
	}
}

// Entries is the records of a run, from the first.
func (s *Store) Entries(id string) iter.Seq2[*Entry, error] {
	return func(yield func(*Entry, error) bool) {
		dir, err := s.runDir(id)
		if err != nil {
			yield(nil, err)
			return
		}
		for e, err := range s.records(dir) {
			if err != nil {
				err = corrupt(id, err)
			}
			if !yield(e, err) {
				return
			}
		}
	}
}

// records is the records in a run's folder; a torn one at the end is left out.
func (s *Store) records(dir string) iter.Seq2[*Entry, error] {
	return entries(fileLines(filepath.Join(dir, journalName)))
}
