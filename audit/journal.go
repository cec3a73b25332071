package audit

import (
	"errors"
	"fmt"
	"iter"
)

// A Journal keeps the records of one run, in order. A record is one line of
// JSON without its line end; a journal keeps its bytes and does not look inside.
//
// Append and Commit are called by one goroutine at a time. After any of them
// has failed, both fail with the same error until the journal is opened again:
// what may be half on disk is never acknowledged.
type Journal interface {
	// Append adds a record at the end. Others may see it from then on, but only
	// Commit says that it stays. The journal keeps no reference to the record.
	Append(record []byte) error
	// Commit returns once all that was appended is on stable storage.
	Commit() error
	// Records is all records from the first, as they were appended, with those
	// that are not committed. It may be called at any time, from any goroutine.
	Records() iter.Seq2[[]byte, error]
	// Close commits, and lets go of what the journal holds. A second Close does
	// nothing.
	Close() error
}

// OpenJournal opens the journal in the file at path, which is made if it is
// missing. A torn last record is cut off; one in the middle that is damaged is an
// error that wraps a *Damage. Who opens it sees to it that nobody else does: a
// Store does so for its runs.
func OpenJournal(path string) (Journal, error) {
	m := new(mended)
	size, err := m.read(path)
	if err != nil {
		return nil, fmt.Errorf("open journal: %w", plainError(err))
	}
	s := new(Store)
	if m.place.offset < size {
		if err := s.cut(path, m.place.offset); err != nil {
			return nil, err
		}
	}
	j := &fileJournal{path: path, open: s.opener(), com: &s.com, end: m.place.offset, synced: m.place.offset}
	if j.f, err = j.open(path); err != nil {
		return nil, unwritable(err)
	}
	return j, nil
}

// Open is a run that is recorded in a journal of the caller's, behind what stands
// there. The facts are those of an earlier recording, if there was one and f has
// no id. The run has no folder: its calls and results are read by LoadJournal.
func Open(j Journal, f Facts) (*Run, error) {
	m := new(mended)
	for e, err := range entries(j.Records()) {
		if err == nil {
			err = m.add(e)
		}
		if err != nil {
			return nil, fmt.Errorf("open the record of run %s: %w", f.ID, err)
		}
		m.place = e.next
	}
	if f.ID == "" {
		f = m.summary.Facts
	}
	if m.place.line > 0 && f.ID != m.summary.ID {
		return nil, errors.New("open the record of run " + f.ID + ": the journal is that of run " + m.summary.ID)
	}
	if err := f.complete(); err != nil {
		return nil, err
	}
	r := newRun(f, j)
	r.resumed(m)
	return r, nil
}

// LoadJournal reads the run in a journal back. The view that comes with an error
// holds what stands before the damage.
func LoadJournal(j Journal) (*View, error) {
	v, err := load(entries(j.Records()))
	if err != nil {
		err = corrupt(v.ID, err)
	}
	return v, err
}
