package schema

import (
	"encoding"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"time"

	"github.com/toolpost/toolpost/internal/jsonx"
)

// For infers the schema of the JSON form of T, as [Decode] and [Encode] have it.
//
// Structs become closed objects: additionalProperties is false. A field is
// required unless it is a pointer, has omitempty or omitzero, or a default. The
// tags of a field are
//
//	json      name and options
//	desc      description, for the model
//	enum      allowed values, separated by commas
//	min, max  bounds: of a number, of the length of a string, of the count of a
//	          list or map
//	pattern   regular expression (ECMA-262)
//	format    one of the formats of JSON Schema
//	default   filled in by [Schema.Fit] when the property is missing
//	example   shown to the model
//
// On a list enum, pattern and format are about its items. Embedded structs are
// part of the struct around them; [time.Time] is a string of format date-time;
// [json.RawMessage] and interfaces without methods are anything; a type that
// writes its own JSON is anything, one that writes its own text is a string; a
// recursive type stands under $defs. Formats are asserted. Channels, functions,
// complex numbers, [time.Duration] and tags that do not fit are errors.
func For[T any]() (*Schema, error) { return Of(reflect.TypeFor[T]()) }

// Of is [For] of a type that is known only when the program runs.
func Of(t reflect.Type) (*Schema, error) {
	in := &inference{root: t, recursive: map[reflect.Type]bool{}, names: map[reflect.Type]string{}}
	in.find(t, nil)
	o, err := in.typ(t, true)
	if err != nil {
		return nil, fmt.Errorf("schema of %s: %w", t, err)
	}
	if len(in.defs.members) > 0 {
		o.set("$defs", &in.defs)
	}
	s, err := Parser{Formats: FormatsAsserted}.Parse(o.append(nil))
	if err != nil {
		return nil, fmt.Errorf("schema of %s: %w", t, err)
	}
	return s, nil
}

// An inference makes the schema of one type.
type inference struct {
	root      reflect.Type
	recursive map[reflect.Type]bool
	names     map[reflect.Type]string // of the types under $defs
	defs      val
}

var (
	timeType     = reflect.TypeFor[time.Time]()
	durationType = reflect.TypeFor[time.Duration]()
	rawType      = reflect.TypeFor[json.RawMessage]()
	jsonMaker    = reflect.TypeFor[json.Marshaler]()
	jsonTaker    = reflect.TypeFor[json.Unmarshaler]()
	textMaker    = reflect.TypeFor[encoding.TextMarshaler]()
	textTaker    = reflect.TypeFor[encoding.TextUnmarshaler]()
)

func implements(t, i reflect.Type) bool { return t.Implements(i) || reflect.PointerTo(t).Implements(i) }

// opaque reports whether t has a JSON form that its Go type does not tell.
func opaque(t reflect.Type) bool {
	return t == timeType || t == rawType || implements(t, jsonMaker) || implements(t, jsonTaker) ||
		implements(t, textMaker) || implements(t, textTaker)
}

// find marks the struct types that contain themselves.
func (in *inference) find(t reflect.Type, above []reflect.Type) {
	switch t.Kind() {
	case reflect.Pointer, reflect.Slice, reflect.Array, reflect.Map:
		if !opaque(t) {
			in.find(t.Elem(), above)
		}
	case reflect.Struct:
		if opaque(t) {
			return
		}
		for i, a := range above {
			if a == t {
				for _, b := range above[i:] {
					in.recursive[b] = in.recursive[b] || b == t
				}
				return
			}
		}
		above = append(above, t)
		for i := range t.NumField() {
			if f := t.Field(i); f.IsExported() || f.Anonymous {
				in.find(f.Type, above)
			}
		}
	}
}

// object starts a schema with a type.
func object(typ string) *val {
	o := &val{kind: kindObject}
	o.set("type", stringVal(typ))
	return o
}

func anything() *val { return &val{kind: kindObject} }

// set adds or replaces a member of an object that has no text yet.
func (v *val) set(name string, to *val) {
	for i, m := range v.members {
		if m.name == name {
			v.members[i].val = to
			return
		}
	}
	v.kind = kindObject
	v.members = append(v.members, member{name, to})
}

func boolVal(b bool) *val { return parseVal(fmt.Appendf(nil, "%t", b)) }

func intVal(i int) *val { return parseVal([]byte(itoa(i))) }

// typ is the schema of t.
func (in *inference) typ(t reflect.Type, top bool) (*val, error) {
	switch {
	case t == timeType:
		o := object("string")
		o.set("format", stringVal("date-time"))
		return o, nil
	case t == durationType:
		return nil, fmt.Errorf("%s has no JSON form of its own; use a string or a number of seconds", t)
	case t == rawType || t.Kind() == reflect.Pointer && opaque(t.Elem()) && t.Elem() == rawType:
		return anything(), nil
	case t.Kind() == reflect.Pointer:
		return in.typ(t.Elem(), top)
	case implements(t, jsonMaker) || implements(t, jsonTaker):
		return anything(), nil
	case implements(t, textMaker) || implements(t, textTaker):
		return object("string"), nil
	}
	switch t.Kind() {
	case reflect.Bool:
		return object("boolean"), nil
	case reflect.String:
		return object("string"), nil
	case reflect.Float32, reflect.Float64:
		return object("number"), nil
	case reflect.Interface:
		if t.NumMethod() == 0 {
			return anything(), nil
		}
	case reflect.Slice, reflect.Array:
		return in.list(t)
	case reflect.Map:
		return in.dictionary(t)
	case reflect.Struct:
		return in.structure(t, top)
	}
	if t.Kind() >= reflect.Int && t.Kind() <= reflect.Uintptr {
		return integer(t), nil
	}
	return nil, fmt.Errorf("%s has no JSON form", t)
}

