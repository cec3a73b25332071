package schema

import (
	"slices"
	"strings"

	"github.com/toolpost/toolpost/internal/jsonx"
)

// A writer writes forms as JSON: keywords by name, properties in the author's
// order, for a model writes its arguments in the order in which it reads of
// them.
type writer struct {
	root     bool // properties are written even if there are none
	nullable bool // null is the keyword nullable, not a type
	told     bool // objects of any properties say so
	defs     []*def
}

// part is one member of a schema on its way out.
type part struct {
	name string
	put  func([]byte) []byte
}

func (w writer) form(dst []byte, f *form) []byte {
	if f.never {
		return append(dst, `{"not":{}}`...)
	}
	list := make([]part, 0, 12)
	add := func(name string, put func([]byte) []byte) { list = append(list, part{name, put}) }
	types, null := f.types, false
	if w.nullable && types&kindNull != 0 && types != kindNull {
		types, null = types&^kindNull, true
	}
	if types != 0 {
		add("type", func(b []byte) []byte { return appendTypes(b, types) })
	}
	if f.def != nil {
		add("$ref", func(b []byte) []byte { return jsonx.AppendString(b, "#/$defs/"+f.def.name) })
	}
	for _, t := range f.terms {
		add(t.name, func(b []byte) []byte { return appendPlain(b, t.val) })
	}
	w.values(f, null, add)
	w.object(f, add)
	w.array(f, add)
	null = w.applied(f, add) || null
	if null {
		add("nullable", func(b []byte) []byte { return append(b, "true"...) })
	}
	if len(w.defs) > 0 {
		add("$defs", w.definitions)
	}
	slices.SortFunc(list, func(a, b part) int { return strings.Compare(a.name, b.name) })
	dst = append(dst, '{')
	for i, p := range list {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(jsonx.AppendString(dst, p.name), ':')
		dst = p.put(dst)
	}
	return append(dst, '}')
}

func (w writer) definitions(b []byte) []byte {
	sorted := slices.SortedFunc(slices.Values(w.defs), func(a, b *def) int { return strings.Compare(a.name, b.name) })
	inner := writer{nullable: w.nullable, told: w.told}
	b = append(b, '{')
	for i, d := range sorted {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(jsonx.AppendString(b, d.name), ':')
		b = inner.form(b, d.body)
	}
	return append(b, '}')
}

func (w writer) values(f *form, null bool, add func(string, func([]byte) []byte)) {
	if !f.has {
		return
	}
	if f.lone && len(f.enum) == 1 {
		add("const", func(b []byte) []byte { return appendPlain(b, f.enum[0]) })
		return
	}
	add("enum", func(b []byte) []byte {
		b = append(b, '[')
		first := true
		for _, v := range f.enum {
			if null && v.is(kindNull) {
				continue
			}
			if !first {
				b = append(b, ',')
			}
			first = false
			b = appendPlain(b, v)
		}
		return append(b, ']')
	})
}

func (w writer) object(f *form, add func(string, func([]byte) []byte)) {
	inner := writer{nullable: w.nullable, told: w.told}
	fields := func(name string, list []*entry, always bool) {
		if len(list) > 0 || always {
			add(name, func(b []byte) []byte { return inner.entries(b, list) })
		}
	}
	fields("properties", f.props, w.root)
	fields("patternProperties", f.patterns, false)
	fields("dependentSchemas", f.extends, false)
	if len(f.required) > 0 {
		add("required", func(b []byte) []byte { return appendNames(b, f.required) })
	}
	if len(f.needs) > 0 {
		add("dependentRequired", func(b []byte) []byte {
			b = append(b, '{')
			for i, d := range f.needs {
				if i > 0 {
					b = append(b, ',')
				}
				b = appendNames(append(jsonx.AppendString(b, d.name), ':'), d.list)
			}
			return append(b, '}')
		})
	}
	switch {
	case f.rest != nil:
		add("additionalProperties", func(b []byte) []byte { return inner.rule(b, f.rest) })
	case w.told && f.types&kindObject != 0 && len(f.props) == 0:
		add("additionalProperties", func(b []byte) []byte { return append(b, "true"...) })
	}
}

