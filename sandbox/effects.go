package sandbox

import (
	"errors"
	"io/fs"
	"os"
	"slices"
)

// Effects are the changes that commands made to the overlay since it was laid,
// sorted by path, as a dry run. No command may be running. A folder that was
// removed is one change.
func (c *Cell) Effects() ([]Change, error) {
	layer, err := c.layer()
	if layer == nil || err != nil {
		return nil, err
	}
	defer layer.Close()
	return c.compare(layer)
}

// Commit makes the changes of the overlay to the workspace, by the rules of
// [Root]: a protected path is not changed. It returns what was changed, and the
// errors of what could not be, joined. The overlay is then dropped, and with it
// the session's temporary files.
func (c *Cell) Commit() ([]Change, error) {
	layer, err := c.layer()
	if layer == nil || err != nil {
		return nil, err
	}
	defer layer.Close()
	wanted, err := c.compare(layer)
	if err != nil {
		return nil, err
	}
	var done []Change
	var failed []error
	for _, change := range wanted {
		changes, err := c.apply(layer, change)
		done = append(done, changes...)
		if err != nil {
			failed = append(failed, err)
		}
	}
	c.drop()
	return done, errors.Join(failed...)
}

// Discard drops the overlay with all changes. The next command starts with a
// new one.
func (c *Cell) Discard() error {
	layer, err := c.layer()
	if layer != nil {
		layer.Close()
		c.drop()
	}
	return err
}

// compare lists what the layer changes.
func (c *Cell) compare(layer *os.Root) ([]Change, error) {
	var changes []Change
	err := fs.WalkDir(layer.FS(), ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || name == "." {
			return err
		}
		above, err := d.Info()
		if err != nil {
			return err
		}
		below, _ := c.root.root.Lstat(name)
		if whiteout(above) {
			if below != nil {
				changes = append(changes, Change{Op: OpDeleted, Path: name, Kind: kindOf(below.Mode()), Bytes: below.Size(), DryRun: true})
			}
			return nil
		}
		if above.IsDir() {
			changes = append(changes, c.compareDir(layer, name, below)...)
			return nil
		}
		change := Change{Op: OpCreated, Path: name, Kind: kindOf(above.Mode()), Bytes: above.Size(), DryRun: true, AfterEtag: etagIn(layer, name, above)}
		if below != nil {
			change.Op, change.BeforeEtag = OpModified, etagIn(c.root.root, name, below)
			if change.AfterEtag != "" && change.AfterEtag == change.BeforeEtag && above.Mode() == below.Mode() {
				return nil // only touched
			}
		}
		changes = append(changes, change)
		return nil
	})
	slices.SortStableFunc(changes, func(a, b Change) int {
		if a.Path < b.Path {
			return -1
		}
		if a.Path > b.Path {
			return 1
		}
		return 0
	})
	return changes, wrap("comparing the overlay", "", err)
}

// compareDir says what a folder of the layer does to the one below it.
func (c *Cell) compareDir(layer *os.Root, name string, below fs.FileInfo) (changes []Change) {
	switch {
	case below == nil:
		return []Change{{Op: OpCreated, Path: name, Kind: EntryDir, DryRun: true}}
	case !below.IsDir():
		return []Change{{Op: OpDeleted, Path: name, Kind: kindOf(below.Mode()), Bytes: below.Size(), DryRun: true}, {Op: OpCreated, Path: name, Kind: EntryDir, DryRun: true}}
	case !opaque(layer, name):
		return nil
	}
	entries, err := fs.ReadDir(c.root.root.FS(), name)
	if err != nil {
		return nil
	}
	for _, e := range entries {
		path := name + "/" + e.Name()
		if _, err := layer.Lstat(path); err == nil {
			continue
		}
		if info, err := e.Info(); err == nil {
			changes = append(changes, Change{Op: OpDeleted, Path: path, Kind: kindOf(info.Mode()), Bytes: info.Size(), DryRun: true})
		}
	}
	return changes
}

func etagIn(root *os.Root, name string, info fs.FileInfo) string {
	if !info.Mode().IsRegular() || info.Size() > maxEtagBytes {
		return ""
	}
	f, err := root.Open(name)
	if err != nil {
		return ""
	}
	defer f.Close()
	tag, _ := etagOf(f)
	return tag
}

// apply makes one change of the layer to the workspace.
func (c *Cell) apply(layer *os.Root, change Change) ([]Change, error) {
	switch {
	case change.Op == OpDeleted:
		return c.root.Remove(change.Path, RemoveOptions{Recursive: change.Kind == EntryDir})
	case change.Kind == EntryDir:
		return c.root.Mkdir(change.Path)
	case change.Kind == EntryLink:
		return c.applyLink(layer, change)
	case change.Kind != EntryFile:
		return nil, fail(KindNotRegular, change.Path, "is a "+string(change.Kind)+", which is not taken over from an overlay")
	}
	info, err := layer.Lstat(change.Path)
	if err != nil {
		return nil, wrap("reading the overlay", change.Path, err)
	}
	data, err := layer.ReadFile(change.Path)
	if err != nil {
		return nil, wrap("reading the overlay", change.Path, err)
	}
	if old, err := c.root.root.Lstat(change.Path); err == nil && !old.Mode().IsRegular() {
		if _, err := c.root.Remove(change.Path, RemoveOptions{Recursive: true}); err != nil {
			return nil, err
		}
	}
	done, err := c.root.Write(change.Path, data, WriteOptions{Mode: info.Mode().Perm()})
	if err != nil {
		return nil, err
	}
	return []Change{done}, nil
}

// applyLink makes a symbolic link. Where it leads is judged when it is used.
func (c *Cell) applyLink(layer *os.Root, change Change) ([]Change, error) {
	p, err := c.root.resolve(change.Path, keepLast)
	if err != nil {
		return nil, err
	}
	defer p.close()
	if err := c.root.checkChange(p); err != nil {
		return nil, err
	}
	to, err := layer.Readlink(change.Path)
	if err != nil {
		return nil, wrap("reading the overlay", change.Path, err)
	}
	if p.info != nil {
		if _, err := c.root.Remove(change.Path, RemoveOptions{Recursive: true}); err != nil {
			return nil, err
		}
	}
	if err := p.folder().Symlink(to, p.base); err != nil {
		return nil, wrap("making the link", change.Path, err)
	}
	change.DryRun = false
	return []Change{change}, nil
}
