package schema

import (
	"slices"
	"strings"
)

// root makes an object with properties of the root: what is no object is put
// into one, alternatives become one object, and the rest is said in words.
func (n *normalizer) root(f *form) *form {
	for i := 0; f.def != nil && i <= maxSchemaDepth; i++ {
		f = n.expandRef(f)
		n.merged(f)
	}
	if f.def != nil || f.never {
		n.fail("no arguments fit the schema: its root is false")
		return f
	}
	if len(f.allOf) > 0 {
		n.force(f)
	}
	if n.boxes(f) {
		n.lose(f, "type", Boxed)
		return &form{
			at: f.at, types: kindObject, required: []string{"value"}, rest: &form{at: f.at, never: true}, boxed: true,
			props: []*entry{{name: "value", form: f}},
		}
	}
	if f.types&^kindObject != 0 {
		n.lose(f, "type", Approximated)
	}
	f.types = kindObject
	if len(f.anyOf)+len(f.oneOf) > 0 {
		f = n.flatten(f)
	}
	if f.has {
		n.tell(f, "enum", n.brief(&form{enum: f.enum, has: true}))
		f.enum, f.has, f.lone = nil, false, false
	}
	n.sayApplied(f)
	for _, name := range f.required {
		if f.prop(name) == nil {
			f.props = append(f.props, &entry{name: name, form: &form{at: f.at}})
		}
	}
	return f
}

func (n *normalizer) expandRef(f *form) *form {
	o := n.expand(f.def.origin, nil)
	rest := shallow(f)
	rest.def = nil
	if !rest.open() || len(rest.terms) > 0 {
		rest.allOf = append(rest.allOf, o)
		n.merged(rest)
		return rest
	}
	return o
}

// boxes reports whether values that are no objects must be sendable.
func (n *normalizer) boxes(f *form) bool {
	k := f.kinds()
	return k != 0 && k&^(kindObject|kindNull) != 0 || k == kindNull
}

// sayApplied says in words what providers refuse at the root and models do not
// follow.
func (n *normalizer) sayApplied(f *form) {
	if f.not != nil {
		n.tell(f, "not", n.sentence(f, "not"))
		f.not = nil
	}
	if f.cond != nil {
		n.tell(f, "if", n.sentence(f, "if"))
		f.cond, f.yes, f.no = nil, nil, nil
	}
	if len(f.needs) > 0 {
		n.tell(f, "dependentRequired", n.sentence(f, "dependentRequired"))
		f.needs = nil
	}
	if len(f.extends) > 0 {
		n.tell(f, "dependentSchemas", n.sentence(f, "dependentSchemas"))
		f.extends = nil
	}
	if f.more != nil { // it would now speak of what those allowed
		n.tell(f, "unevaluatedProperties", n.sentence(f, "unevaluatedProperties"))
		f.more = nil
	}
}

// flatten makes one object of the alternatives at the root.
func (n *normalizer) flatten(f *form) *form {
	keyword := "anyOf"
	if len(f.anyOf) == 0 {
		keyword = "oneOf"
	}
	if groups := requireGroups(f.union()); groups != nil {
		n.dropGroups(f, groups)
		if len(f.anyOf)+len(f.oneOf) > 0 {
			return n.flatten(f)
		}
		return f
	}
	cases := n.cases(f, nil)
	switch len(cases) {
	case 0:
		n.fail("no arguments fit the schema: none of the alternatives at its root is an object that can exist")
		return f
	case 1:
		return cases[0]
	}
	n.lose(f, keyword, MovedToText)
	return n.unite(f, cases)
}

// cases lists the objects that f may be, each with what stands beside the
// alternatives.
func (n *normalizer) cases(f *form, list []*form) []*form {
	union := f.union()
	if len(union) == 0 {
		if f.never || f.types != 0 && f.types&kindObject == 0 {
			return list
		}
		f.types = kindObject
		return append(list, f)
	}
	for _, o := range union {
		if len(list) > maxRootCases {
			n.fail("the root has more than %d alternatives; make it one object", maxRootCases)
		}
		if n.err != nil {
			return list
		}
		c := f.copy()
		if len(c.anyOf) > 0 {
			c.anyOf = nil
		} else {
			c.oneOf = nil
		}
		c.at = o.at
		notes := []string{"title", "description"}
		for _, name := range notes {
			c.dropTerm(name)
		}
		c.allOf = append(c.allOf, o.copy())
		n.mergeOne(c)
		if len(c.allOf) > 0 {
			n.force(c)
		}
		n.merged(c)
		list = n.cases(c, list)
	}
	return list
}

// unite is one object that takes what any of cases takes.
func (n *normalizer) unite(f *form, cases []*form) *form {
	o := &form{at: f.at, types: kindObject, via: f.via}
	for _, t := range f.terms {
		if isNote(t.name) {
			o.terms = append(o.terms, t)
		}
	}
	o.clauses = append(f.clauses, n.caseText(cases))
	closed := true
	for i, c := range cases {
		closed = closed && c.rest != nil && c.rest.never
		if c.rest != nil && !c.rest.never || len(c.patterns) > 0 {
			o.rest = &form{at: f.at}
		}
		for _, p := range c.props {
			if o.prop(p.name) == nil && !p.form.never {
				o.props = append(o.props, &entry{name: p.name, form: n.anyCase(cases[i:], p.name)})
			}
		}
		if len(c.patterns) > 0 {
			n.tell(c, "patternProperties", n.sentence(c, "patternProperties"))
		}
	}
	for _, name := range cases[0].required {
		if !slices.ContainsFunc(cases, func(c *form) bool { return !c.requires(name) }) {
			o.required = append(o.required, name)
		}
	}
	if closed && o.rest == nil {
		o.rest = &form{at: f.at, never: true}
	}
	for _, c := range cases {
		n.sayApplied(c)
		for _, clause := range c.clauses {
			if !slices.Contains(o.clauses, clause) {
				o.clauses = append(o.clauses, clause)
			}
		}
	}
	return o
}

// anyCase is what the cases say of the property name.
func (n *normalizer) anyCase(cases []*form, name string) *form {
	var list []*form
	for _, c := range cases {
		if p := c.prop(name); p != nil && !p.form.never {
			list = append(list, p.form)
		}
	}
	list = distinctForms(list)
	if len(list) == 1 {
		return list[0]
	}
	o := &form{at: list[0].at}
	if slices.ContainsFunc(list, func(f *form) bool { return !f.has || !f.bareEnum() }) {
		o.anyOf = list
		return o
	}
	first := list[0]
	o.has, o.terms = true, first.terms
	typed := true
	for _, f := range list {
		o.enum = append(o.enum, f.enum...)
		typed = typed && f.types != 0
	}
	o.enum = distinct(o.enum)
	if typed {
		o.types = kindsOf(o.enum)
	}
	return o
}

// caseText says what each of the cases needs.
func (n *normalizer) caseText(cases []*form) string {
	key := discriminator(cases)
	var list []string
	for i, c := range cases {
		var names []string
		for _, name := range c.required {
			if name != key {
				names = append(names, name)
			}
		}
		label := "form " + itoa(i+1)
		if title := c.text("title"); title != "" {
			label = title
		}
		if key != "" {
			label = key + " " + n.brief(&form{enum: c.prop(key).form.enum, has: true})
		}
		text := label + " needs " + strings.Join(names, ", ")
		if len(names) == 0 {
			text = label + " needs nothing more"
		}
		if !slices.Contains(list, text) {
			list = append(list, text)
		}
	}
	return strings.Join(list, "; ")
}
