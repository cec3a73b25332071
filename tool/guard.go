package tool

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"time"
)

// Grace is how long a handler may go on after its context has ended before it
// is given up and its answer dropped.
const Grace = 5 * time.Second

// Guard makes any handler end: it runs h in a goroutine of its own, gives it
// until c.Deadline (DefaultTimeout from here if that is zero), and Grace more to
// return. Panics and runtime.Goexit become errors. Notes of h are passed on from
// the goroutine that called. Every handler in a Registry is guarded.
func Guard(h Handler) Handler {
	return func(ctx context.Context, c *Call) (*Result, error) {
		if c.Deadline.IsZero() {
			c.Deadline = time.Now().Add(DefaultTimeout)
		}
		return guard(ctx, h, c)
	}
}

func guard(ctx context.Context, h Handler, c *Call) (*Result, error) {
	x := &running{parent: ctx, handler: h, call: c, in: make(chan message, 1)}
	x.listen, _ = ctx.Value(noteKey{}).(*listening)
	crew, _ := ctx.Value(crewKey{}).(*Crew)
	crew.start(x)
	o := x.wait(crew)
	if o.err != nil && errors.Is(o.err, context.DeadlineExceeded) && ctx.Err() == nil && x.Err() != nil {
		o.err = timedOut(c)
	}
	return withEffects(o, x.effects.close())
}

// message is what the handler's goroutine tells the one that waits: a note whose
// sender waits for done, or the outcome.
type message struct {
	note Note
	done chan struct{}
	outcome
}

type outcome struct {
	res *Result
	err error
}

// run is the handler's goroutine.
func (x *running) run() {
	returned := false
	var o outcome
	defer func() {
		if !returned {
			o = outcome{err: crash(recover())}
		}
		x.tell(message{outcome: o})
	}()
	o.res, o.err = x.handler(x, x.call)
	returned = true
}

// tell gives m to the goroutine that waits, if it still does.
func (x *running) tell(m message) bool {
	select {
	case x.in <- m:
		return true
	default:
	}
	select {
	case x.in <- m:
		return true
	case <-x.gone():
		return false
	}
}

// hand has the listener deal with a note of the running handler.
func (x *running) hand(n Note) {
	if n.Call == nil {
		n.Call = x.call
	}
	if n.At.IsZero() {
		n.At = time.Now()
	}
	done := make(chan struct{})
	if !x.tell(message{note: n, done: done}) {
		return
	}
	select {
	case <-done:
	case <-x.gone():
	}
}

// wait passes notes on until the handler has answered or is given up.
func (x *running) wait(crew *Crew) (o outcome) {
	ended := false
	timer := crew.timer(time.Until(x.call.Deadline))
	defer func() {
		crew.back(timer)
		x.end(context.Canceled)
		if !ended { // the listener left its goroutine: leave no handler behind
			x.drain()
		}
		x.leave()
	}()
	cancelled := x.parent.Done()
	for {
		select {
		case m := <-x.in:
			if m.done == nil {
				ended = true
				return m.outcome
			}
			x.listen.hear(m.note)
			close(m.done)
		case <-cancelled:
			cancelled = nil
			x.end(x.parent.Err())
			timer.Reset(Grace)
		case <-timer.C:
			if x.end(context.DeadlineExceeded) {
				timer.Reset(Grace)
				continue
			}
			ended = true
			if errors.Is(x.Err(), context.DeadlineExceeded) {
				return outcome{err: timedOut(x.call)}
			}
			return outcome{err: Errorf(CodeCancelled, "cancelled; the tool did not stop within %s and was given up", Grace)}
		}
	}
}

// drain waits until the handler has ended, but no longer than Grace.
func (x *running) drain() {
	t := time.NewTimer(Grace)
	defer t.Stop()
	for {
		select {
		case m := <-x.in:
			if m.done == nil {
				return
			}
			close(m.done)
		case <-t.C:
			return
		}
	}
}

// withEffects puts what was observed into the answer. An error has no place for
// effects, so it becomes its result.
func withEffects(o outcome, e *Effects) (*Result, error) {
	if e == nil {
		return o.res, o.err
	}
	if o.err != nil {
		o.res, o.err = Fail(o.err), nil
	}
	if o.res != nil {
		r := o.res.own()
		if r.Effects != nil {
			e.Add(*r.Effects)
		}
		r.Effects = e
		return r, nil
	}
	return o.res, nil
}

func timedOut(c *Call) error {
	limit := "its deadline"
	if c.Timeout > 0 {
		limit = c.Timeout.String()
	}
	return Errorf(CodeTimeout, "%s did not finish within %s", c.Tool, limit)
}

// crash is the error for a handler that panicked with v, or left by
// runtime.Goexit if v is nil. The stack is kept for logs, not for the model.
func crash(v any) error {
	if v == nil {
		return Errorf(CodeInternal, "the tool ended its goroutine instead of returning")
	}
	return &Error{Code: CodeInternal, Message: "the tool crashed", cause: &panicked{v, debug.Stack()}}
}

// panicked is the cause of an Error made from a panic.
type panicked struct {
	value any
	stack []byte
}

func (p *panicked) Error() string { return fmt.Sprintf("panic: %v\n%s", p.value, p.stack) }
