package schema

import (
	"strings"

	"github.com/toolpost/toolpost/internal/jsonx"
)

// maxTextDepth is how deep blocks of text may hold one another.
const maxTextDepth = 6

// coerce changes values that do not fit their place, where one of another type
// says the same.
func (f *fitter) coerce(v *val) { *v = *f.coerceAt(f.schema.root, v, "") }

// coerceAt returns v, or what it becomes where n is wanted.
func (f *fitter) coerceAt(n *node, v *val, ptr string) *val {
	if f.steps++; n == nil || f.worn() || f.fits(n, v) {
		return v
	}
	if to, kind := f.convert(n, v); to != nil {
		f.change(ptr, kind, f.show(n, v), f.show(n, to))
		v = to
	}
	if n.ref != nil {
		v = f.coerceAt(n.ref, v, ptr)
	}
	for _, o := range n.allOf {
		v = f.coerceAt(o, v, ptr)
	}
	v = f.coerceParts(n, v, ptr)
	v = f.coerceUnion(n.anyOf, v, ptr)
	return f.coerceUnion(n.oneOf, v, ptr)
}

// coerceUnion tries the variants on copies and keeps the first that fits.
func (f *fitter) coerceUnion(nodes []*node, v *val, ptr string) *val {
	for _, o := range nodes {
		if f.fits(o, v) {
			return v
		}
	}
	for _, o := range nodes {
		if f.worn() {
			break
		}
		before := len(f.changes)
		c := v.clone()
		f.foldAt(o, c, ptr)
		if c = f.coerceAt(o, c, ptr); f.fits(o, c) {
			return c
		}
		f.changes = f.changes[:before]
	}
	return v
}

func (f *fitter) coerceParts(n *node, v *val, ptr string) *val {
	for i, m := range v.members {
		for _, sub := range n.child(m.name) {
			if to := f.coerceAt(sub, m.val, join(ptr, m.name)); to != m.val || to.raw == nil {
				v.members[i].val, v.raw = to, nil
				m.val = to
			}
		}
	}
	for i, e := range v.elems {
		for _, sub := range n.child(itoa(i)) {
			if to := f.coerceAt(sub, e, join(ptr, itoa(i))); to != e || to.raw == nil {
				v.elems[i], v.raw = to, nil
				e = to
			}
		}
	}
	return v
}

// convert turns v into a type that n wants, or returns nil.
func (f *fitter) convert(n *node, v *val) (*val, string) {
	wants := n.wants()
	if wants == 0 || wants&v.kind != 0 {
		return nil, ""
	}
	if v.is(kindString) {
		if to := scalar(v.text, wants); to != nil {
			return to, ChangeCoerced
		}
		if to := f.unpack(v, wants); to != nil {
			return to, ChangeParsed
		}
	}
	if wants&kindString != 0 && v.is(kindArray|kindObject) {
		if text, ok := textOf(v, 0); ok {
			return stringVal(text), ChangeFlattened
		}
	}
	if wants&kindArray != 0 && !v.is(kindArray|kindNull) {
		item := *v // a copy, because what v stands for becomes the list
		list := &val{kind: kindArray, elems: []*val{&item}}
		if n.listFits(f, list) {
			return list, ChangeCoerced
		}
	}
	return nil, ""
}

// listFits reports whether the one element of list is, or can be made, an item
// of n.
func (n *node) listFits(f *fitter, list *val) bool {
	items := n.part("0")
	if items == nil || items.wants() == 0 {
		return false
	}
	quiet := &fitter{schema: f.schema, steps: f.steps, limit: f.limit}
	item := list.elems[0].clone()
	quiet.foldAt(items, item, "")
	item = quiet.coerceAt(items, item, "")
	f.steps = quiet.steps
	if !f.fits(items, item) {
		return false
	}
	list.elems[0] = item
	return true
}

// wants is the types that n allows, 0 for any. A union wants what its variants
// want.
func (n *node) wants() kind { return n.wanted }

