//go:build !linux

package audit

import (
	"os"
	"path/filepath"
	"runtime"
)

func datasync(f *os.File) error { return f.Sync() }

// syncParent makes the name of path lasting.
func syncParent(path string) error { return syncDir(filepath.Dir(path)) }

// syncDir does nothing on Windows, where a folder cannot be synced and names
// are journaled with the file.
func syncDir(path string) error {
	if runtime.GOOS == "windows" {
		return nil
	}
	d, err := os.Open(path)
	if err != nil {
		return err
	}
	defer d.Close()
	return d.Sync()
}
