package schema

import "slices"

var nullVal = &val{kind: kindNull, raw: []byte("null")}

// addNull makes f allow null too, which it does not yet. It reports whether that
// could be said in f itself; else the caller needs an alternative beside it.
// Keywords that d will not be sent are not in the way.
func (f *form) addNull(d *Dialect) bool {
	switch {
	case f.never || f.target != nil || f.def != nil || len(f.allOf) > 0:
		return false
	case f.not != nil && d.keeps("not"), f.cond != nil && d.keeps("if"):
		return false
	case len(f.anyOf) > 0 && len(f.oneOf) > 0:
		return false
	case len(f.anyOf) > 0 || len(f.oneOf) > 0:
		if f.types != 0 || f.has {
			return false
		}
		list := &f.anyOf
		if len(f.anyOf) == 0 {
			list = &f.oneOf
		}
		*list = append(slices.Clip(*list), &form{at: f.at, types: kindNull})
		return true
	case f.types == 0 && !f.has:
		return false
	}
	if f.types == 0 {
		f.types = kindsOf(f.enum)
	}
	f.types |= kindNull
	if f.has && !slices.ContainsFunc(f.enum, func(v *val) bool { return v.is(kindNull) }) {
		f.enum, f.lone = append(slices.Clip(f.enum), nullVal), false
	}
	return true
}

// orNull is f with null allowed: f itself, or alternatives that keep its notes
// outside.
func (f *form) orNull(d *Dialect) *form {
	if f.takesNull() || f.addNull(d) {
		return f
	}
	o := &form{at: f.at, anyOf: []*form{f, {at: f.at, types: kindNull}}}
	if f.def == nil {
		for _, name := range []string{"title", "description", "default"} {
			if v := f.term(name); v != nil {
				o.setTerm(name, v)
				f.dropTerm(name)
			}
		}
		o.clauses, f.clauses = f.clauses, nil
	}
	return o
}
