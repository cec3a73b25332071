package sandbox

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// A last component that is a symbolic link is either followed or taken as it is.
type lastLink int

const (
	followLast lastLink = iota
	keepLast
)

const (
	maxLinks   = 40 // as Linux: ELOOP beyond
	maxRetries = 16 // folders exchanged under us
)

// place is a path resolved for a change: the canonical folder, held open by
// descriptor, and the last component in it. Everything done to the place is
// done relative to that descriptor, so that a folder exchanged with a link
// after the check changes nothing.
type place struct {
	top     *os.Root
	dirs    []openDir   // canonical folders below the workspace
	missing []string    // folders that do not exist yet, between dirs and base
	base    string      // last component; "." for the workspace
	info    fs.FileInfo // of base, nil when it does not exist
}

type openDir struct {
	name string
	root *os.Root
	info fs.FileInfo
}

func (p *place) close() {
	for _, d := range p.dirs {
		d.root.Close()
	}
	p.dirs = nil
}

// folder is the descriptor that base is in. It is only that folder while
// nothing is missing.
func (p *place) folder() *os.Root {
	if len(p.dirs) == 0 {
		return p.top
	}
	return p.dirs[len(p.dirs)-1].root
}

// parts are the components of the canonical path.
func (p *place) parts() []string {
	parts := make([]string, 0, len(p.dirs)+len(p.missing)+1)
	for _, d := range p.dirs {
		parts = append(parts, d.name)
	}
	parts = append(parts, p.missing...)
	if p.base != "." {
		parts = append(parts, p.base)
	}
	return parts
}

// path is the canonical path relative to the workspace.
func (p *place) path() string {
	if parts := p.parts(); len(parts) > 0 {
		return strings.Join(parts, "/")
	}
	return "."
}

// resolve walks a clean path one component at a time, following links by hand
// so that the canonical path is known, and keeps every folder open.
func (r *Root) resolve(clean string, last lastLink) (*place, error) {
	w := &walker{place: &place{top: r.root}, given: clean, last: last}
	if clean != "." {
		w.queue = strings.Split(clean, "/")
	}
	if err := w.run(); err != nil {
		w.place.close()
		return nil, err
	}
	return w.place, nil
}

type walker struct {
	place   *place
	given   string
	last    lastLink
	queue   []string
	links   int
	retries int
}

func (w *walker) run() error {
	p := w.place
	for len(w.queue) > 0 {
		name := w.queue[0]
		w.queue = w.queue[1:]
		if name == "" || name == "." {
			continue
		}
		if name == ".." {
			if err := w.up(); err != nil {
				return err
			}
			continue
		}
		done, err := w.step(name)
		if done || err != nil {
			return err
		}
	}
	return w.atFolder(p)
}

// atFolder is reached when the path ended in "." or "..", by way of a link:
// the place is the folder last entered.
func (w *walker) atFolder(p *place) error {
	if len(p.dirs) == 0 {
		info, err := p.top.Stat(".")
		p.base, p.info = ".", info
		return wrap("looking at the folder", w.given, err)
	}
	d := p.dirs[len(p.dirs)-1]
	p.dirs = p.dirs[:len(p.dirs)-1]
	d.root.Close()
	p.base, p.info = d.name, d.info
	return nil
}

func (w *walker) up() error {
	p := w.place
	if len(p.dirs) == 0 {
		return fail(KindInvalidPath, w.given, msgLeaves)
	}
	p.dirs[len(p.dirs)-1].root.Close()
	p.dirs = p.dirs[:len(p.dirs)-1]
	return nil
}

// step takes one component. done says that the walk has ended at it.
func (w *walker) step(name string) (done bool, err error) {
	p := w.place
	final := len(w.queue) == 0
	info, err := p.folder().Lstat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return true, w.absent(name)
	case err != nil:
		return true, wrap("looking at it", w.given, err)
	case info.Mode()&fs.ModeSymlink != 0 && !(final && w.last == keepLast):
		return false, w.follow(name)
	case final:
		p.base, p.info = name, info
		return true, nil
	case !info.IsDir():
		return true, fail(KindNotDir, w.given, "a part of the path is not a folder")
	}
	return false, w.enter(name, info)
}

// absent ends the walk: the rest of the path is yet to be made.
func (w *walker) absent(name string) error {
	rest := []string{name}
	for _, part := range w.queue {
		switch part {
		case "", ".":
		case "..":
			return &Error{Kind: KindNotFound, Path: w.given, Msg: "a folder on the way does not exist", Err: fs.ErrNotExist}
		default:
			rest = append(rest, part)
		}
	}
	w.place.missing, w.place.base = rest[:len(rest)-1], rest[len(rest)-1]
	return nil
}

func (w *walker) follow(name string) error {
	if w.links++; w.links > maxLinks {
		return fail(KindInvalidPath, w.given, "too many symbolic links")
	}
	target, err := w.place.folder().Readlink(name)
	if err != nil {
		return w.again(name, err)
	}
	if target == "" || filepath.IsAbs(target) || filepath.VolumeName(target) != "" || os.IsPathSeparator(target[0]) {
		return fail(KindInvalidPath, w.given, "goes through a symbolic link with an absolute target; "+msgLeaves)
	}
	w.queue = append(strings.Split(toSlash(target), "/"), w.queue...)
	return nil
}

// enter opens a folder and makes sure that it is the one that was looked at.
func (w *walker) enter(name string, seen fs.FileInfo) error {
	sub, err := w.place.folder().OpenRoot(name)
	if err != nil {
		return w.again(name, err)
	}
	info, err := sub.Stat(".")
	if err != nil || !os.SameFile(info, seen) {
		sub.Close()
		return w.again(name, err)
	}
	w.place.dirs = append(w.place.dirs, openDir{name: name, root: sub, info: info})
	return nil
}

// again takes the component once more, since something else changed it between
// two looks at it.
func (w *walker) again(name string, err error) error {
	if err != nil && !errors.Is(err, fs.ErrNotExist) && isSystem(bare(err)) && errors.Is(err, fs.ErrPermission) {
		return wrap("entering the folder", w.given, err)
	}
	if w.retries++; w.retries > maxRetries {
		return fail(KindConflict, w.given, "a folder on the way keeps changing; try again")
	}
	w.queue = append([]string{name}, w.queue...)
	return nil
}
