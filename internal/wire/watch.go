package wire

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/toolpost/toolpost/llm"
	"github.com/toolpost/toolpost/tool"
)

// A watch reads a body and gives the request up when nothing comes for too long.
// The clock stands still while nobody reads, so a slow listener is no fault of
// the server.
type watch struct {
	body   io.Reader
	cancel context.CancelCauseFunc
	idle   time.Duration

	timer *time.Timer
	wait  time.Duration // of the running timer
	begun bool
	heard time.Time // when something was said last, beside pings
	most  int64     // bytes of a reply
	left  int64     // of them, that may still come
}

var errIdle = errors.New("idle")

func newWatch(cancel context.CancelCauseFunc, c *Client) *watch {
	first, idle, most := c.First, c.Idle, c.MaxReply
	if first <= 0 {
		first = DefaultFirst
	}
	if idle <= 0 {
		idle = DefaultIdle
	}
	if most <= 0 {
		most = maxReply
	}
	w := &watch{cancel: cancel, idle: idle, wait: first, most: most, left: most}
	w.timer = time.AfterFunc(first, w.expire)
	return w
}

func (w *watch) expire() { w.cancel(errIdle) }

const (
	maxReply  = 64 << 20 // bytes of a reply, if no other limit is set
	pingsOnly = 10       // times Idle, for which a stream may consist of pings alone
)

// said notes that more than a ping came.
func (w *watch) said() {
	if w != nil {
		w.heard = time.Now()
	}
}

// Read restarts the clock for what it waits for. The first wait is as long as
// what is left of that for the first byte.
func (w *watch) Read(p []byte) (int, error) {
	if w.begun {
		w.timer.Reset(w.wait)
	}
	n, err := w.body.Read(p)
	w.timer.Stop()
	if !w.begun && n > 0 {
		w.begun, w.wait = true, w.idle
		w.said()
	}
	if w.left -= int64(n); w.left < 0 {
		return n, &llm.Error{Code: tool.CodeLimit, Message: fmt.Sprintf("the reply is longer than %d bytes", w.most), Advice: "ask for less at a time, or use another model"}
	}
	if w.begun && err == nil && time.Since(w.heard) > pingsOnly*w.idle {
		w.cancel(errIdle)
		return n, errIdle
	}
	return n, err
}

// hurry makes the waits from here on no longer than d.
func (w *watch) hurry(d time.Duration) {
	if w != nil {
		w.wait = min(w.wait, d)
	}
}

func (w *watch) stop() { w.timer.Stop() }

// why is err, or that nothing came if that was the cause.
func (w *watch) why(ctx context.Context, err error) error {
	if context.Cause(ctx) != errIdle {
		return err
	}
	what := "no answer came"
	if w.begun {
		what = "the stream stood still"
	}
	return &llm.Error{Code: tool.CodeUnavailable, Type: llm.IdleStream, Retryable: true, Message: fmt.Sprintf("%s for %v", what, w.wait), Advice: "try again, or allow a longer wait", Err: err}
}
