package schema_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
)

// A chancer makes schemas, and documents for them, out of chance.
type chancer struct {
	*rand.Rand
	defs []string
}

func (m *chancer) one(list ...string) string { return list[m.IntN(len(list))] }

func (m *chancer) chance(percent int) bool { return m.IntN(100) < percent }

// schema makes a schema whose root is what tools have there.
func (m *chancer) schema() object {
	m.defs = nil
	for i := range m.IntN(3) {
		m.defs = append(m.defs, fmt.Sprintf("D%d", i))
	}
	var root object
	switch m.IntN(8) {
	case 0:
		// A variant that is open allows anything under the names of the others,
		// which no provider is told.
		one, two := m.object(2), m.object(2)
		one["additionalProperties"], two["additionalProperties"] = false, false
		root = object{m.one("anyOf", "oneOf"): []any{one, two}}
		if m.chance(50) {
			root["type"] = "object"
		}
	case 1:
		root = object{"allOf": []any{m.object(2), m.object(2)}}
	case 2:
		root = m.any(2)
	default:
		root = m.object(3)
	}
	if len(m.defs) > 0 {
		defs := object{}
		for _, d := range m.defs {
			defs[d] = m.object(2)
		}
		root["$defs"] = defs
	}
	return root
}

var propertyNames = []string{"a", "b", "kind", "path", "user id", "x-y", "1st", "größe", "$top"}

func (m *chancer) object(depth int) object {
	s, props := object{"type": "object"}, object{}
	for range m.IntN(4) {
		props[propertyNames[m.IntN(len(propertyNames))]] = m.any(depth - 1)
	}
	s["properties"] = props
	var required []any
	for name := range props {
		if m.chance(40) {
			required = append(required, name)
		}
	}
	if required != nil {
		s["required"] = required
	}
	switch m.IntN(6) {
	case 0, 1, 2:
		s["additionalProperties"] = false
	case 3:
		s["additionalProperties"] = m.any(depth - 1)
	case 4:
		if m.chance(30) {
			s["patternProperties"] = object{"^p_": m.any(depth - 1)}
		}
	}
	if m.chance(20) {
		s["description"] = "an object"
	}
	if m.chance(10) && len(props) > 0 {
		s["not"] = object{"required": []any{"zzz"}}
	}
	if m.chance(8) {
		s["if"] = object{"required": []any{"a"}}
		s["then"] = object{"required": []any{"b"}}
	}
	if m.chance(8) {
		s["dependentRequired"] = object{"a": []any{"b"}}
	}
	if m.chance(10) {
		s["minProperties"] = 1
	}
	if m.chance(10) {
		s["anyOf"] = []any{object{"required": []any{"a"}}, object{"required": []any{"b"}}}
	}
	return s
}

func (m *chancer) any(depth int) object {
	k := m.IntN(20)
	if depth <= 0 {
		k = m.IntN(9)
	}
	var s object
	switch k {
	case 0:
		s = object{"type": "string"}
		if m.chance(30) {
			s["minLength"] = 1
		}
		if m.chance(30) {
			s["pattern"] = m.one("^[a-z]+$", "x", `\bw`, "^(?!no)")
		}
		if m.chance(30) {
			s["format"] = m.one("date", "uri", "email", "int32", "odd")
		}
	case 1:
		s = object{"type": m.one("integer", "number")}
		if m.chance(50) {
			s["minimum"] = m.IntN(3)
		}
		if m.chance(30) {
			s["exclusiveMaximum"] = 9
		}
	case 2:
		s = object{"type": "boolean"}
	case 3:
		s = object{"enum": []any{"a", "b", m.one("c", "")}}
	case 4:
		s = object{"enum": []any{1, 2, "x", nil, true}[m.IntN(3):]}
	case 5:
		s = object{"const": []any{"k", 7, nil, false, []any{1}}[m.IntN(5)]}
	case 6:
		s = object{"type": []any{"string", "null"}}
	case 7:
		s = object{"type": []any{"string", "integer", "array"}}
	case 8:
		s = object{}
	case 9, 10, 11:
		return m.object(depth)
	case 12:
		s = object{"type": "array", "items": m.any(depth - 1)}
		if m.chance(40) {
			s["minItems"] = m.IntN(3)
		}
		if m.chance(20) {
			s["uniqueItems"] = true
		}
	case 13:
		s = object{"type": "array", "prefixItems": []any{m.any(depth - 1), m.any(depth - 1)}}
		if m.chance(60) {
			s["items"] = false
		}
	case 14, 15:
		s = object{m.one("anyOf", "oneOf"): []any{m.any(depth - 1), m.any(depth - 1), object{"type": "null"}}[:2+m.IntN(2)]}
	case 16:
		s = object{"allOf": []any{m.object(depth - 1), m.object(depth - 1)}}
	case 17, 18:
		if len(m.defs) == 0 {
			return m.object(depth)
		}
		s = object{"$ref": "#/$defs/" + m.one(m.defs...)}
		if m.chance(30) {
			s["description"] = "a reference"
		}
		if m.chance(10) {
			s["minProperties"] = 1
		}
	case 19:
		s = object{"type": "array"}
	}
	if m.chance(15) {
		s["description"] = "some value"
	}
	if m.chance(10) {
		s["title"] = "T"
	}
	return s
}

