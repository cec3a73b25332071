package schema

import "slices"

// forgo draws what follows from parts of f that nothing fits: an object that
// requires such a property does not exist, an array ends before such an element.
func (n *normalizer) forgo(f *form) {
	if f.has && f.types != 0 {
		f.enum = slices.DeleteFunc(slices.Clone(f.enum), func(v *val) bool { return v.kind&f.types == 0 })
	}
	f.keepTyped()
	if f.has {
		f.applyTerms()
	}
	never := f.has && len(f.enum) == 0 || f.def != nil && f.def.body.never
	for _, o := range f.allOf {
		never = never || o.never
	}
	for i, p := range f.prefix {
		if p.never {
			f.prefix, f.items = f.prefix[:i], p
			break
		}
	}
	for _, name := range f.required {
		p := f.prop(name)
		if p == nil && f.rest != nil && f.rest.never && len(f.patterns) == 0 || p != nil && p.form.never {
			never = f.lack(kindObject) || never
			break
		}
	}
	if never {
		*f = form{at: f.at, never: true}
		return
	}
}

// keepTyped leaves out keywords that speak of types which f does not have.
func (f *form) keepTyped() {
	k := f.types
	if k == 0 {
		return
	}
	if k&kindInteger != 0 {
		k |= kindNumber
	}
	if k&kindObject == 0 {
		f.props, f.required, f.rest, f.patterns, f.names = nil, nil, nil, nil, nil
		f.needs, f.extends, f.more = nil, nil, nil
	}
	if k&kindArray == 0 {
		f.prefix, f.items, f.contains, f.beyond = nil, nil, nil, nil
	}
	if slices.ContainsFunc(f.terms, func(t term) bool { return termKinds[t.name] != 0 && termKinds[t.name]&k == 0 }) {
		f.terms = slices.DeleteFunc(slices.Clone(f.terms), func(t term) bool {
			return termKinds[t.name] != 0 && termKinds[t.name]&k == 0
		})
	}
}

// applyTerms leaves the values of an enum that fit the other keywords, which
// then need not be sent.
func (f *form) applyTerms() {
	terms := &form{}
	f.terms = slices.DeleteFunc(slices.Clone(f.terms), func(t term) bool {
		if isNote(t.name) {
			return false
		}
		terms.terms = append(terms.terms, t)
		return true
	})
	if len(terms.terms) == 0 {
		return
	}
	raw := parseVal(writer{}.form(nil, terms))
	c := &compiler{root: raw, draft: draft2020, nodes: map[string]*node{}}
	n, err := c.compile()
	if err != nil {
		return
	}
	f.enum = slices.DeleteFunc(slices.Clone(f.enum), func(v *val) bool { return !n.fitsVal(v) })
}

// closeItems says by maxItems that an array ends, for providers to whom a schema
// is never a boolean.
func (n *normalizer) closeItems(f *form) {
	if n.d.Unions == "" || f.items == nil || !f.items.never {
		return
	}
	size := parseVal([]byte(itoa(len(f.prefix))))
	if most := f.term("maxItems"); most == nil {
		f.setTerm("maxItems", size)
	} else if v, ok := tighter("maxItems", most, size); ok {
		f.setTerm("maxItems", v)
	}
	f.items = &form{at: f.at}
	if len(f.prefix) == 0 {
		f.items.types = kindString // any type will do, and some providers want one
	}
}

// lack takes a type out of f and reports whether none is left.
func (f *form) lack(k kind) bool {
	if f.types == 0 {
		f.types = kindNull | kindBool | kindNumber | kindString | kindArray | kindObject
	}
	f.types &^= k
	if k == kindObject {
		f.props, f.required, f.rest, f.patterns = nil, nil, nil, nil
	}
	return f.types == 0
}
