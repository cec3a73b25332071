package anthropic

import (
	"github.com/toolpost/toolpost/internal/wire"
	"github.com/toolpost/toolpost/llm"
)

// An intake turns events into deltas.
type intake struct {
	x       *exchange
	r       reader
	started bool
	over    bool // message_stop came
	stop    llm.Stop
	word    string // the server's own for it
	blocks  wire.Blocks
}

// Event implements wire.Decoder.
func (in *intake) Event(name, data []byte) (wire.State, error) {
	if string(data) == "[DONE]" {
		return wire.Over, nil
	}
	if !in.r.read(data) {
		return wire.Nothing, wire.ErrNotJSON
	}
	if len(in.r.kind) == 0 {
		in.r.kind = name
	}
	known, err := in.event(data)
	switch {
	case err != nil:
		return wire.Nothing, err
	case in.over:
		return wire.Over, nil
	case in.stop != "":
		return wire.Said, nil
	case !known:
		return wire.Nothing, nil
	}
	return wire.Begun, nil
}

// event takes what was read of data, and reports whether it is part of a reply.
// Events of unknown kinds are passed over, as the API demands.
func (in *intake) event(data []byte) (known bool, err error) {
	r := &in.r
	switch string(r.kind) {
	case "message_start":
		in.start()
	case "content_block_start":
		in.start()
		return true, in.open(r.index, r.block)
	case "content_block_delta":
		in.start()
		return true, in.grow(data)
	case "content_block_stop":
		if i, _ := in.blocks.Find(r.index); i >= 0 {
			in.blocks.Finish(i)
		}
	case "message_delta":
		in.start()
		in.reason()
	case "message_stop":
		in.over = true
	default:
		if (r.fault || string(r.kind) == "error") && in.stop == "" {
			return true, llm.ErrorOf(0, nil, data)
		}
		return false, nil
	}
	return true, nil
}

func (in *intake) start() {
	if in.started {
		return
	}
	in.started = true
	in.x.send(llm.Delta{Kind: llm.DeltaStart, Provider: in.x.c.name(), API: API, Model: in.x.model, Served: string(in.r.model), MessageID: string(in.r.id)})
}

func (in *intake) reason() {
	if len(in.r.stop) > 0 {
		in.word = string(in.r.stop)
		in.stop = stopOf(in.word)
	}
}

// stopOf is what a stop_reason means; an unknown one is kept.
func stopOf(word string) llm.Stop {
	switch word {
	case "end_turn", "stop_sequence", "stop":
		return llm.StopEnd
	case "tool_use":
		return llm.StopCalls
	case "max_tokens":
		return llm.StopLength
	case "model_context_window_exceeded":
		return llm.StopContextFull
	case "refusal":
		return llm.StopRefused
	case "pause_turn", "compaction":
		return llm.StopContinue
	}
	return llm.Stop(word)
}

// Whole implements wire.Decoder.
func (in *intake) Whole(data []byte) error {
	if !in.r.read(data) {
		return wire.ErrNotJSON
	}
	if in.r.fault || in.r.content == nil {
		return llm.ErrorOf(0, nil, data)
	}
	in.start()
	in.reason()
	var c wire.Cursor
	c.Reset(in.r.content)
	var err error
	c.List(func() {
		if b := c.Raw(); err == nil && !in.x.gone {
			if err = in.open(in.blocks.Len(), b); err == nil {
				in.blocks.Finish(in.blocks.Len() - 1)
			}
		}
	})
	if err != nil {
		return err
	}
	in.over = true
	return in.End()
}

// Gone implements wire.Decoder.
func (in *intake) Gone() bool { return in.x.gone }

// End implements wire.Decoder.
func (in *intake) End() error {
	cut := false
	if in.stop != "" {
		in.blocks.FinishAll()
	} else {
		cut = in.blocks.Cut()
	}
	if in.r.has {
		u := in.r.usage
		in.x.send(llm.Delta{Kind: llm.DeltaUsage, Usage: &u})
	}
	if in.over && in.stop == "" && in.started && !cut { // a server that gives no reason
		in.stop = llm.StopEnd
	}
	switch {
	case in.x.gone:
		return nil
	case !in.started:
		return wire.Cut(wire.Nothing)
	case in.stop == "":
		return wire.Cut(wire.Begun)
	}
	in.x.send(llm.Delta{Kind: llm.DeltaStop, Stop: in.stop, Text: in.word})
	return nil
}
