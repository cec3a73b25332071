package tool_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/toolpost/toolpost/schema"
	"github.com/toolpost/toolpost/tool"
)

// Law 1: one answer, and C2: its parts agree.
func TestC2StatusAndErrorAgree(t *testing.T) {
	e := &tool.Error{Code: tool.CodeConflict, Message: "m"}
	for name, c := range map[string]struct {
		res    *tool.Result
		err    error
		status tool.Status
		code   tool.Code
		text   string
	}{
		"text":                        {tool.Text("hi"), nil, tool.StatusOK, "", "hi"},
		"data alone":                  {&tool.Result{Data: json.RawMessage(`[1]`)}, nil, tool.StatusOK, "", "[1]"},
		"nothing at all":              {&tool.Result{}, nil, tool.StatusOK, "", ""},
		"ok with an error":            {&tool.Result{Status: tool.StatusOK, Err: e, Content: tool.Text("x").Content}, nil, tool.StatusOK, "", "x"},
		"an error without a status":   {&tool.Result{Err: e}, nil, tool.StatusError, tool.CodeConflict, `{"status":"error","tool":"t","code":"CONFLICT","error":"m"}`},
		"a status without an error":   {&tool.Result{Status: tool.StatusBlocked}, nil, tool.StatusBlocked, tool.CodeDenied, `{"status":"blocked","tool":"t","code":"POLICY_DENIED","reason":"the tool reported blocked and said no more"}`},
		"timeout without an error":    {&tool.Result{Status: tool.StatusTimeout}, nil, tool.StatusTimeout, tool.CodeTimeout, `{"status":"error","tool":"t","code":"TIMEOUT","error":"the tool reported timeout and said no more"}`},
		"skipped needs no error":      {tool.Skip("not needed"), nil, tool.StatusSkipped, "", `{"status":"skipped","tool":"t","reason":"not needed"}`},
		"partial needs no error":      {&tool.Result{Status: tool.StatusPartial, Content: tool.Text("a").Content}, nil, tool.StatusPartial, "", "a"},
		"pending":                     {tool.Delegate("you"), nil, tool.StatusPending, "", `{"status":"pending","tool":"t","message":"you"}`},
		"an error":                    {nil, errors.New(`a "quoted" <text>`), tool.StatusError, tool.CodeFailed, `{"status":"error","tool":"t","code":"TOOL_FAILED","error":"a \"quoted\" <text>"}`},
		"a file that is not there":    {nil, &fs.PathError{Op: "open", Path: "/home/ann/x", Err: fs.ErrNotExist}, tool.StatusError, tool.CodeNotFound, `{"status":"error","tool":"t","code":"NOT_FOUND","error":"no such file or folder"}`},
		"a denied approval":           {nil, tool.Errorf(tool.CodeApprovalDenied, "no"), tool.StatusBlocked, tool.CodeApprovalDenied, `{"status":"blocked","tool":"t","code":"APPROVAL_DENIED","reason":"no"}`},
		"a message that is not UTF-8": {nil, errors.New("a\xffb"), tool.StatusError, tool.CodeFailed, "{\"status\":\"error\",\"tool\":\"t\",\"code\":\"TOOL_FAILED\",\"error\":\"a\uFFFDb\"}"},
	} {
		t.Run(name, func(t *testing.T) {
			h := func(context.Context, *tool.Call) (*tool.Result, error) { return c.res, c.err }
			r := tool.Do(t.Context(), h, tool.NewCall("t", ""))
			var code tool.Code
			if r.Err != nil {
				code = r.Err.Code
			}
			if r.Status != c.status || code != c.code || r.Content[0].Text != c.text {
				t.Errorf("got %s %s %s\nwant %s %s %s", r.Status, code, r.Content[0].Text, c.status, c.code, c.text)
			}
			if r.OK() != (r.Status == tool.StatusOK && r.Err == nil) {
				t.Errorf("OK is %t", r.OK())
			}
		})
	}
}

// C4: the result bears the identity of its call, whatever the handler writes.
func TestC4IdentityStays(t *testing.T) {
	want := tool.Ref{ID: "c", Tool: "t", Run: "r", Step: "s", Agent: "a", Turn: "u", Epoch: 4, Attempt: 2}
	r := tool.Do(t.Context(), func(_ context.Context, c *tool.Call) (*tool.Result, error) {
		c.Epoch, c.Run = 9, "other"
		return &tool.Result{Ref: tool.Ref{ID: "x"}, After: tool.AfterTerminate}, nil
	}, &tool.Call{Ref: want, ProviderID: "p", After: tool.AfterSuspend})
	if d := cmp.Diff(r.Ref, want); d != "" || r.ProviderID != "p" || r.After != tool.AfterTerminate {
		t.Errorf("(-got +want):\n%s %s %s", d, r.ProviderID, r.After)
	}
	r = tool.Do(t.Context(), func(context.Context, *tool.Call) (*tool.Result, error) { return tool.Text(""), nil }, &tool.Call{After: tool.AfterSuspend})
	if r.ID == "" || r.Attempt != 1 || r.After != tool.AfterSuspend || r.Ended.Before(r.Started) {
		t.Errorf("got %+v", r)
	}
}

