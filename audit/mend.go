package audit

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

// mended is a run's record as it was found, made good.
type mended struct {
	place   place
	first   time.Time
	summary Summary
	proj    projector
	tree    merkle
	heads   int64                     // bytes of heads.jsonl that hold
	lines   [projections]bytes.Buffer // of the projections
}

// mend reads the journal in dir, cuts a torn end off, and writes the projections
// again where they are not what the journal says. The caller holds the run.
func (s *Store) mend(dir, id string) (*mended, error) {
	m := &mended{}
	stored, err := readSummary(dir)
	if err != nil {
		return nil, fmt.Errorf("read run.json of run %s: %w", id, plainError(err))
	}
	m.summary = Summary{Facts: stored.Facts, Status: StatusRunning}
	path := filepath.Join(dir, journalName)
	size, err := m.read(path)
	if err == nil && stored.Sealed {
		err = m.place.sealed(stored)
	}
	if err != nil {
		return nil, s.damaged(dir, id, err)
	}
	if m.place.offset < size {
		if err := s.cut(path, m.place.offset); err != nil {
			return nil, err
		}
	}
	if m.summary.Exit == nil {
		m.summary.Exit = stored.Exit
	}
	if m.heads, err = s.mendHeads(filepath.Join(dir, headsName), m.place.seq); err != nil {
		return nil, unwritable(err)
	}
	for i := range m.lines {
		if err := restore(filepath.Join(dir, projectionNames[i]), m.lines[i].Bytes()); err != nil {
			return nil, unwritable(err)
		}
	}
	return m, nil
}

// restore has the projection at path hold what it should, and be missing if that
// is nothing.
func restore(path string, want []byte) error {
	have, err := os.ReadFile(path)
	switch {
	case err == nil && len(want) == 0:
		return os.Remove(path)
	case errors.Is(err, fs.ErrNotExist) && len(want) == 0, err == nil && bytes.Equal(have, want):
		return nil
	}
	return writeWhole(path, want, unsynced)
}

// read follows the journal to its end and returns the size of the file. Behind
// the last record there may be a torn one: a line without its end, or a last line
// that fits no sum.
func (m *mended) read(path string) (size int64, err error) {
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return 0, nil // a crash while the run was created
	}
	if err != nil {
		return 0, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return 0, err
	}
	r := bufio.NewReaderSize(f, 64<<10)
	for {
		line, err := readLine(r)
		if err == io.EOF {
			return info.Size(), nil
		}
		if err != nil {
			return 0, err
		}
		next := m.place
		if err := next.check(line); err != nil {
			if isTail(r, line) {
				return info.Size(), nil
			}
			return 0, err
		}
		rec, err := decode(line)
		if err != nil {
			return 0, m.place.damage(err.Error())
		}
		m.place = next
		m.tree.add(next.sum)
		if err := m.add(rec); err != nil {
			return 0, err
		}
	}
}

// isTail reports whether a bad line may be the torn end of the journal: nothing
// follows it, or what follows holds no record: blocks that never reached the disk
// read as zeros.
func isTail(r *bufio.Reader, line []byte) bool {
	rest, err := io.ReadAll(io.LimitReader(r, 16<<20))
	if err != nil {
		return false
	}
	return len(bytes.Trim(rest, "\x00")) == 0
}

func (m *mended) add(r *Entry) error {
	if m.first.IsZero() {
		m.first = r.Time
	}
	if r.Facts != nil {
		exit := m.summary.Exit
		m.summary.Facts, m.summary.Exit = *r.Facts, exit
		if err := m.proj.facts(r.Facts); err != nil {
			return err
		}
	}
	m.proj.add(&r.Event, parts{r.call, r.result, r.own})
	for i, line := range m.proj.lines {
		m.lines[i].Write(line)
	}
	raw, _ := r.Payload.(json.RawMessage)
	m.summary.add(&r.Event, raw)
	return nil
}

// mendHeads cuts off a torn signature, and those of records that are not there
// any more, and is the size of what stays.
func (s *Store) mendHeads(path string, records int64) (size int64, err error) {
	b, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	for line := range bytes.Lines(b) {
		var g Signature
		if line[len(line)-1] != '\n' || json.Unmarshal(line, &g) != nil || g.Size > records {
			return size, s.cut(path, size)
		}
		size += int64(len(line))
	}
	return size, nil
}

// cut ends the journal at size.
func (s *Store) cut(path string, size int64) error {
	f, err := s.opener()(path)
	if err != nil {
		return unwritable(err)
	}
	err = f.Truncate(size)
	if err == nil {
		err = f.Sync()
	}
	if e := f.Close(); err == nil {
		err = e
	}
	if err != nil {
		return unwritable(err)
	}
	return nil
}

// damaged keeps a copy of a journal that is not what was written.
func (s *Store) damaged(dir, id string, err error) error {
	var d *Damage
	if !errors.As(err, &d) {
		return fmt.Errorf("read journal of run %s: %w", id, plainError(err))
	}
	name := journalName + ".corrupt"
	if b, e := os.ReadFile(filepath.Join(dir, journalName)); e == nil {
		if replaceFile(filepath.Join(dir, name), b) == nil {
			d.Copy = name
		}
	}
	return corrupt(id, d)
}

// Rebuild makes calls.jsonl and results.jsonl of a run again from its journal,
// and cuts a torn end off. Nobody may be writing the run.
func (s *Store) Rebuild(id string) error {
	dir, err := s.runDir(id)
	if err != nil {
		return err
	}
	lock, err := hold(dir, id)
	if err != nil {
		return err
	}
	m, err := s.mend(dir, id)
	if err == nil {
		m.summary.close(&chain{prev: m.place.prev})
		d := &folder{dir: dir}
		if d.key, err = s.key(); err == nil {
			err = d.writeSummary(&m.summary, &m.tree)
		}
	}
	if e := lock.Release(); err == nil && e != nil {
		err = unwritable(e)
	}
	return err
}
