package schema

import (
	"slices"
	"strings"

	"github.com/toolpost/toolpost/internal/jsonx"
)

const (
	maxClauses = 400 // characters of what is said of one place
	maxClause  = 160 // of one clause
)

// clauseOf says in a few words what a keyword wants.
func clauseOf(t term) string {
	v := string(rawOf(t.val))
	text := t.val.text
	switch t.name {
	case "minimum":
		return "at least " + v
	case "maximum":
		return "at most " + v
	case "exclusiveMinimum":
		return "more than " + v
	case "exclusiveMaximum":
		return "less than " + v
	case "multipleOf":
		return "a multiple of " + v
	case "minLength":
		return "at least " + count(v, "character")
	case "maxLength":
		return "at most " + count(v, "character")
	case "minItems":
		return "at least " + count(v, "item")
	case "maxItems":
		return "at most " + count(v, "item")
	case "minProperties":
		return "at least " + plural(v, "property", "properties")
	case "maxProperties":
		return "at most " + plural(v, "property", "properties")
	case "pattern":
		return "must match " + cutTo(text, maxClause)
	case "format":
		return "format " + cut(text)
	case "uniqueItems":
		if t.val.isTrue() {
			return "items unique"
		}
	case "default":
		return "default " + cutTo(v, maxClause)
	case "examples":
		return examplesClause(t.val)
	case "contentEncoding":
		return "in " + cut(text)
	case "contentMediaType":
		return "holds " + cut(text)
	case "deprecated":
		if t.val.isTrue() {
			return "deprecated"
		}
	}
	return ""
}

func examplesClause(v *val) string {
	var list []string
	for _, e := range v.elems[:min(2, len(v.elems))] {
		list = append(list, cut(string(rawOf(e))))
	}
	if len(list) == 0 {
		return ""
	}
	return "for example " + strings.Join(list, " or ")
}

func count(n, noun string) string { return plural(n, noun, noun+"s") }

func plural(n, one, many string) string {
	if n == "1" {
		return "1 " + one
	}
	return n + " " + many
}

// bounds says minimum and maximum together where both are there.
func boundsClause(f *form, gone []string) (string, []string) {
	for _, pair := range [][3]string{{"minimum", "maximum", ""}, {"minLength", "maxLength", " characters"}, {"minItems", "maxItems", " items"}, {"minProperties", "maxProperties", " properties"}} {
		if slices.Contains(gone, pair[0]) && slices.Contains(gone, pair[1]) {
			lo, hi := string(rawOf(f.term(pair[0]))), string(rawOf(f.term(pair[1])))
			rest := slices.DeleteFunc(slices.Clone(gone), func(s string) bool { return s == pair[0] || s == pair[1] })
			if lo == hi {
				return "exactly " + lo + pair[2], rest
			}
			return lo + " to " + hi + pair[2], rest
		}
	}
	return "", gone
}

// sentence says what a keyword of f that holds schemas wants.
func (n *normalizer) sentence(f *form, keyword string) string {
	switch keyword {
	case "not":
		return "must not be: " + n.brief(f.not)
	case "if":
		return n.condition(f)
	case "contains":
		return "holds an item: " + n.brief(f.contains)
	case "propertyNames":
		return "property names: " + n.brief(f.names)
	case "additionalProperties":
		return "any other property: " + n.brief(f.rest)
	case "unevaluatedProperties":
		if f.more.never {
			return "no other properties"
		}
		return "any other property: " + n.brief(f.more)
	case "unevaluatedItems":
		if f.beyond.never {
			return "no other items"
		}
		return "any other item: " + n.brief(f.beyond)
	case "patternProperties":
		var list []string
		for _, p := range f.patterns {
			list = append(list, cut(p.name)+": "+n.brief(p.form))
		}
		return "properties that match " + strings.Join(list, "; ")
	case "dependentRequired":
		var list []string
		for _, d := range f.needs {
			list = append(list, d.name+" needs "+strings.Join(d.list, ", "))
		}
		return strings.Join(list, "; ")
	case "dependentSchemas":
		var list []string
		for _, p := range f.extends {
			list = append(list, "with "+p.name+": "+n.brief(p.form))
		}
		return strings.Join(list, "; ")
	case "prefixItems":
		return n.tuple(f)
	case "anyOf":
		return "one of: " + n.choices(f.anyOf)
	case "oneOf":
		return "exactly one of: " + n.choices(f.oneOf)
	}
	return ""
}

func (n *normalizer) tuple(f *form) string {
	var list []string
	for _, p := range f.prefix {
		list = append(list, n.brief(p))
	}
	return "items in order: " + strings.Join(list, ", ")
}

func (n *normalizer) choices(list []*form) string {
	var texts []string
	for _, o := range list {
		texts = append(texts, n.brief(o))
	}
	return cutTo(strings.Join(texts, " | "), maxClause)
}

func (n *normalizer) condition(f *form) string {
	text := "if " + n.brief(f.cond)
	if f.yes != nil {
		text += " then " + n.brief(f.yes)
	}
	if f.no != nil {
		text += " else " + n.brief(f.no)
	}
	return cutTo(text, maxClause*2)
}

// brief is a schema in a few words, or in its own when it has too many.
func (n *normalizer) brief(f *form) string {
	var list []string
	switch {
	case f == nil || f.open():
		return "anything"
	case f.never:
		return "nothing"
	case f.def != nil:
		return nameOf(f.def.origin)
	case f.types != 0 && f.typeAlone():
		return strings.ReplaceAll(strings.Trim(string(appendTypes(nil, f.types)), `[]"`), `","`, " or ")
	case f.plainObject():
		for _, p := range f.props {
			list = append(list, p.name+" is "+n.brief(p.form))
		}
		if gone := slices.DeleteFunc(slices.Clone(f.required), func(s string) bool { return f.prop(s) != nil && f.prop(s).form.has }); len(gone) > 0 {
			list = append(list, strings.Join(gone, ", ")+" required")
		}
		return cutTo(strings.Join(list, " and "), maxClause)
	case f.has && f.bareEnum():
		for _, v := range f.enum {
			list = append(list, cut(string(rawOf(v))))
		}
		return cutTo(strings.Join(list, " or "), maxClause)
	}
	w := writer{}
	return cutTo(string(w.form(nil, f)), maxClause)
}

// typeAlone reports whether f says no more than its type.
func (f *form) typeAlone() bool {
	o := shallow(f)
	o.types = 0
	return o.open()
}

// plainObject reports whether f says no more than which properties there are.
func (f *form) plainObject() bool {
	o := shallow(f)
	o.props, o.required = nil, nil
	if o.types == kindObject {
		o.types = 0
	}
	return o.open() && len(f.props)+len(f.required) > 0 && len(f.props) <= 3
}

// bareEnum reports whether f says no more than which values there are.
func (f *form) bareEnum() bool {
	o := shallow(f)
	o.has, o.types = false, 0
	return o.open()
}

// describe adds the clauses of f to its description.
func (f *form) describe() {
	if len(f.clauses) == 0 {
		return
	}
	text := cutTo(strings.Join(f.clauses, "; "), maxClauses)
	old := strings.TrimSpace(f.text("description"))
	f.clauses = nil
	switch {
	case old == "":
	case strings.Contains(old, text):
		return
	default:
		text = old + " (" + text + ")"
	}
	f.setTerm("description", &val{kind: kindString, text: text, raw: jsonx.AppendString(nil, text)})
}
