package schema

import (
	"encoding/json"
	"regexp/syntax"
	"slices"
	"strings"

	"github.com/toolpost/toolpost/internal/jsonx"
)

// maxExampleDepth and maxExampleSteps bound the search for an example of a
// recursive schema.
const (
	maxExampleDepth = 12
	maxExampleSteps = 2000
)

// A search is where the search for an example is.
type search struct {
	depth int
	left  *int // steps
}

func (s search) down() search { return search{s.depth + 1, s.left} }

// Example returns a short document that fits the schema: required properties
// only, each with its const, first enum value, first of its examples, default,
// or the smallest value its bounds allow. It returns nil when none was found.
func (s *Schema) Example() json.RawMessage {
	if s == nil {
		return json.RawMessage("{}")
	}
	s.exampleOnce.Do(func() {
		left := maxExampleSteps
		if v := s.root.example(search{left: &left}); v != nil {
			if b := v.compact(); s.fits(b) {
				s.example = b
			}
		}
	})
	return slices.Clone(s.example)
}

// example builds a value for n, or returns nil.
func (n *node) example(at search) *val {
	if *at.left--; n.never || at.depth > maxExampleDepth || *at.left < 0 {
		return nil
	}
	for _, v := range n.offers() {
		if n.fitsVal(v) {
			return v
		}
	}
	if v := n.compose(at); v != nil && n.fitsVal(v) {
		return v
	}
	for _, o := range append(append([]*node{n.ref}, n.anyOf...), n.oneOf...) {
		if o == nil {
			continue
		}
		if v := o.example(at.down()); v != nil {
			if n.fitsVal(v) {
				return v
			}
			if v = n.merged(v, at); n.fitsVal(v) {
				return v
			}
		}
	}
	return nil
}

// offers lists the values that the author gives.
func (n *node) offers() []*val {
	var list []*val
	if n.constant != nil {
		list = append(list, n.constant)
	}
	list = append(list, n.enum...)
	list = append(list, n.raw.get("examples").list()...)
	if v := n.raw.get("example"); v != nil {
		list = append(list, v)
	}
	if n.fallback != nil {
		list = append(list, n.fallback)
	}
	return list
}

// merged adds the members that n itself requires to v.
func (n *node) merged(v *val, at search) *val {
	own := n.compose(at)
	if !v.is(kindObject) || !own.is(kindObject) {
		return v
	}
	all := &val{kind: kindObject, members: append([]member(nil), own.members...)}
	for _, m := range v.members {
		if all.get(m.name) == nil {
			all.members = append(all.members, m)
		}
	}
	return all
}

// compose builds a value from types and bounds.
func (n *node) compose(at search) *val {
	wants := n.wants()
	switch {
	case wants&kindObject != 0 || wants == 0 && len(n.props) > 0 || wants == 0 && len(n.allOf) > 0:
		return n.exampleObject(at)
	case wants&kindString != 0 || wants == 0:
		return n.exampleString()
	case wants&(kindInteger|kindNumber) != 0:
		return n.exampleNumber()
	case wants&kindBool != 0:
		return parseVal([]byte("true"))
	case wants&kindArray != 0:
		return n.exampleArray(at)
	}
	return parseVal([]byte("null"))
}

func (n *node) exampleObject(at search) *val {
	v := &val{kind: kindObject}
	seen := map[*node]bool{}
	var add func(o *node)
	add = func(o *node) {
		if seen[o] {
			return
		}
		seen[o] = true
		for i, p := range o.props {
			if i >= maxFastProps || !o.required.has(i) || v.get(p.name) != nil {
				continue
			}
			sub := n.exampleOf(p.name, at)
			if sub != nil {
				v.members = append(v.members, member{p.name, sub})
			}
		}
		if o.ref != nil {
			add(o.ref)
		}
		for _, a := range o.allOf {
			add(a)
		}
	}
	add(n)
	return v
}

// exampleOf is an example that fits every node that applies to the member.
func (n *node) exampleOf(name string, at search) *val {
	var nodes []*node
	n.inPlace(func(o *node) { nodes = append(nodes, o.child(name)...) })
	if len(nodes) == 0 {
		return stringVal("…")
	}
	if len(nodes) == 1 {
		return nodes[0].example(at.down())
	}
	for _, o := range nodes {
		v := o.example(at.down())
		ok := v != nil
		for _, other := range nodes {
			ok = ok && other.fitsVal(v)
		}
		if ok {
			return v
		}
	}
	return nil
}

