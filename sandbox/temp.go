package sandbox

import (
	"crypto/rand"
	"errors"
	"io/fs"
	"os"
	"strings"
	"time"
)

// Temporary files stand beside the file they will replace, since a rename does
// not cross file systems. They are left behind only by a process that was
// killed in the midst of a write; the next write in that folder takes them away.
const tempPrefix = ".toolpost-tmp-"

// tempAge is how long a temporary file is left alone whoever wrote it, so that
// one just made is not taken from its writer before that has locked it.
const tempAge = 5 * time.Second

func isTemp(name string) bool { return strings.HasPrefix(foldName(name), tempPrefix) }

// replace writes a temporary file and gives it the name of the place.
func (p *place) replace(data []byte, opts WriteOptions) error {
	dir := p.folder()
	temp := tempPrefix + rand.Text()
	if err := p.writeTemp(dir, temp, data, opts); err != nil {
		_ = dir.Remove(temp)
		return err
	}
	var err error
	if p.info == nil && opts.IfNotExists {
		err = p.claim(dir, temp)
	} else {
		err = dir.Rename(temp, p.base)
	}
	if err != nil {
		_ = dir.Remove(temp)
		return err
	}
	syncDir(dir)
	return nil
}

func (p *place) writeTemp(dir *os.Root, temp string, data []byte, opts WriteOptions) (err error) {
	perm := fs.FileMode(0o666)
	if opts.Mode != 0 {
		perm = opts.Mode.Perm()
	}
	if p.info != nil {
		perm = 0o600 // until it has its owner
	}
	f, err := dir.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, perm)
	if err != nil {
		return err
	}
	defer func() {
		if cerr := f.Close(); err == nil {
			err = cerr
		}
	}()
	tryLock(f)
	if _, err := f.Write(data); err != nil {
		return err
	}
	if p.info != nil {
		keepOwner(f, p.info)
		perm = p.info.Mode().Perm()
	}
	if p.info != nil || opts.Mode != 0 {
		if opts.Mode != 0 {
			perm = opts.Mode.Perm()
		}
		if err := f.Chmod(perm); err != nil {
			return err
		}
	}
	return f.Sync()
}

// claim gives the temporary file its name only if the name is free, in one
// step where the file system has hard links.
func (p *place) claim(dir *os.Root, temp string) error {
	err := dir.Link(temp, p.base)
	if err == nil {
		return dir.Remove(temp)
	}
	if !errors.Is(err, fs.ErrExist) {
		if _, err = dir.Lstat(p.base); errors.Is(err, fs.ErrNotExist) {
			return dir.Rename(temp, p.base)
		}
	}
	return &Error{Kind: KindExists, Path: p.path(), Msg: "was made by someone else meanwhile; read it first", Err: fs.ErrExist}
}

// sweepOnce removes what killed writers left in the folder, the first time
// this Root writes there.
func (r *Root) sweepOnce(dir *os.Root) {
	info, err := dir.Stat(".")
	if err != nil {
		return
	}
	key := identity(info)
	if _, done := r.swept.LoadOrStore(key, true); done && key != "" {
		return
	}
	f, err := dir.Open(".")
	if err != nil {
		return
	}
	defer f.Close()
	names, _ := f.Readdirnames(-1)
	for _, name := range names {
		if isTemp(name) {
			sweep(dir, name, time.Now())
		}
	}
}

// sweep removes one temporary file if it is old and its writer is gone.
func sweep(dir *os.Root, name string, now time.Time) {
	info, err := dir.Lstat(name)
	if err != nil || !info.Mode().IsRegular() || now.Sub(info.ModTime()) < tempAge {
		return
	}
	f, err := dir.OpenFile(name, os.O_RDWR|openNonblock, 0)
	if err != nil {
		return
	}
	defer f.Close()
	if tryLock(f) {
		_ = dir.Remove(name)
	}
}
