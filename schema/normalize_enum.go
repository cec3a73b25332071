package schema

import "slices"

// constants writes const and enum the way the dialect takes them, and gives
// them a type where it wants one.
func (n *normalizer) constants(f *form) {
	n.plainWords(f)
	f.parts(n.constants)
	if slices.ContainsFunc(f.anyOf, func(o *form) bool { return len(o.anyOf) > 0 }) {
		n.alternatives(f) // an enum became alternatives
	}
	if f.isNull() && n.d.Types == TypesSingle { // null alone is no type there
		f.enum, f.has, f.types = nil, false, kindString|kindNull
		n.lose(f, "type", Approximated)
		f.clauses = append(f.clauses, "always null")
	}
	if !f.has {
		return
	}
	if !n.d.keeps("const") || len(f.enum) > 1 {
		f.lone = false
	}
	f.types = f.types.of(kindsOf(f.enum))
	f.keepTyped()
	tree := func(v *val) bool { return v.is(kindArray | kindObject) }
	switch {
	case slices.ContainsFunc(f.enum, tree):
		n.dropEnum(f)
	case n.d.Enums == EnumsSimple && slices.ContainsFunc(f.enum, func(v *val) bool { return v.is(kindBool) }):
		n.dropEnum(f)
	case n.d.Enums == EnumsStrings:
		n.stringEnum(f)
	}
	if !f.has {
		n.alternatives(f) // types that the values told apart may not stand together
	}
}

// of is the types of k that values of the types have; k may be 0 for any.
func (k kind) of(have kind) kind {
	if k == 0 {
		return have
	}
	if have&(kindInteger|kindNumber) != 0 {
		have |= kindInteger | kindNumber
	}
	return k & have
}

// plainWords keeps values that are no strings from being sent as strings where
// an alternative beside them takes strings: no one could tell them apart.
func (n *normalizer) plainWords(f *form) {
	list := f.union()
	if n.d.Enums != EnumsStrings || len(list) == 0 {
		return
	}
	changed := false
	for i, o := range list {
		if !o.has || !slices.ContainsFunc(o.enum, func(v *val) bool { return !v.is(kindString | kindNull) }) {
			continue
		}
		for j, other := range list {
			if k := other.kinds(); i != j && o.has && (k == 0 || k&kindString != 0) {
				o.types = o.types.of(kindsOf(o.enum))
				n.dropEnum(o)
				changed = true
			}
		}
	}
	if changed && len(f.anyOf) > 0 {
		n.alternatives(f)
	}
}

// dropEnum says the values in words. Both booleans need none.
func (n *normalizer) dropEnum(f *form) {
	if f.types&^kindNull == kindBool && len(f.enum) >= 2 && holdsValue(f.enum, parseVal([]byte("true"))) && holdsValue(f.enum, parseVal([]byte("false"))) {
		f.types = kindsOf(f.enum)
	} else {
		what := "one of "
		if len(f.enum) == 1 {
			what = "always "
		}
		n.tell(f, "enum", what+n.brief(&form{enum: f.enum, has: true}))
	}
	f.enum, f.has, f.lone = nil, false, false
}

// stringEnum makes strings of the values; [View.Restore] makes them values
// again.
func (n *normalizer) stringEnum(f *form) {
	words := map[string]*val{}
	var list []*val
	null, others := false, false
	for _, v := range f.enum {
		word := v.text
		switch {
		case v.is(kindNull):
			null = true
			continue
		case !v.is(kindString):
			word, others = string(v.raw), true
		}
		if _, taken := words[word]; taken || word == "" {
			n.dropEnum(f)
			return
		}
		words[word] = v
		list = append(list, stringVal(word))
	}
	if f.types&^kindNull == kindBool && len(list) == 2 {
		n.dropEnum(f)
		return
	}
	f.terms = slices.DeleteFunc(slices.Clone(f.terms), func(t term) bool {
		return termKinds[t.name] != 0 && termKinds[t.name]&kindString == 0 || others && t.name == "default"
	})
	if others {
		f.words = words
		n.lose(f, "enum", Renamed)
	}
	f.enum, f.lone, f.types = list, false, kindString
	if null {
		f.enum, f.types = append(f.enum, nullVal), f.types|kindNull
	}
}
