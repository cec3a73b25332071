package sandbox

import (
	"io/fs"
	"path"
	"time"
)

// EntryKind is the sort of thing a path names.
type EntryKind string

// The kinds of entries.
const (
	EntryFile   EntryKind = "file"
	EntryDir    EntryKind = "dir"
	EntryLink   EntryKind = "link"
	EntryFIFO   EntryKind = "fifo"
	EntrySocket EntryKind = "socket"
	EntryDevice EntryKind = "device"
	EntryOther  EntryKind = "other"
)

// Entry describes one path of the workspace.
type Entry struct {
	Name    string      // last component
	Path    string      // relative to the workspace, forward slashes
	Kind    EntryKind   // links are reported as links, not as what they point to
	Size    int64       // bytes; of files only
	Mode    fs.FileMode // permission bits and type
	ModTime time.Time
	Target  string // of a link, as it stands in the link
	Depth   int    // in a walk: 1 for the children of its start
	Err     error  // in a walk: why a folder could not be read; the walk goes on
}

func kindOf(mode fs.FileMode) EntryKind {
	switch {
	case mode.IsRegular():
		return EntryFile
	case mode.IsDir():
		return EntryDir
	case mode&fs.ModeSymlink != 0:
		return EntryLink
	case mode&fs.ModeNamedPipe != 0:
		return EntryFIFO
	case mode&fs.ModeSocket != 0:
		return EntrySocket
	case mode&fs.ModeDevice != 0:
		return EntryDevice
	}
	return EntryOther
}

func (r *Root) entry(name string, info fs.FileInfo) Entry {
	e := Entry{
		Name:    path.Base(name),
		Path:    name,
		Kind:    kindOf(info.Mode()),
		Mode:    info.Mode(),
		ModTime: info.ModTime(),
	}
	switch e.Kind {
	case EntryFile:
		e.Size = info.Size()
	case EntryLink:
		e.Target, _ = r.root.Readlink(name)
	}
	return e
}

// Stat describes what a path leads to, following links inside the workspace.
func (r *Root) Stat(name string) (Entry, error) {
	clean, err := r.Clean(name)
	if err != nil {
		return Entry{}, err
	}
	info, err := r.root.Stat(clean)
	if err != nil {
		return Entry{}, wrap("looking at it", clean, err)
	}
	if endsAsDir(name) && !info.IsDir() {
		return Entry{}, fail(KindNotDir, name, "is not a folder")
	}
	return r.entry(clean, info), nil
}

// Lstat describes the path itself; a link is described as a link.
func (r *Root) Lstat(name string) (Entry, error) {
	clean, err := r.Clean(name)
	if err != nil {
		return Entry{}, err
	}
	info, err := r.root.Lstat(clean)
	if err != nil {
		return Entry{}, wrap("looking at it", clean, err)
	}
	return r.entry(clean, info), nil
}