// rule writes a schema that may be a boolean.
func (w writer) rule(b []byte, f *form) []byte {
	switch {
	case f.never:
		return append(b, "false"...)
	case f.open() && len(f.terms) == 0:
		return append(b, "true"...)
	}
	return w.form(b, f)
}

func (w writer) entries(b []byte, list []*entry) []byte {
	b = append(b, '{')
	for i, p := range list {
		if i > 0 {
			b = append(b, ',')
		}
		b = w.form(append(jsonx.AppendString(b, p.name), ':'), p.form)
	}
	return append(b, '}')
}

func (w writer) array(f *form, add func(string, func([]byte) []byte)) {
	inner := writer{nullable: w.nullable, told: w.told}
	if len(f.prefix) > 0 {
		add("prefixItems", func(b []byte) []byte { return inner.forms(b, f.prefix) })
	}
	if f.items != nil {
		add("items", func(b []byte) []byte {
			if f.items.never {
				return append(b, "false"...)
			}
			return inner.form(b, f.items)
		})
	}
	for _, o := range []struct {
		name string
		form *form
	}{{"contains", f.contains}, {"unevaluatedItems", f.beyond}, {"unevaluatedProperties", f.more}, {"propertyNames", f.names}} {
		put := inner.form
		if strings.HasPrefix(o.name, "un") {
			put = inner.rule
		}
		if o.form != nil {
			add(o.name, func(b []byte) []byte { return put(b, o.form) })
		}
	}
}

// applied writes alternatives and conditions. It reports whether one of the
// alternatives was null and is left to the keyword nullable.
func (w writer) applied(f *form, add func(string, func([]byte) []byte)) (null bool) {
	inner := writer{nullable: w.nullable, told: w.told}
	for _, o := range []struct {
		name  string
		forms []*form
	}{{"allOf", f.allOf}, {"anyOf", f.anyOf}, {"oneOf", f.oneOf}} {
		list := o.forms
		if w.nullable && o.name != "allOf" && slices.ContainsFunc(list, (*form).isNull) {
			list, null = slices.DeleteFunc(slices.Clone(list), (*form).isNull), true
		}
		if len(list) > 0 {
			add(o.name, func(b []byte) []byte { return inner.forms(b, list) })
		}
	}
	for _, o := range []struct {
		name string
		form *form
	}{{"not", f.not}, {"if", f.cond}, {"then", f.yes}, {"else", f.no}} {
		if o.form != nil {
			add(o.name, func(b []byte) []byte { return inner.form(b, o.form) })
		}
	}
	return null
}

func (w writer) forms(b []byte, list []*form) []byte {
	b = append(b, '[')
	for i, f := range list {
		if i > 0 {
			b = append(b, ',')
		}
		b = w.form(b, f)
	}
	return append(b, ']')
}

func appendTypes(b []byte, k kind) []byte {
	if k&kindNumber != 0 {
		k &^= kindInteger
	}
	var names []string
	for i, name := range kindNames {
		if k&(1<<i) != 0 {
			names = append(names, name)
		}
	}
	if len(names) == 1 {
		return jsonx.AppendString(b, names[0])
	}
	if names[0] == "null" { // what a value usually is comes first
		names = append(names[1:], "null")
	}
	return appendNames(b, names)
}

func appendNames(b []byte, names []string) []byte {
	b = append(b, '[')
	for i, s := range names {
		if i > 0 {
			b = append(b, ',')
		}
		b = jsonx.AppendString(b, s)
	}
	return append(b, ']')
}

// appendPlain writes a value in one way however it was written: no white space,
// no needless escapes. Members keep their order, numbers their digits.
func appendPlain(b []byte, v *val) []byte {
	switch {
	case v.is(kindString):
		return jsonx.AppendString(b, v.text)
	case v.is(kindArray):
		b = append(b, '[')
		for i, e := range v.elems {
			if i > 0 {
				b = append(b, ',')
			}
			b = appendPlain(b, e)
		}
		return append(b, ']')
	case v.is(kindObject):
		b = append(b, '{')
		for i, m := range v.members {
			if i > 0 {
				b = append(b, ',')
			}
			b = appendPlain(append(jsonx.AppendString(b, m.name), ':'), m.val)
		}
		return append(b, '}')
	}
	return append(b, v.raw...)
}
