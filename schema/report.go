package schema

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
	fault "github.com/santhosh-tekuri/jsonschema/v6/kind"
)

// A reporter turns the error tree of the slow validator into problems.
type reporter struct {
	schema *Schema
	doc    *val
	count  int // leaves so far
}

// maxProblems bounds what is reported of one document, and maxUnknown what is
// reported of the unknown properties of one object.
const (
	maxProblems = 500
	maxUnknown  = 50
)

// sorted puts problems in the order of the document, those of an object before
// those of its members. The slow validator has none of its own.
func (r *reporter) sorted(list []Problem) []Problem {
	slices.SortStableFunc(list, func(a, b Problem) int {
		return cmp.Or(
			slices.Compare(r.place(a.Pointer), r.place(b.Pointer)),
			strings.Compare(a.Pointer, b.Pointer), strings.Compare(a.Rule, b.Rule))
	})
	return list
}

// place is where in the document pointer leads, as a path of positions.
func (r *reporter) place(pointer string) []int {
	var path []int
	v := r.doc
	for _, tok := range tokensOf(pointer) {
		i := -1
		switch {
		case v.is(kindObject):
			i = slices.IndexFunc(v.members, func(m member) bool { return m.name == tok })
		case v.is(kindArray):
			i, _ = arrayIndex(tok)
		}
		path = append(path, i)
		v = v.at([]string{tok})
	}
	return path
}

// problems collects what the leaves of the tree under e say.
func (r *reporter) problems(e *jsonschema.ValidationError) []Problem {
	switch e.ErrorKind.(type) {
	case *fault.AnyOf, *fault.OneOf:
		return []Problem{r.union(e)}
	}
	if len(e.Causes) > 0 && len(e.ErrorKind.KeywordPath()) <= 1 && !final(e) {
		var list []Problem
		for _, cause := range e.Causes {
			list = append(list, r.problems(cause)...)
		}
		return list
	}
	if r.count++; r.count > maxProblems {
		return nil
	}
	return r.leaf(e)
}

// final reports whether e says what is wrong better than its causes.
func final(e *jsonschema.ValidationError) bool {
	switch e.ErrorKind.(type) {
	case *fault.Not, *fault.Contains, *fault.MinContains, *fault.MaxContains, *fault.PropertyNames:
		return true
	}
	return false
}

// leaf makes the problems of one broken keyword.
func (r *reporter) leaf(e *jsonschema.ValidationError) []Problem {
	p := r.start(e)
	got := func() string { return p.Got }
	switch k := e.ErrorKind.(type) {
	case *fault.Required:
		return r.missing(p, k.Missing, "")
	case *fault.DependentRequired:
		return r.missing(p, k.Missing, k.Prop)
	case *fault.Dependency:
		return r.missing(p, k.Missing, k.Prop)
	case *fault.AdditionalProperties:
		return r.unknown(p, e, k.Properties)
	case *fault.Type:
		var want kind
		for _, name := range k.Want {
			want |= kindOf(name)
		}
		p.Message = "expected " + want.String() + ", got " + r.shown(e, p)
	case *fault.Enum:
		r.enum(&p, e, k.Want)
	case *fault.Const:
		p.leaf = true
		p.Message = "must be " + cut(string(p.Part)) + ", got " + got()
	case *fault.Minimum:
		p.Message = "must be at least " + string(p.Part) + ", got " + got()
	case *fault.Maximum:
		p.Message = "must be at most " + string(p.Part) + ", got " + got()
	case *fault.ExclusiveMinimum:
		p.Message = "must be greater than " + string(p.Part) + ", got " + got()
	case *fault.ExclusiveMaximum:
		p.Message = "must be less than " + string(p.Part) + ", got " + got()
	case *fault.MultipleOf:
		p.Message = "must be a multiple of " + string(p.Part) + ", got " + got()
	case *fault.MinLength:
		p.Message = fmt.Sprintf("needs at least %d characters, got %d", k.Want, k.Got)
	case *fault.MaxLength:
		p.Message = fmt.Sprintf("must have at most %d characters, got %d", k.Want, k.Got)
	case *fault.MinItems:
		p.Message = fmt.Sprintf("needs at least %d items, got %d", k.Want, k.Got)
	case *fault.MaxItems:
		p.Message = fmt.Sprintf("must have at most %d items, got %d", k.Want, k.Got)
	case *fault.MinProperties:
		p.Message = fmt.Sprintf("needs at least %d properties, got %d", k.Want, k.Got)
	case *fault.MaxProperties:
		p.Message = fmt.Sprintf("must have at most %d properties, got %d", k.Want, k.Got)
	case *fault.UniqueItems:
		p.Message = fmt.Sprintf("items must differ, but %d and %d are equal", k.Duplicates[0], k.Duplicates[1])
	case *fault.Pattern:
		p.Message = "must match the pattern " + cut(k.Want) + ", got " + got()
	case *fault.Format:
		p.Message = "must be a valid " + k.Want + ", got " + got()
	case *fault.Not:
		p.Message = "must not fit " + cut(string(p.Part)) + ", got " + got()
	case *fault.FalseSchema:
		p.Rule = "false"
		p.Message = "no value is allowed here"
		if strings.HasSuffix(e.SchemaURL, "/unevaluatedProperties") {
			p.Rule, p.Message = "unevaluatedProperties", "unknown property"
		}
	default:
		p.Message = plainMessage(e)
	}
	return []Problem{p}
}

// plainMessage is what the slow validator says of e alone.
func plainMessage(e *jsonschema.ValidationError) string {
	alone := jsonschema.ValidationError{SchemaURL: e.SchemaURL, ErrorKind: e.ErrorKind}
	return strings.TrimPrefix(alone.Error(), "at '': ")
}

