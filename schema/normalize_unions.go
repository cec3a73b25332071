package schema

import (
	"slices"
	"strings"
)

// alternatives makes anyOf and oneOf as simple as they can be, and puts them the
// way the dialect wants them.
func (n *normalizer) alternatives(f *form) {
	f.parts(n.alternatives)
	if n.forgo(f); f.never {
		return
	}
	n.widen(f)
	n.closeItems(f)
	for _, list := range []*[]*form{&f.anyOf, &f.oneOf} {
		n.simplify(f, list)
	}
	if f.has && !f.never {
		n.forgo(f)
	}
	if len(f.oneOf) > 0 && !n.d.keeps("oneOf") && n.d.keeps("anyOf") {
		n.anyOfOne(f)
	}
	if n.d.Unions != "" {
		n.whole(f)
	}
	if n.d.Types != "" && !f.has {
		n.split(f)
	}
	if n.d.Unions == UnionsAlone {
		standAlone(f, &n.d)
	}
}

// simplify works on one list of alternatives of f.
func (n *normalizer) simplify(f *form, list *[]*form) {
	if len(*list) == 0 || f.never {
		return
	}
	if list == &f.anyOf {
		*list = n.spliced(*list)
	}
	*list = slices.DeleteFunc(slices.Clone(*list), func(o *form) bool { return o.never })
	if len(*list) == 0 {
		*f = form{at: f.at, never: true}
		return
	}
	if !n.constantsOf(f, list) {
		n.collapse(f, list)
	}
}

// spliced replaces alternatives that are nothing but anyOf by theirs.
func (n *normalizer) spliced(list []*form) []*form {
	var fresh []*form
	for _, o := range list {
		if len(o.anyOf) > 0 && o.noted() && n.silent(o) && len(o.oneOf)+len(o.allOf) == 0 {
			fresh = append(fresh, o.anyOf...)
		} else {
			fresh = append(fresh, o)
		}
	}
	return fresh
}

// silent reports whether nothing will be left of the notes of f.
func (n *normalizer) silent(f *form) bool {
	return !slices.ContainsFunc(f.terms, func(t term) bool { return n.d.keeps(t.name) || clauseOf(t) != "" })
}

// constantsOf makes one enum of alternatives that are constants.
func (n *normalizer) constantsOf(f *form, list *[]*form) bool {
	if f.has {
		return false
	}
	var values []*val
	var types kind
	var says []string
	for _, o := range *list {
		if o.types == kindNull && !o.has && o.bareEnum() {
			values, types = append(values, nullVal), types|kindNull
			continue
		}
		if !o.has || !o.bareEnum() {
			return false
		}
		values, types = append(values, o.enum...), types|o.types
		if text := strings.TrimSpace(o.text("description")); text != "" && len(o.enum) == 1 {
			says = append(says, cut(string(rawOf(o.enum[0])))+": "+cut(text))
		}
	}
	if types&^kindNull == 0 && len(values) == 1 && values[0] == nullVal {
		return false
	}
	if list == &f.oneOf { // a value of two alternatives fits neither
		values = lonely(values)
	}
	f.enum, f.has, f.lone = distinct(values), true, len(values) == 1
	f.clauses = append(f.clauses, says...)
	*list = nil
	switch {
	case f.types != 0:
		f.types = bothKinds(f.types, kindsOf(f.enum))
	case types != 0:
		f.types = kindsOf(f.enum)
	}
	f.never = f.types == 0 && types != 0
	return true
}

// lonely leaves the values that no other one is equal to.
func lonely(list []*val) []*val {
	times := map[string]int{}
	for _, v := range list {
		times[string(v.key(nil))]++
	}
	return slices.DeleteFunc(slices.Clone(list), func(v *val) bool { return times[string(v.key(nil))] > 1 })
}

// collapse merges the only alternative, null aside, into f.
func (n *normalizer) collapse(f *form, list *[]*form) {
	rest := slices.DeleteFunc(slices.Clone(*list), (*form).isNull)
	null := len(rest) < len(*list)
	if len(rest) == 0 {
		rest, null = (*list)[:1], false
	}
	if len(rest) != 1 {
		return
	}
	one := rest[0]
	if null && list == &f.oneOf && one.takesNull() {
		return // null fits both, and so neither
	}
	if one.def != nil {
		if !null && one.alone() && f.onlyUnion(list) && len(f.terms) == 0 {
			at := f.at
			*f = *one
			f.at = at
		}
		return
	}
	trial := shallow(f)
	if list == &f.anyOf {
		trial.anyOf = nil
	} else {
		trial.oneOf = nil
	}
	null = null && trial.takesNull()
	if !trial.merge(one.copy()) {
		return
	}
	n.merged(trial)
	if null && !trial.takesNull() && !trial.addNull(&n.d) {
		return
	}
	*f = *trial
}

// onlyUnion reports whether f is the alternatives in list, with notes.
func (f *form) onlyUnion(list *[]*form) bool {
	count := len(f.anyOf) + len(f.oneOf)
	return f.noted() && len(f.allOf) == 0 && count == len(*list)
}

