package audit

import (
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"
)

// datasync leaves out times, which nobody needs to read the file back.
func datasync(f *os.File) error {
	for {
		err := unix.Fdatasync(int(f.Fd()))
		if err != unix.EINTR {
			return err
		}
	}
}

// syncParent makes the name of path lasting.
func syncParent(path string) error { return syncDir(filepath.Dir(path)) }

func syncDir(path string) error {
	d, err := os.Open(path)
	if err != nil {
		return err
	}
	defer d.Close()
	return d.Sync()
}
