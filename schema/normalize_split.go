package schema

import "slices"

// Keywords that speak of values of one type alone.
var termKinds = map[string]kind{
	"minLength": kindString, "maxLength": kindString, "pattern": kindString, "format": kindString | kindNumber,
	"contentEncoding": kindString, "contentMediaType": kindString,
	"minimum": kindNumber, "maximum": kindNumber, "exclusiveMinimum": kindNumber, "exclusiveMaximum": kindNumber, "multipleOf": kindNumber,
	"minItems": kindArray, "maxItems": kindArray, "uniqueItems": kindArray, "minContains": kindArray, "maxContains": kindArray,
	"minProperties": kindObject, "maxProperties": kindObject,
}

// split gives each type of a list a variant of its own, where the dialect wants
// that.
func (n *normalizer) split(f *form) {
	kinds := f.types &^ kindNull
	if kinds&kindNumber != 0 {
		kinds &^= kindInteger
	}
	if kinds&(kinds-1) == 0 || n.d.Types == TypesSplit && kinds&(kindObject|kindArray) == 0 || len(f.union()) > 0 {
		return
	}
	o := &form{at: f.at, clauses: f.clauses, via: f.via, not: f.not, cond: f.cond, yes: f.yes, no: f.no, allOf: f.allOf}
	var scalars kind
	for i := range kindNames {
		k := kind(1 << i)
		switch {
		case kinds&k == 0:
		case n.d.Types == TypesSplit && k&(kindObject|kindArray) == 0:
			scalars |= k
		default:
			o.anyOf = append(o.anyOf, f.of(k))
		}
	}
	if scalars != 0 {
		o.anyOf = append([]*form{f.of(scalars)}, o.anyOf...)
	}
	if f.types&kindNull != 0 {
		o.anyOf = append(o.anyOf, &form{at: f.at, types: kindNull})
	}
	o.terms = slices.DeleteFunc(slices.Clone(f.terms), func(t term) bool { return termKinds[t.name] != 0 })
	*f = *o
}

// of is what f says of values of the types k.
func (f *form) of(k kind) *form {
	o := &form{at: f.at, types: k}
	like := k
	if k&kindInteger != 0 {
		like |= kindNumber
	}
	for _, t := range f.terms {
		if termKinds[t.name]&like != 0 {
			o.terms = append(o.terms, t)
		}
	}
	if k&kindObject != 0 {
		o.props, o.required, o.rest, o.patterns, o.names = f.props, f.required, f.rest, f.patterns, f.names
		o.needs, o.extends, o.more = f.needs, f.extends, f.more
	}
	if k&kindArray != 0 {
		o.prefix, o.items, o.contains, o.beyond = f.prefix, f.items, f.contains, f.beyond
	}
	return o
}

// widen lets items speak of the first elements too, where the dialect does not
// take prefixItems.
func (n *normalizer) widen(f *form) {
	if len(f.prefix) > 0 && !n.d.keeps("prefixItems") {
		n.tell(f, "prefixItems", n.sentence(f, "prefixItems"))
		list, closed := distinctForms(f.prefix), f.items != nil && f.items.never
		if closed && f.term("maxItems") == nil {
			f.setTerm("maxItems", parseVal([]byte(itoa(len(f.prefix)))))
		}
		switch {
		case f.items == nil:
			f.items = &form{at: f.at}
		case closed && len(list) == 1:
			f.items = list[0]
		case closed:
			f.items = &form{at: f.at, anyOf: list}
		default:
			f.items = &form{at: f.at, anyOf: distinctForms(append(list, f.items))}
		}
		f.prefix = nil
		n.alternatives(f.items)
	}
}

// distinctForms leaves out schemas that an earlier one is equal to, notes aside.
func distinctForms(list []*form) []*form {
	seen := map[string]bool{}
	var out []*form
	for _, f := range list {
		if key := f.skeleton(); !seen[key] {
			seen[key] = true
			out = append(out, f)
		}
	}
	return out
}

// skeleton is f as text, without its own title and description.
func (f *form) skeleton() string {
	o := shallow(f)
	o.terms = slices.DeleteFunc(slices.Clone(f.terms), func(t term) bool { return t.name == "title" || t.name == "description" })
	slices.SortFunc(o.terms, func(a, b term) int { return slices.Compare([]byte(a.name), []byte(b.name)) })
	return string(writer{}.form(nil, o))
}
