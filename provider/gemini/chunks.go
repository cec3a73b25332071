package gemini

import (
	"bytes"
	"encoding/json"

	"github.com/toolpost/toolpost/internal/wire"
	"github.com/toolpost/toolpost/llm"
)

// chunks takes answers of generateContent apart.
type chunks struct {
	*intake
	r       reader
	growing growing
}

// Event implements wire.Decoder.
func (d *chunks) Event(_, data []byte) (wire.State, error) {
	if string(data) == "[DONE]" { // of proxies; Google sends none
		return wire.Over, nil
	}
	err := d.chunk(data)
	return d.state(), err
}

// Whole implements wire.Decoder. A stream that was asked for without alt=sse
// comes as a list of chunks.
func (d *chunks) Whole(data []byte) error {
	list := []json.RawMessage{data}
	if t := bytes.TrimSpace(data); len(t) > 0 && t[0] == '[' {
		if json.Unmarshal(t, &list) != nil {
			return wire.ErrNotJSON
		}
	}
	for _, b := range list {
		if err := d.chunk(b); err != nil {
			return err
		}
	}
	if !d.hop.any {
		return llm.ErrorOf(0, nil, data)
	}
	return nil
}

// chunk takes one piece of a reply.
func (d *chunks) chunk(b []byte) error {
	if !d.r.read(b) {
		return wire.ErrNotJSON
	}
	r := &d.r
	switch {
	case r.fault && (d.stop == "" || d.stop == llm.StopEnd):
		d.hop.fault = true
		return llm.ErrorOf(0, nil, b)
	case !r.known:
		return nil
	}
	d.start(r.model, r.id)
	for i := range r.parts {
		d.part(&r.parts[i])
	}
	if r.hasUsage {
		d.usage, d.has = r.usage, true
	}
	d.hop.check(r.token)
	switch {
	case len(r.finish) > 0:
		d.broken()
		d.ended(stopOf(string(r.finish)), string(r.finish))
	case len(r.blocked) > 0:
		d.ended(llm.StopRefused, string(r.blocked))
	}
	return nil
}

func (d *chunks) part(p *part) {
	switch p.kind {
	case partText:
		if len(p.text) > 0 || len(p.signature) > 0 {
			d.say(llm.DeltaText, p.text, p.signature)
		}
	case partThought:
		if len(p.text) > 0 || len(p.signature) > 0 {
			d.say(llm.DeltaThinking, p.text, p.signature)
		}
	case partCall:
		d.call(p)
	case partOther:
		d.opaque(p.raw)
	}
}

// call takes a call, or a piece of one that comes in pieces.
func (d *chunks) call(p *part) {
	g := &d.growing
	if g.open && len(p.name) > 0 {
		d.grown()
	}
	switch {
	case !g.open && !p.more && len(p.pieces) == 0:
		if len(p.name) > 0 || len(p.args) > 0 {
			d.whole(p.id, p.name, p.args, p.signature)
		}
		return
	case !g.open:
		*g = growing{open: true, tool: d.x.tools.Canonical(string(p.name))}
		g.number = d.open(p.id, p.name, p.signature)
	}
	g.take(p.pieces)
	if !p.more {
		d.grown()
	}
}

// grown ends the call that came in pieces.
func (d *chunks) grown() {
	d.close(d.growing.number, d.growing.tool, d.growing.args())
	d.growing = growing{}
}

// broken hands on what there is of a call whose last piece never came, as text
// that is no JSON.
func (d *chunks) broken() {
	if g := &d.growing; g.open {
		args := g.args()
		d.send(llm.Delta{Kind: llm.DeltaCall, Index: g.number, Text: string(args[:len(args)-1])})
		*g = growing{}
	}
}

const malformed = "MALFORMED_FUNCTION_CALL"

// stopOf is what a finishReason means; an unknown one is kept.
func stopOf(word string) llm.Stop {
	switch word {
	case "STOP":
		return llm.StopEnd
	case "MAX_TOKENS":
		return llm.StopLength
	case "SAFETY", "RECITATION", "BLOCKLIST", "PROHIBITED_CONTENT", "SPII",
		"IMAGE_SAFETY", "IMAGE_PROHIBITED_CONTENT", "IMAGE_RECITATION", "MODEL_ARMOR":
		return llm.StopRefused
	case malformed, "UNEXPECTED_TOOL_CALL", "TOO_MANY_TOOL_CALLS":
		return llm.StopBadCall
	case "CONTINUATION":
		return llm.StopContinue
	}
	return llm.Stop(word)
}
