// Package filelock keeps two processes from writing the same file: an advisory
// lock that the system drops when its holder ends, however it ends.
//
//	l, err := filelock.Acquire(path + ".lock")
//	if errors.Is(err, filelock.ErrHeld) { … }
//	defer l.Release()
//
// The lock file holds the process id of its holder, for messages, and is left in
// place: to remove it would let two holders in.
package filelock

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
)

// ErrHeld says that another process holds the lock. The error that wraps it
// names the holder's process id, if that is known.
var ErrHeld = errors.New("held by another process")

// A Lock is held until Release, or until the process ends.
type Lock struct{ f *os.File }

// Acquire takes the lock that the file at path stands for, without waiting. The
// file is made if it is missing, its folder is not.
func Acquire(path string) (*Lock, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	if err := lock(f); err != nil {
		defer f.Close()
		if !errors.Is(err, ErrHeld) {
			return nil, fmt.Errorf("lock %s: %w", path, err)
		}
		if pid := holder(f); pid > 0 {
			return nil, fmt.Errorf("%w, pid %d", ErrHeld, pid)
		}
		return nil, ErrHeld
	}
	if err := f.Truncate(0); err == nil {
		_, _ = f.WriteAt([]byte(strconv.Itoa(os.Getpid())+"\n"), 0) // only for messages
	}
	return &Lock{f}, nil
}

func holder(f *os.File) int {
	b, _ := io.ReadAll(io.NewSectionReader(f, 0, 32))
	pid, _ := strconv.Atoi(strings.TrimSpace(string(b)))
	return pid
}

// Release gives the lock back. A nil Lock has nothing to release.
func (l *Lock) Release() error {
	if l == nil {
		return nil
	}
	return l.f.Close()
}
