package gemini

import (
	"bytes"
	"strconv"
	"strings"

	"github.com/toolpost/toolpost/internal/jsonx"
	"github.com/toolpost/toolpost/internal/wire"
)

// A growing is a call whose arguments come in pieces, each with the place that
// it belongs to (functionCall.partialArgs, which only Google's enterprise
// servers send): {"jsonPath":"$.at[0].line","numberValue":1}. A text may come in
// several, all but the last with willContinue.
type growing struct {
	open   bool
	number int
	tool   string // its canonical name
	root   node
	nodes  int
	bad    bool // a piece has no place
}

// A node is a value that grows: an object or array with others in it, a text,
// or a value as it is written.
type node struct {
	kind byte // '{', '[', '"', 'v', or 0 for one that nothing is known of
	keys []string
	list []*node
	text []byte
}

const (
	maxNodes = 100_000
	maxIndex = 10_000 // of an array
	maxSteps = 128    // of a path
)

// take adds pieces.
func (g *growing) take(pieces []byte) {
	if len(pieces) == 0 {
		return
	}
	var c wire.Cursor
	c.Reset(pieces)
	c.List(func() {
		var path string
		var kind byte
		var value []byte
		c.Each(func(name []byte) {
			switch string(name) {
			case "jsonPath":
				path = string(c.Text())
			case "stringValue":
				kind, value = '"', append([]byte(nil), c.Text()...)
			case "numberValue", "boolValue":
				kind, value = 'v', c.Raw()
			case "nullValue":
				c.Skip()
				kind, value = 'v', []byte("null")
			default:
				c.Skip()
			}
		})
		if kind != 0 {
			g.put(path, kind, value)
		}
	})
}

func (g *growing) put(path string, kind byte, value []byte) {
	n, ok := g.at(path)
	switch {
	case !ok:
		g.bad = true
	case kind == '"' && (n.kind == 0 || n.kind == '"'):
		n.kind, n.text = '"', append(n.text, value...)
	case n.kind == 0:
		n.kind, n.text = 'v', append([]byte(nil), value...)
	default:
		g.bad = true
	}
}

// at is the node at a path, which is made if need be.
func (g *growing) at(path string) (*node, bool) {
	rest, ok := strings.CutPrefix(path, "$")
	n := &g.root
	for step := 0; ok && rest != ""; step++ {
		var name string
		var index int
		name, index, rest, ok = cutStep(rest)
		switch {
		case !ok || step > maxSteps || g.nodes > maxNodes:
			return nil, false
		case index >= 0:
			n, ok = g.element(n, index)
		default:
			n, ok = g.member(n, name)
		}
	}
	return n, ok && n != &g.root
}

func (g *growing) member(n *node, name string) (*node, bool) {
	if n.kind != 0 && n.kind != '{' {
		return nil, false
	}
	n.kind = '{'
	for i := len(n.keys) - 1; i >= 0; i-- {
		if n.keys[i] == name {
			return n.list[i], true
		}
	}
	g.nodes++
	n.keys, n.list = append(n.keys, name), append(n.list, new(node))
	return n.list[len(n.list)-1], true
}

func (g *growing) element(n *node, index int) (*node, bool) {
	if n.kind != 0 && n.kind != '[' || index > maxIndex {
		return nil, false
	}
	n.kind = '['
	for len(n.list) <= index {
		g.nodes++
		n.list = append(n.list, new(node))
	}
	return n.list[index], true
}

// cutStep cuts .name, ['name'], ["name"] or [0] off a path (RFC 9535, singular
// paths); index is -1 for a name.
func cutStep(path string) (name string, index int, rest string, ok bool) {
	if path[0] == '.' {
		end := strings.IndexAny(path[1:], ".[")
		if end < 0 {
			end = len(path) - 1
		}
		return path[1 : 1+end], -1, path[1+end:], end > 0
	}
	if path[0] != '[' || len(path) < 3 {
		return "", 0, "", false
	}
	if q := path[1]; q == '\'' || q == '"' {
		for i := 2; i < len(path); i++ {
			switch {
			case path[i] == '\\' && i+1 < len(path):
				i++
				name += path[i : i+1]
			case path[i] == q:
				return name, -1, strings.TrimPrefix(path[i+1:], "]"), strings.HasPrefix(path[i+1:], "]")
			default:
				name += path[i : i+1]
			}
		}
		return "", 0, "", false
	}
	number, rest, ok := strings.Cut(path[1:], "]")
	index, err := strconv.Atoi(number)
	return "", index, rest, ok && err == nil && index >= 0
}

// args is the arguments so far as JSON, or text that is none if a piece had no
// place.
func (g *growing) args() []byte {
	if g.root.kind == 0 {
		g.root.kind = '{'
	}
	b := g.root.append(nil)
	if g.bad {
		b = append(b, "…"...)
	}
	return b
}

func (n *node) append(b []byte) []byte {
	switch n.kind {
	case '"':
		return jsonx.AppendString(b, string(bytes.ToValidUTF8(n.text, []byte("\uFFFD"))))
	case 'v':
		return append(b, n.text...)
	case '{', '[':
		b = append(b, n.kind)
		for i, c := range n.list {
			if i > 0 {
				b = append(b, ',')
			}
			if n.kind == '{' {
				b = append(jsonx.AppendString(b, n.keys[i]), ':')
			}
			b = c.append(b)
		}
		return append(b, n.kind+2)
	}
	return append(b, "null"...)
}
