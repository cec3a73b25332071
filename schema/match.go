package schema

import (
	"bytes"
	"slices"
	"sync"

	"github.com/toolpost/toolpost/internal/jsonx"
)

// maxSteps bounds how many more values than its document has bytes a matcher
// looks at, so that no schema makes checking exponential in the depth of the
// document.
const maxSteps = 1 << 18

// A matcher walks the bytes of one document along a node, once, without a tree.
// It answers only yes or no.
type matcher struct {
	b     []byte
	keys  jsonx.Keys
	buf   []byte
	items []span
	steps int
	tired bool // maxSteps was reached
	// all makes the walk go on after a failure, which is then in failed. The
	// document must be known to be JSON.
	all, failed bool
	// wanted is set when the document could be improved although it fits: a
	// default is missing, or an open object has a name that is not declared.
	wanted bool
}

type span struct{ start, end int }

var matchers = sync.Pool{New: func() any { return new(matcher) }}

// A verdict is what a matcher found.
type verdict struct {
	ok     bool // the document is JSON and fits
	wanted bool // defaults or folding could improve it
	tired  bool // it was not ok because maxSteps was reached
	steps  int
}

// match walks the whole of doc.
func (n *node) match(doc []byte) verdict {
	m := matchers.Get().(*matcher)
	m.b = doc
	mark := m.keys.Open()
	end, ok := m.value(n, jsonx.Space(doc, 0), 0)
	ok = ok && jsonx.Space(doc, end) == len(doc)
	v := verdict{ok: ok, wanted: m.wanted, tired: m.tired, steps: m.steps}
	m.keys.Close(mark)
	*m = matcher{keys: m.keys, buf: m.buf[:0], items: m.items[:0]}
	matchers.Put(m)
	return v
}

// hard reports whether finding all problems of doc, which must be JSON, takes
// more than maxSteps. The slow validator has no limit of its own.
func (n *node) hard(doc []byte) bool {
	m := &matcher{b: doc, all: true}
	m.value(n, jsonx.Space(doc, 0), 0)
	return m.tired
}

// value matches the value at b[i] with n. When it does not fit, end means
// nothing.
func (m *matcher) value(n *node, i, depth int) (end int, ok bool) {
	if m.steps++; m.steps > maxSteps+len(m.b) {
		m.tired = true
		return i, false
	}
	end, ok = m.walk(n, i, depth)
	if !ok && m.all && !m.tired {
		m.failed = true
		return m.skip(i, depth)
	}
	return end, ok
}

func (m *matcher) walk(n *node, i, depth int) (end int, ok bool) {
	if n == nil {
		return m.skip(i, depth)
	}
	if n.never || i >= len(m.b) {
		return i, false
	}
	if n.inline {
		if end, ok = m.skip(i, depth); !ok || !m.inline(n, i, end, depth) {
			return i, false
		}
	}
	switch m.b[i] {
	case '{':
		return m.object(n, i, depth+1)
	case '[':
		return m.array(n, i, depth+1)
	case '"':
		return m.str(n, i)
	case 't':
		return m.word(n, i, "true", kindBool)
	case 'f':
		return m.word(n, i, "false", kindBool)
	case 'n':
		return m.word(n, i, "null", kindNull)
	}
	return m.number(n, i)
}

// skip scans the value at b[i], which any schema would allow.
func (m *matcher) skip(i, depth int) (end int, ok bool) {
	mark := m.keys.Open()
	end, msg := jsonx.Value(m.b, i, depth, &m.keys)
	m.keys.Close(mark)
	return end, msg == ""
}

// try matches without consequences for the rest of the walk.
func (m *matcher) try(n *node, i, depth int) bool {
	mark, wanted, items, failed := m.keys.Open(), m.wanted, len(m.items), m.failed
	m.failed = false
	_, ok := m.value(n, i, depth)
	ok = ok && !m.failed
	m.keys.Close(mark)
	m.items = m.items[:items]
	m.wanted, m.failed = wanted, failed
	return ok
}

// inline applies the keywords that match the whole value b[i:end] with other
// nodes; the value is known to be JSON.
func (m *matcher) inline(n *node, i, end, depth int) bool {
	if n.trees && !m.listed(n, i, end) {
		return false
	}
	if n.ref != nil && !m.sure(n.ref, i, depth) {
		return false
	}
	for _, o := range n.allOf {
		if !m.sure(o, i, depth) {
			return false
		}
	}
	if n.anyOf != nil && m.count(n.anyOf, i, depth, 1) == 0 {
		return false
	}
	if n.oneOf != nil && m.count(n.oneOf, i, depth, 2) != 1 {
		return false
	}
	if n.not != nil && m.try(n.not, i, depth) {
		return false
	}
	if n.cond != nil {
		branch := n.no
		if m.try(n.cond, i, depth) {
			branch = n.yes
		}
		if branch != nil && !m.sure(branch, i, depth) {
			return false
		}
	}
	return !m.tired
}

