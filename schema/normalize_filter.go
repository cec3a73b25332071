package schema

import (
	"regexp/syntax"
	"slices"
	"strings"
	"unicode/utf8"
)

// filter takes out what the dialect does not take and says it in words.
func (n *normalizer) filter(f *form) {
	n.filterAll(f, true)
}

func (n *normalizer) filterAll(f *form, top bool) {
	root := top && n.isRoot(f)
	n.guard(f)
	n.filterSchemas(f, root)
	f.parts(func(o *form) { n.filterAll(o, false) })
	f.anyOf = n.spliced(f.anyOf)
	f.props = slices.DeleteFunc(slices.Clone(f.props), func(p *entry) bool {
		if p.form.never && !f.requires(p.name) && (f.rest == nil || !f.rest.never) {
			n.lose(p.form, "properties", Approximated)
		}
		return p.form.never && !f.requires(p.name)
	})
	n.filterTerms(f, root)
	if n.d.Unions != "" { // some providers look every required name up
		for _, name := range f.required {
			if f.prop(name) == nil {
				f.props = append(f.props, &entry{name: name, form: &form{at: f.at}})
			}
		}
	}
	if f.types&kindArray != 0 && f.items == nil && len(f.prefix) == 0 {
		f.items = &form{at: f.at}
	}
	if root {
		n.says = append(n.says, f.clauses...)
		f.clauses = nil
		return
	}
	if n.d.keeps("description") && len(f.clauses) > 0 {
		if list := f.union(); n.d.Unions == UnionsAlone && len(list) > 0 {
			list[0].clauses, f.clauses = f.clauses, nil
			list[0].describe()
		} else {
			f.describe()
		}
	}
	f.clauses = nil
}

// guard takes out, or weakens, keywords under which a schema that says less
// allows less: not, if, contains and oneOf.
func (n *normalizer) guard(f *form) {
	if f.not != nil && n.weakens(f.not) {
		n.tell(f, "not", n.sentence(f, "not"))
		f.not = nil
	}
	if f.cond != nil && n.weakens(f.cond) {
		n.tell(f, "if", n.sentence(f, "if"))
		f.cond, f.yes, f.no = nil, nil, nil
	}
	if f.contains != nil && f.term("maxContains") != nil && n.weakens(f.contains) {
		n.tell(f, "contains", n.sentence(f, "contains"))
		f.contains = nil
		f.dropTerm("minContains")
		f.dropTerm("maxContains")
	}
	if len(f.oneOf) > 0 && len(f.anyOf) == 0 && slices.ContainsFunc(f.oneOf, n.weakens) {
		n.lose(f, "oneOf", Approximated)
		f.anyOf, f.oneOf = f.oneOf, nil
	}
}

// weakens reports whether the filter would take something out of f.
func (n *normalizer) weakens(f *form) bool {
	trial := &normalizer{d: n.d}
	said := false
	for _, o := range append([]*form{f}, bodies(used(f))...) {
		o.each(func(o *form) { said = said || len(o.clauses) > 0 })
		trial.filterAll(o.copy(), false)
	}
	return said || slices.ContainsFunc(trial.losses, func(l Loss) bool { return !l.Class.Undone() })
}

func bodies(defs []*def) []*form {
	var list []*form
	for _, d := range defs {
		list = append(list, d.body)
	}
	return list
}

func (n *normalizer) isRoot(f *form) bool { return f == n.top }

// filterTerms takes out terms.
func (n *normalizer) filterTerms(f *form, root bool) {
	var gone []string
	for _, t := range f.terms {
		if !n.takes(f, t, root) {
			gone = append(gone, t.name)
		}
	}
	if len(gone) == 0 {
		return
	}
	left := gone
	for {
		text, rest := boundsClause(f, left)
		if text == "" {
			break
		}
		f.clauses, left = append(f.clauses, text), rest
	}
	for _, t := range f.terms {
		if !slices.Contains(gone, t.name) || root && t.name == "description" {
			continue
		}
		if !isNote(t.name) {
			n.lose(f, t.name, MovedToText)
		}
		if text := clauseOf(t); text != "" && slices.Contains(left, t.name) && !slices.Contains(f.clauses, text) {
			f.clauses = append(f.clauses, text)
		}
	}
	if root && slices.Contains(gone, "description") {
		n.about = strings.TrimSpace(f.text("description"))
	}
	f.terms = slices.DeleteFunc(slices.Clone(f.terms), func(t term) bool { return slices.Contains(gone, t.name) })
}

// takes reports whether a term stays.
func (n *normalizer) takes(f *form, t term, root bool) bool {
	if !n.d.keeps(t.name) || root && n.d.Root == RootBare {
		return false
	}
	switch t.name {
	case "format":
		return t.val.is(kindString) && n.d.takesFormat(t.val.text)
	case "pattern":
		return n.takesPattern(t.val.text)
	case "minItems":
		x, ok := decimalInt(t.val)
		return n.d.MaxMinItems == 0 || ok && x <= n.d.MaxMinItems
	}
	return true
}

func (n *normalizer) takesPattern(p string) bool {
	if utf8.RuneCountInString(p) > maxPattern {
		return false
	}
	if n.d.Patterns == "" {
		return true
	}
	if n.d.Patterns == PatternsAnchored && (!strings.HasPrefix(p, "^") || !strings.HasSuffix(p, "$") || strings.HasSuffix(p, `\$`)) {
		return false
	}
	_, err := syntax.Parse(p, syntax.Perl)
	return err == nil && !strings.Contains(p, `\b`) && !strings.Contains(p, `\B`)
}

// dropSchemas is filterSchemas for f and all that it holds. It comes before
// values are written as the provider wants them, so that words about what is
// taken out speak of the author's values.
func (n *normalizer) dropSchemas(f *form) {
	n.guard(f)
	n.filterSchemas(f, n.isRoot(f))
	f.parts(n.dropSchemas)
}

// filterSchemas takes out keywords that hold schemas.
func (n *normalizer) filterSchemas(f *form, root bool) {
	bare := root && n.d.Root == RootBare
	drop := func(there bool, keyword string, clear func()) {
		if there && (bare || !n.d.keeps(keyword)) {
			n.tell(f, keyword, n.sentence(f, keyword))
			clear()
		}
	}
	if f.rest != nil && (bare || !n.d.keeps("additionalProperties")) {
		switch {
		case f.rest.never:
			n.lose(f, "additionalProperties", Approximated)
		case !f.rest.open():
			n.tell(f, "additionalProperties", n.sentence(f, "additionalProperties"))
		}
		f.rest = nil
	}
	drop(len(f.patterns) > 0, "patternProperties", func() { f.patterns, f.rest = nil, nil })
	drop(f.names != nil, "propertyNames", func() { f.names = nil })
	drop(f.contains != nil, "contains", func() { f.contains = nil })
	drop(f.more != nil, "unevaluatedProperties", func() { f.more = nil })
	drop(f.beyond != nil, "unevaluatedItems", func() { f.beyond = nil })
	drop(len(f.needs) > 0, "dependentRequired", func() { f.needs = nil })
	drop(len(f.extends) > 0, "dependentSchemas", func() { f.extends = nil })
	drop(f.not != nil, "not", func() { f.not = nil })
	drop(f.cond != nil, "if", func() { f.cond, f.yes, f.no = nil, nil, nil })
	if !root && len(f.required) > 0 && !n.d.keeps("required") {
		n.tell(f, "required", "needs "+strings.Join(f.required, ", "))
		f.required = nil
	}
}
