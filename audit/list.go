package audit

import (
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/toolpost/toolpost/tool"
)

// List is the runs of the store, newest first, from their run.json alone. It
// reads no further than it is ranged over. A run whose run.json cannot be read
// comes with an error that names it, and the list goes on. A store that is not
// there yet is empty.
func (s *Store) List() iter.Seq2[*Summary, error] {
	return func(yield func(*Summary, error) bool) {
		names, err := s.names()
		if err != nil {
			yield(nil, err)
			return
		}
		for size := 32; len(names) > 0; size = 512 {
			n := min(size, len(names))
			for _, l := range s.read(names[:n]) {
				if (l.summary != nil || l.err != nil) && !yield(l.summary, l.err) {
					return
				}
			}
			names = names[n:]
		}
	}
}

type listed struct {
	summary *Summary
	err     error
}

// read reads several run.json at once.
func (s *Store) read(names []string) []listed {
	list := make([]listed, len(names))
	workers := min(runtime.GOMAXPROCS(0), 8, len(names))
	var wg sync.WaitGroup
	for k := range workers {
		wg.Go(func() {
			for i := k; i < len(names); i += workers {
				list[i] = s.summary(names[i])
			}
		})
	}
	wg.Wait()
	return list
}

func (s *Store) summary(name string) listed {
	dir := filepath.Join(s.Dir, name)
	v, err := readSummary(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return listed{} // a run that was never made: a crash, or a folder of somebody else's
	}
	if err != nil {
		return listed{err: fmt.Errorf("read run.json of run %s: %w", name, plainError(err))}
	}
	if v.Status == StatusRunning && !held(dir) {
		v.Status = StatusInterrupted
	}
	return listed{summary: v}
}

// names is the names of the folders in the store, newest run first.
func (s *Store) names() ([]string, error) {
	entries, err := os.ReadDir(s.Dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("list the store: %w", plainError(err))
	}
	type named struct {
		name string
		at   int64 // Unix milliseconds
	}
	list := make([]named, 0, len(entries))
	for _, e := range entries {
		if !e.IsDir() || checkID(e.Name()) != nil {
			continue
		}
		at, ok := madeAt(e.Name())
		if !ok {
			at = s.startOf(e.Name())
		}
		if at != 0 {
			list = append(list, named{e.Name(), at})
		}
	}
	slices.SortFunc(list, func(a, b named) int {
		if a.at != b.at {
			return int(max(-1, min(1, b.at-a.at)))
		}
		return strings.Compare(b.name, a.name)
	})
	names := make([]string, len(list))
	for i, n := range list {
		names[i] = n.name
	}
	return names, nil
}

// madeAt is the time in an id that is a UUID of version 7.
func madeAt(id string) (ms int64, ok bool) {
	if len(id) != 36 || id[8] != '-' || id[14] != '7' {
		return 0, false
	}
	var b [6]byte
	if _, err := hex.Decode(b[:], []byte(id[:8]+id[9:13])); err != nil {
		return 0, false
	}
	for _, x := range b {
		ms = ms<<8 | int64(x)
	}
	return ms, true
}

// startOf is when a run began whose id does not tell; 0 if the folder is none of
// a run.
func (s *Store) startOf(name string) int64 {
	dir := filepath.Join(s.Dir, name)
	if v, err := readSummary(dir); err == nil && !v.Started.IsZero() {
		return v.Started.UnixMilli()
	}
	info, err := os.Stat(filepath.Join(dir, runName))
	if err != nil {
		return 0
	}
	return info.ModTime().UnixMilli()
}

// Resolve finds the id that a name means: a full id; the beginning of one; -1 for
// the newest run, -2 for the one before; @ and a label. A name that means several
// runs is a VALIDATION_ERROR that lists them, one that means none NOT_FOUND.
func (s *Store) Resolve(name string) (string, error) {
	if name == "" {
		return "", tool.Errorf(tool.CodeInvalid, "the name of a run is empty: say its id, the beginning of it, -1 or @label")
	}
	if label, ok := strings.CutPrefix(name, "@"); ok {
		return s.byLabel(label)
	}
	names, err := s.names()
	if err != nil {
		return "", err
	}
	if n, err := strconv.Atoi(name); err == nil && name[0] == '-' && n < 0 {
		return s.byAge(names, -n)
	}
	var found []string
	for _, id := range names {
		if id == name {
			return id, nil
		}
		if strings.HasPrefix(id, name) && s.has(id) {
			found = append(found, id)
		}
	}
	return theOne(name, found)
}

// has reports whether there is a run in the folder of that name.
func (s *Store) has(id string) bool {
	_, err := os.Stat(filepath.Join(s.Dir, id, runName))
	return err == nil
}

// byAge is the n-th newest run, from 1.
func (s *Store) byAge(names []string, n int) (string, error) {
	seen := 0
	for _, id := range names {
		if s.has(id) {
			seen++
		}
		if seen == n {
			return id, nil
		}
	}
	return "", tool.Errorf(tool.CodeNotFound, "no run -%d: the store has %d", n, seen)
}

func (s *Store) byLabel(label string) (string, error) {
	var found []string
	for r, err := range s.List() {
		if err == nil && r.Label == label {
			found = append(found, r.ID)
		}
	}
	return theOne("@"+label, found)
}

// theOne is the one of found, or says why there is none.
func theOne(name string, found []string) (string, error) {
	switch n := len(found); {
	case n == 1:
		return found[0], nil
	case n == 0:
		return "", tool.Errorf(tool.CodeNotFound, "no run %q in the store; list them with: toolpost runs ls", name)
	case n > 10:
		return "", tool.Errorf(tool.CodeInvalid, "%q means %d runs: %s and more; say more of the id", name, n, strings.Join(found[:10], ", "))
	default:
		return "", tool.Errorf(tool.CodeInvalid, "%q means %d runs: %s; say more of the id", name, n, strings.Join(found, ", "))
	}
}
