package hook_test

import (
	"context"
	"encoding/json"
	"errors"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/toolpost/toolpost/hook"
	"github.com/toolpost/toolpost/schema"
	"github.com/toolpost/toolpost/tool"
	"github.com/toolpost/toolpost/tool/tooltest"
)

// says is a hook that always has the same verdict, and notes that it was heard.
func says(name string, priority int, heard *[]string, v hook.Verdict) hook.Hook {
	return hook.Hook{Name: name, Priority: priority, Fn: func(_ context.Context, c *tool.Call) (hook.Verdict, error) {
		*heard = append(*heard, name+" "+string(c.Args))
		return v, nil
	}}
}

func TestBeforeOrderAndArguments(t *testing.T) {
	var heard []string
	before := &hook.Before{Hooks: []hook.Hook{
		says("low", -1, &heard, hook.Verdict{}),
		says("a", 0, &heard, hook.Verdict{Args: json.RawMessage(`{"n":2}`)}),
		says("b", 0, &heard, hook.Verdict{Args: json.RawMessage(`{"m":3}`)}),
		says("high", 5, &heard, hook.Verdict{}),
	}}
	res := tool.Do(t.Context(), echo(before.Middleware).Call, tool.NewCall("echo", `{"n":1,"k":{"deep":1}}`))
	want := []string{
		`high {"n":1,"k":{"deep":1}}`, `a {"n":1,"k":{"deep":1}}`,
		`b {"k":{"deep":1},"n":2}`, `low {"k":{"deep":1},"m":3,"n":2}`,
	}
	if d := cmp.Diff(heard, want); d != "" {
		t.Errorf("hooks heard (-got +want):\n%s", d)
	}
	if got, want := res.Content[0].Text, `{"k":{"deep":1},"m":3,"n":2}`; got != want {
		t.Errorf("the tool ran with %s, want %s", got, want)
	}
}

func TestBeforeBlockIsSticky(t *testing.T) {
	var heard []string
	asked := false
	before := &hook.Before{
		Hooks: []hook.Hook{
			says("asks", 3, &heard, hook.Verdict{Ask: &hook.Question{Title: "?"}}),
			says("blocks", 2, &heard, hook.Verdict{Block: true}),
			says("never", 1, &heard, hook.Verdict{}),
		},
		Asker: func(context.Context, *tool.Call, hook.Question) (hook.Answer, error) {
			asked = true
			return hook.Allowed, nil
		},
	}
	res := tool.Do(t.Context(), echo(before.Middleware).Call, tool.NewCall("echo", `{}`))
	if res.Status != tool.StatusBlocked || res.Err.Code != tool.CodeDenied {
		t.Errorf("got %s %v", res.Status, res.Err)
	}
	if len(heard) != 2 || asked {
		t.Errorf("after the block: heard %q, asked %t", heard, asked)
	}
}

// Law 7: what a hook does wrong blocks the call.
func TestLaw7BeforeFailsClosed(t *testing.T) {
	for name, c := range map[string]struct {
		fn   func(context.Context, *tool.Call) (hook.Verdict, error)
		want string
	}{
		"an error": {func(context.Context, *tool.Call) (hook.Verdict, error) { return hook.Verdict{}, errors.New("boom") }, "boom"},
		"a panic":  {func(context.Context, *tool.Call) (hook.Verdict, error) { panic("boom") }, "crashed"},
		"Goexit":   {func(context.Context, *tool.Call) (hook.Verdict, error) { runtime.Goexit(); return hook.Verdict{}, nil }, "goroutine"},
		"an overrun": {func(ctx context.Context, _ *tool.Call) (hook.Verdict, error) {
			<-ctx.Done()
			return hook.Verdict{}, ctx.Err()
		}, "not done within 1s"},
		"no function":        {nil, "no function"},
		"arguments not JSON": {func(context.Context, *tool.Call) (hook.Verdict, error) { return hook.Verdict{Args: []byte(`{`)}, nil }, "cannot be merged"},
		"arguments an array": {func(context.Context, *tool.Call) (hook.Verdict, error) { return hook.Verdict{Args: []byte(`[1]`)}, nil }, "cannot be merged"},
		"arguments null": {func(context.Context, *tool.Call) (hook.Verdict, error) {
			return hook.Verdict{Args: []byte(`null`)}, nil
		}, "cannot be merged"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				before := &hook.Before{Hooks: []hook.Hook{{Name: "h", Timeout: time.Second, Fn: c.fn}}}
				res := tool.Do(t.Context(), echo(before.Middleware).Call, tool.NewCall("echo", `{}`))
				if res.Status != tool.StatusBlocked || res.Err.Code != tool.CodeDenied || !strings.Contains(res.Err.Message, c.want) {
					t.Errorf("got %s %v, want a block that says %q", res.Status, res.Err, c.want)
				}
			})
		})
	}
}

