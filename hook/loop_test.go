package hook_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/toolpost/toolpost/hook"
	"github.com/toolpost/toolpost/tool"
)

// guarded is one handler behind a loop guard, and a way to call it.
type guarded struct {
	loop  *hook.Loop
	tools tool.Registry
	made  int
}

func guard(t *testing.T, loop *hook.Loop, spec tool.Spec, h tool.Handler) *guarded {
	t.Helper()
	g := &guarded{loop: loop}
	g.tools.Use(loop.Middleware)
	if spec.Name == "" {
		spec.Name = "look"
	}
	counted := func(ctx context.Context, c *tool.Call) (*tool.Result, error) {
		g.made++
		return h(ctx, c)
	}
	other := spec
	other.Name = "other"
	if err := g.tools.Add(tool.Tool{Spec: spec, Handler: counted}, tool.Tool{Spec: other, Handler: counted}); err != nil {
		t.Fatal(err)
	}
	return g
}

func (g *guarded) call(run, name, args string) *tool.Result {
	c := tool.NewCall(name, args)
	c.Run = run
	return tool.Do(context.Background(), g.tools.Call, c)
}

// outcome is a result in a word.
func outcome(r *tool.Result) string {
	word := string(r.Status)
	if r.Err != nil {
		word = string(r.Err.Code)
		if r.Err.Ends != "" {
			word += "/" + string(r.Err.Ends)
		}
	}
	if last := r.Content[len(r.Content)-1].Text; strings.HasPrefix(last, "[note: ") {
		word += "+note"
	}
	return word
}

func same(context.Context, *tool.Call) (*tool.Result, error) {
	return tool.JSON(map[string]int{"n": 1}), nil
}

