package schema

import (
	"net/url"
	"strings"
)

// keyword compiles one keyword of n, and checks its shape.
func (c *compiler) keyword(n *node, name string, v *val) {
	switch name {
	case "$schema", "$id", "id", "$ref", "$anchor", "$dynamicRef", "$dynamicAnchor", "$recursiveRef", "$recursiveAnchor", "$vocabulary":
		c.identity(n, name, v)
	case "type":
		c.types(n, v)
	case "enum":
		if !v.is(kindArray) {
			c.fail(n.ptr, name, "is a list of values")
			return
		}
		n.enum, n.hasEnum = v.elems, true
	case "const":
		if c.draft >= draft6 {
			n.constant = v
		}
	case "multipleOf", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum":
		c.bound(n, name, v)
	case "minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties", "minContains", "maxContains":
		c.count(n, name, v)
	case "pattern":
		c.pattern(n, v)
	case "format":
		c.format(n, v)
	case "properties", "additionalProperties", "required", "patternProperties", "propertyNames",
		"dependencies", "dependentRequired", "dependentSchemas", "unevaluatedProperties":
		c.object(n, name, v)
	case "items", "prefixItems", "additionalItems", "contains", "uniqueItems", "unevaluatedItems":
		c.array(n, name, v)
	case "allOf", "anyOf", "oneOf", "not", "if", "then", "else":
		c.combine(n, name, v)
	case "$defs", "definitions":
		c.each(n, name, v)
	default:
		c.note(n, name, v)
	}
}

// identity is for the keywords that name a schema or point to one.
func (c *compiler) identity(n *node, name string, v *val) {
	known := map[string]draft{"$id": draft6, "$anchor": draft2019, "$dynamicRef": draft2020, "$dynamicAnchor": draft2020,
		"$recursiveRef": draft2019, "$recursiveAnchor": draft2019, "$vocabulary": draft2019}
	if c.draft < known[name] || (name == "id" && c.draft != draft4) {
		return
	}
	switch name {
	case "$vocabulary", "$recursiveAnchor":
		c.slowFor(name)
		return
	}
	if !v.is(kindString) {
		c.fail(n.ptr, name, "is a string")
		return
	}
	switch name {
	case "$ref":
		c.reference(n, v.text)
	case "$schema":
		if n.ptr != "" {
			c.slowFor("$schema below the root")
		}
	case "$id":
		if _, err := url.Parse(v.text); err != nil || n.ptr != "" || strings.Contains(v.text, "#") {
			c.slowFor("$id")
		}
	default:
		c.slowFor(name)
	}
}

func (c *compiler) reference(n *node, ref string) {
	fragment, local := strings.CutPrefix(ref, "#")
	ptr, err := url.PathUnescape(fragment)
	if !local || err != nil || (ptr != "" && ptr[0] != '/') {
		c.slowFor("$ref to " + ref)
		return
	}
	c.pending = append(c.pending, pendingRef{n, pointerOf(tokensOf(ptr))})
	n.inline = true
}

func (c *compiler) types(n *node, v *val) {
	list := []*val{v}
	if v.is(kindArray) {
		list = v.elems
		if len(list) == 0 {
			c.fail(n.ptr, "type", "needs at least one name")
		}
	}
	for _, e := range list {
		k := kind(0)
		if e.is(kindString) {
			k = kindOf(e.text)
		}
		if k == 0 {
			c.fail(n.ptr, "type", "has %s; a type is one of %s", cut(string(e.raw)), strings.Join(kindNames, ", "))
			return
		}
		if n.types&k != 0 {
			c.fail(n.ptr, "type", "names %s twice", e.text)
		}
		n.types |= k
	}
}

func (c *compiler) bound(n *node, name string, v *val) {
	if c.draft == draft4 && v.is(kindBool) {
		return // a companion of minimum or maximum, for the slow validator
	}
	if !v.is(kindNumber) {
		c.fail(n.ptr, name, "is a number, not %s", describe(v.kind))
		return
	}
	b := newBound(v)
	switch name {
	case "multipleOf":
		if b.dec.Sign() <= 0 {
			c.fail(n.ptr, name, "is greater than 0")
		}
		n.multiple = b
	case "minimum":
		n.min = b
	case "maximum":
		n.max = b
	case "exclusiveMinimum":
		n.over = b
	case "exclusiveMaximum":
		n.under = b
	}
}

func (c *compiler) count(n *node, name string, v *val) {
	i, ok := decimalInt(v)
	if !ok {
		c.fail(n.ptr, name, "is a whole number from 0, not %s", cut(string(v.append(nil))))
		return
	}
	switch name {
	case "minLength":
		n.minLen = i
	case "maxLength":
		n.maxLen = i
	case "minItems":
		n.minItems = i
	case "maxItems":
		n.maxItems = i
	case "minProperties":
		n.minProps = i
	case "maxProperties":
		n.maxProps = i
	}
}

func (c *compiler) pattern(n *node, v *val) {
	if !v.is(kindString) {
		c.fail(n.ptr, "pattern", "is a string")
		return
	}
	n.pattern = c.newPattern(v.text)
}

func (c *compiler) newPattern(source string) *pattern {
	p := newPattern(source)
	if !p.checked() {
		c.weak = append(c.weak, source)
	}
	return p
}

