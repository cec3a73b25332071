package schema

import (
	"fmt"
	"unicode/utf8"
)

// A cost is what providers count.
type cost struct {
	properties, enums, text, depth, optional, unions int
}

// costOf counts the schema at root with its definitions.
func (n *normalizer) costOf(root *form) cost {
	var c cost
	n.everywhere(root, func(f *form) { c.count(f, 0) })
	for _, d := range used(root) {
		c.text += len(d.name)
	}
	return c
}

func (c *cost) count(f *form, depth int) {
	if f.types&(kindObject|kindArray) != 0 {
		depth++
	}
	c.depth = max(c.depth, depth)
	c.properties += len(f.props)
	for _, p := range f.props {
		c.text += utf8.RuneCountInString(p.name)
		if !f.requires(p.name) {
			c.optional++
		}
	}
	c.enums += len(f.enum)
	for _, v := range f.enum {
		c.text += utf8.RuneCount(rawOf(v))
	}
	if kinds := f.types; len(f.union()) > 0 || kinds&(kinds-1) != 0 {
		c.unions++
	}
	f.parts(func(o *form) { c.count(o, depth) })
}

// within checks what one schema may have. What is too much for a strict schema
// may still be sent as one that is not.
func (n *normalizer) within(c cost) error {
	d := &n.d
	for _, l := range []struct {
		got, max int
		what     string
	}{
		{c.properties, d.MaxProperties, "properties"}, {c.depth, d.MaxDepth, "levels of objects and arrays"},
		{c.enums, d.MaxEnum, "enum values"}, {c.text, d.MaxText, "characters of names and values"},
		{c.optional, d.MaxOptional, "optional properties"}, {c.unions, d.MaxUnions, "unions"},
	} {
		if l.max == 0 || l.got <= l.max {
			continue
		}
		if d.Strict != "" {
			return &notStrict{"", fmt.Sprintf("has %d %s; %s takes %d", l.got, l.what, d.Name, l.max)}
		}
		return fmt.Errorf("it has %d %s; %s takes %d", l.got, l.what, d.Name, l.max)
	}
	return nil
}

// Ration turns Strict off where the views of one request together are more than
// the provider takes of strict ones. The first view is the last to lose it. The
// views themselves, which may come from a cache, are not written to.
func (d Dialect) Ration(views []View) []View {
	out := append([]View(nil), views...)
	var tools, optional, unions int
	for i, v := range out {
		if !v.Strict {
			continue
		}
		over := func(have, more, most int) bool { return most > 0 && have+more > most }
		if over(tools, 1, d.MaxStrictTools) || over(optional, v.cost.optional, d.MaxOptional) || over(unions, v.cost.unions, d.MaxUnions) {
			out[i].Strict = false
			out[i].NotStrict = "the tools before it use up what " + d.Name + " takes of strict ones"
			continue
		}
		tools, optional, unions = tools+1, optional+v.cost.optional, unions+v.cost.unions
	}
	return out
}
