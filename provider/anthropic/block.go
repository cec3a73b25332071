package anthropic

import (
	"github.com/toolpost/toolpost/internal/jsonx"
	"github.com/toolpost/toolpost/internal/wire"
	"github.com/toolpost/toolpost/llm"
)

// A block is one block of the reply as it grows.
type block struct {
	index   int // the server's number for it
	kind    llm.DeltaKind
	stopped bool
	waiting []llm.Delta // while blocks before it are not whole

	text  wire.Carry // of text, of thinking, of a call's arguments
	sig   []byte     // of thinking
	name  string     // of a call
	input []byte     // of a call: the arguments that it began with, if any
	any   bool       // fragments of arguments came
	keep  bool       // the arguments are needed once they are whole
	args  []byte     // kept

	opaque *opaque // of any other kind
}

// find is the newest block with a number, -1 if there is none.
func (in *intake) find(index int) int {
	for i := len(in.blocks) - 1; i >= 0; i-- {
		if in.blocks[i].index == index {
			return i
		}
	}
	return -1
}

// open begins the block that content_block tells.
func (in *intake) open(index int, raw []byte) error {
	if i := in.find(index); i >= 0 && !in.blocks[i].stopped {
		in.finish(i) // a server that numbers them all alike
	}
	if len(in.blocks) >= maxBlocks {
		return tooMany()
	}
	in.blocks = append(in.blocks, block{index: index})
	i := len(in.blocks) - 1
	b := &in.blocks[i]
	var h head
	h.read(raw)
	switch string(h.kind) {
	case "text":
		b.kind = llm.DeltaText
		in.say(i, h.text)
	case "thinking":
		b.kind = llm.DeltaThinking
		b.sig = append(b.sig, h.signature...)
		in.say(i, h.thinking)
	case "tool_use":
		b.kind = llm.DeltaCall
		b.name = in.x.tools.Canonical(string(h.name))
		b.keep = in.x.tools.Differs(b.name)
		if len(h.input) > 0 && string(h.input) != "{}" {
			b.input = append(b.input, h.input...)
		}
		in.put(i, llm.Delta{Kind: llm.DeltaCall, Index: i, ID: string(h.id), Name: b.name, Signature: h.proof()})
	default:
		b.kind = llm.DeltaOpaque
		b.opaque = &opaque{raw: append([]byte(nil), raw...)}
	}
	return nil
}

// grow takes a delta of a block. One of text or thinking for a block that never
// began begins it; one for a block that has ended belongs nowhere.
func (in *intake) grow(data []byte) error {
	r := &in.r
	i := in.find(r.index)
	if i < 0 && (r.text != nil || r.thinking != nil) {
		began := `{"type":"text"}`
		if r.text == nil {
			began = `{"type":"thinking"}`
		}
		if err := in.open(r.index, []byte(began)); err != nil {
			return err
		}
		i = len(in.blocks) - 1
	}
	if i < 0 || in.blocks[i].stopped {
		return nil
	}
	b := &in.blocks[i]
	switch b.kind {
	case llm.DeltaText:
		in.say(i, r.text)
	case llm.DeltaThinking:
		b.sig = append(b.sig, r.signature...)
		in.say(i, r.thinking)
	case llm.DeltaCall:
		if len(r.args) > 0 {
			b.any = true
			in.arg(i, b.text.Join(r.args))
		}
	case llm.DeltaOpaque:
		b.opaque.grow(data)
	}
	return nil
}

// say hands on text or thinking.
func (in *intake) say(i int, text []byte) {
	b := &in.blocks[i]
	if s := b.text.Join(text); s != "" {
		in.put(i, llm.Delta{Kind: b.kind, Text: s})
	}
}

func (in *intake) arg(i int, s string) {
	if b := &in.blocks[i]; s != "" {
		if b.keep && len(b.args) <= llm.MaxArgs {
			b.args = append(b.args, s...)
		}
		in.put(i, llm.Delta{Kind: llm.DeltaCall, Index: i, Text: s})
	}
}

// close hands on what of a block has waited for more, which will not come.
func (in *intake) close(i int) {
	b := &in.blocks[i]
	rest := b.text.Rest()
	switch b.kind {
	case llm.DeltaText, llm.DeltaThinking:
		if rest != "" || len(b.sig) > 0 {
			if rest != "" {
				in.put(i, llm.Delta{Kind: b.kind, Text: rest})
			}
			if len(b.sig) > 0 {
				in.put(i, llm.Delta{Kind: b.kind, Signature: string(b.sig)})
			}
		}
	case llm.DeltaCall:
		in.arg(i, rest)
	}
}

// finish ends a block that is whole, and hands on those that waited for it.
func (in *intake) finish(i int) {
	b := &in.blocks[i]
	if b.stopped {
		return
	}
	switch b.kind {
	case llm.DeltaOpaque:
		if d := b.opaque.json(); jsonx.Check(d) == nil {
			in.put(i, llm.Delta{Kind: llm.DeltaOpaque, Opaque: d})
		}
	case llm.DeltaCall:
		if !b.any && b.input != nil {
			in.arg(i, b.text.Join(jsonx.AppendCompact(nil, b.input)))
		}
		in.close(i)
		in.put(i, in.done(i))
	default:
		in.close(i)
	}
	b.stopped = true
	for in.at < len(in.blocks) && in.blocks[in.at].stopped {
		in.at++
		if in.at < len(in.blocks) {
			in.flush(in.at)
		}
	}
}

// done says that a call is whole, with its arguments as the tool's author has
// them if they came in another form.
func (in *intake) done(i int) llm.Delta {
	b := &in.blocks[i]
	d := llm.Delta{Kind: llm.DeltaCallDone, Index: i}
	if b.keep && len(b.args) <= llm.MaxArgs {
		d.Text = string(in.x.tools.Restore(b.name, b.args))
	}
	return d
}

// put hands a delta of a block on, or has it wait.
func (in *intake) put(i int, d llm.Delta) {
	if i <= in.at {
		in.x.send(d)
		return
	}
	in.blocks[i].waiting = append(in.blocks[i].waiting, d)
}

// flush hands on what waited of a block.
func (in *intake) flush(i int) {
	for _, d := range in.blocks[i].waiting {
		in.x.send(d)
	}
	in.blocks[i].waiting = nil
}
