package audit

import (
	"cmp"
	"encoding/json"
	"maps"
	"time"

	"github.com/toolpost/toolpost/event"
	"github.com/toolpost/toolpost/tool"
)

// Status says how a run stands. A driver may end a run with a word of its own,
// as the member "status" of the payload of run.finished.
type Status string

// Statuses of runs.
const (
	StatusRunning     Status = "running"     // somebody writes it
	StatusInterrupted Status = "interrupted" // nobody writes it, and it has no end: it can be resumed
	StatusOK          Status = "ok"
	StatusError       Status = "error"
	StatusCancelled   Status = "cancelled"
)

// A Summary is what run.json holds: the facts of the run, and how it ended.
type Summary struct {
	Facts
	Status  Status    `json:"status"`
	Ended   time.Time `json:"endedAt,omitzero"`
	Exit    *int      `json:"exitCode,omitempty"`
	Message string    `json:"message,omitzero"` // why it ended, if not well
	Counts  Counts    `json:"counts"`
	Usage   Usage     `json:"usage,omitempty"`
	Money   float64   `json:"money,omitzero"` // as the driver counted it
	// Sealed says that the run has ended and Head is the hash of its last record.
	Sealed bool   `json:"sealed,omitzero"`
	Head   string `json:"head,omitzero"`
	// Proof binds run.json to the records that there were when it was written. It
	// is read, not checked: see Store.Verify.
	Proof *Signature `json:"proof,omitempty"`
}

func (s *Summary) clone() Summary {
	c := *s
	c.Usage = maps.Clone(s.Usage)
	return c
}

// add counts an event; payload is the JSON form of its own payload.
func (s *Summary) add(e *event.Event, payload []byte) {
	s.Counts.Records++
	if s.Sealed { // it goes on
		s.Status, s.Ended, s.Exit, s.Message, s.Sealed, s.Head = StatusRunning, time.Time{}, nil, "", false, ""
	}
	switch e.Type {
	case event.TurnStarted:
		s.Counts.Turns++
	case event.StepFinished, event.StepFailed:
		s.Counts.add(e.Result)
	case event.Usage:
		s.Usage.add(payload)
	case event.RunCancelled:
		s.Status = StatusCancelled
	case event.RunFinished:
		s.end(e, payload)
	}
}

// end takes the run's status and exit code from the event that ends it.
func (s *Summary) end(e *event.Event, payload []byte) {
	var p struct {
		Status Status          `json:"status"`
		Exit   *int            `json:"exitCode"`
		Money  float64         `json:"money"`
		Error  json.RawMessage `json:"error"`
	}
	_ = json.Unmarshal(payload, &p) // a payload of another shape says nothing of these
	switch {
	case p.Status != "":
		s.Status = p.Status
	case s.Status == StatusCancelled:
	case e.Level == event.LevelError:
		s.Status = StatusError
	default:
		s.Status = StatusOK
	}
	if p.Exit != nil {
		s.Exit = p.Exit
	}
	s.Money += p.Money
	if s.Status != StatusOK {
		s.Message = cmp.Or(errorText(p.Error), e.Message)
	}
	s.Ended, s.Sealed = e.Time.UTC().Truncate(time.Millisecond), true
}

// errorText is the text of an error that is written as a string or as an object
// with a message.
func errorText(raw json.RawMessage) string {
	var text string
	if json.Unmarshal(raw, &text) == nil {
		return text
	}
	var e struct {
		Message string `json:"message"`
	}
	_ = json.Unmarshal(raw, &e) // no text then
	return e.Message
}

// close notes how the record stands when nobody writes it any more.
func (s *Summary) close(c *chain) {
	if s.Status == StatusRunning {
		s.Status = StatusInterrupted
	}
	if s.Sealed {
		s.Head = string(c.prev[:])
	}
}

func (c *Counts) add(r *tool.Result) {
	if r == nil {
		return
	}
	c.Calls++
	switch r.Status {
	case tool.StatusOK:
		c.OK++
	case tool.StatusBlocked:
		c.Blocked++
	case tool.StatusTimeout:
		c.Timeouts++
	case tool.StatusCancelled:
		c.Cancelled++
	case tool.StatusSkipped:
		c.Skipped++
	case tool.StatusPending:
		c.Pending++
	case tool.StatusPartial:
		c.Partial++
	default:
		c.Errors++
	}
}
