package sandbox

import (
	"io/fs"
	"os"
)

// RenameOptions say how a path is renamed.
type RenameOptions struct {
	// Replace lets a file take the place of another; else something at the
	// new path is refused with [KindExists]. A folder is never replaced.
	Replace bool

	// DryRun makes all the checks and reports the change without making it.
	DryRun bool
}

// Rename moves a file, link or folder inside the workspace. Missing folders of
// the new path are made. Protected paths are refused at both ends, and so is a
// folder that holds one or would hold one under its new name.
func (r *Root) Rename(from, to string, opts RenameOptions) (Change, error) {
	src, err := r.cleanEnd(from)
	if err != nil {
		return Change{}, err
	}
	dst, err := r.cleanEnd(to)
	if err != nil {
		return Change{}, err
	}
	defer r.lockBoth(src, dst)()
	a, err := r.resolve(src, keepLast)
	if err != nil {
		return Change{}, err
	}
	defer a.close()
	b, err := r.resolve(dst, keepLast)
	if err != nil {
		return Change{}, err
	}
	defer b.close()
	change, err := r.checkRename(a, b, opts)
	if err != nil || opts.DryRun {
		return change, err
	}
	made, err := b.makeParents()
	if err == nil {
		err = r.move(a, b, opts)
	}
	if err != nil {
		b.unmake(made)
		return Change{}, wrap("renaming it", a.path(), err)
	}
	change.Folders = made
	syncDir(a.folder())
	syncDir(b.folder())
	return change, nil
}

func (r *Root) cleanEnd(name string) (string, error) {
	clean, err := r.Clean(name)
	if err == nil && clean == "." {
		err = fail(KindInvalidPath, name, "is the workspace itself, which cannot be renamed")
	}
	return clean, err
}

// lockBoth takes both locks in one order whoever asks.
func (r *Root) lockBoth(a, b string) (unlock func()) {
	a, b = foldKey(a), foldKey(b)
	if a == b {
		return r.fileLocks.lock(a)
	}
	if a > b {
		a, b = b, a
	}
	first := r.fileLocks.lock(a)
	second := r.fileLocks.lock(b)
	return func() { second(); first() }
}

func (r *Root) checkRename(a, b *place, opts RenameOptions) (Change, error) {
	if a.info == nil {
		return Change{}, &Error{Kind: KindNotFound, Path: a.path(), Msg: "does not exist", Err: fs.ErrNotExist}
	}
	for _, p := range []*place{a, b} {
		if err := r.checkChange(p); err != nil {
			return Change{}, err
		}
	}
	if isTemp(b.base) {
		return Change{}, fail(KindInvalidPath, b.path(), "has a name that is kept for temporary files")
	}
	if b.info != nil {
		if err := checkReplace(a, b, opts); err != nil {
			return Change{}, err
		}
	}
	change := Change{Op: OpRenamed, Path: b.path(), From: a.path(), Kind: kindOf(a.info.Mode()), DryRun: opts.DryRun}
	if a.info.IsDir() {
		_, err := r.scan(a, b.path())
		return change, err
	}
	change.Bytes = a.info.Size()
	if a.info.Mode().IsRegular() {
		change.AfterEtag, _ = a.tag()
		change.BeforeEtag = change.AfterEtag
	}
	return change, nil
}

func checkReplace(a, b *place, opts RenameOptions) error {
	switch {
	case os.SameFile(a.info, b.info) && a.links() <= 1:
		return nil // only the letter case changes
	case !opts.Replace:
		return &Error{Kind: KindExists, Path: b.path(), Msg: "exists already; choose another name", Err: fs.ErrExist}
	case a.info.IsDir() || b.info.IsDir():
		return fail(KindExists, b.path(), "a folder cannot be replaced; remove it first")
	}
	return nil
}
