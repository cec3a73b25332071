package plan

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/toolpost/toolpost/schema"
)

// A Template is a string of a plan's arguments, taken apart. In it
//
//	$steps.id.path   $vars.name.path      refer to a value
//	{$steps.id.path} {$vars.name.path}    likewise, with a clear end
//	{item.path} {item} {index}            refer to the element of a foreach
//	{{  }}  $$                            are a brace, a brace, a dollar
//
// A template that is one reference and nothing else keeps the type of what it
// refers to. Others become text: what they refer to must be a string, a number
// or a boolean.
type Template struct {
	parts []templatePart
}

type templatePart struct {
	text string
	ref  *Reference
}

// ParseTemplate takes s apart. Item and index are the names of a foreach around
// it, empty if there is none. A brace that belongs to no reference is an error.
func ParseTemplate(s, item, index string) (*Template, error) {
	t := new(Template)
	var text strings.Builder
	ref := func(r Reference) {
		if text.Len() > 0 {
			t.parts = append(t.parts, templatePart{text: text.String()})
			text.Reset()
		}
		t.parts = append(t.parts, templatePart{ref: &r})
	}
	for s != "" {
		i := strings.IndexAny(s, "{}$")
		if i < 0 {
			break
		}
		text.WriteString(s[:i])
		s = s[i:]
		switch {
		case strings.HasPrefix(s, "{{"), strings.HasPrefix(s, "}}"), strings.HasPrefix(s, "$$"):
			text.WriteByte(s[0])
			s = s[2:]
		case strings.HasPrefix(s, "$steps."), strings.HasPrefix(s, "$vars."):
			r, rest, err := scanReference(s, item, index)
			if err != nil {
				return nil, err
			}
			ref(r)
			s = rest
		case s[0] == '$':
			text.WriteByte('$')
			s = s[1:]
		case s[0] == '}':
			return nil, fmt.Errorf("a } without a { before it, at %q: write }} for a brace", clip(s))
		default:
			r, rest, err := scanReference(s[1:], item, index)
			if err != nil {
				return nil, fmt.Errorf("%w, at %q: write {{ for a brace", err, clip(s))
			}
			if !strings.HasPrefix(rest, "}") {
				return nil, fmt.Errorf("a } is missing behind {%s, at %q", r, clip(s))
			}
			ref(r)
			s = rest[1:]
		}
	}
	text.WriteString(s)
	if text.Len() > 0 || len(t.parts) == 0 {
		t.parts = append(t.parts, templatePart{text: text.String()})
	}
	return t, nil
}

func clip(s string) string {
	if r := []rune(s); len(r) > 40 {
		return string(r[:40]) + "…"
	}
	return s
}

// Typed is the one reference that the template is, if it is nothing else.
func (t *Template) Typed() (Reference, bool) {
	if len(t.parts) == 1 && t.parts[0].ref != nil {
		return *t.parts[0].ref, true
	}
	return Reference{}, false
}

// References is what the template refers to, in order.
func (t *Template) References() []Reference {
	var out []Reference
	for _, p := range t.parts {
		if p.ref != nil {
			out = append(out, *p.ref)
		}
	}
	return out
}

// Resolve is the value of the template as JSON. It is pure: the same values give
// the same bytes (rule P2).
func (t *Template) Resolve(v *Values) (json.RawMessage, error) {
	if r, ok := t.Typed(); ok {
		return v.Resolve(r)
	}
	var b strings.Builder
	for _, p := range t.parts {
		if p.ref == nil {
			b.WriteString(p.text)
			continue
		}
		val, err := v.Resolve(*p.ref)
		if err != nil {
			return nil, err
		}
		s, err := asText(val)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", p.ref, err)
		}
		b.WriteString(s)
	}
	return schema.Encode(b.String())
}

// asText is a scalar as it stands in a text.
func asText(v json.RawMessage) (string, error) {
	switch v[0] {
	case '"':
		var s string
		err := json.Unmarshal(v, &s)
		return s, err
	case '{':
		return "", fmt.Errorf("an object cannot stand in a text: refer to a part of it, or make the reference the whole string")
	case '[':
		return "", fmt.Errorf("a list cannot stand in a text: refer to an element, or make the reference the whole string")
	case 'n':
		return "", fmt.Errorf("null cannot stand in a text")
	}
	return string(v), nil
}
