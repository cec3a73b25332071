package bedrock

import (
	"encoding/base64"
	"net/http"
	"strings"

	"github.com/toolpost/toolpost/internal/wire"
	"github.com/toolpost/toolpost/llm"
)

// An intake turns events into deltas.
type intake struct {
	x       *exchange
	r       reader
	started bool
	stop    llm.Stop
	word    string // the server's own for it
	blocks  wire.Blocks
}

// Event implements wire.Decoder.
func (in *intake) Event(name, data []byte) (wire.State, error) {
	if len(name) > 0 && name[0] == failed {
		if in.stop != "" {
			return wire.Said, nil
		}
		return wire.Nothing, failure(string(name[1:]), data)
	}
	if !in.r.read(data) {
		return wire.Nothing, wire.ErrNotJSON
	}
	r := &in.r
	switch string(name) {
	case "messageStart":
		in.start()
	case "contentBlockStart":
		in.start()
		if r.name != nil {
			return wire.Begun, in.blocks.Call(r.index, string(r.id), string(r.name), "", r.input)
		}
	case "contentBlockDelta":
		in.start()
		if err := in.grow(); err != nil {
			return wire.Nothing, err
		}
	case "contentBlockStop":
		if i, _ := in.blocks.Find(r.index); i >= 0 {
			in.blocks.Finish(i)
		}
	case "messageStop":
		in.start()
		in.reason()
	case "metadata":
	default:
		return wire.Nothing, nil // a kind that is not known yet
	}
	if in.stop != "" {
		return wire.Said, nil
	}
	return wire.Begun, nil
}

// statuses are those of HTTP that exceptions would have.
var statuses = map[string]int{
	"throttling": http.StatusTooManyRequests, "modelnotready": http.StatusTooManyRequests, "modeltimeout": http.StatusRequestTimeout,
	"internalserver": http.StatusInternalServerError, "serviceunavailable": http.StatusServiceUnavailable,
	"modelstreamerror": http.StatusFailedDependency, "modelerror": http.StatusFailedDependency,
	"validation": http.StatusBadRequest, "accessdenied": http.StatusForbidden, "resourcenotfound": http.StatusNotFound,
}

// failure is the error of an exception inside a stream.
func failure(name string, data []byte) error {
	e := llm.ErrorOf(statuses[strings.TrimSuffix(strings.ToLower(name), "exception")], nil, data)
	e.Status, e.Type = 0, name
	return e
}

func (in *intake) start() {
	if !in.started {
		in.started = true
		in.x.send(llm.Delta{Kind: llm.DeltaStart, Provider: in.x.c.name(), API: API, Model: in.x.model})
	}
}

func (in *intake) reason() {
	if len(in.r.stop) == 0 {
		return
	}
	in.word = string(in.r.stop)
	switch in.word {
	case "end_turn", "stop_sequence":
		in.stop = llm.StopEnd
	case "tool_use":
		in.stop = llm.StopCalls
	case "max_tokens":
		in.stop = llm.StopLength
	case "model_context_window_exceeded":
		in.stop = llm.StopContextFull
	case "content_filtered", "guardrail_intervened":
		in.stop = llm.StopRefused
	case "malformed_tool_use", "malformed_model_output":
		in.stop = llm.StopBadCall
	default:
		in.stop = llm.Stop(in.word)
	}
}

// grow takes a delta. Blocks of text and reasoning begin with their first.
func (in *intake) grow() error {
	r := &in.r
	i, ended := in.blocks.Find(r.index)
	var err error
	switch {
	case ended:
		return nil
	case i >= 0:
	case r.redacted != nil:
		i, err = in.blocks.Carry(r.index, &redacted{})
	case r.text != nil:
		i, err = in.blocks.Open(r.index, llm.DeltaText)
	case r.thinking != nil || r.signature != nil:
		i, err = in.blocks.Open(r.index, llm.DeltaThinking)
	default:
		return nil
	}
	if err != nil {
		return err
	}
	switch in.blocks.Kind(i) {
	case llm.DeltaText:
		in.blocks.Say(i, r.text)
	case llm.DeltaThinking:
		in.blocks.Sign(i, r.signature)
		in.blocks.Say(i, r.thinking)
	case llm.DeltaCall:
		in.blocks.Arg(i, r.args)
	case llm.DeltaOpaque:
		if o, ok := in.blocks.Opaque(i).(*redacted); ok {
			o.add(r.redacted)
		}
	}
	return nil
}

// redacted is reasoning that only the provider can read.
type redacted struct{ data []byte }

func (o *redacted) add(b64 []byte) {
	if b, err := base64.StdEncoding.AppendDecode(o.data, b64); err == nil {
		o.data = b
	}
}

// JSON implements wire.Opaque.
func (o *redacted) JSON() []byte {
	b := append([]byte(nil), `{"reasoningContent":{"redactedContent":"`...)
	return append(base64.StdEncoding.AppendEncode(b, o.data), `"}}`...)
}

// raw is a block of a kind that is not known, as it came in a reply in one piece.
type raw []byte

// JSON implements wire.Opaque.
func (o raw) JSON() []byte { return o }

// Whole implements wire.Decoder.
func (in *intake) Whole(data []byte) error {
	if !in.r.read(data) {
		return wire.ErrNotJSON
	}
	if in.r.content == nil {
		return llm.ErrorOf(0, nil, data)
	}
	in.start()
	in.reason()
	var c wire.Cursor
	c.Reset(append([]byte(nil), in.r.content...))
	var err error
	c.List(func() {
		if b := c.Raw(); err == nil {
			err = in.block(b)
		}
	})
	if err != nil {
		return err
	}
	return in.End()
}

// block takes one block of a reply in one piece.
func (in *intake) block(b []byte) (err error) {
	if !in.r.readBlock(b) {
		return wire.ErrNotJSON
	}
	in.r.index = in.blocks.Len()
	switch r := &in.r; {
	case r.name != nil:
		err = in.blocks.Call(r.index, string(r.id), string(r.name), "", r.input)
	case r.text != nil || r.thinking != nil || r.signature != nil || r.redacted != nil:
		err = in.grow()
	default:
		_, err = in.blocks.Carry(r.index, raw(b))
	}
	in.blocks.FinishAll()
	return err
}

// Gone implements wire.Decoder.
func (in *intake) Gone() bool { return in.x.gone }

// End implements wire.Decoder.
func (in *intake) End() error {
	if in.stop != "" {
		in.blocks.FinishAll()
	} else {
		in.blocks.Cut()
	}
	if in.r.has {
		u := in.r.usage
		in.x.send(llm.Delta{Kind: llm.DeltaUsage, Usage: &u})
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
