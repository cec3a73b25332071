package openai

import (
	"encoding/json"

	"github.com/toolpost/toolpost/internal/wire"
	"github.com/toolpost/toolpost/llm"
	"github.com/toolpost/toolpost/tool"
)

// An intake turns chunks into deltas.
type intake struct {
	x       *exchange
	r       reader
	started bool
	refused bool

	stop  llm.Stop
	word  string // the server's own for it
	usage llm.Usage
	has   bool

	text, thinking wire.Carry
	slots          []slot
}

// A slot is a call as the server names it.
type slot struct {
	index   int // the server's
	id      string
	rawName string
	name    string // the canonical one
	args    wire.Carry
}

// Event implements wire.Decoder.
func (in *intake) Event(_, data []byte) (wire.State, error) {
	if string(data) == "[DONE]" {
		return wire.Over, nil
	}
	known, err := in.chunk(data)
	switch {
	case err != nil:
		return wire.Nothing, err
	case in.stop != "":
		return wire.Said, nil
	case !known:
		return wire.Nothing, nil
	}
	return wire.Begun, nil
}

// Whole implements wire.Decoder.
func (in *intake) Whole(data []byte) error {
	if _, err := in.chunk(data); err != nil {
		return err
	}
	if !in.started {
		return llm.ErrorOf(0, nil, data)
	}
	return in.End()
}

// Gone implements wire.Decoder.
func (in *intake) Gone() bool { return in.x.gone }

// chunk takes one event and reports whether it is part of a reply.
func (in *intake) chunk(b []byte) (bool, error) {
	if in.r.fields == nil {
		in.r.fields = in.x.d.ThinkingIn
	}
	if !in.r.read(b) {
		return false, wire.ErrNotJSON
	}
	r := &in.r
	if r.fault != nil && in.stop == "" {
		return true, llm.ErrorOf(0, nil, r.fault)
	}
	if r.hasUsage {
		in.usage, in.has = r.usage, true
	}
	if !r.choices && !r.hasUsage && r.id == nil {
		return false, nil // a ping, or something we do not know
	}
	if !in.started {
		in.started = true
		if !in.x.send(llm.Delta{Kind: llm.DeltaStart, Provider: in.x.c.name(&in.x.d), API: API, Model: in.x.model, Served: string(r.model), MessageID: string(r.id)}) {
			return true, nil
		}
	}
	in.content()
	for i := range r.calls {
		if in.x.gone {
			return true, nil
		}
		in.call(&r.calls[i])
	}
	if len(r.finish) > 0 {
		return true, in.finish(r.finish)
	}
	return true, nil
}

func (in *intake) content() {
	r := &in.r
	if len(r.thinking) > 0 {
		in.say(llm.DeltaThinking, in.thinking.Join(r.thinking))
	}
	if len(r.details) > 0 && in.x.d.Echo == EchoDetails {
		in.details(r.details)
	}
	if len(r.content) > 0 {
		in.say(llm.DeltaText, in.text.Join(r.content))
	}
	if len(r.refusal) > 0 {
		in.refused = true
		in.say(llm.DeltaText, in.text.Join(r.refusal))
	}
}

func (in *intake) say(kind llm.DeltaKind, text string) {
	if text != "" && !in.x.gone {
		in.x.send(llm.Delta{Kind: kind, Text: text})
	}
}

// details keeps each piece of reasoning_details as it came, in order.
func (in *intake) details(list []byte) {
	var pieces []json.RawMessage
	if json.Unmarshal(list, &pieces) != nil {
		return
	}
	for _, p := range pieces {
		if !in.x.gone {
			in.x.send(llm.Delta{Kind: llm.DeltaOpaque, Opaque: p})
		}
	}
}

// call hands on a fragment of a call.
func (in *intake) call(p *callPart) {
	d := llm.Delta{Kind: llm.DeltaCall, Index: p.index, Signature: string(p.signature)}
	s, at := in.slot(p)
	if len(p.id) > 0 {
		d.ID = s.id
	}
	if len(p.name) > 0 {
		d.Name = s.name
	}
	switch in.x.d.Trust {
	case TrustNone:
		d.Index = -1
	case TrustIDs:
		d.Index = at
	}
	d.Text = s.args.Join(p.args)
	in.x.send(d)
}

// slot is what is known of the call that a fragment belongs to, for the names
// and ids that servers repeat on every fragment, and where it is.
func (in *intake) slot(p *callPart) (*slot, int) {
	at := -1
	for i := len(in.slots) - 1; i >= 0 && at < 0; i-- {
		s := &in.slots[i]
		if len(p.id) > 0 && s.id != "" && (in.x.d.Trust != "" || s.index == p.index) {
			if s.id == string(p.id) {
				at = i
			}
		} else if p.index >= 0 && s.index == p.index || p.index < 0 && i == len(in.slots)-1 && len(p.id) == 0 && len(p.name) == 0 {
			at = i
		}
	}
	if at < 0 {
		in.slots = append(in.slots, slot{index: p.index, id: string(p.id)})
		at = len(in.slots) - 1
	}
	s := &in.slots[at]
	if s.id == "" && len(p.id) > 0 {
		s.id = string(p.id)
	}
	if len(p.name) > 0 && s.rawName != string(p.name) {
		s.rawName = string(p.name)
		s.name = in.x.names.Canonical(s.rawName)
	}
	return s, at
}

// finish notes why the reply ends. Some servers say it twice.
func (in *intake) finish(word []byte) error {
	if string(word) == "error" {
		return &llm.Error{Code: tool.CodeUnavailable, Retryable: true, Message: "the server ended the reply with an error it did not explain"}
	}
	in.word = string(word)
	in.stop = stopOf(in.word)
	return nil
}

// stopOf is what a finish_reason means; an unknown one is kept.
func stopOf(word string) llm.Stop {
	switch word {
	case "stop", "end", "eos", "end_turn", "stop_sequence":
		return llm.StopEnd
	case "tool_calls", "function_call", "tool_use":
		return llm.StopCalls
	case "length", "model_length", "max_tokens":
		return llm.StopLength
	case "model_context_window_exceeded":
		return llm.StopContextFull
	case "content_filter", "refusal", "sensitive", "safety":
		return llm.StopRefused
	case "malformed_function_call":
		return llm.StopBadCall
	}
	return llm.Stop(word)
}

// End implements wire.Decoder.
func (in *intake) End() error {
	in.say(llm.DeltaThinking, in.thinking.Rest())
	in.say(llm.DeltaText, in.text.Rest())
	if in.has && !in.x.gone {
		u := in.usage
		in.x.send(llm.Delta{Kind: llm.DeltaUsage, Usage: &u})
	}
	switch {
	case in.x.gone:
		return nil
	case in.stop == "" && !in.started:
		return wire.Cut(wire.Nothing)
	case in.stop == "":
		return wire.Cut(wire.Begun)
	}
	if in.refused && in.stop == llm.StopEnd {
		in.stop = llm.StopRefused
	}
	in.x.send(llm.Delta{Kind: llm.DeltaStop, Stop: in.stop, Text: in.word})
	return nil
}
