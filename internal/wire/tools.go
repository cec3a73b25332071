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

// Express is the counterpart of Restore, for a call of a history.
func (t *Tools) Express(name string, args []byte) json.RawMessage {
	if o := t.find(name); o != nil {
		return o.View.Express(args)
	}
	return args
}

// Expressed is a history whose calls have the arguments that the model would
// write. It does not change msgs, and shares with it what stays the same.
func (t *Tools) Expressed(msgs []llm.Message) []llm.Message {
	copied := false
	for i := range msgs {
		m := &msgs[i]
		if !slices.ContainsFunc(m.Blocks, t.expresses) {
			continue
		}
		if !copied {
			msgs, copied = slices.Clone(msgs), true
			m = &msgs[i]
		}
		m.Blocks = slices.Clone(m.Blocks)
		for j := range m.Blocks {
			if b := &m.Blocks[j]; t.expresses(*b) {
				c := *b.Call
				c.Args = t.find(c.Tool).View.Express(c.Args)
				b.Call = &c
			}
		}
	}
	return msgs
}

// expresses reports whether b is a call whose arguments may have another form.
func (t *Tools) expresses(b llm.Block) bool {
	return b.Call != nil && b.Broken == nil && t.Differs(b.Call.Tool)
}

// Called are the names, on the wire, of the tools that are called in msgs. Some
// APIs refuse a history with calls in it where no tools are on offer.
func Called(msgs []llm.Message) (names []string) {
	for i := range msgs {
		for j := range msgs[i].Blocks {
			if c := msgs[i].Blocks[j].Call; c != nil {
				names = append(names, llm.WireName(c.Tool))
			}
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}
