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
		return run(ctx, h, c)
	}
}

// running is a call whose handler has been started. It is the context of the
// handler, so that a call costs one context and not three.
type running struct {
	context.Context
	call    *Call
	listen  func(Note)
	notes   chan handedNote // nil if nobody listens
	over    chan struct{}   // closed when nobody waits any more
	effects effectLog
}

type handedNote struct {
	note Note
	done chan struct{}
}

func (x *running) Value(key any) any {
	switch key.(type) {
	case callKey:
		return x
	case noteKey:
		if x.listen == nil {
			return nil
		}
		return x
	}
	return x.Context.Value(key)
}

// hand gives a note to the goroutine that waits in run.
func (x *running) hand(n Note) {
	if n.Call == nil {
		n.Call = x.call
	}
	if n.At.IsZero() {
		n.At = time.Now()
	}
	h := handedNote{n, make(chan struct{})}
	select {
	case x.notes <- h:
	case <-x.over:
		return
	}
	select {
	case <-h.done:
	case <-x.over:
	}
}

type outcome struct {
	res *Result
	err error
}

func run(ctx context.Context, h Handler, c *Call) (*Result, error) {
	dctx, cancel := context.WithDeadline(ctx, c.Deadline)
	defer cancel()
	x := &running{Context: dctx, call: c, over: make(chan struct{})}
	if fn, ok := ctx.Value(noteKey{}).(func(Note)); ok {
		x.listen, x.notes = fn, make(chan handedNote)
	}
	done := make(chan outcome, 1)
	go func() {
		returned := false
		var o outcome
		defer func() {
			if !returned {
				o = outcome{err: crash(recover())}
			}
			done <- o
		}()
		o.res, o.err = h(x, c)
		returned = true
	}()
	o := x.wait(dctx, cancel, done)
	effects := x.effects.close()
	if ctx.Err() == nil && o.err != nil && errors.Is(o.err, context.DeadlineExceeded) && dctx.Err() != nil {
		o.err = timedOut(c)
	}
	return withEffects(o, effects)
}

// wait passes notes on until the handler has answered or is given up.
func (x *running) wait(ctx context.Context, cancel func(), done <-chan outcome) (o outcome) {
	ended := false
	defer func() {
		close(x.over)
		if !ended { // the listener panicked or left its goroutine: leave no handler behind
			cancel()
			t := time.NewTimer(Grace)
			defer t.Stop()
			select {
			case <-done:
			case <-t.C:
			}
		}
	}()
	var giveUp <-chan time.Time
	cancelled := ctx.Done()
	for {
		select {
		case o = <-done:
			ended = true
			return o
		case n := <-x.notes:
			x.listen(n.note)
			close(n.done)
		case <-cancelled:
			cancelled = nil
			t := time.NewTimer(Grace)
			defer t.Stop()
			giveUp = t.C
		case <-giveUp:
			ended = true
			if errors.Is(ctx.Err(), context.DeadlineExceeded) {
				return outcome{err: timedOut(x.call)}
			}
			return outcome{err: Errorf(CodeCancelled, "cancelled; the tool did not stop within %s and was given up", Grace)}
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
		if o.res.Effects != nil {
			e.merge(*o.res.Effects)
		}
		o.res.Effects = e
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
