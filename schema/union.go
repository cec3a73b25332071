package schema

import (
	"slices"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
	fault "github.com/santhosh-tekuri/jsonschema/v6/kind"
)

// union makes one problem of a broken anyOf or oneOf: that of the variant which
// the value most likely means.
func (r *reporter) union(e *jsonschema.ValidationError) Problem {
	p := r.start(e)
	if k, ok := e.ErrorKind.(*fault.OneOf); ok && len(k.Subschemas) > 0 {
		var which []string
		for _, i := range k.Subschemas {
			which = append(which, itoa(i+1))
		}
		p.Message = "fits more than one variant (" + strings.Join(which, ", ") + ") where exactly one is allowed"
		return p
	}
	var variants []variant
	for i, cause := range e.Causes {
		variants = append(variants, r.variant(i, cause, e.InstanceLocation))
	}
	if q, ok := r.wrongType(p, variants, e); ok {
		return q
	}
	best := slices.MinFunc(variants, variant.compare)
	var parts []string
	for _, q := range best.problems {
		parts = append(parts, q.String())
	}
	p.Message = strings.Join(parts, "; ")
	if best.label != "" {
		p.Message = "(variant " + best.label + ") " + p.Message
	}
	if len(best.problems) == 1 {
		p.known = best.problems[0].known
	}
	return p
}

// A variant is one branch of a union and why it does not fit.
type variant struct {
	label    string
	problems []Problem
	mismatch bool // a property that tells variants apart says it is another one
	match    bool // one says it is this one
	typed    bool // the value itself has the wrong type
	depth    int
}

func (v variant) compare(o variant) int {
	rank := func(v variant) int {
		switch {
		case v.match && !v.mismatch:
			return 0
		case !v.mismatch && !v.typed:
			return 1
		case !v.typed:
			return 2
		}
		return 3
	}
	if a, b := rank(v), rank(o); a != b {
		return a - b
	}
	if len(v.problems) != len(o.problems) {
		return len(v.problems) - len(o.problems)
	}
	return o.depth - v.depth
}

func (r *reporter) variant(i int, cause *jsonschema.ValidationError, loc []string) variant {
	v := variant{label: itoa(i + 1), problems: r.sorted(r.problems(cause))}
	here := pointerOf(loc)
	for _, p := range v.problems {
		v.depth = max(v.depth, strings.Count(p.Pointer, "/"))
		below, ok := strings.CutPrefix(p.Pointer, here+"/")
		v.mismatch = v.mismatch || p.leaf && ok && !strings.Contains(below, "/")
		v.typed = v.typed || p.Rule == "type" && p.Pointer == here
	}
	n := r.branch(cause)
	if n == nil {
		return v
	}
	if title := n.raw.get("title"); title.is(kindString) && title.text != "" {
		v.label = cut(title.text)
	}
	value := r.doc.at(loc)
	for _, p := range n.props {
		if fixed := p.node.fixed(); fixed != nil {
			v.label = p.name + "=" + cut(string(fixed.compact()))
			got := value.get(p.name)
			v.match = got != nil && string(got.key(nil)) == string(fixed.key(nil))
			break
		}
	}
	return v
}

// fixed is the one value that n allows by const or enum, or nil.
func (n *node) fixed() *val {
	switch {
	case n == nil:
		return nil
	case n.constant != nil:
		return n.constant
	case len(n.enum) == 1:
		return n.enum[0]
	}
	return nil
}

// branch is the node of one cause of a union, through its $ref.
func (r *reporter) branch(e *jsonschema.ValidationError) *node {
	if ref, ok := e.ErrorKind.(*fault.Reference); ok {
		return r.node(ref.URL)
	}
	n := r.node(e.SchemaURL)
	for n != nil && n.ref != nil {
		n = n.ref
	}
	return n
}

// wrongType joins variants that all want another type into one sentence.
func (r *reporter) wrongType(p Problem, variants []variant, e *jsonschema.ValidationError) (Problem, bool) {
	var want kind
	for _, v := range variants {
		if len(v.problems) != 1 || !v.typed || len(v.problems[0].Part) == 0 {
			return p, false
		}
		part := parseVal(v.problems[0].Part)
		for _, t := range append(part.list(), part) {
			if t.is(kindString) {
				want |= kindOf(t.text)
			}
		}
	}
	if want == 0 {
		return p, false
	}
	p.Rule = "type"
	p.Message = "expected " + want.String() + ", got " + r.shown(e, p)
	return p, true
}
