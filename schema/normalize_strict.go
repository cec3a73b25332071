package schema

import "slices"

// strict closes objects and, under [StrictAll], requires every property, with
// null for those that may be absent. What cannot be said that way makes the
// schema one that is not strict.
func (n *normalizer) strict(root *form) {
	if n.d.Strict == "" {
		return
	}
	n.everywhere(root, func(f *form) { n.strictAt(f, f == root) })
}

// strictAt goes from the outside in, so that the reason it gives is the outer
// one.
func (n *normalizer) strictAt(f *form, root bool) {
	if n.strictOne(f, root); n.err != nil {
		return
	}
	list := slices.Concat(f.prefix, f.anyOf, f.oneOf, f.allOf)
	for _, p := range f.props {
		list = append(list, p.form)
	}
	for _, o := range append(list, f.items, f.rest) {
		if o != nil {
			n.strictAt(o, false)
		}
	}
}

func (n *normalizer) notStrict(f *form, why string) {
	if n.err == nil {
		n.err = &notStrict{f.at, why}
	}
}

func (n *normalizer) strictOne(f *form, root bool) {
	switch {
	case f.def != nil, len(f.union()) > 0:
		return
	case f.never:
		return
	case f.types == 0 && !f.has:
		n.notStrict(f, "takes values of any type")
		return
	}
	if f.types&kindObject != 0 && !f.has {
		n.strictObject(f, root)
	}
	if f.types&kindArray != 0 && !f.has && f.items == nil && len(f.prefix) == 0 {
		n.notStrict(f, "has items of any type")
	}
}

func (n *normalizer) strictObject(f *form, root bool) {
	rest := f.rest
	switch {
	case len(f.patterns) > 0:
		n.notStrict(f, "has properties by pattern")
		return
	case len(f.extends) > 0:
		n.notStrict(f, "has properties that depend on others")
		return
	case rest != nil && !rest.never && (n.d.Strict == StrictAll || len(f.props) > 0):
		n.notStrict(f, "takes properties of any name")
		return
	case rest == nil && len(f.props) == 0 && !root:
		n.notStrict(f, "takes properties of any name")
		return
	case rest == nil:
		n.lose(f, "additionalProperties", Approximated)
		f.rest = &form{at: f.at, never: true}
	}
	f.props = slices.DeleteFunc(slices.Clone(f.props), func(p *entry) bool { return p.form.never })
	for _, name := range f.required {
		if f.prop(name) == nil {
			n.notStrict(f, "requires "+name+", which it does not describe")
			return
		}
	}
	if n.d.Strict == StrictAll {
		n.requireAll(f)
	}
}

// requireAll requires all properties of f; null stands for an absent one.
func (n *normalizer) requireAll(f *form) {
	required := f.required
	f.required = nil
	for _, p := range f.props {
		f.required = append(f.required, p.name)
		if slices.Contains(required, p.name) {
			continue
		}
		p.fill = true
		class := NullableOptional
		switch {
		case !p.form.takesNull():
			p.form = p.form.orNull(&n.d)
			p.drop = true
		case !p.form.term("default").is(kindNull):
			class = Approximated // absent and null are no longer two things
		}
		n.lose(p.form, "required", class)
	}
}