func (n *node) exampleArray(at search) *val {
	v := &val{kind: kindArray}
	for i := range min(max(n.minItems, len(n.prefix), 0), 20) {
		item := stringVal(strings.Repeat("x", i+1))
		if sub := n.child(itoa(i)); len(sub) > 0 {
			if item = sub[0].exampleAfter(v.elems, n.unique, at); item == nil {
				return nil
			}
		}
		v.elems = append(v.elems, item)
	}
	return v
}

// exampleAfter is an example that differs from those before it, when it must.
func (n *node) exampleAfter(before []*val, unique bool, at search) *val {
	v := n.example(at.down())
	if !unique || len(before) == 0 || v == nil {
		return v
	}
	candidates := n.offers()
	for i := range 40 {
		switch {
		case v.is(kindNumber):
			candidates = append(candidates, parseVal([]byte(itoa(i))))
		case v.is(kindString):
			candidates = append(candidates, stringVal(v.text+itoa(i)))
		}
	}
	for _, c := range candidates {
		fresh := n.fitsVal(c)
		for _, b := range before {
			fresh = fresh && string(b.key(nil)) != string(c.key(nil))
		}
		if fresh {
			return c
		}
	}
	return nil
}

// formatExamples are texts of the formats, for examples alone.
var formatExamples = map[string]string{
	"date-time": "2026-01-31T12:00:00Z", "date": "2026-01-31", "time": "12:00:00Z", "email": "ada@example.org",
	"hostname": "example.org", "ipv4": "192.0.2.1", "ipv6": "2001:db8::1", "uri": "https://example.org/",
	"uuid": "01890a5d-ac96-774b-bcce-b302099a8057", "duration": "PT1H", "regex": "^a$", "json-pointer": "/a",
	"uri-reference": "/a",
}

func (n *node) exampleString() *val {
	text := "…"
	if f := n.raw.get("format"); f.is(kindString) {
		if known, ok := formatExamples[f.text]; ok {
			text = known
		}
	}
	if n.pattern != nil && !n.pattern.match([]byte(text)) {
		if re, err := syntax.Parse(n.pattern.source, syntax.Perl); err == nil {
			text = sample(re.Simplify())
		}
	}
	if n.pattern == nil {
		for count := strings.Count(text, "") - 1; count < min(n.minLen, 200); count++ {
			text += "…"
		}
	}
	if n.maxLen == 0 {
		text = ""
	}
	return stringVal(text)
}

// sample is a short text that re matches.
func sample(re *syntax.Regexp) string {
	var b strings.Builder
	switch re.Op {
	case syntax.OpLiteral:
		return string(re.Rune)
	case syntax.OpCharClass:
		return string(sampleClass(re.Rune))
	case syntax.OpAnyChar, syntax.OpAnyCharNotNL:
		return "a"
	case syntax.OpPlus, syntax.OpCapture:
		return sample(re.Sub[0])
	case syntax.OpAlternate:
		return sample(re.Sub[0])
	case syntax.OpRepeat:
		for range min(re.Min, 200) {
			b.WriteString(sample(re.Sub[0]))
		}
	case syntax.OpConcat:
		for _, sub := range re.Sub {
			b.WriteString(sample(sub))
		}
	}
	return b.String()
}

// sampleClass is a readable character of a class of ranges.
func sampleClass(ranges []rune) rune {
	for _, want := range []rune{'a', 'A', '0', '1', '-'} {
		for i := 0; i+1 < len(ranges); i += 2 {
			if ranges[i] <= want && want <= ranges[i+1] {
				return want
			}
		}
	}
	if len(ranges) == 0 {
		return 'a'
	}
	return ranges[0]
}

func (n *node) exampleNumber() *val {
	texts := []string{"1", "0"}
	for _, b := range []*bound{n.min, n.max, n.over, n.under, n.multiple} {
		if b == nil {
			continue
		}
		if b.fits {
			texts = append(texts, itoa(int(b.small)), itoa(int(b.small)+1), itoa(int(b.small)-1))
		}
		if b.fits && n.multiple != nil && n.multiple.fits {
			m := n.multiple.small
			up := (b.small/m + 1) * m
			texts = append(texts, itoa(int(up)), itoa(int(up-m)))
		}
	}
	for _, name := range []string{"minimum", "maximum", "multipleOf"} {
		if v := n.raw.get(name); v.is(kindNumber) {
			texts = append(texts, string(v.raw))
		}
	}
	texts = append(texts, "0.5")
	for _, t := range texts {
		if end, msg := jsonx.Number([]byte(t), 0); msg == "" && end == len(t) {
			if v := parseVal([]byte(t)); n.fitsVal(v) {
				return v
			}
		}
	}
	return parseVal([]byte("1"))
}
