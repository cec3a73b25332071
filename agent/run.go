package agent

import (
	"context"
	"errors"
	"time"

	"github.com/toolpost/toolpost/event"
	"github.com/toolpost/toolpost/llm"
	"github.com/toolpost/toolpost/tool"
)

// run is one run of a Loop. It belongs to the goroutine that ranges.
type run struct {
	*Loop
	session Session
	out     *event.Run
	began   time.Time
	outcome Outcome
	queue   []llm.Message // from the inbox
	budget  budget
	request llm.Request
	reply   llm.Reply
	take    func(llm.Delta, error) bool // what a model's stream is given to
	broke   error                       // with which that stream ended
	tools   tool.Handler                // nil if there are none
	keep    context.Context             // in which messages are kept, also when the run is cancelled
}

// turns asks the model until there is nothing more to do.
func (x *run) turns(ctx context.Context) error {
	ctx = x.heed(ctx)
	for {
		if err := x.steer(); err != nil {
			return err
		}
		if err := x.spent(); err != nil {
			return err
		}
		x.outcome.Turns++
		x.out.Emit(event.Event{Type: event.TurnStarted, Index: x.outcome.Turns})
		more, err := x.turn(ctx)
		if err != nil {
			return err
		}
		x.out.Emit(event.Event{Type: event.TurnFinished, Index: x.outcome.Turns})
		if !more {
			return nil
		}
	}
}

// turn asks the model once and runs its calls. More says that it is to be asked
// again.
func (x *run) turn(ctx context.Context) (more bool, err error) {
	msg, err := x.ask(ctx)
	if err != nil {
		return false, err
	}
	x.outcome.Text = msg.Text()
	calls := callsOf(msg)
	if len(calls) == 0 {
		if msg.Stop == llm.StopContinue {
			return true, nil
		}
		x.debug("tool loop complete, returning text response", "iterations", x.outcome.Turns)
		return x.followUp()
	}
	x.debug("executing tool calls", "iteration", x.outcome.Turns, "count", len(calls))
	results, stop := x.answer(ctx, msg, calls)
	if err := x.append(resultMessage(results)); err != nil {
		return false, err
	}
	if stop != nil {
		return false, stop
	}
	return x.after(ctx, results)
}

// after says whether the model is to be told of these results.
func (x *run) after(ctx context.Context, results []*tool.Result) (more bool, err error) {
	if err := context.Cause(ctx); err != nil {
		return false, err
	}
	terminate, pending := true, false
	for _, r := range results {
		terminate = terminate && r.After == tool.AfterTerminate
		pending = pending || r.Status == tool.StatusPending
		if r.Err == nil {
			continue
		}
		switch r.Err.Ends {
		case tool.EndsRun:
			return false, r.Err
		case tool.EndsTurn:
			return false, nil
		}
	}
	if pending {
		x.outcome.Status = StatusPending
		return false, nil
	}
	if terminate {
		return x.followUp()
	}
	return true, nil
}

// append keeps a message, also when the run has been cancelled.
func (x *run) append(m llm.Message) error {
	return x.session.Append(x.keep, m)
}

// steer puts in what was said meanwhile.
func (x *run) steer() error {
	x.queue = drain(x.queue, x.Inbox)
	n := len(x.queue)
	if x.Drain == DrainOne {
		n = min(n, 1)
	}
	for _, m := range x.queue[:n] {
		if err := x.said(m); err != nil {
			return err
		}
	}
	x.queue = x.queue[n:]
	return nil
}

// followUp puts in a message that waited for the end, if there is one.
func (x *run) followUp() (more bool, err error) {
	x.queue = drain(x.queue, x.Inbox)
	if len(x.queue) > 0 {
		return true, nil
	}
	for _, m := range drain(nil, x.FollowUps) {
		more = true
		if err := x.said(m); err != nil {
			return false, err
		}
	}
	return more, nil
}

// said appends a message that somebody said and tells of it.
func (x *run) said(m llm.Message) error {
	if m.Role == "" {
		m.Role = llm.RoleUser
	}
	if err := x.append(m); err != nil {
		return err
	}
	x.out.Emit(event.Event{Type: event.MessageDone, Message: string(m.Role), Payload: &m})
	return nil
}

// drain is queue with what is ready in ch behind it.
func drain(queue []llm.Message, ch <-chan llm.Message) []llm.Message {
	for {
		select {
		case m, ok := <-ch:
			if !ok {
				return queue
			}
			queue = append(queue, m)
		default:
			return queue
		}
	}
}

// finish emits the last events of a run that ended with err.
func (x *run) finish(ctx context.Context, err error) error {
	o := &x.outcome
	o.Millis = time.Since(x.began).Milliseconds()
	if err != nil {
		err = ending(ctx, err)
		e := tool.AsError(err)
		o.Code, o.Error = e.Code, e.Message
	}
	switch {
	case err == nil && o.Status != StatusOK:
	case err == nil && o.Denied > 0:
		o.Status = StatusRefused
	case err == nil && o.Open > 0:
		o.Status = StatusOpen
	case err == nil:
	case o.Code == tool.CodeCancelled:
		o.Status = StatusCancelled
		x.out.Emit(event.Event{Type: event.RunCancelled, Level: event.LevelWarn, Message: o.Error})
	case o.Code == tool.CodeLimit || o.Code == tool.CodeLoop:
		o.Status = StatusLimit
	default:
		o.Status = StatusFailed
	}
	level := event.Level("")
	if err != nil {
		level = event.LevelError
	}
	x.out.Emit(event.Event{Type: event.RunFinished, Level: level, Message: string(o.Status), Payload: o})
	return err
}

// ending is err, or why the context ended if that is all that err says.
func ending(ctx context.Context, err error) error {
	cause := context.Cause(ctx)
	if cause == nil || !errors.Is(err, ctx.Err()) && tool.AsError(err).Code != tool.CodeCancelled {
		return err
	}
	var e *tool.Error
	if errors.As(cause, &e) {
		return e
	}
	return tool.Errorf(tool.CodeCancelled, "the run was cancelled: %w", cause)
}

func (x *run) debug(msg string, args ...any) {
	if x.Log != nil {
		x.Log.Debug(msg, append([]any{"run", x.out.ID()}, args...)...)
	}
}
