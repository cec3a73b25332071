package gemini

import (
	"bytes"
	"encoding/json"
	"slices"

	"github.com/toolpost/toolpost/internal/jsonx"
	"github.com/toolpost/toolpost/internal/wire"
	"github.com/toolpost/toolpost/llm"
	"github.com/toolpost/toolpost/tool"
)

// events takes answers of Interactions apart.
type events struct {
	*intake
	r     eventReader
	steps []running
}

// A running is a step that has begun.
type running struct {
	index     int
	kind      string
	number    int // of a call
	tool      string
	args      []byte
	signature []byte
	raw       []byte // of a step that is not for us to read
}

// Event implements wire.Decoder.
func (d *events) Event(name, data []byte) (wire.State, error) {
	if string(data) == "[DONE]" || string(name) == "done" {
		return wire.Over, nil
	}
	if !d.r.read(data) {
		return wire.Nothing, wire.ErrNotJSON
	}
	if len(d.r.kind) == 0 {
		d.r.kind = name
	}
	err := d.event()
	return d.state(), err
}

// Whole implements wire.Decoder.
func (d *events) Whole(data []byte) error {
	i, ok := d.r.readInteraction(data)
	if !ok {
		return wire.ErrNotJSON
	}
	if len(i.status) == 0 {
		return llm.ErrorOf(0, nil, data)
	}
	i.status, i.token = bytes.Clone(i.status), bytes.Clone(i.token) // what is read next may lie over them
	d.start(i.model, i.id)
	d.hop.id = string(i.id)
	for n, s := range i.steps {
		if err := d.begin(n, s); err != nil {
			return err
		}
		d.stopStep(n)
	}
	return d.completed(i)
}

// event takes the event that was read. Those of an unknown kind are passed over.
func (d *events) event() error {
	e := &d.r.event
	if len(e.usage) > 0 {
		d.count(e.usage)
	}
	switch kind := string(e.kind); {
	case kind == "error" || e.fault && d.stop == "":
		d.hop.fault = true
		return llm.ErrorOf(0, nil, d.r.all)
	case kind == "interaction.created" || kind == "interaction.start":
		i, ok := d.r.readInteraction(e.interaction)
		if !ok {
			return wire.ErrNotJSON
		}
		d.hop.id = string(i.id)
		d.start(i.model, i.id)
	case kind == "interaction.status_update":
		return d.status(string(e.status), e.token)
	case kind == "step.start":
		return d.begin(e.index, e.step)
	case kind == "step.delta":
		return d.delta(e.index, e.delta)
	case kind == "step.stop":
		d.stopStep(e.index)
	case kind == "interaction.completed":
		i, ok := d.r.readInteraction(e.interaction)
		if !ok {
			return wire.ErrNotJSON
		}
		return d.completed(i)
	}
	return nil
}

func (d *events) count(usage []byte) {
	if u, ok := d.r.readUsage(usage); ok {
		d.usage, d.has = u, true
	}
}

func (d *events) completed(i interaction) error {
	d.start(i.model, i.id)
	for len(d.steps) > 0 {
		d.stopStep(d.steps[0].index)
	}
	status, token := string(i.status), append([]byte(nil), i.token...)
	if len(i.usage) > 0 {
		d.count(i.usage)
	}
	d.stop, d.word = "", ""
	d.hop.token, d.hop.since = "", false // what is told of the whole is the last word
	return d.status(status, token)
}

// status notes how the interaction is: an end is the end of the reply.
func (d *events) status(word string, token []byte) error {
	d.hop.check(token)
	switch word {
	case "", "in_progress", "queued":
	case "requires_action":
		d.ended(llm.StopCalls, word)
	case "completed":
		d.ended(llm.StopEnd, word)
	case "incomplete", "budget_exceeded":
		d.ended(llm.StopLength, word)
	case "requires_continuation":
		d.ended(llm.StopContinue, word)
	case "failed", "cancelled":
		d.hop.fault = true
		return &llm.Error{Code: tool.CodeUnavailable, Type: word, Retryable: true, Message: "the server says that the interaction " + map[string]string{"failed": "failed", "cancelled": "was cancelled"}[word]}
	default:
		d.ended(llm.Stop(word), word)
	}
	return nil
}