// Law 5: a result does not change after Do has returned, and a handler may keep
// one for all its calls.
func TestLaw5ResultsAreTheCallersOwn(t *testing.T) {
	kept := tool.Text("same")
	var tools tool.Registry
	if err := tools.Add(tool.Tool{Spec: tool.Spec{Name: "t"}, Handler: func(context.Context, *tool.Call) (*tool.Result, error) { return kept, nil }}); err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	var results [20]*tool.Result
	for i := range results {
		wg.Go(func() {
			c := tool.NewCall("t", `{}`)
			c.ID = fmt.Sprint("c", i)
			results[i] = tool.Do(t.Context(), tools.Call, c)
		})
	}
	wg.Wait()
	for i, r := range results {
		if want := fmt.Sprint("c", i); r.ID != want {
			t.Errorf("result %d bears the id %s", i, r.ID)
		}
	}
	if kept.ID != "" || !kept.Ended.IsZero() {
		t.Errorf("the handler's own result was changed: %+v", kept)
	}
}

// Law 5: a call does not change once it is announced.
func TestLaw5CallsAreFrozenOnceStarted(t *testing.T) {
	var tools tool.Registry
	tools.Use(func(next tool.Handler) tool.Handler {
		return func(ctx context.Context, c *tool.Call) (*tool.Result, error) {
			c.Args, c.Grant.Rule = json.RawMessage(`{"n":2}`), "r1"
			return next(ctx, c)
		}
	})
	var ran string
	if err := tools.Add(tool.Tool{Spec: tool.Spec{Name: "t", Timeout: time.Minute}, Handler: func(_ context.Context, c *tool.Call) (*tool.Result, error) {
		ran = string(c.Args)
		return tool.Text(""), nil
	}}); err != nil {
		t.Fatal(err)
	}
	var started []byte
	ctx := tool.WithNotes(t.Context(), func(n tool.Note) {
		if n.Kind == tool.NoteStarted {
			started, _ = json.Marshal(n.Call)
		}
	})
	c := tool.NewCall("t", `{"n":1}`)
	tool.Do(ctx, tools.Call, c)
	after, err := json.Marshal(c)
	if err != nil {
		t.Fatal(err)
	}
	if string(started) != string(after) || ran != `{"n":2}` || !strings.Contains(string(started), `"rule":"r1"`) {
		t.Errorf("announced %s\nran with  %s\nin the end %s", started, ran, after)
	}
}

// Law 4: what is announced is dealt with before the handler runs, and a listener
// that ends the context keeps the handler from running.
func TestLaw4TheListenerComesFirst(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	ctx = tool.WithNotes(ctx, func(tool.Note) { cancel() })
	var tools tool.Registry
	if err := tools.Add(tool.Tool{Spec: tool.Spec{Name: "t"}, Handler: func(context.Context, *tool.Call) (*tool.Result, error) {
		t.Error("the handler ran")
		return nil, nil
	}}); err != nil {
		t.Fatal(err)
	}
	if r := tool.Do(ctx, tools.Call, tool.NewCall("t", "")); r.Status != tool.StatusCancelled {
		t.Errorf("got %s", r.Status)
	}
}

func TestNotesAfterTheEndAreDropped(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var tools tool.Registry
		late := make(chan struct{})
		if err := tools.Add(tool.Tool{Spec: tool.Spec{Name: "t", Timeout: time.Second}, Handler: func(ctx context.Context, _ *tool.Call) (*tool.Result, error) {
			tool.Progress(ctx, "in time")
			<-late
			tool.Progress(ctx, "late")
			tool.Observe(ctx, tool.Effects{Observed: []string{"late"}})
			return tool.Text("late"), nil
		}}); err != nil {
			t.Fatal(err)
		}
		var heard []string
		ctx := tool.WithNotes(t.Context(), func(n tool.Note) {
			if n.Kind == tool.NoteProgress {
				heard = append(heard, n.Content[0].Text)
			}
		})
		r := tool.Do(ctx, tools.Call, tool.NewCall("t", `{}`))
		close(late)
		synctest.Wait()
		if r.Status != tool.StatusTimeout || len(heard) != 1 || r.Effects != nil {
			t.Errorf("got %s, heard %q, effects %+v", r.Status, heard, r.Effects)
		}
	})
}

