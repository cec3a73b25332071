package sandbox

import "io/fs"

// Mkdir makes a folder and the missing ones on the way to it, and reports each
// that it made. A folder that is there already is no error and no change;
// anything else of that name is refused with [KindExists].
func (r *Root) Mkdir(name string) ([]Change, error) {
	clean, err := r.Clean(name)
	if err != nil {
		return nil, err
	}
	p, err := r.resolve(clean, followLast)
	if err != nil {
		return nil, err
	}
	defer p.close()
	if p.info != nil {
		if p.info.IsDir() {
			return nil, nil
		}
		return nil, &Error{Kind: KindExists, Path: p.path(), Msg: "exists already and is not a folder", Err: fs.ErrExist}
	}
	if err := r.checkChange(p); err != nil {
		return nil, err
	}
	p.missing = append(p.missing, p.base)
	made, err := p.makeParents()
	var changes []Change
	for _, path := range made {
		changes = append(changes, Change{Op: OpCreated, Path: path, Kind: EntryDir})
	}
	return changes, err
}
