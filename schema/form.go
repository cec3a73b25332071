package schema

import (
	"slices"
)

// A form is a schema on its way to a provider: keywords as fields, so that the
// passes of [Normalize] can move them. Forms make a tree; a $ref that is kept
// names an entry of $defs.
type form struct {
	at    string // where the author wrote it, a JSON pointer
	never bool   // the schema false
	types kind   // 0 is any
	enum  []*val // of enum or const
	has   bool   // enum is set
	lone  bool   // it was written as const
	terms []term // keywords that hold no schema, by name

	props    []*entry
	required []string
	rest     *form // additionalProperties; nil says nothing
	patterns []*entry
	names    *form // propertyNames
	prefix   []*form
	items    *form
	contains *form
	more     *form // unevaluatedProperties
	beyond   *form // unevaluatedItems
	needs    []need
	extends  []*entry // dependentSchemas

	allOf, anyOf, oneOf []*form
	not, cond, yes, no  *form
	target              *form // of a $ref, as the author wrote it
	def                 *def  // of a $ref that is kept
	via                 *trail

	clauses []string        // what the keywords that are gone said
	words   map[string]*val // what the strings of the enum stand for, where it had other values
	boxed   bool            // the root stands in an object, as its property value
}

// A term is a keyword whose value is not a schema.
type term struct {
	name string
	val  *val
}

// An entry is a property, or another schema with a name.
type entry struct {
	name string
	own  string // the author's name, where name is an alias
	form *form
	fill bool // null is written where the author's property is absent
	drop bool // and taken out again
}

// original is the author's name.
func (p *entry) original() string {
	if p.own != "" {
		return p.own
	}
	return p.name
}

// A need is an entry of dependentRequired.
type need struct {
	name string
	list []string
}

// A def is an entry of $defs.
type def struct {
	name   string
	origin *form // as the author wrote it
	body   *form
}

// A trail is the definitions that were written out on the way to a form.
type trail struct {
	origin *form
	up     *trail
}

func (t *trail) count(f *form) int {
	n := 0
	for ; t != nil; t = t.up {
		if t.origin == f {
			n++
		}
	}
	return n
}

// term returns the value of a keyword, or nil.
func (f *form) term(name string) *val {
	for _, t := range f.terms {
		if t.name == name {
			return t.val
		}
	}
	return nil
}

func (f *form) setTerm(name string, v *val) {
	for i := range f.terms {
		if f.terms[i].name == name {
			f.terms[i].val = v
			return
		}
	}
	f.terms = append(f.terms, term{name, v})
}

func (f *form) dropTerm(name string) {
	f.terms = slices.DeleteFunc(f.terms, func(t term) bool { return t.name == name })
}

// text returns a keyword whose value is a string.
func (f *form) text(name string) string {
	if v := f.term(name); v.is(kindString) {
		return v.text
	}
	return ""
}

// prop returns the property of that name, or nil.
func (f *form) prop(name string) *entry {
	for _, p := range f.props {
		if p.name == name {
			return p
		}
	}
	return nil
}

func (f *form) requires(name string) bool { return slices.Contains(f.required, name) }

// parts lists the places of f that hold forms, so that a pass can look into them
// and replace them.
func (f *form) parts(visit func(*form)) {
	for _, one := range []*form{f.rest, f.names, f.items, f.contains, f.more, f.beyond, f.not, f.cond, f.yes, f.no} {
		if one != nil {
			visit(one)
		}
	}
	for _, list := range [][]*form{f.prefix, f.allOf, f.anyOf, f.oneOf} {
		for _, o := range list {
			visit(o)
		}
	}
	for _, list := range [][]*entry{f.props, f.patterns, f.extends} {
		for _, p := range list {
			visit(p.form)
		}
	}
}

// each calls visit for f and all that it holds, the inner ones first. It does
// not go through references.
func (f *form) each(visit func(*form)) {
	f.parts(func(o *form) { o.each(visit) })
	visit(f)
}

// notes are keywords that constrain nothing.
var noteNames = []string{"title", "description", "default", "examples", "deprecated", "readOnly", "writeOnly", "contentEncoding", "contentMediaType"}

func isNote(name string) bool { return slices.Contains(noteNames, name) }

// noted reports whether f constrains nothing by itself: its notes and lists of
// schemas aside, it is empty.
func (f *form) noted() bool {
	for _, t := range f.terms {
		if !isNote(t.name) {
			return false
		}
	}
	return f.bare()
}

// bare reports whether f has nothing but terms and alternatives.
func (f *form) bare() bool {
	return !f.never && f.types == 0 && !f.has && len(f.props)+len(f.required)+len(f.patterns)+len(f.prefix)+len(f.needs)+len(f.extends) == 0 &&
		f.rest == nil && f.names == nil && f.items == nil && f.contains == nil && f.more == nil && f.beyond == nil &&
		f.not == nil && f.cond == nil && f.target == nil && f.def == nil && len(f.clauses) == 0
}

// open reports whether f allows anything.
func (f *form) open() bool {
	return f.noted() && len(f.allOf)+len(f.anyOf)+len(f.oneOf) == 0
}

// union is the alternatives of f, of anyOf or else of oneOf.
func (f *form) union() []*form {
	if len(f.anyOf) > 0 {
		return f.anyOf
	}
	return f.oneOf
}

// isNull reports whether f allows null and nothing else.
func (f *form) isNull() bool {
	if f.has {
		return len(f.enum) == 1 && f.enum[0].is(kindNull)
	}
	return f.types == kindNull && len(f.anyOf)+len(f.oneOf)+len(f.allOf) == 0 && f.not == nil && f.cond == nil
}

// takesNull reports whether null fits f, as far as one can see.
func (f *form) takesNull() bool {
	switch {
	case f.def != nil:
		return f.def.body.takesNull()
	case f.never, f.types != 0 && f.types&kindNull == 0:
		return false
	case f.has && !slices.ContainsFunc(f.enum, func(v *val) bool { return v.is(kindNull) }):
		return false
	}
	for _, o := range f.allOf {
		if !o.takesNull() {
			return false
		}
	}
	if list := f.union(); len(list) > 0 {
		return slices.ContainsFunc(list, (*form).takesNull)
	}
	return true
}

// kinds is the types that f allows, 0 for any; it looks into alternatives and
// references.
func (f *form) kinds() kind {
	switch {
	case f.types != 0:
		return f.types
	case f.def != nil:
		return f.def.body.kinds()
	case f.has:
		return kindsOf(f.enum)
	}
	var k kind
	for _, o := range f.union() {
		sub := o.kinds()
		if sub == 0 {
			return 0
		}
		k |= sub
	}
	return k
}

// kindsOf is the types of values; a whole number is an integer.
func kindsOf(list []*val) kind {
	var k kind
	for _, v := range list {
		one := v.kind
		if one&kindInteger != 0 {
			one = kindInteger
		}
		k |= one
	}
	if k&kindNumber != 0 {
		k &^= kindInteger
	}
	return k
}
