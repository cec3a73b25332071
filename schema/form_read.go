package schema

import (
	"net/url"
	"slices"
	"strings"
)

// A reader turns a schema document into forms. What older drafts and OpenAPI
// write in another way is written as draft 2020-12 has it. Each place of the
// document becomes one form, so that references to it share it.
type reader struct {
	root  *val
	draft draft
	forms map[string]*form // by pointer
	ids   map[string]string
}

// readForm reads the document of s. References that lead nowhere are an error.
func readForm(s *Schema) (*form, error) {
	r := &reader{root: s.raw, draft: s.draft, forms: map[string]*form{}}
	if text := s.text; hasIDs(text) {
		r.ids = map[string]string{}
		r.collect(s.raw, "", "")
	}
	return r.read(s.raw, "", "")
}

// read returns the form of v, which lies at ptr, where relative references
// start from base.
func (r *reader) read(v *val, ptr, base string) (*form, error) {
	if f, ok := r.forms[ptr]; ok {
		return f, nil
	}
	f := &form{at: ptr}
	r.forms[ptr] = f
	if v.is(kindBool) {
		f.never = !v.isTrue()
		return f, nil
	}
	if id := r.idOf(v); id != "" && !strings.HasPrefix(id, "#") {
		base = resolveURL(base, id)
	}
	ref := v.get("$ref")
	if ref == nil {
		ref = firstOf(v, "$dynamicRef", "$recursiveRef")
	}
	if ref.is(kindString) {
		var err error
		if f.target, err = r.follow(ref.text, ptr, base); err != nil {
			return nil, err
		}
		if r.draft < draft2019 {
			r.noteTerms(f, v) // up to draft-07 its neighbours constrain nothing
			return f, nil
		}
	}
	for _, m := range v.members {
		if err := r.keyword(f, m.name, m.val, ptr, base); err != nil {
			return nil, err
		}
	}
	r.finish(f, v)
	return f, nil
}

func firstOf(v *val, names ...string) *val {
	for _, name := range names {
		if o := v.get(name); o != nil {
			return o
		}
	}
	return nil
}

func (r *reader) noteTerms(f *form, v *val) {
	for _, m := range v.members {
		if isNote(m.name) {
			f.terms = append(f.terms, term(m))
		}
	}
}

// keyword reads one keyword into f. What is malformed, or is not known, says
// nothing.
func (r *reader) keyword(f *form, name string, v *val, ptr, base string) error {
	switch name {
	case "type":
		for _, t := range append(slices.Clone(v.list()), v) {
			if t.is(kindString) {
				f.types |= kindOf(t.text)
			}
		}
	case "enum":
		if v.is(kindArray) && !f.has {
			f.enum, f.has = distinct(v.elems), true
		}
	case "const":
		if r.draft >= draft6 {
			f.enum, f.has, f.lone = []*val{v}, true, true
		}
	case "required":
		f.required = stringsOf(v)
	case "dependentRequired":
		f.needs = append(f.needs, needsOf(v)...)
	case "exclusiveMinimum", "exclusiveMaximum":
		if v.is(kindNumber) {
			f.terms = append(f.terms, term{name, v})
		}
	case "minLength", "maxLength", "pattern", "format", "minimum", "maximum", "multipleOf", "minItems", "maxItems",
		"uniqueItems", "minContains", "maxContains", "minProperties", "maxProperties", "title", "description", "default",
		"examples", "deprecated", "readOnly", "writeOnly", "contentEncoding", "contentMediaType":
		f.terms = append(f.terms, term{name, v})
	default:
		return r.schemas(f, name, v, ptr, base)
	}
	return nil
}

