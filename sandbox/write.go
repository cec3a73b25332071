package sandbox

import (
	"errors"
	"io/fs"
	"os"
	"strings"
)

// WriteOptions say under which conditions a file is written. The zero value
// creates or replaces it.
type WriteOptions struct {
	// IfNotExists refuses with [KindExists] when something is there already.
	IfNotExists bool

	// ExpectedEtag refuses with [KindConflict] unless the file is there with
	// this tag.
	ExpectedEtag string

	// Mode is the permission bits of the file. Zero keeps those of the file
	// that is replaced, and gives a new one 0666 less the umask.
	Mode fs.FileMode

	// DryRun makes all the checks and reports the change without making it.
	DryRun bool
}

// Write puts data into a file in one step: readers see the old content or the
// new, and after a failure the old stays with no trace of the attempt. Missing
// folders are made; permission bits are kept, and set-id bits dropped.
//
// Content that is there already is left alone and reported as [OpNone].
//
// A symbolic link is written through when it leads to a place inside the
// workspace. Refused are protected paths, anything that is no regular file,
// and a file with more than one hard link, whose other name may lie outside.
func (r *Root) Write(name string, data []byte, opts WriteOptions) (Change, error) {
	clean, err := r.cleanFile(name)
	if err != nil {
		return Change{}, err
	}
	unlock := r.fileLocks.lock(r.lockKey(clean))
	defer unlock()
	p, err := r.resolve(clean, followLast)
	if err != nil {
		return Change{}, err
	}
	defer p.close()
	change, err := r.checkWrite(p, data, opts)
	if err != nil || opts.DryRun || change.Op == OpNone {
		return change, err
	}
	made, err := p.makeParents()
	if err == nil {
		r.sweepOnce(p.folder())
		err = p.replace(data, opts)
	}
	if err != nil {
		p.unmake(made)
		return Change{}, wrap("writing the file", clean, err)
	}
	change.Folders = made
	return change, nil
}

// checkWrite judges the place and says what the write will change.
func (r *Root) checkWrite(p *place, data []byte, opts WriteOptions) (Change, error) {
	path := p.path()
	if err := r.checkChange(p); err != nil {
		return Change{}, err
	}
	if isTemp(p.base) {
		return Change{}, fail(KindInvalidPath, path, "has a name that is kept for temporary files")
	}
	change := Change{Op: OpCreated, Path: path, Kind: EntryFile, AfterEtag: Etag(data), Bytes: int64(len(data)), DryRun: opts.DryRun}
	if p.info == nil {
		if opts.ExpectedEtag != "" {
			return Change{}, fail(KindConflict, path, "does not exist, but content with etag "+opts.ExpectedEtag+" was expected; read it again")
		}
		return change, nil
	}
	if err := regular(path, p.info); err != nil {
		return Change{}, err
	}
	if opts.IfNotExists {
		return Change{}, &Error{Kind: KindExists, Path: path, Msg: "exists already; read it first, or choose another name", Err: fs.ErrExist}
	}
	if p.links() > 1 {
		return Change{}, fail(KindHardLink, path, "has more than one hard link, so that writing it could change a file elsewhere; remove it and write it anew")
	}
	before, err := p.etag()
	if err != nil {
		return Change{}, err
	}
	if opts.ExpectedEtag != "" && opts.ExpectedEtag != before {
		return Change{}, fail(KindConflict, path, "has etag "+before+", but "+opts.ExpectedEtag+" was expected; it was changed meanwhile, read it again")
	}
	change.Op, change.BeforeEtag = OpModified, before
	if before == change.AfterEtag && opts.Mode == 0 {
		change.Op = OpNone
	}
	return change, nil
}

// etag opens the file for writing, without changing it, to learn whether the
// operating system would allow it: a rename asks the folder only.
func (p *place) etag() (string, error) {
	path := p.path()
	w, err := p.folder().OpenFile(p.base, os.O_WRONLY|openNonblock, 0)
	if err != nil {
		return "", wrap("opening the file for writing", path, err)
	}
	defer w.Close()
	info, err := w.Stat()
	if err != nil {
		return "", wrap("opening the file for writing", path, err)
	}
	if !os.SameFile(info, p.info) {
		return "", fail(KindConflict, path, "was replaced meanwhile; read it again")
	}
	return p.tag()
}

// makeParents makes the missing folders and enters them. It returns the paths
// of those it made, outermost first.
func (p *place) makeParents() ([]string, error) {
	var made []string
	for len(p.missing) > 0 {
		name := p.missing[0]
		err := p.folder().Mkdir(name, 0o777)
		if err != nil && !errors.Is(err, fs.ErrExist) {
			return made, wrap("making the folder", p.path(), err)
		}
		if err == nil {
			made = append(made, p.dirPath(name))
		}
		if err := p.enterMade(name); err != nil {
			return made, err
		}
		p.missing = p.missing[1:]
	}
	return made, nil
}

func (p *place) enterMade(name string) error {
	info, err := p.folder().Lstat(name)
	if err == nil && !info.IsDir() {
		return fail(KindConflict, p.path(), "a folder on the way was replaced meanwhile; try again")
	}
	if err != nil {
		return wrap("making the folder", p.path(), err)
	}
	sub, err := p.folder().OpenRoot(name)
	if err != nil {
		return wrap("entering the folder", p.path(), err)
	}
	got, err := sub.Stat(".")
	if err != nil || !os.SameFile(got, info) {
		sub.Close()
		return fail(KindConflict, p.path(), "a folder on the way was replaced meanwhile; try again")
	}
	p.dirs = append(p.dirs, openDir{name: name, root: sub, info: got})
	return nil
}

func (p *place) dirPath(name string) string {
	var b strings.Builder
	for _, d := range p.dirs {
		b.WriteString(d.name)
		b.WriteByte('/')
	}
	b.WriteString(name)
	return b.String()
}

// unmake removes the folders made for a write that failed, innermost first. A
// folder that someone else has put something into stays.
func (p *place) unmake(made []string) {
	for i := len(made) - 1; i >= 0; i-- {
		depth := strings.Count(made[i], "/")
		parent := p.top
		if depth > 0 {
			parent = p.dirs[depth-1].root
		}
		if parent.Remove(made[i][strings.LastIndexByte(made[i], '/')+1:]) != nil {
			return
		}
	}
}