func TestLaw7BeforeHookThatHangsBlocks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		release := make(chan struct{})
		defer close(release)
		before := &hook.Before{Hooks: []hook.Hook{{Name: "h", Fn: func(context.Context, *tool.Call) (hook.Verdict, error) {
			<-release
			return hook.Verdict{}, nil
		}}}}
		begin := time.Now()
		res := tool.Do(t.Context(), echo(before.Middleware).Call, tool.NewCall("echo", `{}`))
		if took := time.Since(begin); res.Status != tool.StatusBlocked || took != hook.DefaultTimeout+tool.Grace {
			t.Errorf("got %s %v after %s", res.Status, res.Err, took)
		}
	})
}

func TestBeforeHookCannotChangeTheCall(t *testing.T) {
	before := &hook.Before{Hooks: []hook.Hook{{Name: "h", Fn: func(_ context.Context, c *tool.Call) (hook.Verdict, error) {
		copy(c.Args, `{"n":9}`)
		c.Tool, c.ID = "other", "other"
		return hook.Verdict{}, nil
	}}}}
	res := tool.Do(t.Context(), echo(before.Middleware).Call, tool.NewCall("echo", `{"n":1}`))
	if res.Content[0].Text != `{"n":1}` || res.Tool != "echo" {
		t.Errorf("the hook changed the call: %s %s", res.Tool, res.Content[0].Text)
	}
}

// Law 3: arguments are checked again when a hook changed them.
func TestLaw3ArgumentsOfAHookAreChecked(t *testing.T) {
	for _, ask := range []*hook.Question{nil, {Title: "?"}} {
		before := &hook.Before{
			Hooks: []hook.Hook{{Name: "breaks", Fn: func(context.Context, *tool.Call) (hook.Verdict, error) {
				return hook.Verdict{Args: json.RawMessage(`{"n":"many"}`), Ask: ask}, nil
			}}},
			Asker: func(context.Context, *tool.Call, hook.Question) (hook.Answer, error) {
				t.Error("a person was asked about a call that cannot run")
				return hook.Allowed, nil
			},
		}
		var tools tool.Registry
		tools.Use(before.Middleware)
		err := tools.Add(tool.Tool{Spec: tool.Spec{Name: "n", Input: schema.MustParse(`{"type":"object","properties":{"n":{"type":"integer"}}}`)}, Handler: func(context.Context, *tool.Call) (*tool.Result, error) {
			t.Error("the tool ran")
			return nil, nil
		}})
		if err != nil {
			t.Fatal(err)
		}
		res := tool.Do(t.Context(), tools.Call, tool.NewCall("n", `{"n":1}`))
		if res.Err == nil || res.Err.Code != tool.CodeInvalid || !strings.Contains(res.Err.Message, `"breaks"`) {
			t.Errorf("got %s %v", res.Status, res.Err)
		}
	}
}