func (c *compiler) format(n *node, v *val) {
	if !v.is(kindString) {
		c.fail(n.ptr, "format", "is a string")
		return
	}
	n.secret = v.text == "password"
	if c.formats == FormatsNoted {
		return
	}
	if f, ok := formats[v.text]; ok {
		n.format = f
	} else if slowFormats[v.text] {
		c.slowFor("format " + v.text)
	}
}

// object is for the keywords that look at members.
func (c *compiler) object(n *node, name string, v *val) {
	switch name {
	case "properties":
		for _, m := range c.members(n, name, v) {
			i := c.prop(n, m.name)
			n.props[i].node = c.node(m.val, join(join(n.ptr, name), m.name))
		}
	case "additionalProperties":
		o := c.node(v, join(n.ptr, name))
		n.closed, n.open = o.never, !o.never
		if o.never || o.raw.is(kindObject) {
			n.additional = o
		}
	case "required":
		c.names(n, name, v)
	case "dependentRequired":
		if c.draft >= draft2019 {
			for _, m := range c.members(n, name, v) {
				c.names(n, name, m.val)
			}
			c.slowFor(name)
		}
	case "patternProperties":
		for _, m := range c.members(n, name, v) {
			c.newPattern(m.name)
			c.node(m.val, join(join(n.ptr, name), m.name))
		}
		n.open = true
		c.slowFor(name)
	case "propertyNames", "unevaluatedProperties":
		if name != "unevaluatedProperties" || c.draft >= draft2019 {
			c.node(v, join(n.ptr, name))
			c.slowFor(name)
		}
	case "dependentSchemas":
		if c.draft >= draft2019 {
			c.each(n, name, v)
			c.slowFor(name)
		}
	case "dependencies":
		c.members(n, name, v)
		c.slowFor(name)
	}
}

// array is for the keywords that look at elements.
func (c *compiler) array(n *node, name string, v *val) {
	ptr := join(n.ptr, name)
	switch name {
	case "items":
		if c.draft < draft2020 && v.is(kindArray) {
			n.prefix = c.list(n, name, v)
			return
		}
		n.items = c.node(v, ptr)
	case "prefixItems":
		if c.draft >= draft2020 {
			n.prefix = c.list(n, name, v)
		}
	case "additionalItems":
		if c.draft < draft2020 {
			c.node(v, ptr)
		}
	case "uniqueItems":
		if !v.is(kindBool) {
			c.fail(n.ptr, name, "is true or false")
			return
		}
		n.unique = v.isTrue()
	default: // contains, unevaluatedItems
		c.node(v, ptr)
		c.slowFor(name)
	}
}

// combine is for the keywords that apply schemas to the same value.
func (c *compiler) combine(n *node, name string, v *val) {
	switch name {
	case "allOf":
		n.allOf = c.list(n, name, v)
	case "anyOf":
		n.anyOf = c.list(n, name, v)
	case "oneOf":
		n.oneOf = c.list(n, name, v)
	case "not":
		n.not = c.node(v, join(n.ptr, name))
	case "if", "then", "else":
		if c.draft < draft7 {
			return
		}
		o := c.node(v, join(n.ptr, name))
		switch name {
		case "if":
			n.cond = o
		case "then":
			n.yes = o
		case "else":
			n.no = o
		}
	}
}

// note is for the keywords that constrain nothing.
func (c *compiler) note(n *node, name string, v *val) {
	switch name {
	case "default":
		n.fallback = v
	case "title", "description", "$comment", "contentEncoding", "contentMediaType":
		if !v.is(kindString) {
			c.fail(n.ptr, name, "is a string")
		}
	case "examples":
		if !v.is(kindArray) {
			c.fail(n.ptr, name, "is a list of values")
		}
	case "readOnly", "writeOnly":
		if !v.is(kindBool) {
			c.fail(n.ptr, name, "is true or false")
		}
		n.secret = n.secret || name == "writeOnly" && v.isTrue()
	case "deprecated":
		if c.draft >= draft2019 && !v.is(kindBool) {
			c.fail(n.ptr, name, "is true or false")
		}
	case "contentSchema":
		if c.draft >= draft2019 {
			c.node(v, join(n.ptr, name))
		}
	}
}

// members returns the members of v, which must be an object.
func (c *compiler) members(n *node, name string, v *val) []member {
	if !v.is(kindObject) {
		c.fail(n.ptr, name, "is an object, not %s", describe(v.kind))
	}
	return v.members
}

// each compiles every member of v.
func (c *compiler) each(n *node, name string, v *val) {
	for _, m := range c.members(n, name, v) {
		c.node(m.val, join(join(n.ptr, name), m.name))
	}
}

// list compiles every element of v, which must be a list that is not empty.
func (c *compiler) list(n *node, name string, v *val) []*node {
	if !v.is(kindArray) || len(v.elems) == 0 {
		c.fail(n.ptr, name, "is a list of at least one schema")
	}
	var nodes []*node
	for i, e := range v.elems {
		nodes = append(nodes, c.node(e, join(join(n.ptr, name), itoa(i))))
	}
	return nodes
}

// names checks a list of different strings.
func (c *compiler) names(n *node, name string, v *val) {
	seen := map[string]bool{}
	ok := v.is(kindArray)
	for _, e := range v.list() {
		if !e.is(kindString) {
			ok = false
		} else if seen[e.text] {
			c.fail(n.ptr, name, "names %q twice", e.text)
		}
		if e.is(kindString) {
			seen[e.text] = true
		}
	}
	if !ok {
		c.fail(n.ptr, name, "is a list of property names")
	}
}