// schemas reads a keyword that holds schemas.
func (r *reader) schemas(f *form, name string, v *val, ptr, base string) (err error) {
	ptr = join(ptr, name)
	if f.one(name) != nil && !v.is(kindArray) {
		*f.one(name), err = r.read(v, ptr, base)
		return err
	}
	switch name {
	case "items", "prefixItems":
		f.prefix, err = r.list(v, ptr, base)
	case "additionalItems":
		if f.items == nil || len(f.prefix) > 0 {
			f.items, err = r.read(v, ptr, base)
		}
	case "allOf":
		f.allOf, err = r.list(v, ptr, base)
	case "anyOf":
		f.anyOf, err = r.list(v, ptr, base)
	case "oneOf":
		f.oneOf, err = r.list(v, ptr, base)
	case "properties":
		f.props, err = r.fields(v, ptr, base)
	case "patternProperties":
		f.patterns, err = r.fields(v, ptr, base)
	case "dependentSchemas":
		f.extends, err = r.fields(v, ptr, base)
	case "dependencies":
		f.needs = append(f.needs, needsOf(v)...)
		var list []*entry
		list, err = r.fields(v, ptr, base)
		f.extends = append(f.extends, list...)
	}
	return err
}

// one is the place of a keyword that holds one schema.
func (f *form) one(name string) **form {
	switch name {
	case "items":
		return &f.items
	case "additionalProperties":
		return &f.rest
	case "propertyNames":
		return &f.names
	case "contains":
		return &f.contains
	case "unevaluatedProperties":
		return &f.more
	case "unevaluatedItems":
		return &f.beyond
	case "not":
		return &f.not
	case "if":
		return &f.cond
	case "then":
		return &f.yes
	case "else":
		return &f.no
	}
	return nil
}

func (r *reader) list(v *val, ptr, base string) ([]*form, error) {
	var list []*form
	for i, e := range v.list() {
		o, err := r.read(e, join(ptr, itoa(i)), base)
		if err != nil {
			return nil, err
		}
		list = append(list, o)
	}
	return list, nil
}

// fields reads the members of v that are schemas.
func (r *reader) fields(v *val, ptr, base string) ([]*entry, error) {
	var list []*entry
	for _, m := range v.members {
		if !m.val.is(kindObject | kindBool) {
			continue
		}
		o, err := r.read(m.val, join(ptr, m.name), base)
		if err != nil {
			return nil, err
		}
		list = append(list, &entry{name: m.name, form: o})
	}
	return list, nil
}

// finish reads what several keywords say together.
func (r *reader) finish(f *form, v *val) {
	if f.cond == nil {
		f.yes, f.no = nil, nil
	}
	for _, side := range [][2]string{{"minimum", "exclusiveMinimum"}, {"maximum", "exclusiveMaximum"}} {
		if b := f.term(side[0]); v.get(side[1]).isTrue() && b.is(kindNumber) { // draft-04
			f.dropTerm(side[0])
			f.setTerm(side[1], b)
		}
	}
	if v.get("nullable").isTrue() && !f.takesNull() { // OpenAPI 3.0
		f.addNull(&Dialect{Keywords: all(Used)})
	}
	f.settle()
}

// settle writes unevaluatedProperties as additionalProperties where that is the
// same.
func (f *form) settle() {
	if f.more != nil && f.rest == nil && f.target == nil && f.cond == nil && len(f.allOf)+len(f.anyOf)+len(f.oneOf)+len(f.extends) == 0 {
		f.rest, f.more = f.more, nil
	}
}

func stringsOf(v *val) []string {
	var list []string
	for _, e := range v.list() {
		if e.is(kindString) && !slices.Contains(list, e.text) {
			list = append(list, e.text)
		}
	}
	return list
}

func needsOf(v *val) []need {
	var list []need
	for _, m := range v.members {
		if names := stringsOf(m.val); len(names) > 0 {
			list = append(list, need{m.name, names})
		}
	}
	return list
}

// distinct leaves out values that JSON Schema calls equal to an earlier one.
func distinct(list []*val) []*val {
	seen := map[string]bool{}
	var out []*val
	for _, v := range list {
		if key := string(v.key(nil)); !seen[key] {
			seen[key] = true
			out = append(out, v)
		}
	}
	return out
}

func resolveURL(base, ref string) string {
	b, err := url.Parse(base)
	if err != nil {
		return ref
	}
	u, err := b.Parse(ref)
	if err != nil {
		return ref
	}
	return strings.TrimSuffix(u.String(), "#")
}