// anyOfOne writes oneOf as anyOf. That exactly one fits is then no longer said,
// unless the alternatives exclude each other anyway.
func (n *normalizer) anyOfOne(f *form) {
	if !apart(f.oneOf) {
		n.lose(f, "oneOf", Approximated)
	}
	switch {
	case len(f.anyOf) == 0:
		f.anyOf = f.oneOf
	default:
		if list, ok := product(f.anyOf, f.oneOf); ok {
			f.anyOf = list
			for _, o := range f.anyOf {
				n.merged(o)
				n.alternatives(o)
			}
		} else {
			n.tell(f, "oneOf", n.sentence(f, "oneOf"))
		}
	}
	f.oneOf = nil
	n.simplify(f, &f.anyOf)
}

// apart reports whether it is plain that no value fits two of list.
func apart(list []*form) bool {
	var sum kind
	distinctKinds := true
	for _, o := range list {
		k := o.kinds()
		if k&kindInteger != 0 {
			k |= kindNumber
		}
		distinctKinds = distinctKinds && k != 0 && k&sum == 0
		sum |= k
	}
	return distinctKinds || discriminator(list) != ""
}

// discriminator is the required property whose one value tells the objects in
// list apart, or "".
func discriminator(list []*form) string {
	if len(list) < 2 {
		return ""
	}
	body := func(f *form) *form {
		if f.def != nil {
			return f.def.body
		}
		return f
	}
	for _, p := range body(list[0]).props {
		seen := map[string]bool{}
		for _, o := range list {
			o = body(o)
			q := o.prop(p.name)
			if q == nil || !q.form.has || !o.requires(p.name) || o.types != kindObject {
				break
			}
			for _, v := range q.form.enum {
				seen[string(v.key(nil))] = true
			}
		}
		total := 0
		for _, o := range list {
			if q := body(o).prop(p.name); q != nil && q.form.has && body(o).requires(p.name) && body(o).types == kindObject {
				total += len(q.form.enum)
			} else {
				total = -1
				break
			}
		}
		if total == len(seen) {
			return p.name
		}
	}
	return ""
}

// whole makes every alternative a schema of its own, by writing what stands
// beside the alternatives into each of them.
func (n *normalizer) whole(f *form) {
	list := f.union()
	if len(list) == 0 || f.def != nil || f.onlyUnion(&list) {
		return
	}
	if groups := requireGroups(list); groups != nil {
		n.dropGroups(f, groups)
		return
	}
	base := shallow(f)
	base.anyOf, base.oneOf = nil, nil
	if len(f.anyOf) > 0 {
		base.oneOf = f.oneOf
	}
	base.terms = slices.DeleteFunc(slices.Clone(f.terms), func(t term) bool { return isNote(t.name) })
	base.clauses = nil
	var fresh []*form
	for _, o := range list {
		c := base.copy()
		c.at, c.via = o.at, o.via
		c.allOf = append(c.allOf, o)
		n.mergeOne(c)
		n.merged(c)
		n.alternatives(c)
		if !c.never {
			fresh = append(fresh, c)
		}
	}
	kept := &form{at: f.at, anyOf: fresh, clauses: f.clauses, via: f.via, never: len(fresh) == 0}
	kept.terms = slices.DeleteFunc(slices.Clone(f.terms), func(t term) bool { return !isNote(t.name) })
	if len(f.anyOf) == 0 && n.d.keeps("oneOf") {
		kept.anyOf, kept.oneOf = nil, fresh
	}
	*f = *kept
	n.simplify(f, &f.anyOf)
	n.simplify(f, &f.oneOf)
}

// requireGroups is the groups of names of alternatives that only say which
// properties are required, or nil if they say more.
func requireGroups(list []*form) [][]string {
	var groups [][]string
	for _, o := range list {
		rest := shallow(o)
		rest.required, rest.not = nil, nil
		if rest.types == kindObject {
			rest.types = 0
		}
		if len(o.required) == 0 || !rest.open() || o.not != nil && requireGroups([]*form{o.not}) == nil && len(o.not.anyOf) == 0 {
			return nil
		}
		groups = append(groups, o.required)
	}
	return groups
}

// dropGroups says in words which properties are needed together.
func (n *normalizer) dropGroups(f *form, groups [][]string) {
	keyword, text := "anyOf", "give at least one of: "
	if len(f.anyOf) == 0 {
		keyword, text = "oneOf", "give exactly one of: "
	}
	var list []string
	for _, g := range groups {
		list = append(list, strings.Join(g, " and "))
	}
	n.tell(f, keyword, text+strings.Join(list, "; "))
	if keyword == "anyOf" {
		f.anyOf = nil
	} else {
		f.oneOf = nil
	}
}

// standAlone moves the notes that stand beside alternatives into the first of
// them, and null too.
func standAlone(f *form, d *Dialect) {
	list := f.union()
	if len(list) == 0 {
		return
	}
	fresh := slices.DeleteFunc(slices.Clone(list), (*form).isNull)
	if len(fresh) == 0 {
		return
	}
	if len(fresh) < len(list) && !slices.ContainsFunc(fresh, (*form).takesNull) {
		fresh[0].addNull(d)
	}
	f.anyOf, f.oneOf = fresh, nil
	if text := strings.TrimSpace(f.text("description")); text != "" {
		fresh[0].setTerm("description", stringVal(strings.TrimSpace(text+" "+fresh[0].text("description"))))
	}
	fresh[0].clauses = append(fresh[0].clauses, f.clauses...)
	f.terms, f.clauses = nil, nil
	if len(fresh) == 1 {
		at := f.at
		*f = *fresh[0]
		f.at = at
	}
}
