package schema

import "slices"

// merged merges allOf into the schema around it wherever one schema can say the
// same. What cannot be merged stays where the dialect takes allOf; else the
// keywords in the way are said in words.
func (n *normalizer) merged(f *form) {
	if len(f.allOf) > 0 {
		n.mergeOne(f)
	}
	f.parts(n.merged)
}

// mergeOne merges the allOf of f alone.
func (n *normalizer) mergeOne(f *form) {
	list, rest := f.allOf, []*form(nil)
	f.allOf = nil
	if n.wrapped(f, list) {
		return
	}
	for len(list) > 0 && n.err == nil {
		c := n.written(list[0])
		list = list[1:]
		if len(c.allOf) > 0 {
			list = append(slices.Clone(c.allOf), list...)
			c = shallow(c)
			c.allOf = nil
		}
		if c.def == nil {
			c = shallow(c)
			n.yieldTerms(f, c, func(name string) bool { return !n.d.keeps(name) })
		}
		trial := shallow(f)
		if trial.merge(c) {
			*f = *trial
		} else {
			rest = append(rest, c)
		}
		if n.forms += 1 + len(f.props); n.forms > 4*maxForms {
			n.err = &tooBig{"its allOf combine too many schemas"}
		}
	}
	f.allOf = rest
	f.settle()
	if len(rest) > 0 && !n.d.keeps("allOf") {
		n.force(f)
	}
}

func shallow(f *form) *form {
	o := *f
	return &o
}

// wrapped keeps a reference that is recursive or shared, with notes beside it,
// as an alternative of one, where references stand alone.
func (n *normalizer) wrapped(f *form, list []*form) bool {
	if len(list) != 1 || list[0].def == nil || !list[0].alone() || !f.open() {
		return false
	}
	if n.loopOf(list[0].def.origin) == loopNone {
		return false
	}
	f.anyOf = list
	return true
}

// force merges what is left in allOf by giving up what stands in the way.
func (n *normalizer) force(f *form) {
	rest := f.allOf
	f.allOf = nil
	if n.wrapped(f, rest) {
		return
	}
	for _, c := range rest {
		if c.def != nil {
			n.tell(f, "allOf", "also as "+nameOf(c.def.origin))
			continue
		}
		c = shallow(c)
		n.yield(f, c)
		if trial := shallow(f); trial.merge(c) {
			*f = *trial
		} else {
			n.tell(f, "allOf", "also "+n.brief(c))
		}
	}
	f.settle()
}

// yield takes out of c what cannot be merged into f, and says it of f.
func (n *normalizer) yield(f, c *form) {
	n.yieldTerms(f, c, func(string) bool { return true })
	give := func(conflict bool, keyword string, one **form) {
		if conflict {
			n.tell(f, keyword, n.sentence(c, keyword))
			*one = nil
		}
	}
	give(len(f.patterns) > 0 && c.rest != nil, "additionalProperties", &c.rest)
	give(f.more != nil && c.more != nil, "unevaluatedProperties", &c.more)
	give(f.beyond != nil && c.beyond != nil, "unevaluatedItems", &c.beyond)
	give(f.contains != nil && c.contains != nil, "contains", &c.contains)
	if f.cond != nil && c.cond != nil {
		give(true, "if", &c.cond)
		c.yes, c.no = nil, nil
	}
	if f.rest != nil && len(c.patterns) > 0 {
		n.tell(f, "patternProperties", n.sentence(c, "patternProperties"))
		c.patterns = nil
	}
	if len(f.anyOf)*len(c.anyOf) > maxProduct {
		n.tell(f, "anyOf", n.sentence(c, "anyOf"))
		c.anyOf = nil
	}
	if len(f.oneOf)*len(c.oneOf) > maxProduct {
		n.tell(f, "oneOf", n.sentence(c, "oneOf"))
		c.oneOf = nil
	}
}

// yieldTerms is yield for the terms that may goes for.
func (n *normalizer) yieldTerms(f, c *form, may func(string) bool) {
	for _, t := range slices.Clone(c.terms) {
		own := f.term(t.name)
		if own == nil || isNote(t.name) || !may(t.name) || string(own.key(nil)) == string(t.val.key(nil)) {
			continue
		}
		if _, ok := tighter(t.name, own, t.val); !ok {
			n.tell(f, t.name, clauseOf(t))
			c.terms = slices.Clone(c.terms)
			c.dropTerm(t.name)
		}
	}
}
