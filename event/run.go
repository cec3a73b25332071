package event

import (
	"context"
	"iter"
	"time"

	"github.com/toolpost/toolpost/tool"
)

// A Stream is the events of one run as it goes on. The run moves only while the
// stream is ranged over, and to break is to cancel it and to wait for its end.
// An error is the last thing it yields, with a zero Event beside it.
type Stream = iter.Seq2[Event, error]

// A Run is a run seen from inside: by it a driver emits events and makes calls.
// It belongs to the goroutine it was given to; a Group gives the functions that
// it runs a Run of their own.
type Run struct {
	id     string
	crew   *tool.Crew
	stream *stream // set on the run's own goroutine
	owner  *Group  // set in a Group's function
	ack    chan struct{}
	over   chan struct{} // closed when what the Group runs has ended

	around, heard context.Context // the last context of a call, and the same with r listening
}

// stream is what the goroutine that ranges knows of the run.
type stream struct {
	yield    func(Event, error) bool
	cancel   context.CancelFunc
	seq      int64
	gone     bool // no one listens any more
	panicked bool
	value    any
}

// Go is a stream of what run emits under the given run id. Run is called on the
// goroutine that ranges, with a context that ends when the listener leaves, and
// has ended when the stream has. An error of run is yielded last. A stream can
// be ranged over once for each time the work is to be done.
func Go(ctx context.Context, id string, run func(context.Context, *Run) error) Stream {
	return func(yield func(Event, error) bool) {
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		crew := tool.NewCrew()
		defer crew.Dismiss()
		s := &stream{yield: yield, cancel: cancel}
		err := run(tool.WithCrew(ctx, crew), &Run{id: id, stream: s, crew: crew})
		if s.panicked {
			panic(s.value)
		}
		if err != nil && !s.gone {
			yield(Event{}, err)
		}
	}
}

// ID is the id of the run.
func (r *Run) ID() string { return r.id }

// Emit adds an event and returns once it is dealt with. When no one listens any
// more it does nothing.
func (r *Run) Emit(e Event) {
	if r.stream != nil {
		r.stream.emit(r.id, e)
		return
	}
	r.owner.hand(r, e, false)
}

// emit has the listener deal with e. A panic of the listener is kept until the
// run has ended, so that the driver can clean up.
func (s *stream) emit(id string, e Event) {
	if s.gone {
		return
	}
	s.seq++
	e.Run, e.Seq = id, s.seq
	if e.Time.IsZero() {
		e.Time = time.Now()
	}
	stays := false
	defer func() {
		if stays {
			return
		}
		s.gone = true
		s.cancel()
		if v := recover(); v != nil {
			s.panicked, s.value = true, v
		}
	}()
	stays = s.yield(e, nil)
}

// Do is tool.Do, told of: scheduled, waiting, started, progress, and finished or
// failed. What runs is a copy of c: c itself stays as it was asked for.
func (r *Run) Do(ctx context.Context, h tool.Handler, c *tool.Call) *tool.Result {
	own := r.schedule(c)
	res := r.do(ctx, h, own)
	r.pass(finished(own, res))
	return res
}

// schedule tells of a call and is the copy that will run.
func (r *Run) schedule(c *tool.Call) *tool.Call {
	if c.ID == "" {
		c.ID = tool.NewID()
	}
	c.Run = r.id
	r.Emit(Event{Type: StepScheduled, Call: c, Message: c.Tool})
	own := *c
	return &own
}

func (r *Run) do(ctx context.Context, h tool.Handler, c *tool.Call) *tool.Result {
	if r.around != ctx {
		r.around, r.heard = ctx, tool.WithNotes(ctx, r.note)
	}
	return tool.Do(r.heard, h, c)
}

func finished(c *tool.Call, res *tool.Result) Event {
	e := Event{Type: StepFinished, Call: c, Result: res, Message: c.Tool}
	if res.IsError() {
		e.Type, e.Level = StepFailed, LevelWarn
		e.Message = c.Tool + ": " + res.Err.Message
	}
	return e
}

// pass emits an event with which a call's preparation is over.
func (r *Run) pass(e Event) {
	if r.owner != nil {
		r.owner.hand(r, e, true)
		return
	}
	r.Emit(e)
}

func (r *Run) note(n tool.Note) {
	e := Event{Call: n.Call, Message: n.Message, Time: n.At}
	if e.Message == "" {
		e.Message = n.Call.Tool
	}
	switch n.Kind {
	case tool.NoteReady:
		if r.owner != nil {
			r.owner.ready(r, n.Call)
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
