package event

import (
	"context"

	"github.com/toolpost/toolpost/tool"
)

// A Run is a run seen from inside: by it a driver emits events and makes calls.
// Emit may be called by any goroutine of the run, the other methods by the one
// that the Run was given to.
type Run struct {
	stream *stream
	crew   *tool.Crew
	task   *task // of a Group; nil on the run's own goroutine

	around, heard context.Context // the last context of a call, and the same with this Run listening
}

// ID is the id of the run.
func (r *Run) ID() string { return r.stream.id }

// Emit adds an event and returns once it is dealt with. When no one listens any
// more it does nothing.
func (r *Run) Emit(e Event) { r.stream.emit(e, nil) }

// Do is tool.Do, told of: scheduled, waiting, started, progress, and finished or
// failed. What runs is a copy of c: c itself stays as it was asked for, with the
// id of the run and of the call put in.
func (r *Run) Do(ctx context.Context, h tool.Handler, c *tool.Call) *tool.Result {
	if c.ID == "" {
		c.ID = tool.NewID()
	}
	c.Run = r.stream.id
	r.Emit(Event{Type: StepScheduled, Call: c, Message: c.Tool})
	own := *c
	if r.around != ctx {
		r.around, r.heard = ctx, tool.WithNotes(ctx, r.note)
	}
	res := tool.Do(r.heard, h, &own)
	e := Event{Type: StepFinished, Call: &own, Result: res, Message: own.Tool}
	if res.IsError() {
		e.Type, e.Level = StepFailed, LevelWarn
		e.Message = own.Tool + ": " + res.Err.Message
	}
	r.pass(e)
	return res
}

// pass emits an event with which the preparation of a call is over.
func (r *Run) pass(e Event) {
	if r.task == nil || r.task.prepared {
		r.stream.emit(e, nil)
		return
	}
	r.stream.emit(e, r.task.pass)
}

func (r *Run) note(n tool.Note) {
	e := Event{Call: n.Call, Message: n.Message, Time: n.At}
	if e.Message == "" {
		e.Message = n.Call.Tool
	}
	switch n.Kind {
	case tool.NoteReady:
		if r.task != nil {
			r.task.lock(n.Call)
		}
	case tool.NoteWaiting:
		e.Type = StepWaiting
		r.pass(e)
	case tool.NoteStarted:
		e.Type = StepStarted
		r.pass(e)
	case tool.NoteProgress:
		e.Type = StepProgress
		for _, b := range n.Content {
			e.Text += b.Text
		}
		r.Emit(e)
	}
}

// Go has fn run on another goroutine, with a Run of its own for the calls it
// makes there. Who calls Go waits for fn before the run ends.
func (r *Run) Go(fn func(*Run)) {
	own := &Run{stream: r.stream, crew: r.crew}
	r.crew.Go(func() { fn(own) })
}