// C3: effects that were observed are told, also when the tool fails or hangs.
func TestC3EffectsAreObserved(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		release := make(chan struct{})
		defer close(release)
		for name, end := range map[string]func() (*tool.Result, error){
			"answers": func() (*tool.Result, error) {
				return &tool.Result{Effects: &tool.Effects{Commands: []tool.CommandRun{{Argv: []string{"own"}}}}}, nil
			},
			"fails":  func() (*tool.Result, error) { return nil, errors.New("no") },
			"panics": func() (*tool.Result, error) { panic("no") },
			"hangs":  func() (*tool.Result, error) { <-release; return nil, nil },
		} {
			var tools tool.Registry
			if err := tools.Add(tool.Tool{Spec: tool.Spec{Name: "t"}, Handler: func(ctx context.Context, _ *tool.Call) (*tool.Result, error) {
				var wg sync.WaitGroup
				for range 4 {
					wg.Go(func() {
						tool.Observe(ctx, tool.Effects{Observed: []string{"create-file"}, Created: []tool.FileEffect{{Path: "a", Kind: "file"}}})
					})
				}
				wg.Wait()
				return end()
			}}); err != nil {
				t.Fatal(err)
			}
			r := tool.Do(t.Context(), tools.Call, tool.NewCall("t", `{}`))
			if r.Effects == nil || len(r.Effects.Created) != 4 || len(r.Effects.Observed) != 1 {
				t.Errorf("a tool that %s has the effects %+v", name, r.Effects)
			}
			if name == "answers" && len(r.Effects.Commands) != 1 {
				t.Errorf("what the tool itself told is lost: %+v", r.Effects)
			}
		}
	})
}

func TestCurrentIsTheCallInsideAHandler(t *testing.T) {
	var tools tool.Registry
	if err := tools.Add(tool.Tool{Spec: tool.Spec{Name: "t"}, Handler: func(ctx context.Context, c *tool.Call) (*tool.Result, error) {
		if tool.Current(ctx) != c {
			t.Error("inside, it is another call")
		}
		return tool.Text(""), nil
	}}); err != nil {
		t.Fatal(err)
	}
	tool.Do(t.Context(), tools.Call, tool.NewCall("t", `{}`))
	if tool.Current(t.Context()) != nil {
		t.Error("outside, there is a call")
	}
}

// Law 8: the core allocates for nobody who does not watch.
func TestLaw8Allocations(t *testing.T) {
	res, own := tool.Text("x"), tool.Errorf(tool.CodeLimit, "x")
	h := func(context.Context, *tool.Call) (*tool.Result, error) { return res, nil }
	c := tool.NewCall("t", `{}`)
	ctx := context.Background()
	pass := func(next tool.Handler) tool.Handler {
		return func(ctx context.Context, c *tool.Call) (*tool.Result, error) { return next(ctx, c) }
	}
	for name, want := range map[string]struct {
		most float64
		fn   func()
	}{
		"Do":                    {1, func() { tool.Do(ctx, h, c) }},
		"an unheard Notify":     {0, func() { tool.Notify(ctx, tool.Note{Kind: tool.NoteProgress}) }},
		"an unheard Progress":   {0, func() { tool.Progress(ctx, "half") }},
		"an unwatched Observe":  {0, func() { tool.Observe(ctx, tool.Effects{}) }},
		"AsError of an Error":   {1, func() { tool.AsError(own) }},
		"the code of an answer": {0, func() { _ = tool.CodeLoop.HTTP() }},
	} {
		if got := testing.AllocsPerRun(200, want.fn); got > want.most {
			t.Errorf("%s makes %v allocations, want %v at most", name, got, want.most)
		}
	}
	call := func(mw ...tool.Middleware) float64 {
		var tools tool.Registry
		tools.Use(mw...)
		if err := tools.Add(tool.Tool{Spec: tool.Spec{Name: "t", Input: schema.MustParse(`{"type":"object"}`)}, Handler: h}); err != nil {
			t.Fatal(err)
		}
		return testing.AllocsPerRun(200, func() { tool.Do(ctx, tools.Call, c) })
	}
	if bare, three := call(), call(pass, pass, pass); three > bare {
		t.Errorf("a call makes %v allocations, behind three middlewares %v", bare, three)
	}
}

func BenchmarkDo(b *testing.B) {
	h := func(context.Context, *tool.Call) (*tool.Result, error) { return tool.Text("x"), nil }
	c := tool.NewCall("t", `{}`)
	b.ReportAllocs()
	for b.Loop() {
		tool.Do(context.Background(), h, c)
	}
}
