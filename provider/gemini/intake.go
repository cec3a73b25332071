package gemini

import (
	"bytes"
	"encoding/json"

	"github.com/toolpost/toolpost/internal/jsonx"
	"github.com/toolpost/toolpost/internal/wire"
	"github.com/toolpost/toolpost/llm"
)

// An intake is a reply as it comes, over all requests that it takes.
type intake struct {
	x       *exchange
	started bool
	calls   int // so far, which numbers the next

	stop  llm.Stop
	word  string // the server's own for it
	usage llm.Usage
	past  llm.Usage // of the requests before
	has   bool      // usage

	text, thinking wire.Carry
	said           []byte // the text so far
	buf            []byte
	hop            hop
}

// Gone implements a part of wire.Decoder.
func (in *intake) Gone() bool { return in.x.gone }

// End implements a part of wire.Decoder. What there is to say is known only
// when no further request follows: see finish.
func (in *intake) End() error { return nil }

// state is how far the reply has come.
func (in *intake) state() wire.State {
	switch {
	case in.stop != "":
		return wire.Said
	case in.hop.any:
		return wire.Begun
	}
	return wire.Nothing
}

// start says who speaks, once.
func (in *intake) start(model, id []byte) {
	in.hop.any = true
	if in.started {
		return
	}
	in.started = true
	in.x.send(llm.Delta{Kind: llm.DeltaStart, Provider: in.x.c.name(), API: in.x.c.api(), Model: in.x.model, Served: string(model), MessageID: string(id)})
}

// say hands on a piece of text or of thinking with its signature, if it has one.
func (in *intake) say(kind llm.DeltaKind, piece, signature []byte) {
	in.hop.content()
	carry := &in.text
	if kind == llm.DeltaThinking {
		carry = &in.thinking
	}
	text := carry.Join(piece)
	if kind == llm.DeltaText {
		in.said = append(in.said, text...)
	}
	if text != "" || len(signature) > 0 {
		in.send(llm.Delta{Kind: kind, Text: text, Signature: string(signature)})
	}
}

func (in *intake) send(d llm.Delta) {
	if !in.x.gone {
		in.x.send(d)
	}
}

// opaque carries along what is not for us to read. What is no JSON could be
// neither kept nor sent back.
func (in *intake) opaque(raw []byte) {
	in.hop.content()
	if jsonx.Check(raw) != nil {
		return
	}
	in.send(llm.Delta{Kind: llm.DeltaOpaque, Opaque: json.RawMessage(raw)})
}

// open begins a call and is its number.
func (in *intake) open(id, name, signature []byte) int {
	in.hop.content()
	n := in.calls
	in.calls++
	in.send(llm.Delta{Kind: llm.DeltaCall, Index: n, ID: string(id), Name: in.x.tools.Canonical(string(name)), Signature: string(signature)})
	return n
}

// close ends the call n of the tool name with all its arguments, as the tool's
// author means them.
func (in *intake) close(n int, name string, args []byte) {
	in.hop.content()
	in.send(llm.Delta{Kind: llm.DeltaCallDone, Index: n, Text: in.restored(name, args)})
}

// whole is a call that comes in one piece.
func (in *intake) whole(id, name, args, signature []byte) {
	in.hop.content()
	n := in.calls
	in.calls++
	tool := in.x.tools.Canonical(string(name))
	in.send(llm.Delta{Kind: llm.DeltaCall, Index: n, ID: string(id), Name: tool, Text: in.restored(tool, args), Signature: string(signature)})
	in.send(llm.Delta{Kind: llm.DeltaCallDone, Index: n})
}

// restored is arguments without white space and as the tool's author means them.
func (in *intake) restored(name string, args []byte) string {
	args = bytes.TrimSpace(args)
	if len(args) == 0 || string(args) == "null" {
		args = []byte("{}")
	}
	args = in.x.tools.Restore(name, args)
	if jsonx.Check(args) != nil {
		return string(args) // for the reply to tell
	}
	in.buf = jsonx.AppendCompact(in.buf[:0], args)
	return string(in.buf)
}

// ended notes why the reply ends. The first reason counts, unless it was one
// that servers give with every piece.
func (in *intake) ended(stop llm.Stop, word string) {
	if in.stop == "" || in.stop == llm.StopEnd {
		in.stop, in.word = stop, word
	}
}

// finish says what is left to say.
func (in *intake) finish() error {
	in.rest()
	if in.has && !in.x.gone {
		u := in.past.Add(in.usage)
		in.send(llm.Delta{Kind: llm.DeltaUsage, Usage: &u})
	}
	switch {
	case in.x.gone:
		return nil
	case in.stop == "" && !in.started:
		return wire.Cut(wire.Nothing)
	case in.stop == "":
		return wire.Cut(wire.Begun)
	}
	in.send(llm.Delta{Kind: llm.DeltaStop, Stop: in.stop, Text: in.word})
	return nil
}

// rest is half a character that never got its other half.
func (in *intake) rest() {
	if s := in.thinking.Rest(); s != "" {
		in.send(llm.Delta{Kind: llm.DeltaThinking, Text: s})
	}
	if s := in.text.Rest(); s != "" {
		in.send(llm.Delta{Kind: llm.DeltaText, Text: s})
	}
}
