package schema

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/toolpost/toolpost/internal/jsonx"
)

// maxSchemaDepth bounds the nesting of a schema document.
const maxSchemaDepth = 64

// A draft is a dialect of JSON Schema, by year; draft-04 is 4, draft-06 is 6.
type draft int

const (
	draft4    draft = 4
	draft6    draft = 6
	draft7    draft = 7
	draft2019 draft = 2019
	draft2020 draft = 2020
)

// drafts are the values of $schema that are known, without a closing #.
var drafts = map[string]draft{
	"http://json-schema.org/draft-04/schema":       draft4,
	"http://json-schema.org/draft-06/schema":       draft6,
	"http://json-schema.org/draft-07/schema":       draft7,
	"http://json-schema.org/schema":                draft2020,
	"https://json-schema.org/draft/2019-09/schema": draft2019,
	"https://json-schema.org/draft/2020-12/schema": draft2020,
}

// draftOf finds the draft that url names.
func draftOf(url string) (draft, bool) {
	url = strings.TrimSuffix(url, "#")
	d, ok := drafts[url]
	if !ok && strings.HasPrefix(url, "https://json-schema.org/draft-0") {
		d, ok = drafts["http"+strings.TrimPrefix(url, "https")]
	}
	return d, ok
}

// compiler turns a schema document into nodes. It goes on after keywords that
// only the slow validator knows, because the nodes also guide folding, examples
// and messages.
type compiler struct {
	root    *val
	draft   draft
	formats Formats
	nodes   map[string]*node // by pointer
	pending []pendingRef
	slow    string // why the fast walk cannot be trusted with this schema
	err     error
	weak    []string // patterns that no engine reads
}

type pendingRef struct {
	from *node
	to   string
}

func (c *compiler) compile() (*node, error) {
	root := c.node(c.root, "")
	for len(c.pending) > 0 {
		p := c.pending[0]
		c.pending = c.pending[1:]
		p.from.ref = c.resolve(p.to)
	}
	c.cycles()
	return root, c.err
}

// fail keeps the first mistake.
func (c *compiler) fail(ptr, keyword, format string, args ...any) {
	if c.err == nil {
		c.err = fmt.Errorf("schema%s: %s %s", at(join(ptr, keyword)), keyword, fmt.Sprintf(format, args...))
	}
}

// at names a place in a message; the root needs no name.
func at(ptr string) string {
	if ptr == "" {
		return ""
	}
	return " at " + ptr
}

// node compiles v, which lies at ptr.
func (c *compiler) node(v *val, ptr string) *node {
	if n, ok := c.nodes[ptr]; ok {
		return n
	}
	n := &node{ptr: ptr, raw: v, minLen: -1, maxLen: -1, minProps: -1, maxProps: -1, minItems: -1, maxItems: -1}
	c.nodes[ptr] = n
	switch {
	case v.is(kindBool):
		n.never = !v.isTrue()
		return n
	case !v.is(kindObject):
		if c.err == nil {
			c.err = fmt.Errorf("schema%s: a schema is an object or a boolean, not %s", at(ptr), describe(v.kind))
		}
		return n
	}
	if ref := v.get("$ref"); ref != nil && c.draft < draft2019 {
		// Up to draft-07 the neighbours of a $ref mean nothing.
		c.keyword(n, "$ref", ref)
		for _, name := range []string{"definitions", "$defs"} {
			if defs := v.get(name); defs != nil {
				c.keyword(n, name, defs)
			}
		}
	} else {
		for _, m := range v.members {
			c.keyword(n, m.name, m.val)
		}
	}
	c.finish(n)
	return n
}

