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
		return guard(ctx, &running{call: c, work: &handled{handler: h}})
	}
}

// work is what is done on a goroutine of its own, and what came of it.
type work interface {
	do(x *running) error
	result() *Result
}

// handled is a call of a Handler.
type handled struct {
	handler Handler
	res     *Result
}

func (h *handled) do(x *running) (err error) {
	h.res, err = h.handler(x, x.call)
	return err
}

func (h *handled) result() *Result { return h.res }

// guard has the work of x done under its deadline, and waits for what came of it.
// Work that was given up may still write its result: that is not looked at.
func guard(ctx context.Context, x *running) (*Result, error) {
	if x.call.Deadline.IsZero() {
		x.call.Deadline = time.Now().Add(DefaultTimeout)
	}
	x.parent, x.in = ctx, make(chan message, 1)
	x.listen, _ = ctx.Value(noteKey{}).(*listening)
	crew, _ := ctx.Value(crewKey{}).(*Crew)
	crew.start(x)
	err := x.wait(crew)
	if err != nil && errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil && x.Err() != nil {
		err = timedOut(x.call)
	}
	effects := x.effects.close()
	if err != nil {
		return withEffects(nil, err, effects)
	}
	return withEffects(x.work.result(), nil, effects)
}

// message is what the handler's goroutine tells the one that waits: a note whose
// sender waits for done, or that the work is over.
type message struct {
	note Note
	done chan struct{}
	err  error
}

// run is the handler's goroutine.
func (x *running) run() {
	returned := false
	var err error
	defer func() {
		if !returned {
			err = crash(recover())
		}
		x.tell(message{err: err})
	}()
	err = x.work.do(x)
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
func (x *running) wait(crew *Crew) error {
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
				return m.err
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
				return timedOut(x.call)
			}
			return Errorf(CodeCancelled, "cancelled; the tool did not stop within %s and was given up", Grace)
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
func withEffects(res *Result, err error, e *Effects) (*Result, error) {
	if e == nil {
		return res, err
	}
	if err != nil {
		res = Fail(err)
	}
	if res == nil {
		return nil, nil
	}
	r := res.own()
	if r.Effects != nil {
		e.Add(*r.Effects)
	}
	r.Effects = e
	return r, nil
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
