package hook_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"runtime"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/toolpost/toolpost/hook"
	"github.com/toolpost/toolpost/tool"
)

// C7: an observer that fails disturbs neither the call nor the other observers.
func TestC7AfterHooksAllObserve(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		release := make(chan struct{})
		defer close(release)
		var mu sync.Mutex
		var seen []string
		see := func(name string) hook.Observer {
			return hook.Observer{Name: name, Fn: func(_ context.Context, c *tool.Call, r *tool.Result) {
				mu.Lock()
				defer mu.Unlock()
				seen = append(seen, name+" "+r.ID)
			}}
		}
		var log bytes.Buffer
		after := &hook.After{
			Observers: []hook.Observer{
				{Name: "panics", Fn: func(context.Context, *tool.Call, *tool.Result) { panic("boom") }},
				{Name: "leaves", Fn: func(context.Context, *tool.Call, *tool.Result) { runtime.Goexit() }},
				{Name: "hangs", Timeout: time.Second, Fn: func(context.Context, *tool.Call, *tool.Result) { <-release }},
				see("one"), see("two"),
			},
			Logger: slog.New(slog.NewTextHandler(&log, nil)),
		}
		c := tool.NewCall("echo", `{}`)
		c.ID = "c1"
		begin := time.Now()
		res := tool.Do(t.Context(), echo(after.Middleware).Call, c)
		if took := time.Since(begin); !res.OK() || took != time.Second {
			t.Errorf("got %s after %s", res.Status, took)
		}
		mu.Lock()
		defer mu.Unlock()
		if len(seen) != 2 || !strings.HasSuffix(seen[0], " c1") {
			t.Errorf("seen %q", seen)
		}
		for _, want := range []string{"hook=panics", "panic: boom", "hook=leaves", "hook=hangs", "not done in time"} {
			if !strings.Contains(log.String(), want) {
				t.Errorf("the log lacks %q:\n%s", want, log.String())
			}
		}
	})
}

func TestAfterCannotChangeTheResult(t *testing.T) {
	after := &hook.After{Observers: []hook.Observer{{Name: "writes", Fn: func(_ context.Context, c *tool.Call, r *tool.Result) {
		r.Content[0].Text, r.Status, r.Tool = "changed", tool.StatusError, "other"
		copy(c.Args, "????")
		if r.Err != nil {
			r.Err.Message = "changed"
		}
	}}}}
	res := tool.Do(t.Context(), echo(after.Middleware).Call, tool.NewCall("echo", `{"n":1}`))
	if !res.OK() || res.Content[0].Text != `{"n":1}` || res.Tool != "echo" {
		t.Errorf("got %+v", res)
	}
	fails := func(tool.Handler) tool.Handler {
		return func(context.Context, *tool.Call) (*tool.Result, error) { return nil, errors.New("no") }
	}
	res = tool.Do(t.Context(), echo(after.Middleware, fails).Call, tool.NewCall("echo", `{}`))
	if res.Err == nil || res.Err.Message != "no" || strings.Contains(res.Content[0].Text, "changed") {
		t.Errorf("got %+v", res)
	}
}

func TestAfterObservesCancelledCalls(t *testing.T) {
	var got tool.Status
	alive := false
	after := &hook.After{Observers: []hook.Observer{{Name: "see", Fn: func(ctx context.Context, _ *tool.Call, r *tool.Result) {
		got, alive = r.Status, ctx.Err() == nil
	}}}}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	tool.Do(ctx, echo(after.Middleware).Call, tool.NewCall("echo", `{}`))
	if got != tool.StatusCancelled || !alive {
		t.Errorf("observed %q with a living context: %t", got, alive)
	}
}

// Law 8: what nobody asked for costs nothing.
func TestLaw8NothingToDoAllocatesNothing(t *testing.T) {
	bare, dressed := echo(), echo(hook.Log(nil), new(hook.Before).Middleware, new(hook.After).Middleware, new(hook.Artifacts).Middleware)
	count := func(tools *tool.Registry) float64 {
		c := tool.NewCall("echo", `{}`)
		return testing.AllocsPerRun(200, func() { tool.Do(context.Background(), tools.Call, c) })
	}
	if a, b := count(bare), count(dressed); b > a {
		t.Errorf("a call makes %v allocations, behind empty middleware %v", a, b)
	}
}