// finish derives what the walk needs from the keywords together.
func (c *compiler) finish(n *node) {
	if tuple := n.raw.get("items"); c.draft < draft2020 && tuple.is(kindArray) {
		if rest := n.raw.get("additionalItems"); rest != nil {
			n.items = c.node(rest, join(n.ptr, "additionalItems"))
		}
	}
	if cond := n.raw.get("if"); cond == nil {
		n.yes, n.no = nil, nil
	}
	for _, m := range n.raw.get("required").list() {
		if m.is(kindString) {
			c.require(n, m.text)
		}
	}
	if len(n.props) > maxFastProps {
		c.slowFor("more than 256 properties in one object")
	} else {
		for i, p := range n.props {
			if p.node != nil && p.node.fallback != nil && !n.required.has(i) {
				n.defaults.set(i)
			}
		}
	}
	n.inline = n.inline || n.not != nil || n.cond != nil || len(n.allOf)+len(n.anyOf)+len(n.oneOf) > 0
	tree := func(v *val) bool { return v.is(kindArray | kindObject) }
	n.trees = tree(n.constant) || slices.ContainsFunc(n.enum, tree)
	n.scalarOnly = n.constant != nil && !tree(n.constant) || n.hasEnum && !slices.ContainsFunc(n.enum, tree)
	n.inline = n.inline || n.trees
}

func (v *val) list() []*val {
	if v == nil {
		return nil
	}
	return v.elems
}

func (c *compiler) require(n *node, name string) {
	i := c.prop(n, name)
	if i < maxFastProps {
		n.required.set(i)
	}
}

// prop returns the index of name in n, which it adds where it is missing.
func (c *compiler) prop(n *node, name string) int {
	if i, ok := n.index[name]; ok {
		return i
	}
	if n.index == nil {
		n.index = map[string]int{}
	}
	i := len(n.props)
	n.props = append(n.props, prop{name: name})
	n.index[name] = i
	return i
}

func (c *compiler) slowFor(reason string) {
	if c.slow == "" {
		c.slow = reason
	}
}

// resolve finds the node that ref, a JSON pointer with #, names.
func (c *compiler) resolve(ptr string) *node {
	if n, ok := c.nodes[ptr]; ok {
		return n
	}
	tokens := tokensOf(ptr)
	v := c.root.at(tokens)
	if v == nil {
		if c.err == nil {
			c.err = fmt.Errorf("schema: $ref to #%s names nothing in this document", ptr)
		}
		return nil
	}
	// The target is not where a keyword of this draft puts a schema, so the
	// slow validator decides what it means.
	c.slowFor("$ref to " + ptr)
	return c.node(v, ptr)
}

// cycles refuses schemas that apply themselves to the same value for ever, and
// lets the others learn from what they apply. Where the slow validator decides,
// a $ref may mean another place than the nodes think, so that a circle is only
// cut.
func (c *compiler) cycles() {
	const open, done = 1, 2
	state := map[*node]int{}
	var visit func(n *node)
	visit = func(n *node) {
		state[n] = open
		for _, o := range n.applied() {
			if state[o] == 0 {
				visit(o)
			}
			if state[o] != open {
				continue
			}
			if c.slow == "" && c.err == nil {
				c.err = fmt.Errorf("schema%s: $ref leads back to itself without going into the value", at(n.ptr))
			}
			n.ref, n.allOf, n.anyOf, n.oneOf, n.not, n.cond = nil, nil, nil, nil, nil, nil
			n.yes, n.no = nil, nil
			break
		}
		state[n] = done
		n.learn()
	}
	for _, ptr := range slices.Sorted(maps.Keys(c.nodes)) {
		if n := c.nodes[ptr]; state[n] == 0 {
			visit(n)
		}
	}
}

// checkDepth is run on the text, so that the compiler may recurse.
func checkDepth(v *val, depth int) error {
	if depth > maxSchemaDepth {
		return fmt.Errorf("schema is nested more than %d levels deep", maxSchemaDepth)
	}
	for _, m := range v.members {
		if err := checkDepth(m.val, depth+1); err != nil {
			return err
		}
	}
	for _, e := range v.elems {
		if err := checkDepth(e, depth+1); err != nil {
			return err
		}
	}
	return nil
}

// describe names the type of a value.
func describe(k kind) string {
	if k&kindInteger != 0 {
		return "integer"
	}
	return k.String()
}

func decimalInt(v *val) (int, bool) {
	if !v.is(kindInteger) {
		return 0, false
	}
	d, ok := jsonx.ParseDecimal(v.raw)
	if !ok || d.Sign() < 0 {
		return 0, false
	}
	n, ok := smallInt(d.AppendInt(nil))
	if !ok {
		n = 1<<62 - 1 // as good as no bound
	}
	return int(n), true
}
