package plan

import (
	"encoding/json"
	"strings"

	"github.com/toolpost/toolpost/tool"
)

// shape is as much of a schema as it takes to make up a value for a reference.
type shape struct {
	Type       string            `json:"type"`
	Enum       []json.RawMessage `json:"enum"`
	Minimum    json.Number       `json:"minimum"`
	Properties map[string]*shape `json:"properties"`
	Items      *shape            `json:"items"`
}

// shapes is the shape of the parameters of each tool that a plan uses.
type shapes map[*tool.Spec]*shape

// of is the shape of a tool's parameters: an empty one if its schema says what a
// shape cannot.
func (s shapes) of(spec *tool.Spec) *shape {
	known, ok := s[spec]
	if !ok {
		known = new(shape)
		if err := json.Unmarshal(spec.Input.JSON(), known); err != nil {
			known = new(shape)
		}
		s[spec] = known
	}
	return known
}

// fitsMadeUp reports whether the arguments fit the tool's schema when each
// reference is a value of the type that is wanted there. It is the short way to
// find that nothing is wrong: to tell a problem with a reference from another,
// all have to be known.
func (n *node) fitsMadeUp(known shapes) bool {
	if len(n.args.templates) == 0 {
		return n.spec.Input.Check(n.Args) == nil
	}
	top := known.of(n.spec)
	doc, err := n.args.with(func(t argument) (json.RawMessage, error) {
		if _, typed := t.template.Typed(); typed {
			if v := top.at(t.pointer).value(); v != "" {
				return json.RawMessage(v), nil
			}
		}
		return n.args.raw[t.start:t.end], nil
	})
	return err == nil && n.spec.Input.Check(doc) == nil
}

// at is the shape of what a pointer leads to; nil if that is not known.
func (s *shape) at(pointer string) *shape {
	for part := range strings.SplitSeq(strings.TrimPrefix(pointer, "/"), "/") {
		switch {
		case s == nil:
			return nil
		case s.Items != nil:
			s = s.Items
		default:
			s = s.Properties[part]
		}
	}
	return s
}

// value is a value of the shape as JSON, or "" if none is known. A string is as
// good as another and is left to the caller.
func (s *shape) value() string {
	switch {
	case s == nil:
		return ""
	case len(s.Enum) > 0:
		return string(s.Enum[0])
	}
	switch s.Type {
	case "integer", "number":
		if s.Minimum != "" {
			return s.Minimum.String()
		}
		return "0"
	case "boolean":
		return "false"
	case "array":
		return "[]"
	case "object":
		return "{}"
	}
	return ""
}
