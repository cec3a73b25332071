package tooltest

import (
	"context"
	"encoding/json"
	"errors"
	"runtime"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/toolpost/toolpost/schema"
	"github.com/toolpost/toolpost/tool"
)

// Set holds what stands between a caller and its tools to the laws of a call.
// Make builds it around the given tools; it is called inside a bubble of
// [testing/synctest], so time is not real and goroutines must end with the test
// (t.Cleanup is at hand through t).
func Set(t *testing.T, make func(t *testing.T, tools ...tool.Tool) tool.Set) {
	t.Helper()
	s := suite{make}
	t.Run("C1 one answer whatever the tool does", func(t *testing.T) {
		for _, b := range behaviours {
			t.Run(b.does, func(t *testing.T) { s.behaves(t, b) })
		}
	})
	t.Run("C2 status and error agree", s.agrees)
	t.Run("C3 effects are observed", s.observes)
	t.Run("C4 identity and after stay", s.identity)
	t.Run("C7 a crash disturbs no other call", s.undisturbed)
	t.Run("C8 a deadline on every call", s.deadline)
	t.Run("C8 a hanging tool is given up", s.hangs)
	t.Run("law 3 arguments are checked", s.checks)
	t.Run("law 4 announced before made", s.announced)
	t.Run("law 1 an unknown tool", s.unknown)
}

type suite struct {
	make func(t *testing.T, tools ...tool.Tool) tool.Set
}

// behaviour is something a tool does, and how its call must end.
type behaviour struct {
	does    string
	handler tool.Handler
	status  tool.Status
	code    tool.Code
}

var behaviours = []behaviour{
	{"it answers", func(context.Context, *tool.Call) (*tool.Result, error) { return tool.Text("fine"), nil }, tool.StatusOK, ""},
	{"it returns an error", func(context.Context, *tool.Call) (*tool.Result, error) { return nil, errors.New("no") }, tool.StatusError, tool.CodeFailed},
	{"it returns an error with a code", func(context.Context, *tool.Call) (*tool.Result, error) {
		return nil, tool.Errorf(tool.CodeConflict, "exists")
	}, tool.StatusError, tool.CodeConflict},
	{"it panics", func(context.Context, *tool.Call) (*tool.Result, error) { panic("secret") }, tool.StatusError, tool.CodeInternal},
	{"it panics with nil", func(context.Context, *tool.Call) (*tool.Result, error) { panic(nil) }, tool.StatusError, tool.CodeInternal},
	{"it leaves its goroutine", func(context.Context, *tool.Call) (*tool.Result, error) { runtime.Goexit(); return nil, nil }, tool.StatusError, tool.CodeInternal},
	{"it returns nothing", func(context.Context, *tool.Call) (*tool.Result, error) { return nil, nil }, tool.StatusError, tool.CodeInternal},
	{"it returns an empty result", func(context.Context, *tool.Call) (*tool.Result, error) { return new(tool.Result), nil }, tool.StatusOK, ""},
	{"it delegates", func(context.Context, *tool.Call) (*tool.Result, error) { return tool.Delegate("the client"), nil }, tool.StatusPending, ""},
}

const probe = "probe"

// probeTool is a tool with one optional argument that does what h does.
func probeTool(h tool.Handler) tool.Tool {
	return tool.Tool{
		Spec: tool.Spec{
			Name: probe, Description: "Does what the test wants.", Risk: tool.RiskReads,
			Input: schema.MustParse(`{"type":"object","properties":{"n":{"type":"integer"}},"additionalProperties":false}`),
		},
		Handler: h,
	}
}

func probeCall() *tool.Call {
	c := tool.NewCall(probe, `{"n":1}`)
	c.Run, c.Step, c.Agent, c.Turn, c.Epoch = "run-1", "step_1", "agent-1", "turn-1", 7
	return c
}

func (s suite) behaves(t *testing.T, b behaviour) {
	synctest.Test(t, func(t *testing.T) {
		res := makeCall(t.Context(), t, s.make(t, probeTool(b.handler)), probeCall())
		var code tool.Code
		if res.Err != nil {
			code = res.Err.Code
		}
		if res.Status != b.status || code != b.code {
			t.Errorf("got %s %s, want %s %s (%v)", res.Status, code, b.status, b.code, res.Err)
		}
		if env := string(res.Envelope()); env != "" && res.Content[0].Text != env {
			t.Errorf("the model reads %q first, want the envelope %s", res.Content[0].Text, env)
		}
	})
}

func (s suite) agrees(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		set := s.make(t, probeTool(func(context.Context, *tool.Call) (*tool.Result, error) {
			return &tool.Result{Err: &tool.Error{Code: tool.CodeDenied, Message: "no"}}, nil
		}))
		if res := makeCall(t.Context(), t, set, probeCall()); res.Status != tool.StatusBlocked || res.OK() {
			t.Errorf("a result with POLICY_DENIED is %s, want blocked", res.Status)
		}
	})
}

