package event

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/toolpost/toolpost/tool"
)

// An Event is one thing that happened in a run. Go fills in Run, Seq and Time.
// What Call, Result and Payload point at is shared: it is not to be changed.
type Event struct {
	Type    Type
	Run     string
	Seq     int64     // from 1, without gaps
	Time    time.Time //
	Level   Level     // info if empty
	Message string    // for a person
	Step    string    // of a plan
	Call    *tool.Call
	Result  *tool.Result
	Text    string // of a delta
	Index   int    // of a delta: which block of the message; of turn.started: the turn, from 1
	Payload any    // anything more, by its JSON form

	// More says that another event is ready: who collects events to write them
	// together may put off writing until one without it. It is no part of the
	// record.
	More bool
}

// Level says how much an event matters.
type Level string

// Levels.
const (
	LevelInfo  Level = "info"
	LevelWarn  Level = "warn"
	LevelError Level = "error"
)

// Type says what happened.
type Type string

// All types, in the order in which a run shows them first.
const (
	RunStarted      Type = "run.started"
	ConfirmAsked    Type = "run.confirmationRequested"
	Confirmed       Type = "run.confirmed"
	TurnStarted     Type = "turn.started"
	MessageStarted  Type = "message.started"
	MessageUpdated  Type = "message.updated"
	TextDelta       Type = "text.delta"
	ThinkingDelta   Type = "thinking.delta"
	ToolCallStarted Type = "toolcall.started"
	ToolCallDelta   Type = "toolcall.delta"
	ToolCallDone    Type = "toolcall.finished"
	MessageDone     Type = "message.finished"
	StepScheduled   Type = "step.scheduled" // the call is requested, as the model sent it
	StepWaiting     Type = "step.waiting"   // for a person or a limit
	StepStarted     Type = "step.started"   // with the arguments and the grant with which it runs
	StepProgress    Type = "step.progress"
	StepFinished    Type = "step.finished"
	StepFailed      Type = "step.failed"
	Usage           Type = "usage"
	TurnFinished    Type = "turn.finished"
	Fallback        Type = "model.fallback" // another model of the pipeline is asked
	Retry           Type = "model.retry"
	ToolLeftOut     Type = "tool.leftOut" // the model's server cannot be told of it
	ConfigReloaded  Type = "config.reloaded"
	RunCancelled    Type = "run.cancelled"
	RunFinished     Type = "run.finished"
)

// Durable reports whether what follows the event must wait until it is on disk.
func (t Type) Durable() bool {
	switch t {
	case RunStarted, StepStarted, StepFinished, StepFailed, MessageDone, Confirmed, RunCancelled, RunFinished:
		return true
	}
	return false
}

// OpenClaw is the name that OpenClaw has for an event of this type, or "".
func (t Type) OpenClaw() string {
	switch t {
	case RunStarted:
		return "agent_start"
	case RunFinished:
		return "agent_end"
	case TurnStarted:
		return "turn_start"
	case TurnFinished:
		return "turn_end"
	case MessageStarted:
		return "message_start"
	case MessageUpdated:
		return "message_update"
	case MessageDone:
		return "message_end"
	case TextDelta:
		return "text_delta"
	case ThinkingDelta:
		return "thinking_delta"
	case ToolCallStarted:
		return "toolcall_start"
	case ToolCallDelta:
		return "toolcall_delta"
	case ToolCallDone:
		return "toolcall_end"
	case StepScheduled:
		return "tool_execution_start"
	case StepProgress:
		return "tool_execution_update"
	case StepFinished, StepFailed:
		return "tool_execution_end"
	}
	return ""
}

// line is an Event as written.
type line struct {
	Type    Type   `json:"type"`
	Run     string `json:"runId"`
	Seq     int64  `json:"seq"`
	Time    string `json:"timestamp"`
	Level   Level  `json:"level"`
	Message string `json:"message"`
	CallID  string `json:"callId,omitzero"`
	Step    string `json:"stepId,omitzero"`
	Tool    string `json:"tool,omitzero"`
	Payload any    `json:"payload,omitempty"`
}

// body is the payload of an event that has none of its own.
type body struct {
	Call   *tool.Call   `json:"call,omitempty"`
	Result *tool.Result `json:"result,omitempty"`
	Text   string       `json:"text,omitzero"`
	Index  int          `json:"index,omitzero"`
	More   any          `json:"more,omitempty"`
}

// MarshalJSON writes the event as one object, times in UTC with milliseconds.
func (e Event) MarshalJSON() ([]byte, error) {
	l := line{Type: e.Type, Run: e.Run, Seq: e.Seq, Time: e.Time.UTC().Format("2006-01-02T15:04:05.000Z"), Level: e.Level, Message: e.Message, Step: e.Step, Payload: e.Payload}
	if l.Level == "" {
		l.Level = LevelInfo
	}
	if c := e.Call; c != nil {
		l.CallID, l.Tool = c.ID, c.Tool
		if l.Step == "" {
			l.Step = c.Step
		}
	}
	if r := e.Result; r != nil {
		l.CallID, l.Tool = r.ID, r.Tool
	}
	if e.Call != nil && e.Result == nil && e.Type != StepStarted && e.Type != StepScheduled {
		e.Call = nil // its id says enough
	}
	if e.Call != nil && e.Result != nil {
		e.Call = nil
	}
	if e.Call != nil || e.Result != nil || e.Text != "" || e.Index != 0 {
		l.Payload = body{e.Call, e.Result, e.Text, e.Index, e.Payload}
	}
	b, err := json.Marshal(l)
	if err != nil {
		return nil, fmt.Errorf("write event %s: %w", e.Type, err)
	}
	return b, nil
}

// UnmarshalJSON reads what MarshalJSON wrote. A payload that is not a call, a
// result or a text comes back as json.RawMessage.
func (e *Event) UnmarshalJSON(b []byte) error {
	var l struct {
		line
		Time    time.Time       `json:"timestamp"`
		Payload json.RawMessage `json:"payload"`
	}
	if err := json.Unmarshal(b, &l); err != nil {
		return fmt.Errorf("read event: %w", err)
	}
	*e = Event{Type: l.Type, Run: l.Run, Seq: l.Seq, Time: l.Time, Level: l.Level, Message: l.Message, Step: l.Step}
	if e.Level == LevelInfo {
		e.Level = ""
	}
	if l.CallID != "" {
		e.Call = &tool.Call{Ref: tool.Ref{ID: l.CallID, Tool: l.Tool, Run: l.Run, Step: l.Step}}
	}
	if len(l.Payload) == 0 {
		return nil
	}
	if !e.Type.hasBody() {
		e.Payload = l.Payload
		return nil
	}
	var p struct {
		body
		More json.RawMessage `json:"more"`
	}
	if err := json.Unmarshal(l.Payload, &p); err != nil {
		return fmt.Errorf("read payload of event %d: %w", l.Seq, err)
	}
	if p.Call != nil {
		e.Call = p.Call
	}
	e.Result, e.Text, e.Index = p.Result, p.Text, p.Index
	if len(p.More) > 0 {
		e.Payload = p.More
	}
	return nil
}

// hasBody reports whether events of this type bear a call, a result, a text or
// an index rather than a payload of their own.
func (t Type) hasBody() bool {
	switch t {
	case StepScheduled, StepWaiting, StepStarted, StepProgress, StepFinished, StepFailed,
		TextDelta, ThinkingDelta, ToolCallStarted, ToolCallDelta, ToolCallDone, TurnStarted, TurnFinished:
		return true
	}
	return false
}
