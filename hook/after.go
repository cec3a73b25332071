package hook

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"runtime/debug"
	"slices"
	"time"

	"github.com/toolpost/toolpost/tool"
)

// After runs observers after a call: all at once, each with copies of the call
// and of its result, so that they can change neither. The result goes on when
// all are done or out of time. The fields are not changed once a call was made;
// the method may be called from many goroutines.
type After struct {
	Observers []Observer
	Logger    *slog.Logger // is told of observers that failed; nil: nobody is
}

// An Observer is a function that hears of a call that has been answered,
// whatever the answer. Its panic, or its being late, disturbs nobody. Its
// context is that of the call but for its end: a cancelled call is observed too.
type Observer struct {
	Name    string
	Timeout time.Duration // DefaultTimeout if zero, at most MaxTimeout
	Fn      func(context.Context, *tool.Call, *tool.Result)
}

// Middleware has the observers hear of every call that passes.
func (a *After) Middleware(next tool.Handler) tool.Handler {
	if len(a.Observers) == 0 {
		return next
	}
	return func(ctx context.Context, c *tool.Call) (*tool.Result, error) {
		res := tool.Do(ctx, next, c)
		a.observe(context.WithoutCancel(ctx), c, res)
		return res, nil
	}
}

// observe has all observers hear of res, and waits for each as long as it may
// take. Notes of an observer go nowhere: the call has ended.
func (a *After) observe(ctx context.Context, c *tool.Call, res *tool.Result) {
	ctx = tool.WithNotes(ctx, func(tool.Note) {})
	done := make([]chan string, len(a.Observers))
	for i := range a.Observers {
		done[i] = make(chan string, 1)
		go a.Observers[i].hear(ctx, done[i], copyCall(c), copyResult(res))
	}
	begin := time.Now()
	for i := range a.Observers {
		o := &a.Observers[i]
		t := time.NewTimer(period(o.Timeout, DefaultTimeout) - time.Since(begin))
		problem := ""
		select {
		case problem = <-done[i]:
		case <-t.C:
			problem = "not done in time; it is left behind"
		}
		t.Stop()
		if problem != "" && a.Logger != nil {
			a.Logger.LogAttrs(ctx, slog.LevelWarn, "after hook failed", slog.String("hook", o.Name), slog.String("run", c.Run), slog.String("call", c.ID), slog.String("tool", c.Tool), slog.String("err", problem))
		}
	}
}

// hear calls the observer, and says on done what went wrong, if anything did.
func (o *Observer) hear(ctx context.Context, done chan<- string, c *tool.Call, res *tool.Result) {
	ctx, cancel := context.WithTimeout(ctx, period(o.Timeout, DefaultTimeout))
	defer cancel()
	problem := "it ended its goroutine instead of returning"
	defer func() {
		if v := recover(); v != nil {
			problem = fmt.Sprintf("panic: %v\n%s", v, debug.Stack())
		}
		done <- problem
	}()
	o.Fn(ctx, c, res)
	problem = ""
}

func copyCall(c *tool.Call) *tool.Call {
	own := *c
	own.Args = slices.Clone(c.Args)
	return &own
}

func copyResult(r *tool.Result) *tool.Result {
	own := *r
	own.Data = slices.Clone(r.Data)
	own.Content = slices.Clone(r.Content)
	for i := range own.Content {
		own.Content[i].Data = bytes.Clone(own.Content[i].Data)
	}
	if r.Err != nil {
		e := *r.Err
		own.Err = &e
	}
	if r.Effects != nil {
		e := *r.Effects
		own.Effects = &e
	}
	return &own
}
