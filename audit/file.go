package audit

import (
	"errors"
	"io/fs"
	"os"
	"syscall"

	"github.com/toolpost/toolpost/tool"
)

// file is what a journal needs of an open file; tests put failing ones in its
// place.
type file interface {
	ReadAt(b []byte, off int64) (int, error)
	WriteAt(b []byte, off int64) (int, error)
	Truncate(size int64) error
	Sync() error // what was written, and the size, are on stable storage
	Close() error
}

// opener opens a file for reading and writing, and makes it if it is missing.
type opener func(path string) (file, error)

func openFile(path string) (file, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	return osFile{f}, nil
}

// osFile is a file whose Sync leaves out what is not needed to read it back.
type osFile struct{ *os.File }

func (f osFile) Sync() error { return datasync(f.File) }

// replaceFile has path hold data: all of it, or what it held before, whatever
// happens meanwhile.
func replaceFile(path string, data []byte) error {
	if err := writeWhole(path, data, datasync); err != nil {
		return err
	}
	return syncParent(path)
}

// writeWhole has path hold data, written under another name first and treated by
// sync before it gets its own.
func writeWhole(path string, data []byte, sync func(*os.File) error) (err error) {
	tmp := path + ".tmp"
	f, err := os.OpenFile(tmp, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			_ = os.Remove(tmp) // it is of no use, and the error that matters is known
		}
	}()
	_, err = f.Write(data)
	if err == nil {
		err = sync(f)
	}
	if e := f.Close(); err == nil {
		err = e
	}
	if err != nil {
		return err
	}
	return os.Rename(tmp, path)
}

// unsynced is the sync of files that can be made again.
func unsynced(*os.File) error { return nil }

// unwritable is the error for a record that cannot be kept. Its text says what
// to do, and names no path of the host.
func unwritable(err error) error {
	var known *tool.Error
	if errors.As(err, &known) {
		return err
	}
	advice := "check the disk that holds the store, then run again"
	switch {
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT):
		advice = "free some space on the disk that holds the store, then run again"
	case errors.Is(err, fs.ErrPermission), errors.Is(err, syscall.EROFS):
		advice = "make the store's folder writable or choose another with --store, then run again"
	}
	return tool.Errorf(tool.CodeUnavailable, "the record cannot be written, so the run stops: %w; %s", plainError(err), advice)
}

// plainError is err without the path that package os puts into it.
func plainError(err error) error {
	var p *fs.PathError
	if errors.As(err, &p) {
		return p.Err
	}
	var l *os.LinkError
	if errors.As(err, &l) {
		return l.Err
	}
	return err
}
