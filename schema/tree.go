package schema

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/toolpost/toolpost/internal/jsonx"
)

// kind is a set of the types of JSON Schema. A value has one of them, and an
// integer both kindInteger and kindNumber.
type kind uint8

const (
	kindNull kind = 1 << iota
	kindBool
	kindInteger
	kindNumber
	kindString
	kindArray
	kindObject
)

var kindNames = []string{"null", "boolean", "integer", "number", "string", "array", "object"}

// kindOf is the kind that the word name stands for, or 0.
func kindOf(name string) kind {
	if i := slices.Index(kindNames, name); i >= 0 {
		return 1 << i
	}
	return 0
}

// String joins the names in k with "or"; an integer is not called a number too.
func (k kind) String() string {
	if k&kindInteger != 0 && k&kindNumber != 0 {
		k &^= kindInteger
	}
	var names []string
	for i, name := range kindNames {
		if k&(1<<i) != 0 {
			names = append(names, name)
		}
	}
	return strings.Join(names, " or ")
}

// val is a JSON value as a tree that remembers the text it was read from, so
// that what is not changed is written back byte for byte.
type val struct {
	kind    kind
	raw     []byte // nil once the value or something in it was changed
	text    string // of a string
	members []member
	elems   []*val
}

type member struct {
	name string
	val  *val
}

// parseVal reads a text that has passed [jsonx.Check].
func parseVal(b []byte) *val {
	v, _ := readVal(b, jsonx.Space(b, 0))
	return v
}

func readVal(b []byte, i int) (*val, int) {
	start, v := i, &val{}
	switch b[i] {
	case '{':
		v.kind = kindObject
		for i = jsonx.Space(b, i+1); b[i] != '}'; {
			end, _, _ := jsonx.String(b, i)
			m := member{name: string(jsonx.AppendText(nil, b[i:end]))}
			i, _ = jsonx.Colon(b, end)
			m.val, i = readVal(b, i)
			v.members = append(v.members, m)
			if i = jsonx.Space(b, i); b[i] == ',' {
				i = jsonx.Space(b, i+1)
			}
		}
		i++
	case '[':
		v.kind = kindArray
		for i = jsonx.Space(b, i+1); b[i] != ']'; {
			var e *val
			e, i = readVal(b, i)
			v.elems = append(v.elems, e)
			if i = jsonx.Space(b, i); b[i] == ',' {
				i = jsonx.Space(b, i+1)
			}
		}
		i++
	case '"':
		v.kind = kindString
		i, _, _ = jsonx.String(b, i)
		v.text = string(jsonx.AppendText(nil, b[start:i]))
	case 't':
		v.kind, i = kindBool, i+4
	case 'f':
		v.kind, i = kindBool, i+5
	case 'n':
		v.kind, i = kindNull, i+4
	default:
		v.kind = kindNumber
		i, _ = jsonx.Number(b, i)
		if d, ok := jsonx.ParseDecimal(b[start:i]); ok && d.IsInt() {
			v.kind |= kindInteger
		}
	}
	v.raw = b[start:i:i]
	return v, i
}

func stringVal(s string) *val {
	return &val{kind: kindString, text: s, raw: jsonx.AppendString(nil, s)}
}

// append writes v.
func (v *val) append(dst []byte) []byte {
	if v.raw != nil {
		return append(dst, v.raw...)
	}
	if v.kind == kindArray {
		dst = append(dst, '[')
		for i, e := range v.elems {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = e.append(dst)
		}
		return append(dst, ']')
	}
	dst = append(dst, '{')
	for i, m := range v.members {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(jsonx.AppendString(dst, m.name), ':')
		dst = m.val.append(dst)
	}
	return append(dst, '}')
}

// compact is v without white space.
func (v *val) compact() []byte { return jsonx.AppendCompact(nil, v.append(nil)) }

// brief is the beginning of v for a reader, at most 80 characters.
func (v *val) brief() string {
	if len(v.raw) > 1000 {
		return cut(strings.ToValidUTF8(string(v.raw[:400]), ""))
	}
	return cut(string(v.compact()))
}

// get returns the member name, or nil.
func (v *val) get(name string) *val {
	if v == nil {
		return nil
	}
	for _, m := range v.members {
		if m.name == name {
			return m.val
		}
	}
	return nil
}

// is reports whether v has one of the kinds k.
func (v *val) is(k kind) bool { return v != nil && v.kind&k != 0 }

func (v *val) isTrue() bool { return v.is(kindBool) && v.raw[0] == 't' }

// clone copies the structure; scalars are shared, for they are never written.
func (v *val) clone() *val {
	if v.kind&(kindArray|kindObject) == 0 {
		return v
	}
	c := &val{kind: v.kind, raw: v.raw}
	for _, m := range v.members {
		c.members = append(c.members, member{m.name, m.val.clone()})
	}
	for _, e := range v.elems {
		c.elems = append(c.elems, e.clone())
	}
	return c
}

// key appends a text that is the same for values that JSON Schema calls equal,
// and for no others.
func (v *val) key(dst []byte) []byte {
	switch {
	case v.is(kindString):
		return jsonx.AppendString(dst, v.text)
	case v.is(kindNumber):
		d, _ := jsonx.ParseDecimal(v.raw)
		return d.AppendKey(dst)
	case v.is(kindArray):
		dst = append(dst, '[')
		for _, e := range v.elems {
			dst = append(e.key(dst), ',')
		}
		return append(dst, ']')
	case v.is(kindObject):
		sorted := slices.Clone(v.members)
		slices.SortFunc(sorted, func(a, b member) int { return strings.Compare(a.name, b.name) })
		dst = append(dst, '{')
		for _, m := range sorted {
			dst = append(jsonx.AppendString(dst, m.name), ':')
			dst = append(m.val.key(dst), ',')
		}
		return append(dst, '}')
	}
	return append(dst, v.raw...)
}

// decoded is v as the validator takes it: maps, slices, json.Number.
func (v *val) decoded() any {
	switch {
	case v.is(kindString):
		return v.text
	case v.is(kindNumber):
		return json.Number(v.raw)
	case v.is(kindBool):
		return v.isTrue()
	case v.is(kindArray):
		list := make([]any, len(v.elems))
		for i, e := range v.elems {
			list[i] = e.decoded()
		}
		return list
	case v.is(kindObject):
		object := make(map[string]any, len(v.members))
		for _, m := range v.members {
			object[m.name] = m.val.decoded()
		}
		return object
	}
	return nil
}

// at follows the tokens of a JSON pointer, or returns nil.
func (v *val) at(tokens []string) *val {
	for _, tok := range tokens {
		switch {
		case v.is(kindObject):
			v = v.get(tok)
		case v.is(kindArray):
			i, ok := arrayIndex(tok)
			if !ok || i >= len(v.elems) {
				return nil
			}
			v = v.elems[i]
		default:
			return nil
		}
	}
	return v
}

func arrayIndex(tok string) (int, bool) {
	if tok == "" || len(tok) > 9 || (tok[0] == '0' && tok != "0") {
		return 0, false
	}
	n := 0
	for _, c := range []byte(tok) {
		if c < '0' || c > '9' {
			return 0, false
		}
		n = n*10 + int(c-'0')
	}
	return n, true
}
