package schema

import (
	"slices"

	"github.com/toolpost/toolpost/internal/jsonx"
)

// merge makes a say what a and b say together. It reports false, and leaves a
// half changed, when no one schema says that; work on a copy. Where b has a note
// that a has too, a's wins.
func (a *form) merge(b *form) bool {
	if a.never || b.never {
		*a = form{at: a.at, never: true}
		return true
	}
	if a.target != nil || b.target != nil || a.def != nil || b.def != nil {
		return false
	}
	return a.mergeTypes(b) && a.mergeTerms(b) && a.mergeObject(b) && a.mergeArray(b) && a.mergeApplied(b)
}

func (a *form) mergeTypes(b *form) bool {
	if b.types != 0 {
		if a.types = bothKinds(a.types, b.types); a.types == 0 {
			*a = form{at: a.at, never: true}
			return true
		}
	}
	switch {
	case b.has && !a.has:
		a.enum, a.has, a.lone = b.enum, true, b.lone
	case b.has:
		a.enum = slices.DeleteFunc(slices.Clone(a.enum), func(v *val) bool { return !holdsValue(b.enum, v) })
		a.lone = a.lone || b.lone
	}
	if len(b.clauses) > 0 {
		a.clauses = append(slices.Clip(a.clauses), b.clauses...)
	}
	return true
}

// bothKinds intersects two sets of types; 0 is any on the way in and none on
// the way out. An integer is a number.
func bothKinds(a, b kind) kind {
	if a == 0 {
		return b
	}
	k := a & b
	if k&kindNumber == 0 && (a|b)&kindNumber != 0 && (a|b)&kindInteger != 0 {
		k |= kindInteger
	}
	return k
}

func holdsValue(list []*val, v *val) bool {
	key := string(v.key(nil))
	return slices.ContainsFunc(list, func(o *val) bool { return string(o.key(nil)) == key })
}

func (a *form) mergeTerms(b *form) bool {
	for _, t := range b.terms {
		own := a.term(t.name)
		switch {
		case own == nil:
			a.terms = append(slices.Clip(a.terms), t)
		case isNote(t.name):
		case string(own.key(nil)) == string(t.val.key(nil)):
		default:
			v, ok := tighter(t.name, own, t.val)
			if !ok {
				return false
			}
			a.terms = slices.Clone(a.terms)
			a.setTerm(t.name, v)
		}
	}
	return true
}

// tighter is the bound that implies both.
func tighter(name string, a, b *val) (*val, bool) {
	if name == "uniqueItems" {
		if a.isTrue() {
			return a, true
		}
		return b, true
	}
	x, ok1 := number(a)
	y, ok2 := number(b)
	if !ok1 || !ok2 {
		return nil, false
	}
	least := x.Cmp(&y) < 0
	switch name {
	case "minimum", "exclusiveMinimum", "minLength", "minItems", "minProperties", "minContains":
		least = !least
	case "maximum", "exclusiveMaximum", "maxLength", "maxItems", "maxProperties", "maxContains":
	default:
		return nil, false
	}
	if least {
		return a, true
	}
	return b, true
}

func number(v *val) (jsonx.Decimal, bool) {
	if !v.is(kindNumber) {
		return jsonx.Decimal{}, false
	}
	return jsonx.ParseDecimal(v.raw)
}

func (a *form) mergeObject(b *form) bool {
	if len(a.patterns) > 0 && b.rest.says() || len(b.patterns) > 0 && a.rest.says() {
		return false // which names are additional depends on the other's patterns
	}
	restA, restB := a.rest, b.rest
	own := a.props
	a.props = nil
	for _, p := range own {
		q := b.prop(p.name)
		o := &entry{name: p.name, form: p.form}
		switch {
		case q != nil: // merged when the passes come to it
			o.form = both(p.form, q.form)
		case restB != nil:
			o.form = both(p.form, restB.copy())
		}
		a.props = append(a.props, o)
	}
	for _, q := range b.props {
		if a.prop(q.name) == nil {
			o := &entry{name: q.name, form: q.form}
			if restA != nil {
				o.form = both(q.form, restA.copy())
			}
			a.props = append(a.props, o)
		}
	}
	a.required = slices.Clip(a.required)
	for _, name := range b.required {
		if !a.requires(name) {
			a.required = append(a.required, name)
		}
	}
	a.patterns = bothEntries(a.patterns, b.patterns)
	a.rest = both(restA, restB)
	a.names = both(a.names, b.names)
	for _, d := range b.needs {
		a.needs = addNeed(a.needs, d)
	}
	a.extends = bothEntries(a.extends, b.extends)
	if a.more != nil && b.more != nil {
		return false
	}
	if b.more != nil {
		a.more = b.more
	}
	return true
}