// sure matches where the node must hold, so that what it wants counts.
func (m *matcher) sure(n *node, i, depth int) bool {
	mark := m.keys.Open()
	_, ok := m.value(n, i, depth)
	if ok {
		m.keys.Close(mark)
	}
	return ok
}

// count says how many of the nodes fit, and stops at limit.
func (m *matcher) count(nodes []*node, i, depth, limit int) int {
	fit := 0
	for _, o := range nodes {
		if m.try(o, i, depth) {
			if fit++; fit == limit {
				break
			}
		}
	}
	return fit
}

func (m *matcher) array(n *node, i, depth int) (int, bool) {
	if depth > jsonx.MaxDepth || n.types != 0 && n.types&kindArray == 0 || n.scalarOnly {
		return i, false
	}
	base, count := len(m.items), 0
	i = jsonx.Space(m.b, i+1)
	if i < len(m.b) && m.b[i] == ']' {
		return i + 1, n.minItems <= 0
	}
	for {
		item := n.items
		if count < len(n.prefix) {
			item = n.prefix[count]
		}
		end, ok := m.value(item, i, depth)
		if !ok {
			return i, false
		}
		if count++; n.maxItems >= 0 && count > n.maxItems {
			return i, false
		}
		if n.unique {
			m.items = append(m.items, span{i, end})
		}
		i = jsonx.Space(m.b, end)
		if i >= len(m.b) || m.b[i] != ',' && m.b[i] != ']' {
			return i, false
		}
		if m.b[i] == ']' {
			break
		}
		i = jsonx.Space(m.b, i+1)
	}
	if count < n.minItems || n.unique && !m.unique(m.items[base:]) {
		return i, false
	}
	m.items = m.items[:base]
	return i + 1, true
}

// listed tests enum and const on the tree of the value.
func (m *matcher) listed(n *node, i, end int) bool {
	got := parseVal(m.b[i:end]).key(nil)
	same := func(v *val) bool { return bytes.Equal(v.key(nil), got) }
	return (n.constant == nil || same(n.constant)) && (!n.hasEnum || slices.ContainsFunc(n.enum, same))
}

// unique reports whether no two values are equal.
func (m *matcher) unique(items []span) bool {
	if len(items) < 2 {
		return true
	}
	seen := make(map[string]bool, len(items))
	var key []byte
	for _, s := range items {
		key = parseVal(m.b[s.start:s.end]).key(key[:0])
		if seen[string(key)] {
			return false
		}
		seen[string(key)] = true
	}
	return true
}

func (m *matcher) object(n *node, i, depth int) (int, bool) {
	if depth > jsonx.MaxDepth || n.types != 0 && n.types&kindObject == 0 || n.scalarOnly {
		return i, false
	}
	var have bits
	mark := m.keys.Open()
	count, guess := 0, 0
	i = jsonx.Space(m.b, i+1)
	if i < len(m.b) && m.b[i] == '}' {
		return i + 1, m.complete(n, &have, 0)
	}
	for {
		end, plain, msg := jsonx.Name(m.b, i)
		if msg != "" {
			return i, false
		}
		at := n.lookup(m.text(i, end, plain), guess)
		var child *node
		if at >= 0 && at < maxFastProps {
			if have.has(at) {
				return i, false
			}
			have.set(at)
			child, guess = n.props[at].node, at+1
		} else if m.keys.Add(mark, m.b, i, end, plain) {
			return i, false
		}
		if child == nil && (at < 0 || n.props[at].node == nil) {
			if n.closed && !m.all {
				return i, false
			}
			m.failed = m.failed || n.closed
			child = n.additional
			m.wanted = m.wanted || !n.open && len(n.props) > 0
		}
		if i, msg = jsonx.Colon(m.b, end); msg != "" {
			return i, false
		}
		var ok, more bool
		if i, ok = m.value(child, i, depth); !ok {
			return i, false
		}
		count++
		if i, more, msg = jsonx.Next(m.b, i); msg != "" {
			return i, false
		}
		if !more {
			m.keys.Close(mark)
			return i, m.complete(n, &have, count)
		}
	}
}

// complete checks an object as a whole, once its members have been seen.
func (m *matcher) complete(n *node, have *bits, count int) bool {
	if !have.holds(&n.required) || count < n.minProps || n.maxProps >= 0 && count > n.maxProps {
		return false
	}
	if !have.holds(&n.defaults) {
		m.wanted = true
	}
	return true
}
