package schema

import (
	"github.com/toolpost/toolpost/internal/jsonx"
)

// A node is one compiled schema of a document. Nodes form a graph: a $ref is a
// pointer to the node it names.
type node struct {
	ptr string // JSON pointer into the schema document
	raw *val

	never  bool // the schema false
	inline bool // has keywords that look at the value apart from the main walk

	types  kind // 0 means any
	wanted kind // types, narrowed by what the node applies

	enum     []*val
	hasEnum  bool
	constant *val
	// trees: enum or const has an array or object. scalarOnly: they rule them out.
	trees, scalarOnly bool

	min, max, over, under *bound // minimum, maximum, exclusiveMinimum, exclusiveMaximum
	multiple              *bound

	minLen, maxLen int // -1 means none; as all counts below
	pattern        *pattern
	format         func([]byte) bool

	props              []prop // declared, then names that are only required
	index              map[string]int
	required           bits
	additional         *node // nil: anything
	closed, open       bool  // additionalProperties is false; is anything else
	minProps, maxProps int

	prefix             []*node
	items              *node
	minItems, maxItems int
	unique             bool

	ref                 *node
	allOf, anyOf, oneOf []*node
	not, cond, yes, no  *node

	fallback *val // default
	defaults bits // which props have one that is to be filled in
	secret   bool
}

type prop struct {
	name string
	node *node // nil when the name is only required
}

// maxProps is the most names an object schema may have for the fast walk.
const maxFastProps = 256

type bits [maxFastProps / 64]uint64

func (b *bits) set(i int)      { b[i>>6] |= 1 << (i & 63) }
func (b *bits) has(i int) bool { return b[i>>6]&(1<<(i&63)) != 0 }

// holds reports whether every bit of o is in b.
func (b *bits) holds(o *bits) bool {
	for i := range b {
		if o[i]&^b[i] != 0 {
			return false
		}
	}
	return true
}

// A bound is a number of the schema.
type bound struct {
	dec   jsonx.Decimal
	small int64
	fits  bool // small holds it
}

func newBound(v *val) *bound {
	d, ok := jsonx.ParseDecimal(v.raw)
	if !ok {
		return nil
	}
	b := &bound{dec: d}
	if d.IsInt() {
		text := d.AppendInt(nil)
		b.small, b.fits = smallInt(text)
	}
	return b
}

// smallInt reads a number of at most 18 digits and nothing else.
func smallInt(b []byte) (int64, bool) {
	if len(b) > 18 {
		return 0, false
	}
	i, neg := 0, false
	if b[0] == '-' {
		i, neg = 1, true
	}
	var n int64
	for ; i < len(b); i++ {
		if b[i] < '0' || b[i] > '9' {
			return 0, false
		}
		n = n*10 + int64(b[i]-'0')
	}
	if neg {
		n = -n
	}
	return n, true
}

// lookup returns the index of the property name, or -1. guess is where it would
// be if the document kept to the order of the schema.
func (n *node) lookup(name []byte, guess int) int {
	if guess < len(n.props) && n.props[guess].name == string(name) {
		return guess
	}
	if i, ok := n.index[string(name)]; ok {
		return i
	}
	return -1
}

// inPlace calls f for n and every node that n applies to the same value.
func (n *node) inPlace(f func(*node)) {
	n.walk(f, map[*node]bool{})
}

func (n *node) walk(f func(*node), seen map[*node]bool) {
	if n == nil || seen[n] {
		return
	}
	seen[n] = true
	f(n)
	for _, o := range n.applied() {
		o.walk(f, seen)
	}
}

// applied lists the nodes that n applies to the value it is given.
func (n *node) applied() []*node {
	var list []*node
	for _, o := range []*node{n.ref, n.not, n.cond, n.yes, n.no} {
		if o != nil {
			list = append(list, o)
		}
	}
	list = append(list, n.allOf...)
	list = append(list, n.anyOf...)
	return append(list, n.oneOf...)
}

// children lists the nodes that n applies to parts of its value.
func (n *node) children() []*node {
	var list []*node
	for _, p := range n.props {
		if p.node != nil {
			list = append(list, p.node)
		}
	}
	list = append(list, n.prefix...)
	for _, o := range []*node{n.items, n.additional} {
		if o != nil {
			list = append(list, o)
		}
	}
	return list
}