func TestLoopCounts(t *testing.T) {
	steps := func(n int) func(context.Context, *tool.Call) (*tool.Result, error) {
		i := 0
		return func(context.Context, *tool.Call) (*tool.Result, error) {
			i++
			return tool.JSON(map[string]int{"n": i / n}), nil
		}
	}
	ticking := func(field string) tool.Handler {
		i := 0
		return func(context.Context, *tool.Call) (*tool.Result, error) {
			i++
			return tool.JSON(map[string]any{"state": "running", "deep": []any{map[string]int{field: i}}}), nil
		}
	}
	looped := "ok ok ok+note ok+note LOOP_DETECTED LOOP_DETECTED LOOP_DETECTED LOOP_DETECTED/run LOOP_DETECTED/run"
	fine := strings.TrimSpace(strings.Repeat("ok ", 9))
	for name, c := range map[string]struct {
		spec    tool.Spec
		handler tool.Handler
		args    []string
		want    string
	}{
		"the same call with the same outcome":    {handler: same, args: []string{`{"a":1,"b":2}`}, want: looped},
		"order and spaces do not matter":         {handler: same, args: []string{`{"a":1,"b":2}`, `{ "b": 2, "a": 1 }`}, want: looped},
		"a number written otherwise is the same": {handler: same, args: []string{`{"a":1.0}`, `{"a":1}`}, want: looped},
		"other arguments each time":              {handler: same, args: []string{`{"a":1}`, `{"a":2}`, `{"a":3}`, `{"a":4}`, `{"a":5}`, `{"a":6}`, `{"a":7}`, `{"a":8}`, `{"a":9}`}, want: fine},
		"large numbers that are neighbours":      {handler: same, args: []string{`{"a":9007199254740992}`, `{"a":9007199254740993}`}, want: "ok ok ok ok ok+note ok+note ok+note ok+note LOOP_DETECTED"},
		"another outcome each time":              {handler: steps(1), args: []string{`{}`}, want: fine},
		"an outcome that moves at last":          {handler: steps(3), args: []string{`{}`}, want: "ok ok ok ok ok+note ok ok ok+note ok"},
		"durations are left out":                 {handler: ticking("durationMs"), args: []string{`{}`}, want: looped},
		"process ids are left out":               {handler: ticking("pid"), args: []string{`{}`}, want: looped},
		"times are left out":                     {handler: ticking("started_at"), args: []string{`{}`}, want: looped},
		"what the tool names is left out":        {spec: tool.Spec{Volatile: []string{"nonce"}}, handler: ticking("nonce"), args: []string{`{}`}, want: looped},
		"anything else is an outcome":            {handler: ticking("nonce"), args: []string{`{}`}, want: fine},
		"polling with progress":                  {spec: tool.Spec{Polling: true}, handler: steps(1), args: []string{`{}`}, want: fine},
		"polling without progress":               {spec: tool.Spec{Polling: true}, handler: same, args: []string{`{}`}, want: looped},
		"text that is JSON": {handler: func() tool.Handler {
			i := 0
			return func(context.Context, *tool.Call) (*tool.Result, error) {
				i++
				return tool.Text(fmt.Sprintf(`{"x":1,"elapsed_ms":%d}`, i)), nil
			}
		}(), args: []string{`{}`}, want: looped},
		"failures count too": {handler: func(context.Context, *tool.Call) (*tool.Result, error) { return nil, errors.New("no") }, args: []string{`{}`},
			want: "TOOL_FAILED TOOL_FAILED TOOL_FAILED+note TOOL_FAILED+note LOOP_DETECTED LOOP_DETECTED LOOP_DETECTED LOOP_DETECTED/run LOOP_DETECTED/run"},
		"a client's calls": {handler: func(context.Context, *tool.Call) (*tool.Result, error) { return tool.Delegate("client"), nil }, args: []string{`{}`},
			want: strings.ReplaceAll(looped, "ok", "pending")},
	} {
		t.Run(name, func(t *testing.T) {
			g := guard(t, new(hook.Loop), c.spec, c.handler)
			var got []string
			for i := range 9 {
				got = append(got, outcome(g.call("r", "look", c.args[i%len(c.args)])))
			}
			if got := strings.Join(got, " "); got != c.want {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
		})
	}
}

func TestLoopPingPong(t *testing.T) {
	g := guard(t, new(hook.Loop), tool.Spec{}, same)
	var got []string
	var last *tool.Result
	for range 8 {
		for _, name := range []string{"look", "other"} {
			last = g.call("r", name, `{}`)
			got = append(got, outcome(last))
		}
	}
	want := "ok ok ok ok ok+note ok+note ok+note ok+note LOOP_DETECTED LOOP_DETECTED LOOP_DETECTED LOOP_DETECTED LOOP_DETECTED LOOP_DETECTED LOOP_DETECTED/run LOOP_DETECTED/run"
	if got := strings.Join(got, " "); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if !strings.Contains(last.Err.Message, "in turn with look") {
		t.Errorf("the message does not name the other: %s", last.Err.Message)
	}
	if g.made != 8 {
		t.Errorf("the tool ran %d times, want 8", g.made)
	}
}

func TestLoopAnEditIsProgress(t *testing.T) {
	g := guard(t, new(hook.Loop), tool.Spec{}, func(ctx context.Context, c *tool.Call) (*tool.Result, error) {
		if c.Tool == "other" {
			tool.Observe(ctx, tool.Effects{Modified: []tool.FileEffect{{Path: "a.go", Kind: "file"}}})
		}
		return tool.Text("2 tests fail"), nil
	})
	for i := range 10 {
		if got := outcome(g.call("r", "look", `{}`)); got != "ok" {
			t.Fatalf("test run %d between edits: %s", i+1, got)
		}
		g.call("r", "other", fmt.Sprintf(`{"edit":%d}`, i))
	}
}

func TestLoopRunsAreApartAndForgotten(t *testing.T) {
	g := guard(t, &hook.Loop{Runs: 2}, tool.Spec{}, same)
	for range 4 {
		g.call("a", "look", `{}`)
		g.call("b", "look", `{}`)
	}
	if got := outcome(g.call("a", "look", `{}`)); got != "LOOP_DETECTED" {
		t.Errorf("run a: %s", got)
	}
	g.call("c", "look", `{}`) // b has been idle longest
	if got := outcome(g.call("b", "look", `{}`)); got != "ok" {
		t.Errorf("run b after it was forgotten: %s", got)
	}
	g.loop.End("c")
	if got := outcome(g.call("c", "look", `{}`)); got != "ok" {
		t.Errorf("run c after its end: %s", got)
	}
	for range 9 {
		if got := outcome(g.call("", "look", `{}`)); got != "ok" {
			t.Errorf("a call without a run: %s", got)
		}
	}
}

func TestLoopSecondRefusalEndsTheTurn(t *testing.T) {
	g := guard(t, new(hook.Loop), tool.Spec{}, func(_ context.Context, c *tool.Call) (*tool.Result, error) {
		var in struct{ Why string }
		if err := json.Unmarshal(c.Args, &in); err != nil {
			return nil, err
		}
		return nil, tool.Errorf(tool.CodeDenied, "%s", in.Why)
	})
	steps := []struct{ turn, args, want string }{
		{"1", `{"why":"a","n":1}`, "POLICY_DENIED"},
		{"1", `{"why":"a","n":2}`, "POLICY_DENIED"}, // the model had no chance to learn
		{"2", `{"why":"b","n":3}`, "POLICY_DENIED"},
		{"2", `{"why":"a","n":4}`, "POLICY_DENIED/turn"},
		{"3", `{"why":"b","n":5}`, "POLICY_DENIED/turn"},
	}
	for i, s := range steps {
		c := tool.NewCall("look", s.args)
		c.Run, c.Turn = "r", s.turn
		if got := outcome(tool.Do(context.Background(), g.tools.Call, c)); got != s.want {
			t.Errorf("step %d: got %s, want %s", i+1, got, s.want)
		}
	}
}

func TestLoopThresholdsAreFields(t *testing.T) {
	g := guard(t, &hook.Loop{NoteAt: 2, RefuseAt: 1, EndAt: 3}, tool.Spec{}, same)
	var got []string
	for range 3 {
		got = append(got, outcome(g.call("r", "look", `{}`)))
	}
	if got := strings.Join(got, " "); got != "ok LOOP_DETECTED LOOP_DETECTED/run" {
		t.Errorf("got %s", got)
	}
}

func TestLoopIsSafeForConcurrentUse(t *testing.T) {
	g := guard(t, new(hook.Loop), tool.Spec{}, same)
	var tools tool.Registry
	tools.Use(g.loop.Middleware)
	if err := tools.Add(tool.Tool{Spec: tool.Spec{Name: "look"}, Handler: same}); err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	for i := range 50 {
		wg.Go(func() {
			c := tool.NewCall("look", `{}`)
			c.Run = fmt.Sprint("r", i%3)
			tool.Do(context.Background(), tools.Call, c)
		})
	}
	wg.Wait()
}

func BenchmarkLoop(b *testing.B) {
	var loop hook.Loop
	res := tool.JSON(map[string]any{"content": "package main\n", "bytes": 13, "durationMs": 2})
	h := loop.Middleware(func(context.Context, *tool.Call) (*tool.Result, error) { return res, nil })
	c := tool.NewCall("look", "")
	c.Run = "r"
	var args []json.RawMessage
	for i := range 64 {
		args = append(args, json.RawMessage(fmt.Sprintf(`{"path":"src/main.go","limit":200,"offset":%d}`, i)))
	}
	i := 0
	b.ReportAllocs()
	for b.Loop() {
		i++
		c.Args = args[i%64]
		tool.Do(context.Background(), h, c)
	}
}
