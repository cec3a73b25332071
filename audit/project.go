package audit

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"strconv"

	"github.com/toolpost/toolpost/event"
	"github.com/toolpost/toolpost/internal/jsonx"
)

// The projections of a journal.
const (
	callLines = iota
	resultLines
	messageLines
	projections
)

var projectionNames = [projections]string{"calls.jsonl", "results.jsonl", "messages.jsonl"}

// A projector makes the lines of the projections of records, one by one. It sees
// nothing but what stands in them, so that a rebuild comes to the same bytes. It
// belongs to one goroutine.
//
// A call has its line when it starts, with the arguments that run; one that
// never starts has it when it ends, as it was asked for.
type projector struct {
	constants []byte // members that every call of the run has, from its facts
	policy    []byte // of a call that names none
	asked     map[string][]byte
	lines     [projections][]byte // that the last record gave, with their ends; empty if none
}

// parts are the values of a record that projections show, as they stand in it:
// the call and the result of a step, or else the event's own payload.
type parts struct{ call, result, own []byte }

// bearsCall reports whether a record of this type has a call or a result as
// payload that the projections show.
func bearsCall(t event.Type) bool {
	switch t {
	case event.StepScheduled, event.StepStarted, event.StepFinished, event.StepFailed:
		return true
	}
	return false
}

// facts sets what the run's facts add to each call.
func (p *projector) facts(f *Facts) error {
	e := encoder{buf: append(p.constants[:0], '{')}
	e.text("plannerVersion", f.PlannerVersion)
	e.text("executorVersion", f.ExecutorVersion)
	e.text("toolRegistryVersion", f.Registry)
	p.constants = e.buf
	p.policy = nil
	if f.Policy != nil {
		b, err := json.Marshal(f.Policy)
		if err != nil {
			return err
		}
		p.policy = appendCompact(nil, b)
	}
	return nil
}

// add shows the projector a record: its event and the parts of its payload.
func (p *projector) add(e *event.Event, in parts) {
	for i := range p.lines {
		p.lines[i] = p.lines[i][:0]
	}
	switch e.Type {
	case event.StepScheduled:
		if p.asked == nil {
			p.asked = map[string][]byte{}
		}
		p.asked[callID(e)] = bytes.Clone(in.call)
	case event.StepStarted:
		delete(p.asked, callID(e))
		p.callLine(in.call)
	case event.StepFinished, event.StepFailed:
		if asked, ok := p.asked[callID(e)]; ok {
			delete(p.asked, callID(e))
			p.callLine(asked)
		}
		p.resultLine(in.result)
	case event.MessageDone:
		if len(in.own) > 0 && in.own[0] == '{' {
			p.lines[messageLines] = append(append(p.lines[messageLines], in.own...), '\n')
		}
	}
}

func (p *projector) callLine(call []byte) {
	if len(call) == 0 {
		return
	}
	e := encoder{buf: append(p.lines[callLines], call[:len(call)-1]...)}
	attempt, policy := false, false
	for name, value := range members(call) {
		switch string(name) {
		case "args", "argsText":
			e.text("argsHash", hashOf(value, string(name) == "argsText"))
		case "attempt":
			attempt = true
		case "policy":
			policy = true
		}
	}
	if !attempt {
		e.int("attempt", 1)
	}
	e.flag("cancellable", true)
	if !policy && p.policy != nil {
		e.name("policy")
		e.buf = append(e.buf, p.policy...)
	}
	if len(p.constants) > 1 {
		e.buf = append(append(e.buf, ','), p.constants[1:]...)
	}
	p.lines[callLines] = append(e.buf, '}', '\n')
}

func (p *projector) resultLine(res []byte) {
	if len(res) == 0 {
		return
	}
	e := encoder{buf: append(p.lines[resultLines], res[:len(res)-1]...)}
	for name, value := range members(res) {
		switch string(name) {
		case "data", "dataText":
			e.text("dataHash", hashOf(value, string(name) == "dataText"))
		}
	}
	p.lines[resultLines] = append(e.buf, '}', '\n')
}

// hashOf is the SHA-256 of the canonical form (RFC 8785) of a value in hex. Of
// what was no JSON, and stands as a string, it is that of the text itself.
func hashOf(value []byte, isText bool) string {
	if isText {
		value = jsonx.AppendText(nil, value)
	} else if h, err := jsonx.Hash(value); err == nil {
		return h
	}
	sum := sha256.Sum256(value) // also of a number that no double comes near
	return hex.EncodeToString(sum[:])
}

// Counts is how many there are of what a run's record holds.
type Counts struct {
	Records   int64 `json:"records"`
	Turns     int   `json:"turns"`
	Calls     int   `json:"calls"` // that have an answer
	OK        int   `json:"ok,omitzero"`
	Errors    int   `json:"errors,omitzero"`
	Blocked   int   `json:"blocked,omitzero"`
	Timeouts  int   `json:"timeouts,omitzero"`
	Cancelled int   `json:"cancelled,omitzero"`
	Skipped   int   `json:"skipped,omitzero"`
	Pending   int   `json:"pending,omitzero"`
	Partial   int   `json:"partial,omitzero"`
}

// Usage is the sums of the numbers in the run's usage events, by their names,
// such as "input" and "output" tokens.
type Usage map[string]float64

// add sums the numbers of one usage event, which is an object.
func (u *Usage) add(payload []byte) {
	var m map[string]json.RawMessage
	if json.Unmarshal(payload, &m) != nil {
		return
	}
	for name, raw := range m {
		n, err := strconv.ParseFloat(string(raw), 64)
		if err != nil || n == 0 {
			continue
		}
		if *u == nil {
			*u = Usage{}
		}
		(*u)[name] += n
	}
}
