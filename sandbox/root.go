package sandbox

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
)

// Root is the file access of a session: every path is below the workspace, and
// nothing a path, a link or a race can do leads out of it. It stands on
// [os.Root], which resolves each component by descriptor.
//
// A Root is safe for concurrent use. It is made by [Open] and released by
// [Root.Close].
type Root struct {
	root      *os.Root
	bases     []string // absolute names of the workspace, as given and canonical
	protected []string // anchored paths of Profile.Protected, clean
	userLocks lockTable
	fileLocks lockTable
	swept     sync.Map // identity of folders already swept of old temporary files
}

// Open opens the workspace of p. It fails with [KindNotFound], [KindNotDir] or
// [KindPermission] when the folder cannot serve as one, and with
// [KindInvalidPath] when a path of p.Protected is not inside it.
func Open(p Profile) (*Root, error) {
	if p.Workspace == "" {
		return nil, &Error{Kind: KindInvalidPath, Msg: "no workspace given; name the folder to work in"}
	}
	abs, err := filepath.Abs(p.Workspace)
	if err != nil {
		return nil, wrap("finding the workspace", p.Workspace, err)
	}
	if fi, err := os.Stat(abs); err == nil && !fi.IsDir() {
		return nil, fail(KindNotDir, p.Workspace, "the workspace is not a folder")
	}
	root, err := os.OpenRoot(abs)
	if err != nil {
		return nil, openError(p.Workspace, err)
	}
	r := &Root{root: root, bases: []string{abs}}
	if canon, err := filepath.EvalSymlinks(abs); err == nil && canon != abs {
		r.bases = append(r.bases, canon)
	}
	for _, name := range p.Protected {
		clean, err := r.Clean(name)
		if err != nil {
			root.Close()
			return nil, err
		}
		r.protected = append(r.protected, clean)
	}
	return r, nil
}

func openError(name string, err error) error {
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return &Error{Kind: KindNotFound, Path: name, Msg: "the workspace does not exist; make the folder or name another", Err: bare(err)}
	case errors.Is(err, fs.ErrPermission):
		return &Error{Kind: KindPermission, Path: name, Msg: "the workspace cannot be entered: permission denied", Err: bare(err)}
	}
	return wrap("opening the workspace", name, err)
}

// Close releases the workspace. Calls after it fail with [KindClosed].
func (r *Root) Close() error { return r.root.Close() }

// Name returns the absolute host path of the workspace. It is for the
// operator and for starting programs; it must not reach a model.
func (r *Root) Name() string { return r.bases[0] }
