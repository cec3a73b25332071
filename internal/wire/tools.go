package wire

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/toolpost/toolpost/llm"
	"github.com/toolpost/toolpost/schema"
	"github.com/toolpost/toolpost/tool"
)

// Tools are the tools of one request as a provider is sent them: under names
// that it takes, with schemas in its dialect, in the order of their names, so
// that equal sets give equal bytes and a prompt cache stays warm. The zero Tools
// has none. It is not changed once it is made.
type Tools struct {
	offers []Offer
	left   []Left
	names  llm.Names
}

// An Offer is a tool as it is offered.
type Offer struct {
	Name        string // on the wire
	Tool        string // the tool's own name
	Description string // with what the schema cannot say
	View        schema.View
}

// A Left is a tool that is not offered, since the provider would refuse the
// whole request for its sake.
type Left struct {
	Tool string
	Err  error
}

// NewTools makes the tools of a request, which it keeps, fit for a dialect.
func NewTools(specs []tool.Spec, d schema.Dialect) *Tools {
	t := &Tools{names: llm.NewNames(specs)}
	for i := range specs {
		s := &specs[i]
		v, err := schema.Normalize(s.Input, d)
		if err != nil {
			t.left = append(t.left, Left{s.Name, err})
			continue
		}
		t.offers = append(t.offers, Offer{Name: llm.WireName(s.Name), Tool: s.Name, Description: v.Describe(s.Description), View: v})
	}
	slices.SortFunc(t.offers, func(a, b Offer) int { return strings.Compare(a.Tool, b.Tool) })
	return t
}

// Offers are the tools that can be offered.
func (t *Tools) Offers() []Offer { return t.offers }

// Left are the tools that cannot, with the reasons.
func (t *Tools) Left() []Left { return t.left }

// Canonical is the tool that a model means by name; see [llm.Names].
func (t *Tools) Canonical(name string) string { return t.names.Canonical(name) }

// find is the offer of the tool of this name, nil if there is none.
func (t *Tools) find(name string) *Offer {
	if i, ok := slices.BinarySearchFunc(t.offers, name, func(o Offer, n string) int { return strings.Compare(o.Tool, n) }); ok {
		return &t.offers[i]
	}
	return nil
}

// Differs reports whether the arguments of the tool are written otherwise for
// the provider than its author has them.
func (t *Tools) Differs(name string) bool {
	o := t.find(name)
	return o != nil && slices.ContainsFunc(o.View.Losses, func(l schema.Loss) bool { return l.Class.Undone() })
}

// Restore makes of arguments that a model wrote what the tool's author wants.
func (t *Tools) Restore(name string, args []byte) json.RawMessage {
	if o := t.find(name); o != nil {
		return o.View.Restore(args)
	}
	return args
}

// Express is the counterpart of Restore, for the calls of a history.
func (t *Tools) Express(name string, args []byte) json.RawMessage {
	if o := t.find(name); o != nil {
		return o.View.Express(args)
	}
	return args
}
