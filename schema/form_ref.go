package schema

import (
	"bytes"
	"fmt"
	"net/url"
	"strings"
)

// hasIDs reports whether a document may give names to its parts.
func hasIDs(text []byte) bool {
	return bytes.Contains(text, []byte(`nchor"`)) || bytes.Contains(text, []byte(`id"`))
}

// idOf is the $id of v, which draft-04 calls id.
func (r *reader) idOf(v *val) string {
	name := "$id"
	if r.draft == draft4 {
		name = "id"
	}
	if id := v.get(name); id.is(kindString) {
		return id.text
	}
	return ""
}

// collect finds the names that the document gives to its parts: URLs by $id and
// anchors, each with the pointer to it.
func (r *reader) collect(v *val, ptr, base string) {
	if v.is(kindObject) {
		if id := r.idOf(v); id != "" {
			if strings.HasPrefix(id, "#") {
				r.ids[base+id] = ptr
			} else {
				base = resolveURL(base, id)
				r.ids[base] = ptr
			}
		}
		for _, name := range []string{"$anchor", "$dynamicAnchor"} {
			if a := v.get(name); a.is(kindString) {
				if _, taken := r.ids[base+"#"+a.text]; !taken {
					r.ids[base+"#"+a.text] = ptr
				}
			}
		}
	}
	for _, m := range v.members {
		if m.name != "enum" && m.name != "const" && m.name != "default" && m.name != "examples" {
			r.collect(m.val, join(ptr, m.name), base)
		}
	}
	for i, e := range v.elems {
		r.collect(e, join(ptr, itoa(i)), base)
	}
}

// follow finds what a reference names. Nothing is ever fetched.
func (r *reader) follow(ref, from, base string) (*form, error) {
	ptr, ok := r.locate(ref, base)
	if !ok {
		return nil, fmt.Errorf("schema%s: $ref to %s names nothing in this document, and nothing is fetched: put it under $defs", at(from), cut(ref))
	}
	v, at := r.root, ""
	base = strings.TrimSuffix(r.idOf(r.root), "#")
	for _, tok := range tokensOf(ptr) {
		if v = v.at([]string{tok}); v == nil {
			return nil, fmt.Errorf("schema%s: $ref to %s names nothing in this document", at, cut(ref))
		}
		at = join(at, tok)
		if id := r.idOf(v); id != "" && !strings.HasPrefix(id, "#") && at != ptr {
			base = resolveURL(base, id)
		}
	}
	if !v.is(kindObject | kindBool) {
		return nil, fmt.Errorf("schema%s: $ref to %s names %s, which is no schema", from, cut(ref), describe(v.kind))
	}
	return r.read(v, ptr, base)
}

// locate turns a reference into a JSON pointer.
func (r *reader) locate(ref, base string) (string, bool) {
	doc, fragment, _ := strings.Cut(resolveRef(base, ref), "#")
	start, known := r.ids[doc]
	if doc == "" || doc == r.idOf(r.root) {
		start, known = "", true
	}
	if !known {
		return "", false
	}
	if fragment == "" {
		return start, true
	}
	if !strings.HasPrefix(fragment, "/") {
		ptr, ok := r.ids[doc+"#"+fragment]
		return ptr, ok
	}
	text, err := url.PathUnescape(fragment)
	if err != nil {
		text = fragment
	}
	ptr := start + pointerOf(tokensOf(text))
	if r.root.at(tokensOf(ptr)) == nil && start == "" && base != "" {
		return "", false
	}
	return ptr, true
}

// resolveRef is resolveURL for references of which most are a fragment alone,
// with characters that URLs would escape.
func resolveRef(base, ref string) string {
	if strings.HasPrefix(ref, "#") {
		return strings.TrimSuffix(base, "#") + ref
	}
	u, err := url.Parse(ref)
	if err != nil {
		return ref
	}
	fragment := u.Fragment
	u.Fragment, u.RawFragment = "", ""
	doc := resolveURL(base, u.String())
	if fragment == "" {
		return doc
	}
	return doc + "#" + fragment
}
