package schema

import "slices"

// aliases are the names that models are used to, by the name that a schema may
// declare instead.
var aliases = []struct {
	name string
	from []string
}{
	{"path", []string{"file_path", "filePath", "file"}},
	{"old_text", []string{"oldText", "old_string", "oldString"}},
	{"new_text", []string{"newText", "new_string", "newString"}},
	{"content", []string{"contents", "text"}},
}

// fold renames the members of v, and of what it holds, to declared names.
func (f *fitter) fold(v *val) { f.foldAt(f.schema.root, v, "") }

// foldAt returns whether something changed, so that the text is written anew.
func (f *fitter) foldAt(n *node, v *val, ptr string) bool {
	changed := false
	switch {
	case v.is(kindObject):
		if names := n.declared(); len(names) > 0 {
			changed = f.rename(names, v, ptr)
		}
		for _, m := range v.members {
			if sub := n.part(m.name); sub != nil && f.foldAt(sub, m.val, join(ptr, m.name)) {
				changed = true
			}
		}
	case v.is(kindArray):
		for i, e := range v.elems {
			if sub := n.part(itoa(i)); sub != nil && f.foldAt(sub, e, join(ptr, itoa(i))) {
				changed = true
			}
		}
	}
	if changed {
		v.raw = nil
	}
	return changed
}

// rename gives the members of v whose names are not declared the names of ours.
func (f *fitter) rename(names []string, v *val, ptr string) bool {
	changed := false
	for i := 0; i < len(v.members); i++ {
		m := v.members[i]
		if slices.Contains(names, m.name) {
			continue
		}
		to, kind := target(names, m.name)
		if to == "" {
			continue
		}
		changed = true
		own := v.get(to)
		if own == nil {
			v.members[i].name = to
			f.change(join(ptr, to), kind, m.name, to)
			continue
		}
		if string(own.key(nil)) != string(m.val.key(nil)) {
			kind = ChangeConflict
		}
		f.change(join(ptr, to), kind, m.name, to)
		v.members = slices.Delete(v.members, i, i+1)
		i--
	}
	return changed
}

// target finds the declared name that name stands for.
func target(names []string, name string) (to, kind string) {
	folded, found := fold(name), 0
	for _, known := range names {
		if fold(known) == folded {
			to = known
			found++
		}
	}
	if found == 1 {
		return to, ChangeRenamed
	}
	if found > 1 {
		return "", ""
	}
	for _, a := range aliases {
		if !slices.Contains(a.from, name) {
			continue
		}
		for _, known := range names {
			if known == a.name || fold(known) == fold(a.name) {
				return known, ChangeAlias
			}
		}
	}
	return "", ""
}

// declared lists the properties that n and what it applies declare. It is empty
// when one of them says what other properties are, for then any name may be
// meant.
func (n *node) declared() []string {
	var names []string
	open := false
	n.inPlace(func(o *node) {
		open = open || o.open
		for _, p := range o.props {
			if !slices.Contains(names, p.name) {
				names = append(names, p.name)
			}
		}
	})
	if open {
		return nil
	}
	return names
}

// part is the one node that applies to the member or element tok, or nil when
// there is none or it depends on a variant.
func (n *node) part(tok string) *node {
	var found []*node
	n.inPlace(func(o *node) {
		for _, c := range o.child(tok) {
			if !slices.Contains(found, c) && !c.never {
				found = append(found, c)
			}
		}
	})
	if len(found) != 1 {
		return nil
	}
	return found[0]
}