func (s suite) observes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		set := s.make(t, probeTool(func(ctx context.Context, c *tool.Call) (*tool.Result, error) {
			tool.Observe(ctx, tool.Effects{Created: []tool.FileEffect{{Path: "a.txt", Kind: "file"}}})
			return nil, errors.New("failed half way")
		}))
		res := makeCall(t.Context(), t, set, probeCall())
		if res.Effects == nil || len(res.Effects.Created) != 1 || res.Effects.Created[0].Path != "a.txt" {
			t.Errorf("a failed call that had made a file shows the effects %+v", res.Effects)
		}
	})
}

func (s suite) identity(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		set := s.make(t, probeTool(func(_ context.Context, c *tool.Call) (*tool.Result, error) {
			return &tool.Result{Ref: tool.Ref{ID: "other", Tool: "other", Run: "other", Epoch: 99}}, nil
		}))
		c := probeCall()
		c.After = tool.AfterTerminate
		res := makeCall(t.Context(), t, set, c)
		if res.Tool != probe || res.Agent != "agent-1" || res.Attempt != 1 || res.After != tool.AfterTerminate {
			t.Errorf("the result bears %+v and %q", res.Ref, res.After)
		}
	})
}

// undisturbed makes a crashing call between others.
func (s suite) undisturbed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		set := s.make(t, probeTool(func(_ context.Context, c *tool.Call) (*tool.Result, error) {
			if string(c.Args) == `{"n":3}` {
				panic("crash")
			}
			return tool.Text("fine"), nil
		}))
		var wg sync.WaitGroup
		results := [5]*tool.Result{}
		for i := range results {
			wg.Go(func() {
				c := probeCall()
				c.ID, c.Args = tool.NewID(), json.RawMessage(`{"n":`+string(rune('1'+i))+`}`)
				results[i] = tool.Do(t.Context(), set.Call, c)
			})
		}
		wg.Wait()
		for i, r := range results {
			if r.OK() != (i != 2) {
				t.Errorf("call %d ended %s", i+1, r.Status)
			}
		}
	})
}

// waits is a handler that waits for the end of its context.
func waits(ctx context.Context, _ *tool.Call) (*tool.Result, error) {
	<-ctx.Done()
	return nil, ctx.Err()
}

func (s suite) deadline(t *testing.T) {
	for _, limit := range []time.Duration{0, time.Second} {
		synctest.Test(t, func(t *testing.T) {
			c := probeCall()
			c.Timeout = limit
			begin := time.Now()
			res := makeCall(t.Context(), t, s.make(t, probeTool(waits)), c)
			want := limit
			if want == 0 {
				want = tool.DefaultTimeout
			}
			if took := time.Since(begin); res.Status != tool.StatusTimeout || took < want || took > want+tool.Grace {
				t.Errorf("timeout %s: ended %s after %s", limit, res.Status, took)
			}
		})
	}
}

func (s suite) hangs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		release := make(chan struct{})
		defer close(release)
		set := s.make(t, probeTool(func(context.Context, *tool.Call) (*tool.Result, error) {
			<-release
			return tool.Text("too late"), nil
		}))
		for _, cancelled := range []bool{false, true} {
			ctx, cancel := context.WithCancel(t.Context())
			want, timeout := tool.StatusTimeout, time.Second
			if cancelled {
				want, timeout = tool.StatusCancelled, time.Hour
				time.AfterFunc(time.Second, cancel)
			}
			c := probeCall()
			c.Timeout = timeout
			begin := time.Now()
			res := makeCall(ctx, t, set, c)
			if took := time.Since(begin); res.Status != want || took > time.Second+2*tool.Grace {
				t.Errorf("a tool that hangs ended %s after %s, want %s", res.Status, took, want)
			}
			cancel()
		}
	})
}

func (s suite) checks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ran := false
		set := s.make(t, probeTool(func(context.Context, *tool.Call) (*tool.Result, error) {
			ran = true
			return tool.Text("fine"), nil
		}))
		for _, args := range []string{`{"n":"many"}`, `{"m":1}`, `{"n":1,"n":2}`, `{"n":`, "", `[1]`} {
			c := probeCall()
			c.Args = json.RawMessage(args)
			res := makeCall(t.Context(), t, set, c)
			if args == "" {
				ran = false // nothing is required, so nothing may be given
				continue
			}
			if res.Err == nil || res.Err.Code != tool.CodeInvalid || ran {
				t.Errorf("arguments %s: %s %v, ran: %t", args, res.Status, res.Err, ran)
			}
		}
	})
}

func (s suite) announced(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		started, made := 0, false
		set := s.make(t, probeTool(func(context.Context, *tool.Call) (*tool.Result, error) {
			made = started == 1
			return tool.Text("fine"), nil
		}))
		ctx := tool.WithNotes(t.Context(), func(n tool.Note) {
			if n.Kind == tool.NoteStarted {
				started++
			}
		})
		makeCall(ctx, t, set, probeCall())
		if started != 1 || !made {
			t.Errorf("the call was announced %d times; before it was made: %t", started, made)
		}
	})
}

func (s suite) unknown(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		set := s.make(t, probeTool(waits))
		res := makeCall(t.Context(), t, set, tool.NewCall("prob", `{}`))
		if res.Err == nil || res.Err.Code != tool.CodeNotFound {
			t.Errorf("a call of no tool ended %s: %v", res.Status, res.Err)
		}
	})
}
