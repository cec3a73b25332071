package plan

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/toolpost/toolpost/schema"
)

// Source says where a Reference looks.
type Source string

// Sources.
const (
	SourceSteps Source = "steps" // the data of a step
	SourceVars  Source = "vars"  // a variable of the plan, or one captured from a step
	SourceItem  Source = "item"  // the element of a foreach
	SourceIndex Source = "index" // its position, from 0
)

// A Reference names a value: "$steps.list.items[0].path", "$vars.name",
// "item.path". A path is made of .name, [n] (negative counts from the end) and
// ["any name"].
type Reference struct {
	Source Source
	Name   string // of the step, the variable, the item
	Path   []Segment
}

// A Segment is one part of a path: a member, or, if Member is nil, a position.
type Segment struct {
	Member *string
	Index  int
}

// String is the reference as it is written in a document, without braces.
func (r Reference) String() string {
	var b strings.Builder
	switch r.Source {
	case SourceSteps, SourceVars:
		b.WriteString("$" + string(r.Source) + "." + r.Name)
	default:
		b.WriteString(r.Name)
	}
	for _, s := range r.Path {
		switch {
		case s.Member == nil:
			fmt.Fprintf(&b, "[%d]", s.Index)
		case isName(*s.Member):
			b.WriteString("." + *s.Member)
		default:
			q, _ := json.Marshal(*s.Member)
			b.WriteString("[" + string(q) + "]")
		}
	}
	return b.String()
}

// ParseReference reads a reference that is all of s, in the form of a foreach's
// from or a condition's ref. Item and index are the names of a foreach around it,
// empty if there is none.
func ParseReference(s, item, index string) (Reference, error) {
	in := s
	if strings.HasPrefix(s, "{") && strings.HasSuffix(s, "}") {
		in = s[1 : len(s)-1]
	}
	r, rest, err := scanReference(in, item, index)
	if err != nil {
		return r, err
	}
	if rest != "" {
		return r, fmt.Errorf("reference %q goes on with %q, which is no part of a path", s, rest)
	}
	return r, nil
}

// scanReference reads the reference that s begins with.
func scanReference(s, item, index string) (r Reference, rest string, err error) {
	switch {
	case strings.HasPrefix(s, "$steps."):
		r.Source, s = SourceSteps, s[len("$steps."):]
	case strings.HasPrefix(s, "$vars."):
		r.Source, s = SourceVars, s[len("$vars."):]
	case strings.HasPrefix(s, "$"):
		return r, s, fmt.Errorf("%q is no reference: they begin with $steps.<id> or $vars.<name>", s)
	}
	n := nameLength(s)
	r.Name, s = s[:n], s[n:]
	switch {
	case n == 0:
		return r, s, fmt.Errorf("a name is missing in front of %q", s)
	case r.Source != "":
	case item != "" && r.Name == item:
		r.Source = SourceItem
	case index != "" && r.Name == index:
		r.Source = SourceIndex
	case item == "":
		return r, s, fmt.Errorf("%q names nothing here: only a step with foreach has an item and an index", r.Name)
	default:
		return r, s, fmt.Errorf("%q names nothing here: this foreach has %q and %q", r.Name, item, index)
	}
	r.Path, s, err = scanPath(s)
	if err == nil && r.Source == SourceIndex && len(r.Path) > 0 {
		err = fmt.Errorf("%q is a number and has no parts", r.Name)
	}
	return r, s, err
}

func scanPath(s string) (path []Segment, rest string, err error) {
	for {
		switch {
		case strings.HasPrefix(s, "."):
			n := nameLength(s[1:])
			if n == 0 {
				return path, s, nil // the end of a sentence
			}
			name := s[1 : n+1]
			path, s = append(path, Segment{Member: &name}), s[n+1:]
		case strings.HasPrefix(s, "["):
			seg, after, err := scanBracket(s)
			if err != nil {
				return path, s, err
			}
			path, s = append(path, seg), after
		default:
			return path, s, nil
		}
	}
}

