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
		parts := n.elements()
		for i, e := range v.elems {
			if sub := parts.at(i); sub != nil && e.is(kindArray|kindObject) && f.foldAt(sub, e, join(ptr, itoa(i))) {
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
	var folded folding // made when it is first needed
	present := map[string]*val{}
	changed := false
	kept := v.members[:0:0]
	for _, m := range v.members {
		if slices.Contains(names, m.name) {
			present[m.name] = m.val
		}
	}
	for _, m := range v.members {
		to, kind := "", ""
		if _, own := present[m.name]; !own {
			if folded == nil {
				folded = newFolding(names)
			}
			to, kind = folded.target(m.name)
		}
		if to == "" {
			kept = append(kept, m)
			continue
		}
		changed = true
		own := present[to]
		switch {
		case own == nil:
			present[to] = m.val
			kept = append(kept, member{to, m.val})
		case string(own.key(nil)) != string(m.val.key(nil)):
			kind = ChangeConflict
		}
		f.change(join(ptr, to), kind, m.name, to)
	}
	if changed {
		v.members = kept
	}
	return changed
}

// A folding finds declared names by what is left of them without case and
// separators; a name that is not alone there is "".
type folding map[string]string

func newFolding(names []string) folding {
	f := folding{}
	for _, name := range names {
		key := fold(name)
		if _, taken := f[key]; taken {
			name = ""
		}
		f[key] = name
	}
	return f
}

// target finds the declared name that name stands for.
func (f folding) target(name string) (to, kind string) {
	if to, ok := f[fold(name)]; ok {
		return to, ChangeRenamed
	}
	for _, a := range aliases {
		if slices.Contains(a.from, name) {
			return f[fold(a.name)], ChangeAlias
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

// elements are the parts of a list: those that have a place of their own, then
// the one for the rest.
type elements []*node

func (e elements) at(i int) *node { return e[min(i, len(e)-1)] }

func (n *node) elements() elements {
	longest := 0
	n.inPlace(func(o *node) { longest = max(longest, len(o.prefix)) })
	var list elements
	for i := range longest + 1 {
		list = append(list, n.part(itoa(i)))
	}
	return list
}