// learn computes wanted from the nodes that n applies, which have learned.
func (n *node) learn() {
	const all = kind(0xff)
	k := all
	narrow := func(o kind) {
		if o != 0 {
			k &= o
		}
	}
	narrow(n.types)
	if n.ref != nil {
		narrow(n.ref.wanted)
	}
	for _, o := range n.allOf {
		narrow(o.wanted)
	}
	for _, union := range [][]*node{n.anyOf, n.oneOf} {
		var sum kind
		for _, o := range union {
			if o.wanted == 0 && !o.never {
				sum = 0
				break
			}
			sum |= o.wanted
		}
		narrow(sum)
	}
	if k != all {
		n.wanted = k
	}
}

// scalar reads a number or boolean that was sent as a string.
func scalar(s string, wants kind) *val {
	if wants&kindBool != 0 && (s == "true" || s == "false") {
		return parseVal([]byte(s))
	}
	if wants&kindNull != 0 && s == "null" && wants&^kindNull&(kindString) == 0 && wants != kindNull {
		return nil // the model may mean the word
	}
	if wants&(kindInteger|kindNumber) == 0 || s == "" {
		return nil
	}
	end, msg := jsonx.Number([]byte(s), 0)
	if msg != "" || end != len(s) {
		return nil
	}
	v := parseVal([]byte(s))
	if wants&kindNumber == 0 && (v.kind&kindInteger == 0 || strings.ContainsAny(s, ".eE")) {
		return nil
	}
	return v
}

// unpack parses a string that holds an object or array, when that is wanted.
func (f *fitter) unpack(v *val, wants kind) *val {
	if wants == 0 || wants&kindString != 0 {
		return nil
	}
	text := []byte(v.text)
	i := jsonx.Space(text, 0)
	if i == len(text) || text[i] != '{' && text[i] != '[' || jsonx.Check(text) != nil {
		return nil
	}
	to := parseVal(text)
	if to.kind&wants == 0 {
		return nil
	}
	return to
}

// textOf joins blocks of text: {"type":"text","text":"…"}, lists of such, and
// objects whose content is one of these. Anything else in them is a loss, so
// then there is no text.
func textOf(v *val, depth int) (string, bool) {
	if depth > maxTextDepth {
		return "", false
	}
	switch {
	case v.is(kindString):
		return v.text, depth > 0
	case v.is(kindArray):
		var b strings.Builder
		for _, e := range v.elems {
			if e.is(kindString) {
				return "", false // a list of strings is a list, not a text
			}
			s, ok := textOf(e, depth+1)
			if !ok {
				return "", false
			}
			b.WriteString(s)
		}
		return b.String(), len(v.elems) > 0
	case v.is(kindObject) && (v.get("type") == nil || v.get("type").text == "text"):
		inner := v.get("text")
		if inner == nil {
			inner = v.get("content")
		} else if v.get("type") == nil {
			return "", false
		}
		if inner == nil {
			return "", false
		}
		for _, m := range v.members {
			if m.val != inner && m.name != "type" {
				return "", false
			}
		}
		return textOf(inner, depth+1)
	}
	return "", false
}

// worn reports whether enough was tried.
func (f *fitter) worn() bool { return f.steps > f.limit }

// fits is [node.fitsVal] with a count of what it costs.
func (f *fitter) fits(n *node, v *val) bool {
	verdict := n.match(v.append(nil))
	f.steps += verdict.steps
	return verdict.ok
}

// fitsVal matches v with n alone; what only the slow validator knows is left
// out, so it may be too kind.
func (n *node) fitsVal(v *val) bool { return n.match(v.append(nil)).ok }

// show is a value for a [Change]. Where the schema has secrets, nothing is shown
// that could hold one.
func (f *fitter) show(n *node, v *val) string {
	text := strings.TrimSpace(v.text)
	packed := strings.HasPrefix(text, "{") || strings.HasPrefix(text, "[")
	if n.secret || f.schema.secrets && (packed || v.is(kindArray|kindObject)) {
		return notShown
	}
	return v.brief()
}
