package schema

import (
	"fmt"
	"reflect"
	"strings"

	"github.com/toolpost/toolpost/internal/jsonx"
)

// A field is a struct field with its JSON name and options.
type field struct {
	reflect.StructField
	json   string
	omit   bool // omitempty or omitzero
	quoted bool // the option string
	depth  int  // of embedding
}

func (f field) optional() bool {
	_, fallback := f.Tag.Lookup("default")
	return f.omit || fallback || f.Type.Kind() == reflect.Pointer
}

// fieldsOf lists the fields of t and of the structs embedded in it; of two with
// one name the less deeply embedded counts. open says that t keeps members it
// does not know.
func fieldsOf(t reflect.Type) (fields []field, open bool, err error) {
	open, err = collect(t, 0, map[reflect.Type]bool{}, &fields)
	if err != nil {
		return nil, false, err
	}
	best := map[string]int{}
	for _, f := range fields {
		if d, ok := best[f.json]; !ok || f.depth < d {
			best[f.json] = f.depth
		}
	}
	count := map[string]int{}
	var kept []field
	for _, f := range fields {
		if f.depth == best[f.json] {
			kept = append(kept, f)
			if count[f.json]++; count[f.json] > 1 {
				return nil, false, fmt.Errorf("two fields are called %q", f.json)
			}
		}
	}
	return kept, open, nil
}

func collect(t reflect.Type, depth int, seen map[reflect.Type]bool, fields *[]field) (open bool, err error) {
	if seen[t] {
		return false, fmt.Errorf("%s embeds itself", t)
	}
	seen[t] = true
	defer delete(seen, t)
	for i := range t.NumField() {
		f := field{StructField: t.Field(i), depth: depth}
		tag, tagged := f.Tag.Lookup("json")
		if tag == "-" {
			continue
		}
		name, options, _ := strings.Cut(tag, ",")
		inline := f.Anonymous && name == ""
		for option := range strings.SplitSeq(options, ",") {
			switch option {
			case "omitempty", "omitzero":
				f.omit = true
			case "string":
				f.quoted = true
			case "inline", "embed", "unknown":
				inline = true
			}
		}
		inner := f.Type
		if inner.Kind() == reflect.Pointer {
			inner = inner.Elem()
		}
		switch {
		case inline && inner.Kind() == reflect.Struct && !opaque(inner):
			more, err := collect(inner, depth+1, seen, fields)
			if err != nil {
				return false, err
			}
			open = open || more
			continue
		case inline && !f.Anonymous:
			open = true // a map or raw value that takes what has no field
			continue
		case !f.IsExported():
			if tagged {
				return false, fmt.Errorf("field %s.%s has a json tag but is not exported", t.Name(), f.Name)
			}
			continue
		}
		f.json = strings.Trim(name, "'")
		if f.json == "" {
			f.json = f.Name
		}
		*fields = append(*fields, f)
	}
	return open, nil
}

// decorate adds what the tags of f say to o, the schema of its type.
func (f field) decorate(o *val) (*val, error) {
	if o.get("$ref") != nil && f.hasRules() {
		// Older drafts ignore the neighbours of a $ref.
		wrapped := &val{kind: kindObject}
		wrapped.set("allOf", &val{kind: kindArray, elems: []*val{o}})
		o = wrapped
	}
	item := o
	if o.get("type").is(kindString) && o.get("type").text == "array" {
		item = o.get("items")
	}
	if err := f.bounds(o); err != nil {
		return nil, err
	}
	if tag, ok := f.Tag.Lookup("enum"); ok {
		list := &val{kind: kindArray}
		for text := range strings.SplitSeq(tag, ",") {
			v, err := literal(item, strings.TrimSpace(text))
			if err != nil {
				return nil, fmt.Errorf("tag enum: %w", err)
			}
			list.elems = append(list.elems, v)
		}
		item.set("enum", list)
	}
	if tag, ok := f.Tag.Lookup("pattern"); ok {
		if !newPattern(tag).checked() {
			return nil, fmt.Errorf("tag pattern: %q is no regular expression", tag)
		}
		item.set("pattern", stringVal(tag))
	}
	if tag, ok := f.Tag.Lookup("format"); ok {
		if formats[tag] == nil && !slowFormats[tag] && tag != "password" {
			return nil, fmt.Errorf("tag format: unknown format %q", tag)
		}
		item.set("format", stringVal(tag))
	}
	if tag, ok := f.Tag.Lookup("default"); ok {
		v, err := literal(o, tag)
		if err != nil {
			return nil, fmt.Errorf("tag default: %w", err)
		}
		o.set("default", v)
	}
	if tag, ok := f.Tag.Lookup("example"); ok {
		v, err := literal(o, tag)
		if err != nil {
			return nil, fmt.Errorf("tag example: %w", err)
		}
		o.set("examples", &val{kind: kindArray, elems: []*val{v}})
	}
	return o, f.proven(o)
}

// proven checks that default and example fit the field, when it stands alone.
func (f field) proven(o *val) error {
	if o.get("allOf") != nil || strings.Contains(string(o.append(nil)), `"$ref"`) {
		return nil
	}
	s, err := Parser{Formats: FormatsAsserted}.Parse(o.append(nil))
	if err != nil {
		return err
	}
	for _, name := range []string{"default", "example"} {
		v := o.get(name)
		if name == "example" && o.get("examples") != nil {
			v = o.get("examples").elems[0]
		}
		if v == nil {
			continue
		}
		if err := s.Check(v.append(nil)); err != nil {
			return fmt.Errorf("tag %s: %w", name, err)
		}
	}
	return nil
}

func (f field) hasRules() bool {
	for _, name := range []string{"desc", "enum", "min", "max", "pattern", "format", "default", "example"} {
		if _, ok := f.Tag.Lookup(name); ok {
			return true
		}
	}
	return false
}

// bounds writes min and max as the keywords of the type.
func (f field) bounds(o *val) error {
	typ := ""
	if t := o.get("type"); t.is(kindString) {
		typ = t.text
	}
	words := map[string][2]string{
		"string":  {"minLength", "maxLength"},
		"array":   {"minItems", "maxItems"},
		"object":  {"minProperties", "maxProperties"},
		"integer": {"minimum", "maximum"},
		"number":  {"minimum", "maximum"},
	}
	for i, tag := range []string{"min", "max"} {
		text, ok := f.Tag.Lookup(tag)
		if !ok {
			continue
		}
		pair, known := words[typ]
		if !known {
			return fmt.Errorf("tag %s: %s has no bounds", tag, f.Type)
		}
		end, msg := jsonx.Number([]byte(text), 0)
		if msg != "" || end != len(text) {
			return fmt.Errorf("tag %s: %q is not a number", tag, text)
		}
		o.set(pair[i], parseVal([]byte(text)))
	}
	return nil
}

// literal reads the text of a tag as a value of the schema o: as it stands when
// a string is wanted, else as JSON.
func literal(o *val, text string) (*val, error) {
	if t := o.get("type"); t.is(kindString) && t.text == "string" {
		return stringVal(text), nil
	}
	if err := jsonx.Check([]byte(text)); err != nil {
		return nil, fmt.Errorf("%q: %w", text, err)
	}
	return parseVal([]byte(text)), nil
}
