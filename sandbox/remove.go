package sandbox

import (
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
)

// RemoveOptions say how a path is removed.
type RemoveOptions struct {
	// Recursive removes a folder with all below it; else a folder must be empty.
	Recursive bool

	// ExpectedEtag refuses with [KindConflict] unless the path is a file with this tag.
	ExpectedEtag string

	// DryRun makes all the checks and reports the changes without making them.
	DryRun bool
}

// Remove removes a file, a link (never what it points to) or a folder, and
// reports every path that went, children before their folder. The workspace
// itself, a path with ".." in it, a protected path and a folder that holds
// one are refused.
func (r *Root) Remove(name string, opts RemoveOptions) ([]Change, error) {
	if slices.Contains(strings.Split(toSlash(name), "/"), "..") {
		return nil, fail(KindInvalidPath, name, `has ".." in it, which is refused when something is removed; give the plain path`)
	}
	clean, err := r.Clean(name)
	if err != nil {
		return nil, err
	}
	if clean == "." {
		return nil, fail(KindInvalidPath, name, "is the workspace itself, which cannot be removed")
	}
	unlock := r.fileLocks.lock(foldKey(clean))
	defer unlock()
	p, err := r.resolve(clean, keepLast)
	if err != nil {
		return nil, err
	}
	defer p.close()
	changes, err := r.checkRemove(name, p, opts)
	if err != nil || opts.DryRun {
		return changes, err
	}
	if opts.Recursive && p.info.IsDir() {
		err = p.folder().RemoveAll(p.base)
	} else {
		err = p.folder().Remove(p.base)
	}
	if err != nil {
		return r.gone(changes), wrap("removing it", p.path(), err)
	}
	syncDir(p.folder())
	return changes, nil
}

func (r *Root) checkRemove(name string, p *place, opts RemoveOptions) ([]Change, error) {
	if p.info == nil || len(p.missing) > 0 {
		return nil, &Error{Kind: KindNotFound, Path: p.path(), Msg: "does not exist", Err: fs.ErrNotExist}
	}
	if endsAsDir(name) && !p.info.IsDir() {
		return nil, fail(KindNotDir, p.path(), "is not a folder; leave out the trailing slash")
	}
	if err := r.checkChange(p); err != nil {
		return nil, err
	}
	last := Change{Op: OpDeleted, Path: p.path(), Kind: kindOf(p.info.Mode()), DryRun: opts.DryRun}
	if p.info.Mode().IsRegular() {
		last.Bytes = p.info.Size()
		last.BeforeEtag, _ = p.tag()
	}
	if opts.ExpectedEtag != "" && opts.ExpectedEtag != last.BeforeEtag {
		return nil, fail(KindConflict, p.path(), "is not the file with etag "+opts.ExpectedEtag+"; read it again")
	}
	if !p.info.IsDir() {
		return []Change{last}, nil
	}
	below, err := r.scan(p, p.path())
	if err != nil {
		return nil, err
	}
	if len(below) > 0 && !opts.Recursive {
		return nil, fail(KindNotEmpty, p.path(), "is a folder that is not empty")
	}
	changes := make([]Change, 0, len(below)+1)
	for _, e := range slices.Backward(below) {
		changes = append(changes, Change{Op: OpDeleted, Path: e.Path, Kind: e.Kind, Bytes: e.Size, DryRun: opts.DryRun})
	}
	return append(changes, last), nil
}

// scan lists everything below the folder at a place and fails when any of it
// is protected, under its present path or as it would be named below target.
func (r *Root) scan(p *place, target string) ([]Entry, error) {
	from := p.path()
	var found []Entry
	for e, err := range r.Walk(from, WalkOptions{}) {
		if err != nil {
			return nil, err
		}
		if e.Err != nil {
			return nil, e.Err
		}
		moved := path.Join(target, strings.TrimPrefix(e.Path, from))
		for _, name := range []string{e.Path, moved} {
			if r.protectedPath(strings.Split(name, "/")) {
				return nil, fail(KindProtected, from, "holds "+quote(e.Path)+", which is protected: tools may read it and not change it")
			}
		}
		found = append(found, e)
		if len(found) > MaxEntries {
			return nil, fail(KindTooLarge, from, fmt.Sprintf("holds more than %d entries", MaxEntries))
		}
	}
	return found, nil
}

// gone keeps the changes that came true of a removal that failed half-way.
func (r *Root) gone(changes []Change) []Change {
	return slices.DeleteFunc(changes, func(c Change) bool {
		_, err := r.root.Lstat(c.Path)
		return err == nil
	})
}