// integer bounds the types that are smaller than what models are likely to send.
func integer(t reflect.Type) *val {
	o := object("integer")
	size := t.Bits()
	if t.Kind() >= reflect.Uint {
		o.set("minimum", intVal(0))
		if size < 32 {
			o.set("maximum", intVal(1<<size-1))
		}
	} else if size < 32 {
		o.set("minimum", intVal(-1<<(size-1)))
		o.set("maximum", intVal(1<<(size-1)-1))
	}
	return o
}

func (in *inference) list(t reflect.Type) (*val, error) {
	if t.Elem().Kind() == reflect.Uint8 && !opaque(t.Elem()) {
		o := object("string")
		o.set("contentEncoding", stringVal("base64"))
		return o, nil
	}
	items, err := in.typ(t.Elem(), false)
	if err != nil {
		return nil, err
	}
	o := object("array")
	o.set("items", nullable(items, t.Elem()))
	if t.Kind() == reflect.Array {
		o.set("minItems", intVal(t.Len()))
		o.set("maxItems", intVal(t.Len()))
	}
	return o, nil
}

func (in *inference) dictionary(t reflect.Type) (*val, error) {
	k := t.Key()
	number := k.Kind() >= reflect.Int && k.Kind() <= reflect.Uintptr
	if k.Kind() != reflect.String && !number && !implements(k, textMaker) {
		return nil, fmt.Errorf("%s: a map needs keys that are strings, integers or write their own text", t)
	}
	values, err := in.typ(t.Elem(), false)
	if err != nil {
		return nil, err
	}
	o := object("object")
	o.set("additionalProperties", nullable(values, t.Elem()))
	return o, nil
}

// nullable lets o be null where a Go pointer may be nil.
func nullable(o *val, t reflect.Type) *val {
	if t.Kind() != reflect.Pointer || len(o.members) == 0 {
		return o
	}
	if typ := o.get("type"); typ.is(kindString) && typ.text != "object" && o.get("enum") == nil {
		o.set("type", &val{kind: kindArray, elems: []*val{typ, stringVal("null")}})
		return o
	}
	either := &val{kind: kindObject}
	either.set("anyOf", &val{kind: kindArray, elems: []*val{o, object("null")}})
	return either
}

// structure is the object of a struct, or a $ref to it when it is recursive.
func (in *inference) structure(t reflect.Type, top bool) (*val, error) {
	if !in.recursive[t] {
		return in.fields(t)
	}
	name, known := in.names[t]
	if !known {
		name = in.name(t)
		in.names[t] = name
		place := len(in.defs.members)
		in.defs.set(name, anything())
		o, err := in.fields(t)
		if err != nil {
			return nil, err
		}
		in.defs.members[place].val = o
		if top {
			return o.clone(), nil
		}
	}
	ref := &val{kind: kindObject}
	ref.set("$ref", stringVal(pointerFragment("$defs", name)))
	return ref, nil
}

func pointerFragment(tokens ...string) string { return "#" + pointerOf(tokens) }

// name is a free name under $defs: that of the type, without type arguments.
func (in *inference) name(t reflect.Type) string {
	base, _, _ := strings.Cut(t.Name(), "[")
	if base == "" {
		base = "Type"
	}
	name := base
	for i := 2; in.defs.get(name) != nil; i++ {
		name = base + itoa(i)
	}
	return name
}

func (in *inference) fields(t reflect.Type) (*val, error) {
	fields, open, err := fieldsOf(t)
	if err != nil {
		return nil, err
	}
	properties := &val{kind: kindObject}
	required := &val{kind: kindArray}
	for _, f := range fields {
		o, err := in.field(f)
		if err != nil {
			return nil, fmt.Errorf("field %s.%s: %w", t.Name(), f.Name, err)
		}
		properties.set(f.json, o)
		if !f.optional() {
			required.elems = append(required.elems, stringVal(f.json))
		}
	}
	o := object("object")
	o.set("properties", properties)
	if len(required.elems) > 0 {
		o.set("required", required)
	}
	o.set("additionalProperties", boolVal(open))
	return o, nil
}

func (in *inference) field(f field) (*val, error) {
	o, err := in.typ(f.Type, false)
	if err != nil {
		return nil, err
	}
	if f.quoted {
		o = object("string")
	}
	if o, err = f.decorate(o); err != nil {
		return nil, err
	}
	if f.Type.Kind() == reflect.Pointer && !f.omit {
		o = nullable(o, f.Type)
	}
	if desc := f.Tag.Get("desc"); desc != "" {
		o.set("description", &val{kind: kindString, text: desc, raw: jsonx.AppendString(nil, desc)})
	}
	return o, nil
}