func TestBeforeAnswers(t *testing.T) {
	waits := func(ctx context.Context, _ *tool.Call, _ hook.Question) (hook.Answer, error) {
		<-ctx.Done()
		return "", ctx.Err()
	}
	answers := func(a hook.Answer) func(context.Context, *tool.Call, hook.Question) (hook.Answer, error) {
		return func(context.Context, *tool.Call, hook.Question) (hook.Answer, error) { return a, nil }
	}
	for name, c := range map[string]struct {
		asker     func(context.Context, *tool.Call, hook.Question) (hook.Answer, error)
		onTimeout hook.Answer
		status    tool.Status
		code      tool.Code
	}{
		"allowed":                  {answers(hook.Allowed), "", tool.StatusOK, ""},
		"denied":                   {answers(hook.Denied), hook.Allowed, tool.StatusBlocked, tool.CodeApprovalDenied},
		"expired":                  {answers(hook.Expired), "", tool.StatusBlocked, tool.CodeApprovalExpired},
		"cancelled":                {answers(hook.Cancelled), "", tool.StatusCancelled, tool.CodeCancelled},
		"no answer":                {answers(""), "", tool.StatusBlocked, tool.CodeApprovalDenied},
		"nobody to ask":            {nil, "", tool.StatusBlocked, tool.CodeDenied},
		"silence":                  {waits, "", tool.StatusBlocked, tool.CodeApprovalExpired},
		"silence, and that allows": {waits, hook.Allowed, tool.StatusOK, ""},
		"an error, and silence would": {func(context.Context, *tool.Call, hook.Question) (hook.Answer, error) {
			return "", errors.New("no desk")
		}, hook.Allowed, tool.StatusBlocked, tool.CodeDenied},
		"a crash": {func(context.Context, *tool.Call, hook.Question) (hook.Answer, error) { panic("desk") }, hook.Allowed, tool.StatusBlocked, tool.CodeDenied},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				before := &hook.Before{
					Hooks: []hook.Hook{{Name: "h", Fn: func(context.Context, *tool.Call) (hook.Verdict, error) {
						return hook.Verdict{Ask: &hook.Question{Title: "May I?", OnTimeout: c.onTimeout}}, nil
					}}},
					Asker: c.asker,
				}
				var notes []string
				ctx := tool.WithNotes(t.Context(), func(n tool.Note) {
					if n.Kind == tool.NoteWaiting {
						notes = append(notes, n.Message)
					}
				})
				res := tool.Do(ctx, echo(before.Middleware).Call, tool.NewCall("echo", `{}`))
				var code tool.Code
				if res.Err != nil {
					code = res.Err.Code
				}
				if res.Status != c.status || code != c.code {
					t.Errorf("got %s %v, want %s %s", res.Status, res.Err, c.status, c.code)
				}
				if told := len(notes) == 1; told != (c.asker != nil) {
					t.Errorf("notes of waiting: %q", notes)
				}
			})
		})
	}
}

func TestBeforeFirstQuestionWins(t *testing.T) {
	var heard []string
	before := &hook.Before{
		Hooks: []hook.Hook{
			says("one", 0, &heard, hook.Verdict{Ask: &hook.Question{Title: "one?"}}),
			says("two", 0, &heard, hook.Verdict{Ask: &hook.Question{Title: "two?"}, Args: json.RawMessage(`{"n":2}`)}),
		},
		Asker: func(_ context.Context, c *tool.Call, q hook.Question) (hook.Answer, error) {
			if q.Title != "one?" || q.Hook != "one" || q.Severity != hook.SeverityInfo || q.Timeout != hook.DefaultQuestion || string(c.Args) != `{"n":2}` {
				t.Errorf("asked %+v about %s", q, c.Args)
			}
			return hook.Allowed, nil
		},
	}
	tool.Do(t.Context(), echo(before.Middleware).Call, tool.NewCall("echo", `{"n":1}`))
}

func TestBeforeCancelledWhileWaiting(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		before := &hook.Before{
			Hooks: []hook.Hook{{Name: "h", Fn: func(context.Context, *tool.Call) (hook.Verdict, error) {
				return hook.Verdict{Ask: &hook.Question{Title: "?"}}, nil
			}}},
			Asker: func(ctx context.Context, _ *tool.Call, _ hook.Question) (hook.Answer, error) {
				<-ctx.Done()
				return hook.Allowed, nil // too late
			},
		}
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(time.Second, cancel)
		res := tool.Do(ctx, echo(before.Middleware).Call, tool.NewCall("echo", `{}`))
		if res.Status != tool.StatusCancelled {
			t.Errorf("got %s %v", res.Status, res.Err)
		}
	})
}

// Everything here stands between a caller and its tools, so it keeps the laws.
func TestMiddlewareKeepsTheLaws(t *testing.T) {
	tooltest.Set(t, func(t *testing.T, tools ...tool.Tool) tool.Set {
		pass := func(context.Context, *tool.Call) (hook.Verdict, error) { return hook.Verdict{}, nil }
		var r tool.Registry
		r.Use(
			(&hook.Loop{RefuseAt: 100}).Middleware,
			(&hook.Artifacts{Load: func(context.Context, string) ([]byte, error) { return nil, nil }}).Middleware,
			(&hook.Before{Hooks: []hook.Hook{{Name: "pass", Fn: pass}}}).Middleware,
			(&hook.Limit{}).Middleware,
			(&hook.Redact{Values: []string{"secret"}}).Middleware,
			hook.Sanitize,
			(&hook.After{Observers: []hook.Observer{{Name: "see", Fn: func(context.Context, *tool.Call, *tool.Result) {}}}}).Middleware,
			(&hook.Images{}).Middleware,
		)
		if err := r.Add(tools...); err != nil {
			t.Fatal(err)
		}
		return &r
	})
}
