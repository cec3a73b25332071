package anthropic

import (
	"bytes"

	"github.com/toolpost/toolpost/internal/jsonx"
	"github.com/toolpost/toolpost/internal/wire"
)

// A head is the beginning of a block, as content_block has it.
type head struct {
	kind, id, name     []byte
	text, thinking     []byte
	signature          []byte
	input, caller, set []byte // raw
}

func (h *head) read(raw []byte) {
	var c wire.Cursor
	c.Reset(raw)
	c.Each(func(name []byte) {
		switch string(name) {
		case "type":
			h.kind = c.Text()
		case "id":
			h.id = c.Text()
		case "name":
			h.name = c.Text()
		case "text":
			h.text = c.Text()
		case "thinking":
			h.thinking = c.Text()
		case "signature":
			h.signature = c.Text()
		case "input":
			h.input = c.Raw()
		case "caller":
			h.caller = c.Raw()
		case "toolset_name":
			h.set = c.Raw()
		default:
			c.Skip()
		}
	})
}

// direct is the caller of a call that the model itself makes.
var direct = []byte(`"direct"`)

// proof is what of a call must be sent back beside its id, name and input, as
// the members of an object: who called, if it was not the model itself, and the
// set that the tool is of.
func (h *head) proof() string {
	var p []byte
	if len(h.caller) > 0 && h.caller[0] == '{' && !bytes.Contains(h.caller, direct) {
		p = append(append(p, `"caller":`...), h.caller...)
	}
	if len(h.set) > 0 && h.set[0] == '"' {
		if p != nil {
			p = append(p, ',')
		}
		p = append(append(p, `"toolset_name":`...), h.set...)
	}
	if p == nil {
		return ""
	}
	return "{" + string(p) + "}"
}

// An opaque is a block of a kind that is carried along as it comes: redacted
// thinking, tools that run at the server and their results, and what is not
// known yet.
type opaque struct {
	raw   []byte   // as it began
	grown []member // what deltas added
}

// A member is a text member of a block that grows.
type member struct {
	name string
	cut  wire.Carry
	text []byte
	raw  bool // the text is JSON
}

// grow adds the text members of a delta to those of the same name.
// partial_json is the JSON text of input.
func (o *opaque) grow(event []byte) {
	var c wire.Cursor
	c.Reset(event)
	c.Each(func(name []byte) {
		if string(name) != "delta" {
			c.Skip()
			return
		}
		c.Each(func(name []byte) {
			if string(name) == "type" || c.Peek() != '"' {
				c.Skip()
				return
			}
			m := o.member(string(name))
			m.text = append(m.text, m.cut.Join(c.Text())...)
		})
	})
}

func (o *opaque) member(name string) *member {
	isInput := name == "partial_json"
	if isInput {
		name = "input"
	}
	for i := range o.grown {
		if o.grown[i].name == name {
			return &o.grown[i]
		}
	}
	o.grown = append(o.grown, member{name: name, raw: isInput})
	return &o.grown[len(o.grown)-1]
}

// JSON is the block: byte for byte as it began, if nothing was added.
func (o *opaque) JSON() []byte {
	var w wire.Object
	w.Put("{")
	var c wire.Cursor
	c.Reset(o.raw)
	changed := false
	c.Each(func(name []byte) {
		v := c.Raw()
		if len(w.B) > 1 {
			w.Put(",")
		}
		w.B = append(append(append(w.B, '"'), name...), `":`...)
		for i := range o.grown {
			if m := &o.grown[i]; m.name == string(name) && len(m.text) > 0 {
				v = m.value(v)
				m.text, changed = nil, true
			}
		}
		w.B = append(w.B, v...)
	})
	for i := range o.grown {
		if m := &o.grown[i]; len(m.text) > 0 {
			w.Key(m.name)
			w.B = append(w.B, m.value(nil)...)
			changed = true
		}
	}
	if !changed {
		return o.raw
	}
	w.Put("}")
	return w.B
}

// value is a member's value behind what the block began with. Input begins as an
// empty object that stands for nothing.
func (m *member) value(began []byte) []byte {
	if m.raw {
		return m.text
	}
	var c wire.Cursor
	c.Reset(began)
	return jsonx.AppendString(nil, string(c.Text())+string(m.text))
}