// says reports whether f is there and constrains anything.
func (f *form) says() bool { return f != nil && !f.open() }

// addNeed adds d to a copy of list.
func addNeed(list []need, d need) []need {
	list = slices.Clone(list)
	i := slices.IndexFunc(list, func(o need) bool { return o.name == d.name })
	if i < 0 {
		return append(list, d)
	}
	names := slices.Clone(list[i].list)
	for _, s := range d.list {
		if !slices.Contains(names, s) {
			names = append(names, s)
		}
	}
	list[i].list = names
	return list
}

// bothEntries joins two lists of named schemas.
func bothEntries(a, b []*entry) []*entry {
	out := slices.Clone(a)
	for _, q := range b {
		i := slices.IndexFunc(out, func(p *entry) bool { return p.name == q.name })
		if i < 0 {
			out = append(out, q)
		} else {
			out[i] = &entry{name: q.name, form: both(out[i].form, q.form)}
		}
	}
	return out
}

func (a *form) mergeArray(b *form) bool {
	if a.contains != nil && b.contains != nil || a.beyond != nil && b.beyond != nil {
		return false
	}
	if b.contains != nil {
		a.contains = b.contains
	}
	if b.beyond != nil {
		a.beyond = b.beyond
	}
	prefix := make([]*form, max(len(a.prefix), len(b.prefix)))
	for i := range prefix {
		prefix[i] = both(a.element(i).copy(), b.element(i).copy())
	}
	a.prefix, a.items = prefix, both(a.items, b.items)
	return true
}

// element is what f says of element i.
func (f *form) element(i int) *form {
	if i < len(f.prefix) {
		return f.prefix[i]
	}
	return f.items
}

func (a *form) mergeApplied(b *form) bool {
	if a.cond != nil && b.cond != nil {
		return false
	}
	var ok1, ok2 bool
	if a.anyOf, ok1 = product(a.anyOf, b.anyOf); !ok1 {
		return false
	}
	if a.oneOf, ok2 = product(a.oneOf, b.oneOf); !ok2 {
		return false
	}
	if b.cond != nil {
		a.cond, a.yes, a.no = b.cond, b.yes, b.no
	}
	switch {
	case a.not != nil && b.not != nil:
		a.not = &form{at: a.not.at, anyOf: []*form{a.not, b.not}}
	case b.not != nil:
		a.not = b.not
	}
	a.allOf = append(slices.Clip(a.allOf), b.allOf...)
	return true
}

// maxProduct bounds the alternatives that two unions become together.
const maxProduct = 24

// product is the alternatives that fit one of a and one of b.
func product(a, b []*form) ([]*form, bool) {
	switch {
	case len(a) == 0:
		return b, true
	case len(b) == 0:
		return a, true
	case len(a)*len(b) > maxProduct:
		return a, false
	}
	var list []*form
	for _, x := range a {
		for _, y := range b {
			list = append(list, both(x.copy(), y.copy()))
		}
	}
	return list, true
}

// both is a schema that says what a and b say; a nil one says nothing.
func both(a, b *form) *form {
	switch {
	case a == nil || a == b || b != nil && b.never:
		return b
	case b == nil || b.open() && len(b.terms) == 0 || a.never:
		return a
	case a.open() && len(a.terms) == 0:
		return b
	}
	return &form{at: a.at, allOf: []*form{a, b}}
}
