package audit

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/toolpost/toolpost/internal/filelock"
	"github.com/toolpost/toolpost/tool"
)

// Retention says which runs are kept. A run goes when any limit says so; zero
// fields are no limits. Runs that are being written always stay, and so do runs
// with a label unless Labelled is set.
type Retention struct {
	Age      time.Duration // since the run began
	Runs     int           // the newest so many
	Bytes    int64         // the newest that take so much together, artifacts included
	Labelled bool          // runs with a label go, too
	DryRun   bool          // nothing is removed
	Now      time.Time     // the time that ages are counted to; now if zero
}

// A Removed is a run that GC has removed, or would remove.
type Removed struct {
	Run     string    `json:"runId"`
	Started time.Time `json:"startedAt"`
	Bytes   int64     `json:"bytes"`
	Why     string    `json:"why"` // age, runs or bytes
}

// GC removes the runs that r does not keep, the newest of them first, and returns
// them. With an error come those that were removed before it.
func (s *Store) GC(r Retention) ([]Removed, error) {
	removed := []Removed{}
	if r.Now.IsZero() {
		r.Now = time.Now()
	}
	kept, bytes := 0, int64(0)
	for sum, err := range s.List() {
		if err != nil || sum.Status == StatusRunning {
			continue // what cannot be read is not judged
		}
		dir := filepath.Join(s.Dir, sum.ID)
		size, err := sizeOf(dir)
		if err != nil {
			return removed, fmt.Errorf("measure run %s: %w", sum.ID, plainError(err))
		}
		why := r.judge(sum, kept, bytes+size)
		if why == "" {
			kept, bytes = kept+1, bytes+size
			continue
		}
		if !r.DryRun {
			if gone, err := s.remove(sum.ID, dir); err != nil {
				return removed, fmt.Errorf("remove run %s: %w", sum.ID, plainError(err))
			} else if !gone {
				continue
			}
		}
		removed = append(removed, Removed{sum.ID, sum.Started, size, why})
	}
	return removed, nil
}

// judge is why a run goes, "" if it stays.
func (r *Retention) judge(s *Summary, kept int, bytes int64) string {
	switch {
	case s.Label != "" && !r.Labelled:
	case r.Age > 0 && r.Now.Sub(s.Started) > r.Age:
		return "age"
	case r.Runs > 0 && kept >= r.Runs:
		return "runs"
	case r.Bytes > 0 && bytes > r.Bytes:
		return "bytes"
	}
	return ""
}

func sizeOf(dir string) (size int64, err error) {
	err = filepath.WalkDir(dir, func(_ string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		info, err := d.Info()
		if err == nil {
			size += info.Size()
		}
		return err
	})
	return size, err
}

// remove removes a run, unless somebody has begun to write it. It gets a name that
// is no run's first, so that nobody sees half of it.
func (s *Store) remove(id, dir string) (gone bool, err error) {
	lock, err := filelock.Acquire(filepath.Join(dir, lockName))
	if errors.Is(err, filelock.ErrHeld) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	trash := filepath.Join(s.Dir, ".gone-"+id+"-"+tool.NewID())
	if err := os.Rename(dir, trash); err != nil {
		return false, errors.Join(err, lock.Release())
	}
	if err := lock.Release(); err != nil {
		return true, err
	}
	return true, os.RemoveAll(trash)
}
