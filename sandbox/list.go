package sandbox

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"path"
	"slices"
	"strings"
)

// MaxEntries is the most entries of one folder that are read.
const MaxEntries = 1_000_000

// List returns the entries of a folder, sorted by name. Links are reported as
// links. Temporary files of writes under way are left out. A folder with more
// than [MaxEntries] is refused with [KindTooLarge].
func (r *Root) List(name string) ([]Entry, error) {
	clean, err := r.Clean(name)
	if err != nil {
		return nil, err
	}
	return r.list(clean)
}

func (r *Root) list(clean string) ([]Entry, error) {
	info, err := r.root.Stat(clean)
	if err != nil {
		return nil, wrap("listing the folder", clean, err)
	}
	if !info.IsDir() {
		return nil, fail(KindNotDir, clean, "is not a folder; read it as a file")
	}
	f, err := r.root.OpenFile(clean, openNonblock, 0)
	if err != nil {
		return nil, wrap("listing the folder", clean, err)
	}
	defer f.Close()
	var entries []Entry
	for {
		batch, err := f.ReadDir(1024)
		for _, d := range batch {
			if e, ok := r.dirEntry(clean, d); ok {
				entries = append(entries, e)
			}
		}
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, wrap("listing the folder", clean, err)
		}
		if len(entries) > MaxEntries {
			return nil, fail(KindTooLarge, clean, fmt.Sprintf("has more than %d entries", MaxEntries))
		}
	}
	slices.SortFunc(entries, func(a, b Entry) int { return strings.Compare(a.Name, b.Name) })
	return entries, nil
}

// dirEntry describes one entry; ok is false for what is gone meanwhile or is
// one of our temporary files.
func (r *Root) dirEntry(dir string, d fs.DirEntry) (Entry, bool) {
	if isTemp(d.Name()) {
		return Entry{}, false
	}
	info, err := d.Info()
	if err != nil {
		return Entry{}, false
	}
	return r.entry(path.Join(dir, d.Name()), info), true
}

// WalkOptions bound a walk. The zero value walks everything.
type WalkOptions struct {
	// Depth is how many levels below the start are entered: 1 lists its
	// children only. Zero is all.
	Depth int

	// Skip leaves out an entry, and with a folder all below it. It is called
	// once for each entry, in order.
	Skip func(Entry) bool
}

// Walk yields everything below a folder, parents before their children and
// siblings by name. Links are reported and not followed. A folder that cannot
// be read is yielded with Err set and the walk goes on; an error of the start
// itself is yielded as the last thing.
func (r *Root) Walk(name string, opts WalkOptions) iter.Seq2[Entry, error] {
	return func(yield func(Entry, error) bool) {
		clean, err := r.Clean(name)
		if err != nil {
			yield(Entry{}, err)
			return
		}
		entries, err := r.list(clean)
		if err != nil {
			yield(Entry{}, err)
			return
		}
		r.walk(entries, 1, opts, yield)
	}
}

func (r *Root) walk(entries []Entry, depth int, opts WalkOptions, yield func(Entry, error) bool) bool {
	for _, e := range entries {
		e.Depth = depth
		if opts.Skip != nil && opts.Skip(e) {
			continue
		}
		var below []Entry
		if e.Kind == EntryDir && (opts.Depth <= 0 || depth < opts.Depth) {
			below, e.Err = r.list(e.Path)
		}
		if !yield(e, nil) || !r.walk(below, depth+1, opts, yield) {
			return false
		}
	}
	return true
}
