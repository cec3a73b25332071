package audit

import (
	"context"
	"errors"

	"github.com/toolpost/toolpost/event"
	"github.com/toolpost/toolpost/tool"
)

// Record is s, written to r. An event is passed on when it is written, and a
// durable one when it is on disk; events that come together (event.Event.More)
// share one sync and are passed on after it. An event has the number that it has
// on record, which goes on where an earlier recording of the run ended.
//
// When a record cannot be written, the run is cancelled and the error is the last
// thing yielded: nothing that is not on record was passed on. When s ends with
// an error and without run.finished, Record writes that event. The run is closed
// when the stream has ended. To break leaves the record as a crash would.
func Record(r *Run, s event.Stream) event.Stream {
	return func(yield func(event.Event, error) bool) {
		defer r.Close() // also when the listener panics
		w := recording{run: r, yield: yield}
		failed := w.record(s)
		err := r.Close()
		switch {
		case w.left:
		case w.err != nil:
			yield(event.Event{}, w.err)
		case err != nil:
			yield(event.Event{}, err)
		case failed != nil:
			yield(event.Event{}, failed)
		}
	}
}

// recording is one Record at work.
type recording struct {
	run      *Run
	yield    func(event.Event, error) bool
	held     []event.Event // written, and to be passed on after the next sync
	durable  bool          // one of them must be on disk before
	finished bool
	left     bool  // nobody listens any more
	err      error // of the record
}

// record writes all of s, and returns the error that s ended with.
func (w *recording) record(s event.Stream) (failed error) {
	for e, err := range s {
		if err != nil {
			failed = err
			continue // it is the last
		}
		if !w.add(e) {
			return nil
		}
	}
	if failed != nil && !w.finished {
		w.add(event.Event{Type: event.RunFinished, Run: w.run.ID(), Time: now(), Level: event.LevelError,
			Message: failed.Error(), Payload: failure(failed)})
	}
	if len(w.held) > 0 && w.err == nil && !w.left {
		w.flush()
	}
	return failed
}

// add writes e, and passes it on with those that wait for it. It reports whether
// to go on.
func (w *recording) add(e event.Event) bool {
	if e.Time.IsZero() {
		e.Time = now()
	}
	if w.err = w.run.append(&e); w.err != nil {
		return false
	}
	w.finished = w.finished || e.Type == event.RunFinished
	if !e.More && !e.Type.Durable() && len(w.held) == 0 {
		w.left = !w.yield(e, nil)
		return !w.left
	}
	w.durable = w.durable || e.Type.Durable()
	w.held = append(w.held, e)
	if e.More {
		return true
	}
	return w.flush()
}

// flush syncs what is held, and passes it on.
func (w *recording) flush() bool {
	if w.durable {
		if w.err = w.run.commit(); w.err != nil {
			return false
		}
	}
	w.durable = false
	for _, e := range w.held {
		if w.left = !w.yield(e, nil); w.left {
			return false
		}
	}
	clear(w.held)
	w.held = w.held[:0]
	return true
}

// failure is the payload of the run.finished that Record writes.
func failure(err error) any {
	status := StatusError
	if errors.Is(err, context.Canceled) {
		status = StatusCancelled
	}
	e := tool.AsError(err)
	return struct {
		Status Status      `json:"status"`
		Error  *tool.Error `json:"error"`
	}{status, e}
}

// A Keeper makes runs to record. Store and Memory are keepers.
type Keeper interface {
	Create(Facts) (*Run, error)
}

// Calls is the middleware for a door: each call that comes through it is a run
// of its own, on record like others. It stands outermost, around the Call of a
// tool.Set. The facts are those of all its runs; id, kind, start and parent are
// set for each. A call that cannot be put on record is not made.
func Calls(k Keeper, f Facts) tool.Middleware {
	return func(next tool.Handler) tool.Handler {
		return func(ctx context.Context, c *tool.Call) (*tool.Result, error) {
			facts := f
			facts.ID, facts.Kind, facts.Parent = "", KindCall, c.Run
			run, err := k.Create(facts)
			if err != nil {
				return nil, err
			}
			var res *tool.Result
			for e, err := range Record(run, event.Go(ctx, run.ID(), one(next, c, tellBoth(ctx)))) {
				if err != nil {
					return nil, err
				}
				if e.Result != nil {
					res = e.Result
				}
			}
			return res, nil
		}
	}
}

// one is the driver of a run of one call.
func one(next tool.Handler, c *tool.Call, notes tool.Middleware) func(context.Context, *event.Run) error {
	return func(ctx context.Context, r *event.Run) error {
		r.Emit(event.Event{Type: event.RunStarted, Message: c.Tool})
		res := r.Do(ctx, notes(next), c)
		end := event.Event{Type: event.RunFinished, Message: c.Tool + ": " + string(res.Status)}
		if res.Status == tool.StatusCancelled && ctx.Err() != nil {
			r.Emit(event.Event{Type: event.RunCancelled, Level: event.LevelWarn, Message: "cancelled"})
		} else if res.IsError() {
			end.Level = event.LevelError
		}
		r.Emit(end)
		return nil
	}
}

// tellBoth has whoever listens to notes under outer hear those of a call that is
// made under another listener, after that one.
func tellBoth(outer context.Context) tool.Middleware {
	return func(next tool.Handler) tool.Handler {
		return func(ctx context.Context, c *tool.Call) (*tool.Result, error) {
			return next(tool.WithNotes(ctx, func(n tool.Note) {
				tool.Notify(ctx, n)
				tool.Notify(outer, n)
			}), c)
		}
	}
}