func (d *events) find(index int) *running {
	for i := range d.steps {
		if d.steps[i].index == index {
			return &d.steps[i]
		}
	}
	return nil
}

// begin takes the beginning of a step, which may hold some of it, or all.
func (d *events) begin(index int, raw []byte) error {
	s, ok := d.r.readStep(raw)
	if !ok {
		return wire.ErrNotJSON
	}
	d.hop.any = true
	if d.find(index) != nil { // it never ended
		d.stopStep(index)
	}
	p := running{index: index, kind: string(s.kind)}
	switch p.kind {
	case "function_call":
		p.tool = d.x.tools.Canonical(string(s.name))
		p.number = d.open(s.id, s.name, s.signature)
	case "thought", "model_output", "user_input":
	default:
		p.raw = append([]byte(nil), raw...)
	}
	d.steps = append(d.steps, p)
	d.add(&d.steps[len(d.steps)-1], &s)
	return nil
}

// delta takes a piece of a step.
func (d *events) delta(index int, raw []byte) error {
	s, ok := d.r.readStep(raw)
	if !ok {
		return wire.ErrNotJSON
	}
	d.hop.any = true
	p := d.find(index)
	if p == nil { // its beginning never came
		kind := map[string]string{"text": "model_output", "thought_summary": "thought", "thought_signature": "thought"}[string(s.kind)]
		if kind == "" {
			return nil
		}
		d.steps = append(d.steps, running{index: index, kind: kind})
		p = &d.steps[len(d.steps)-1]
	}
	switch {
	case p.raw != nil:
		p.raw = merged(p.raw, raw)
	case p.kind == "model_output" && string(s.kind) != "text" && string(s.kind) != "text_annotation_delta":
		s.media = append(s.media, raw)
		d.add(p, &s)
	default:
		d.add(p, &s)
	}
	return nil
}

// add adds what s holds to the step p.
func (d *events) add(p *running, s *step) {
	switch p.kind {
	case "function_call":
		if len(s.args) > 0 && string(s.args) != "{}" && string(s.args) != "null" {
			p.args = append(p.args[:0], s.args...)
		}
		if len(s.fragment) > 0 {
			p.args = append(p.args, s.fragment...)
			d.hop.content()
			d.send(llm.Delta{Kind: llm.DeltaCall, Index: p.number, Text: string(bytes.ToValidUTF8(s.fragment, []byte("\uFFFD")))})
		}
	case "thought":
		if len(s.thinking) > 0 {
			d.say(llm.DeltaThinking, s.thinking, nil)
		}
		p.signature = append(p.signature, s.signature...)
	case "model_output":
		if len(s.text) > 0 {
			d.say(llm.DeltaText, s.text, nil)
		}
		for _, m := range s.media {
			d.opaque(slices.Concat([]byte(`{"type":"model_output","content":[`), m, []byte("]}")))
		}
	}
}

// stopStep ends a step.
func (d *events) stopStep(index int) {
	at := slices.IndexFunc(d.steps, func(p running) bool { return p.index == index })
	if at < 0 {
		return
	}
	p := d.steps[at]
	d.steps = slices.Delete(d.steps, at, at+1)
	switch {
	case p.kind == "function_call":
		d.close(p.number, p.tool, p.args)
	case p.kind == "thought" && len(p.signature) > 0:
		d.say(llm.DeltaThinking, nil, p.signature)
	case p.raw != nil:
		d.opaque(p.raw)
	}
}

// merged is the step with the members of a piece of it put in their places.
func merged(step, delta []byte) []byte {
	var all, more map[string]json.RawMessage
	if json.Unmarshal(step, &all) != nil || json.Unmarshal(delta, &more) != nil {
		return step
	}
	for k, v := range more {
		if k != "type" {
			all[k] = v
		}
	}
	b, err := jsonx.Marshal(all)
	if err != nil {
		return step
	}
	return b
}
