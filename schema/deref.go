package schema

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// size counts the forms that f becomes when every reference is written out
// once; a form in itself counts as one. It stops beyond maxForms.
func size(f *form) int {
	const open = -1
	known := map[*form]int{}
	var count func(f *form) int
	count = func(f *form) int {
		switch k := known[f]; {
		case k == open:
			return 1
		case k > 0:
			return k
		}
		known[f] = open
		sum := 1
		add := func(o *form) {
			if sum <= maxForms {
				sum += count(o)
			}
		}
		f.parts(add)
		if f.target != nil {
			add(f.target)
		}
		known[f] = sum
		return sum
	}
	return count(f)
}

// A loop says how a form leads back to itself.
type loop int

const (
	loopUnknown loop = iota
	loopNone
	loopOptional // each way passes a property that may be absent
	loopRequired
)

// loopOf finds out how f leads back to itself.
func (n *normalizer) loopOf(f *form) loop {
	if l := n.loops[f]; l != loopUnknown {
		return l
	}
	l := loopNone
	switch {
	case leadsTo(f, f, false):
		l = loopRequired
	case leadsTo(f, f, true):
		l = loopOptional
	}
	n.loops[f] = l
	return l
}

// leadsTo reports whether goal is met on the way down from f.
func leadsTo(f, goal *form, optional bool) bool {
	seen := map[*form]bool{}
	var walk func(f *form) bool
	walk = func(f *form) (found bool) {
		step := func(o *form) {
			if found || o == goal {
				found = true
			} else if !seen[o] {
				seen[o] = true
				found = walk(o)
			}
		}
		skipped := map[*form]bool{}
		if !optional {
			for _, p := range f.props {
				if !f.requires(p.name) {
					skipped[p.form] = true
				}
			}
		}
		f.parts(func(o *form) {
			if !skipped[o] {
				step(o)
			}
		})
		if f.target != nil {
			step(f.target)
		}
		return found
	}
	return walk(f)
}

// keepsRef reports whether references to what the author wrote at t are kept.
func (n *normalizer) keepsRef(t *form) bool {
	switch {
	case n.d.Refs == "":
		return false
	case n.d.Recursion == RecursionFree:
		return true
	}
	l := n.loopOf(t)
	return l == loopNone || l == loopOptional && n.d.Recursion == RecursionOptional
}

// expand copies what the author wrote into a tree, with references kept as
// entries of $defs or written out. A reference with neighbours becomes allOf.
func (n *normalizer) expand(f *form, via *trail) *form {
	if n.forms++; n.forms > maxForms {
		n.err = &tooBig{fmt.Sprintf("the references of the schema unfold to more than %d nodes", maxForms)}
		return &form{at: f.at}
	}
	if f.target == nil {
		return n.copyOf(f, via)
	}
	ref := n.reference(f, via)
	rest := *f
	rest.target = nil
	switch {
	case rest.open() && len(rest.terms) == 0:
		return ref
	case ref.def != nil && n.d.Refs == RefsFree:
		o := n.copyOf(&rest, via)
		o.def = ref.def
		return o
	}
	o := n.copyOf(&rest, via)
	o.allOf = append([]*form{ref}, o.allOf...)
	return o
}

// copyOf copies f, expanding what it holds.
func (n *normalizer) copyOf(f *form, via *trail) *form {
	o := f.mapped(func(sub *form) *form { return n.expand(sub, via) })
	o.via = via
	if len(o.patterns) > 0 && !n.d.keeps("patternProperties") && n.d.Strict == "" {
		n.tell(o, "patternProperties", n.sentence(f, "patternProperties"))
		o.patterns, o.rest = nil, nil // which names are additional is no longer said
	}
	return o
}

// reference is what stands for the target of f.
func (n *normalizer) reference(f *form, via *trail) *form {
	t := f.target
	if n.keepsRef(t) {
		return &form{at: f.at, def: n.define(t), via: via}
	}
	if via.count(t) >= n.unroll && n.loopOf(t) != loopNone {
		if n.d.Strict != "" && n.err == nil {
			n.err = &notStrict{t.at, "contains itself"}
		}
		n.lose(f, "$ref", Unrolled)
		o := &form{at: f.at, types: t.kinds(), via: via}
		if t.types == kindArray {
			o.items = &form{at: f.at}
		}
		o.clauses = []string{"again " + nameOf(t) + ", to any depth"}
		return o
	}
	return n.expand(t, &trail{t, via})
}

// nameOf is what a person would call a definition.
func nameOf(t *form) string {
	if title := t.text("title"); title != "" {
		return title
	}
	tokens := tokensOf(t.at)
	if len(tokens) == 0 {
		return "the whole"
	}
	return tokens[len(tokens)-1]
}

var notInDefName = regexp.MustCompile(`[^A-Za-z0-9_]+`)

// define makes an entry of $defs for what the author wrote at t.
func (n *normalizer) define(t *form) *def {
	if i := slices.IndexFunc(n.defs, func(d *def) bool { return d.origin == t }); i >= 0 {
		return n.defs[i]
	}
	name := "root"
	if tokens := tokensOf(t.at); len(tokens) > 0 {
		name = strings.Trim(notInDefName.ReplaceAllString(tokens[len(tokens)-1], "_"), "_")
	}
	if name == "" || name[0] >= '0' && name[0] <= '9' {
		name = "def_" + name
	}
	unique := name
	for i := 2; slices.ContainsFunc(n.defs, func(d *def) bool { return d.name == unique }); i++ {
		unique = name + "_" + itoa(i)
	}
	d := &def{name: unique, origin: t}
	n.defs = append(n.defs, d)
	d.body = n.expand(t, nil)
	return d
}

// written is f, or what it refers to when it is a reference and nothing else.
func (n *normalizer) written(f *form) *form {
	if f.def == nil || f.via.count(f.def.origin) > 0 || !f.alone() {
		return f
	}
	return n.expand(f.def.origin, &trail{f.def.origin, f.via})
}

// alone reports whether the reference f has no neighbours.
func (f *form) alone() bool {
	rest := *f
	rest.def = nil
	return rest.open() && len(rest.terms) == 0
}

// copy is f with everything that it holds.
func (f *form) copy() *form {
	if f == nil {
		return nil
	}
	return f.mapped((*form).copy)
}

// mapped is a copy of f whose parts are what to makes of them.
func (f *form) mapped(to func(*form) *form) *form {
	o := *f
	o.terms, o.required, o.clauses = slices.Clone(f.terms), slices.Clone(f.required), slices.Clone(f.clauses)
	for _, one := range []**form{&o.rest, &o.names, &o.items, &o.contains, &o.more, &o.beyond, &o.not, &o.cond, &o.yes, &o.no} {
		if *one != nil {
			*one = to(*one)
		}
	}
	for _, list := range []*[]*form{&o.prefix, &o.allOf, &o.anyOf, &o.oneOf} {
		var fresh []*form
		for _, sub := range *list {
			fresh = append(fresh, to(sub))
		}
		*list = fresh
	}
	for _, list := range []*[]*entry{&o.props, &o.patterns, &o.extends} {
		var fresh []*entry
		for _, p := range *list {
			e := *p
			e.form = to(p.form)
			fresh = append(fresh, &e)
		}
		*list = fresh
	}
	return &o
}
