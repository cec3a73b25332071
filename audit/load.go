package audit

import (
	"encoding/json"
	"iter"
	"time"

	"github.com/toolpost/toolpost/event"
	"github.com/toolpost/toolpost/tool"
)

// A View is a run read back, for those who show it.
type View struct {
	Summary
	Live  bool // somebody writes it
	Last  time.Time
	Turns []Turn
	Calls []*Call // in the order in which they were asked for
	// Messages is what the model and others said, as JSON, in order. Start is the
	// payload of run.started, if it had one.
	Messages []json.RawMessage
	Start    json.RawMessage

	end place // of the journal
}

// A Turn is one request to a model and the calls that came of it.
type Turn struct {
	Index   int // from 1; 0 for what happened outside of turns
	Started time.Time
	Replied time.Time // the model's message was whole
	Ended   time.Time
	Calls   []*Call
}

// A Call is one call of a run, with what became of it. Times that it did not
// reach are zero.
type Call struct {
	N         int        // from 1, in the run
	Turn      int        // Turn.Index
	Asked     *tool.Call // as it was asked for
	Ran       *tool.Call // with the arguments and the grant that it started with; nil if it never did
	Result    *tool.Result
	Unknown   bool // it was started and no result is on record: Result says cancelled
	Scheduled time.Time
	Waiting   time.Time // since when it waited for a person or a limit
	WaitedFor string
	Started   time.Time
	Ended     time.Time
	Progress  []Progress
}

// Progress is what a running call told of itself.
type Progress struct {
	Time time.Time
	Text string
}

// ID is the id of the call.
func (c *Call) ID() string { return c.Asked.ID }

// Tool is the name of the tool.
func (c *Call) Tool() string {
	if c.Ran != nil {
		return c.Ran.Tool
	}
	if c.Result != nil && c.Result.Tool != "" {
		return c.Result.Tool
	}
	return c.Asked.Tool
}

// Call finds a call by its id or its number.
func (v *View) Call(name string) (*Call, error) {
	return findCall(v.Calls, name)
}

// load makes the view of what stands in the records.
func load(recs iter.Seq2[*Entry, error]) (*View, error) {
	l := loader{view: &View{Summary: Summary{Status: StatusRunning}}, open: map[string]*Call{}}
	for r, err := range recs {
		if err != nil {
			l.close()
			return l.view, err // with what stands before the failure
		}
		l.add(r)
		l.view.end = r.next
	}
	l.close()
	return l.view, nil
}

type loader struct {
	view  *View
	first time.Time
	open  map[string]*Call // without a result
}

func (l *loader) add(r *Entry) {
	if l.first.IsZero() {
		l.first = r.Time
	}
	at := l.first.Add(r.After)
	v := l.view
	v.Last = at
	if r.Facts != nil {
		v.Facts = *r.Facts
	}
	v.Summary.add(&r.Event, rawPayload(&r.Event))
	switch r.Type {
	case event.TurnStarted:
		v.Turns = append(v.Turns, Turn{Index: r.Index, Started: at})
	case event.RunStarted:
		v.Start = rawPayload(&r.Event)
	case event.MessageDone:
		v.Messages = append(v.Messages, rawPayload(&r.Event))
		if t := l.turn(); t != nil && t.Replied.IsZero() {
			t.Replied = at
		}
	case event.TurnFinished:
		if t := l.turn(); t != nil {
			t.Ended = at
		}
	default:
		if r.Call != nil || r.Result != nil {
			l.step(r, at)
		}
	}
}

// turn is the turn that goes on, or nil.
func (l *loader) turn() *Turn {
	if n := len(l.view.Turns); n > 0 && l.view.Turns[n-1].Ended.IsZero() {
		return &l.view.Turns[n-1]
	}
	return nil
}

func (l *loader) step(r *Entry, at time.Time) {
	id := callID(&r.Event)
	if r.Type == event.StepScheduled {
		l.schedule(id, r.Call, at)
		return
	}
	c := l.open[id]
	switch r.Type {
	case event.StepWaiting, event.StepStarted, event.StepProgress, event.StepFinished, event.StepFailed:
		if c == nil {
			c = l.schedule(id, &tool.Call{Ref: ref(&r.Event)}, at)
		}
	}
	switch r.Type {
	case event.StepWaiting:
		if c.Waiting.IsZero() {
			c.Waiting, c.WaitedFor = at, r.Message
		}
	case event.StepStarted:
		c.Started, c.Ran = at, r.Call
	case event.StepProgress:
		c.Progress = append(c.Progress, Progress{at, r.Text})
	case event.StepFinished, event.StepFailed:
		c.Ended, c.Result = at, r.Result
		delete(l.open, id)
	}
}

func ref(e *event.Event) tool.Ref {
	if e.Result != nil {
		return e.Result.Ref
	}
	return e.Call.Ref
}

func (l *loader) schedule(id string, asked *tool.Call, at time.Time) *Call {
	v := l.view
	c := &Call{N: len(v.Calls) + 1, Asked: asked, Scheduled: at}
	if t := l.turn(); t != nil {
		c.Turn = t.Index
		t.Calls = append(t.Calls, c)
	}
	v.Calls = append(v.Calls, c)
	l.open[id] = c
	return c
}

// close gives calls without a result the one that holds for them.
func (l *loader) close() {
	for _, c := range l.view.Calls {
		if c.Result != nil {
			continue
		}
		c.Unknown = c.Ran != nil
		c.Result = lost(c)
	}
}

// lost is the result of a call that has none on record.
func lost(c *Call) *tool.Result {
	text := "the record ends before the call was started: it was not made"
	if c.Ran != nil {
		text = "the record ends while the call ran: its outcome is unknown"
	}
	r := tool.Fail(tool.Errorf(tool.CodeCancelled, "%s", text))
	r.Ref, r.Started = c.Asked.Ref, c.Started
	r.Tool = c.Tool()
	return r
}
