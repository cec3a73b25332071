package filelock

import (
	"errors"
	"math"
	"os"

	"golang.org/x/sys/windows"
)

// lock locks a byte far behind the holder's process id, which others may read.
func lock(f *os.File) error {
	at := windows.Overlapped{OffsetHigh: math.MaxInt32}
	err := windows.LockFileEx(windows.Handle(f.Fd()), windows.LOCKFILE_EXCLUSIVE_LOCK|windows.LOCKFILE_FAIL_IMMEDIATELY, 0, 1, 0, &at)
	if errors.Is(err, windows.ERROR_LOCK_VIOLATION) {
		return ErrHeld
	}
	return err
}