// start fills in what all problems have.
func (r *reporter) start(e *jsonschema.ValidationError) Problem {
	p := Problem{Pointer: pointerOf(e.InstanceLocation)}
	path := e.ErrorKind.KeywordPath()
	if len(path) > 0 {
		p.Rule = path[0]
		if p.Rule == "dependency" {
			p.Rule = "dependencies"
		}
	}
	if _, ok := e.ErrorKind.(*fault.Not); ok {
		p.Rule = "not"
	}
	if local, ok := strings.CutPrefix(e.SchemaURL, baseURL); ok {
		ptr := strings.TrimPrefix(local, "#")
		part := r.schema.raw.at(tokensOf(unescapeURL(ptr)))
		if sub := part.get(p.Rule); sub != nil {
			part = sub
		}
		if part != nil {
			p.Part = part.compact()
		}
	}
	p.Got = r.got(e)
	return p
}

// got is the value that e is about, unless it is secret.
func (r *reporter) got(e *jsonschema.ValidationError) string {
	v := r.doc.at(e.InstanceLocation)
	if v == nil {
		return ""
	}
	if r.secret(e.InstanceLocation) || r.schema.secrets && v.is(kindArray|kindObject) {
		return notShown
	}
	return v.brief()
}

// secret reports whether the value at loc, or one around it, is declared secret.
func (r *reporter) secret(loc []string) bool {
	if !r.schema.secrets {
		return false
	}
	at := []*node{r.schema.root}
	for i := 0; ; i++ {
		var here []*node
		for _, n := range at {
			n.inPlace(func(o *node) { here = append(here, o) })
		}
		if slices.ContainsFunc(here, func(n *node) bool { return n.secret }) {
			return true
		}
		if i == len(loc) {
			return false
		}
		at = at[:0]
		for _, n := range here {
			at = append(at, n.child(loc[i])...)
		}
	}
}

// child lists the nodes that apply to the member or element tok.
func (n *node) child(tok string) []*node {
	var list []*node
	if i, ok := n.index[tok]; ok && n.props[i].node != nil {
		list = append(list, n.props[i].node)
	} else if n.additional != nil {
		list = append(list, n.additional)
	}
	if i, ok := arrayIndex(tok); ok {
		if i < len(n.prefix) {
			list = append(list, n.prefix[i])
		} else if n.items != nil {
			list = append(list, n.items)
		}
	}
	return list
}

// shown is the received value with its type.
func (r *reporter) shown(e *jsonschema.ValidationError, p Problem) string {
	v := r.doc.at(e.InstanceLocation)
	if v == nil || v.is(kindNull) {
		return "null"
	}
	if v.is(kindArray | kindObject) {
		return describe(v.kind)
	}
	return describe(v.kind) + " " + p.Got
}

func (r *reporter) missing(p Problem, names []string, because string) []Problem {
	var list []Problem
	for _, name := range names {
		q := p
		q.Message = quote(name) + " required"
		if because != "" {
			q.Message += " beside " + quote(because)
		}
		q.Got = ""
		list = append(list, q)
	}
	return list
}

func (r *reporter) unknown(p Problem, e *jsonschema.ValidationError, names []string) []Problem {
	known := r.known(e)
	v := r.doc.at(e.InstanceLocation)
	free := slices.DeleteFunc(slices.Clone(known), func(name string) bool { return v.get(name) != nil })
	slices.Sort(names)
	names = names[:min(len(names), maxUnknown)]
	var list []Problem
	for _, name := range names {
		q := p
		q.Pointer = join(p.Pointer, name)
		q.Message = "unknown property"
		q.Got = ""
		if m := v.get(name); m != nil && !r.schema.secrets {
			q.Got = m.brief()
		}
		if near := Nearest(name, free, 1); len(near) > 0 {
			q.Nearest = near[0]
		}
		q.known = known
		list = append(list, q)
	}
	return list
}

// known lists the properties that the schema of e declares, in its order.
func (r *reporter) known(e *jsonschema.ValidationError) []string {
	n := r.node(e.SchemaURL)
	if n == nil {
		return nil
	}
	var names []string
	for _, p := range n.props {
		if p.node != nil && !p.node.never {
			names = append(names, p.name)
		}
	}
	return names
}

// node finds the node of a schema URL of the slow validator.
func (r *reporter) node(url string) *node {
	local, ok := strings.CutPrefix(url, baseURL)
	if !ok {
		return nil
	}
	return r.schema.nodes[pointerOf(tokensOf(unescapeURL(strings.TrimPrefix(local, "#"))))]
}

// enum lists up to twelve allowed values and finds the nearest.
func (r *reporter) enum(p *Problem, e *jsonschema.ValidationError, want []any) {
	p.leaf = true
	var values, texts []string
	if list := r.schema.partOf(p); list != nil {
		for _, v := range list.elems {
			values = append(values, cut(string(v.compact())))
			if v.is(kindString) {
				texts = append(texts, v.text)
			}
		}
	}
	more := ""
	if len(values) > 12 {
		more = fmt.Sprintf(" and %d more", len(values)-12)
		values = values[:12]
	}
	p.Message = "must be one of " + strings.Join(values, ", ") + more + ", got " + p.Got
	if len(values) == 0 {
		p.Message = fmt.Sprintf("must be one of %d values, got %s", len(want), p.Got)
	}
	if v := r.doc.at(e.InstanceLocation); v.is(kindString) && !r.secret(e.InstanceLocation) {
		if near := Nearest(v.text, texts, 1); len(near) > 0 {
			p.Nearest = near[0]
		}
	}
}

// partOf parses the Part of p when it is a list.
func (s *Schema) partOf(p *Problem) *val {
	if len(p.Part) == 0 || p.Part[0] != '[' {
		return nil
	}
	return parseVal(p.Part)
}