// document makes a value that may fit s, a schema of root.
func (m *chancer) document(root object, s any, depth int) any {
	o, _ := s.(object)
	if depth > 5 || o == nil {
		return nil
	}
	if ref, ok := o["$ref"].(string); ok {
		name := strings.TrimPrefix(ref, "#/$defs/")
		return m.document(root, root["$defs"].(object)[name], depth+1)
	}
	if list, ok := o["enum"].([]any); ok {
		return list[m.IntN(len(list))]
	}
	if v, ok := o["const"]; ok {
		return v
	}
	for _, k := range []string{"anyOf", "oneOf"} {
		list, ok := o[k].([]any)
		if ok {
			branch, _ := list[m.IntN(len(list))].(object)
			v := m.document(root, branch, depth+1)
			if own, ok := v.(object); ok && o["properties"] != nil {
				rest := object{}
				for name := range o {
					if name != k {
						rest[name] = o[name]
					}
				}
				base, _ := m.document(root, rest, depth).(object)
				for name, e := range base {
					own[name] = e
				}
			}
			return v
		}
	}
	if list, ok := o["allOf"].([]any); ok {
		out := object{}
		for _, b := range list {
			part, _ := m.document(root, b, depth+1).(object)
			for k, v := range part {
				out[k] = v
			}
		}
		return out
	}
	types := typesOf(o["type"])
	if len(types) == 0 {
		types = []string{"string", "integer", "object", "null", "boolean"}
	}
	return m.ofType(root, o, types[m.IntN(len(types))], depth)
}

func (m *chancer) ofType(root, o object, kind string, depth int) any {
	switch kind {
	case "string":
		return m.one("a", "abc", "x", "w", "2026-01-31", "ok")
	case "integer":
		return m.IntN(9)
	case "number":
		return float64(m.IntN(18)) / 2
	case "boolean":
		return m.chance(50)
	case "null":
		return nil
	case "array":
		list := []any{}
		prefix, _ := o["prefixItems"].([]any)
		for _, p := range prefix {
			list = append(list, m.document(root, p, depth+1))
		}
		if o["items"] != false && o["items"] != nil {
			for range m.IntN(3) {
				list = append(list, m.document(root, o["items"], depth+1))
			}
		}
		return list
	}
	out := object{}
	props, _ := o["properties"].(object)
	required, _ := json.Marshal(o["required"])
	for name, p := range props {
		if strings.Contains(string(required), `"`+name+`"`) || m.chance(50) {
			out[name] = m.document(root, p, depth+1)
		}
	}
	if rest, ok := o["additionalProperties"].(object); ok && m.chance(50) {
		out["extra"] = m.document(root, rest, depth+1)
	}
	if patterns, ok := o["patternProperties"].(object); ok && m.chance(50) {
		out["p_1"] = m.document(root, patterns["^p_"], depth+1)
	}
	return out
}

// mutilate changes, cuts or grafts a few characters of one of the schemas.
func (m *chancer) mutilate(list []published) []byte {
	src := append([]byte(nil), list[m.IntN(len(list))].InputSchema...)
	graft := list[m.IntN(len(list))].InputSchema
	for range 1 + m.IntN(3) {
		at := m.IntN(len(src))
		switch m.IntN(3) {
		case 0:
			src[at] = byte(' ' + m.IntN(90))
		case 1:
			src = append(src[:at:at], src[at+m.IntN(min(20, len(src)-at)):]...)
		case 2:
			from := m.IntN(len(graft))
			part := graft[from : from+m.IntN(min(60, len(graft)-from))]
			src = append(append(append([]byte(nil), src[:at]...), part...), src[at:]...)
		}
		if len(src) == 0 {
			return []byte("{}")
		}
	}
	return src
}