func scanBracket(s string) (seg Segment, rest string, err error) {
	if strings.HasPrefix(s, `["`) {
		dec := json.NewDecoder(strings.NewReader(s[1:]))
		var name string
		if err := dec.Decode(&name); err != nil {
			return seg, s, fmt.Errorf("a quoted name in %q does not end", s)
		}
		s = s[1+dec.InputOffset():]
		if !strings.HasPrefix(s, "]") {
			return seg, s, fmt.Errorf("a ] is missing behind %q", name)
		}
		return Segment{Member: &name}, s[1:], nil
	}
	in, after, ok := strings.Cut(s[1:], "]")
	n, err := strconv.Atoi(in)
	if !ok || err != nil {
		return seg, s, fmt.Errorf("%q is no position: write [0], [-1] or [\"name\"]", s[:min(len(s), 20)])
	}
	return Segment{Index: n}, after, nil
}

// nameLength is how much of s is a name: letters, digits, '_' and '-'.
func nameLength(s string) int {
	for i := range len(s) {
		switch b := s[i]; {
		case b >= 'a' && b <= 'z', b >= 'A' && b <= 'Z', b >= '0' && b <= '9', b == '_', b == '-':
		default:
			return i
		}
	}
	return len(s)
}

func isName(s string) bool { return s != "" && nameLength(s) == len(s) }

// Values is what references resolve against. It is only read.
type Values struct {
	Steps map[string]json.RawMessage // data of the steps that have ended well
	Vars  map[string]json.RawMessage
	Item  json.RawMessage // of a foreach; nil outside
	Index int
}

// Resolve is the value that r names. A value that is not there is an error,
// never an empty one (rule P1).
func (v *Values) Resolve(r Reference) (json.RawMessage, error) {
	at, known := json.RawMessage(nil), map[string]json.RawMessage(nil)
	switch r.Source {
	case SourceIndex:
		return json.RawMessage(strconv.Itoa(v.Index)), nil
	case SourceItem:
		at = v.Item
	case SourceSteps:
		at, known = v.Steps[r.Name], v.Steps
	case SourceVars:
		at, known = v.Vars[r.Name], v.Vars
	}
	if at == nil {
		return nil, missing(r, r.Name, keys(known))
	}
	for _, s := range r.Path {
		next, err := s.of(at)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", r, err)
		}
		at = next
	}
	return at, nil
}

// of is the part of v that s names.
func (s Segment) of(v json.RawMessage) (json.RawMessage, error) {
	if s.Member == nil {
		var list []json.RawMessage
		if json.Unmarshal(v, &list) != nil || list == nil {
			return nil, fmt.Errorf("[%d] of something that is no list", s.Index)
		}
		i := s.Index
		if i < 0 {
			i += len(list)
		}
		if i < 0 || i >= len(list) {
			return nil, fmt.Errorf("[%d] of a list of %d", s.Index, len(list))
		}
		return list[i], nil
	}
	var object map[string]json.RawMessage
	if json.Unmarshal(v, &object) != nil || object == nil {
		return nil, fmt.Errorf("%q of something that is no object", *s.Member)
	}
	part, ok := object[*s.Member]
	if !ok {
		return nil, missing(Reference{}, *s.Member, keys(object))
	}
	return part, nil
}

func missing(r Reference, name string, known []string) error {
	where := ""
	if r.Name != "" {
		where = r.String() + ": "
	}
	if near := schema.Nearest(name, known, 1); len(near) > 0 {
		return fmt.Errorf("%sthere is no %q; nearest is %q", where, name, near[0])
	}
	return fmt.Errorf("%sthere is no %q", where, name)
}

func keys[V any](m map[string]V) []string {
	out := make([]string, 0, len(m))
	for k := range m {
		out = append(out, k)
	}
	return out
}

func sorted[V any](m map[string]V) []string {
	ks := keys(m)
	slices.Sort(ks)
	return ks
}
