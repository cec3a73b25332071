package ollama

import (
	"bytes"

	"github.com/toolpost/toolpost/internal/jsonx"
	"github.com/toolpost/toolpost/internal/wire"
	"github.com/toolpost/toolpost/llm"
)

// An intake turns lines into deltas.
type intake struct {
	x       *exchange
	r       reader
	started bool
	calls   int // so far, which numbers the next; the server's own numbers repeat

	stop  llm.Stop
	word  string // the server's own for it
	usage llm.Usage
	has   bool

	text, thinking wire.Carry
	buf            []byte
}

// Event implements wire.Decoder.
func (in *intake) Event(_, data []byte) (wire.State, error) {
	err := in.line(data)
	switch {
	case in.stop != "":
		return wire.Over, err // done is the last line
	case in.started:
		return wire.Begun, err
	}
	return wire.Nothing, err
}

// Whole implements wire.Decoder.
func (in *intake) Whole(data []byte) error {
	if err := in.line(data); err != nil {
		return err
	}
	if !in.started {
		return llm.ErrorOf(0, nil, data)
	}
	return in.End()
}

// Gone implements wire.Decoder.
func (in *intake) Gone() bool { return in.x.gone }

func (in *intake) line(b []byte) error {
	if !in.r.read(b) {
		return wire.ErrNotJSON
	}
	r := &in.r
	switch {
	case r.fault:
		return llm.ErrorOf(0, nil, b)
	case !r.known:
		return nil
	}
	if !in.started {
		in.started = true
		in.send(llm.Delta{Kind: llm.DeltaStart, Provider: in.x.c.name(), API: API, Model: in.x.model, Served: string(r.model)})
	}
	if len(r.thinking) > 0 {
		in.say(llm.DeltaThinking, in.thinking.Join(r.thinking))
	}
	if len(r.text) > 0 {
		in.say(llm.DeltaText, in.text.Join(r.text))
	}
	for i := range r.calls {
		in.call(&r.calls[i])
	}
	if r.hasUsage {
		in.usage, in.has = r.usage, true
	}
	if r.done {
		in.word = string(r.reason)
		in.stop = stopOf(in.word)
	}
	return nil
}

func (in *intake) send(d llm.Delta) {
	if !in.x.gone {
		in.x.send(d)
	}
}

func (in *intake) say(kind llm.DeltaKind, text string) {
	if text != "" {
		in.send(llm.Delta{Kind: kind, Text: text})
	}
}

func (in *intake) call(p *call) {
	n := in.calls
	in.calls++
	name := in.x.tools.Canonical(string(p.name))
	in.send(llm.Delta{Kind: llm.DeltaCall, Index: n, ID: string(p.id), Name: name, Text: in.restored(name, p.args)})
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

// stopOf is what a done_reason means; an unknown one is kept. Older servers give
// none. A model that was only loaded, or unloaded, has said nothing.
func stopOf(word string) llm.Stop {
	switch word {
	case "", "stop", "load", "unload":
		return llm.StopEnd
	case "length":
		return llm.StopLength
	}
	return llm.Stop(word)
}

// End implements wire.Decoder.
func (in *intake) End() error {
	in.say(llm.DeltaThinking, in.thinking.Rest())
	in.say(llm.DeltaText, in.text.Rest())
	if in.has {
		u := in.usage
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
