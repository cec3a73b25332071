package event_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/toolpost/toolpost/event"
	"github.com/toolpost/toolpost/schema"
	"github.com/toolpost/toolpost/tool"
)

func Example() {
	tools := tools(tool.Tool{Spec: tool.Spec{Name: "greet"}, Handler: func(ctx context.Context, _ *tool.Call) (*tool.Result, error) {
		tool.Progress(ctx, "thinking")
		return tool.Text("hello"), nil
	}})
	stream := event.Go(context.Background(), "r1", func(ctx context.Context, r *event.Run) error {
		r.Emit(event.Event{Type: event.RunStarted})
		r.Do(ctx, tools.Call, tool.NewCall("greet", `{}`))
		r.Emit(event.Event{Type: event.RunFinished})
		return nil
	})
	for e, err := range stream {
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Printf("%d %s %q\n", e.Seq, e.Type, e.Text)
	}
	// Output:
	// 1 run.started ""
	// 2 step.scheduled ""
	// 3 step.started ""
	// 4 step.progress "thinking"
	// 5 step.finished ""
	// 6 run.finished ""
}

func ExampleGroup() {
	tools := tools(tool.Tool{Spec: tool.Spec{Name: "echo"}, Handler: func(_ context.Context, c *tool.Call) (*tool.Result, error) {
		return tool.Text(string(c.Args)), nil
	}})
	results := make([]*tool.Result, 3)
	stream := event.Go(context.Background(), "r1", func(ctx context.Context, r *event.Run) error {
		g := r.Group()
		for i := range results {
			g.Do(ctx, tools.Call, tool.NewCall("echo", fmt.Sprintf(`{"n":%d}`, i)), &results[i])
		}
		g.Wait()
		return nil
	})
	for range stream { // the run moves only while somebody ranges
	}
	for _, res := range results {
		fmt.Println(res.Content[0].Text)
	}
	// Output:
	// {"n":0}
	// {"n":1}
	// {"n":2}
}

func tools(ts ...tool.Tool) *tool.Registry {
	var r tool.Registry
	if err := r.Add(ts...); err != nil {
		panic(err)
	}
	return &r
}

// waits is a tool that waits for the end of its context.
func waits(ctx context.Context, _ *tool.Call) (*tool.Result, error) {
	tool.Progress(ctx, "waiting")
	<-ctx.Done()
	return nil, ctx.Err()
}

// batch is a stream of one group of so many calls.
func batch(ctx context.Context, h tool.Handler, n int, results []*tool.Result) event.Stream {
	return event.Go(ctx, "r", func(ctx context.Context, r *event.Run) error {
		g := r.Group()
		for i := range n {
			g.Go(func(r *event.Run) {
				c := tool.NewCall("t", fmt.Sprintf(`{"n":%d}`, i))
				c.ID = fmt.Sprint("c", i)
				results[i] = r.Do(ctx, h, c)
			})
		}
		g.Wait()
		r.Emit(event.Event{Type: event.RunFinished})
		return nil
	})
}

func TestAnErrorIsYieldedLastAndAlone(t *testing.T) {
	boom := errors.New("boom")
	var got []string
	for e, err := range event.Go(t.Context(), "r", func(_ context.Context, r *event.Run) error {
		r.Emit(event.Event{Type: event.RunStarted})
		return boom
	}) {
		got = append(got, fmt.Sprint(e.Type, err))
	}
	if d := cmp.Diff(got, []string{"run.started<nil>", "boom"}); d != "" {
		t.Errorf("(-got +want):\n%s", d)
	}
	for range event.Go(t.Context(), "r", func(_ context.Context, r *event.Run) error {
		r.Emit(event.Event{Type: event.RunStarted})
		return boom // nobody listens any more: yielding would panic
	}) {
		break
	}
}

// To break is to cancel and to wait for the end. In a bubble of synctest a
// goroutine that is left behind fails the test.
func TestBreakCancelsAndWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		results := make([]*tool.Result, 2)
		ended := false
		h := tools(tool.Tool{Spec: tool.Spec{Name: "t"}, Handler: waits}).Call
		stream := func(yield func(event.Event, error) bool) {
			batch(t.Context(), h, 2, results)(yield)
			ended = true
		}
		begin := time.Now()
		for e := range stream {
			if e.Type == event.StepProgress {
				break
			}
		}
		if !ended || time.Since(begin) > 0 {
			t.Errorf("the run had ended: %t, after %s", ended, time.Since(begin))
		}
		for i, r := range results {
			if r == nil || r.Status != tool.StatusCancelled {
				t.Errorf("call %d: %+v", i, r)
			}
		}
	})
}

func TestAPanicOfTheListenerLeavesNothingBehind(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		results := make([]*tool.Result, 3)
		h := tools(tool.Tool{Spec: tool.Spec{Name: "t"}, Handler: waits}).Call
		for at := range 8 {
			func() {
				defer func() {
					if v := recover(); v != "listener" {
						t.Errorf("event %d: recovered %v", at, v)
					}
				}()
				for e := range batch(t.Context(), h, 3, results) {
					if e.Seq == int64(at+1) {
						panic("listener")
					}
				}
			}()
		}
	})
}

func TestGoexitOfTheListenerLeavesNothingBehind(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		results := make([]*tool.Result, 3)
		h := tools(tool.Tool{Spec: tool.Spec{Name: "t"}, Handler: waits}).Call
		for at := range 8 {
			done := make(chan bool)
			go func() {
				defer close(done)
				for e := range batch(t.Context(), h, 3, results) {
					if e.Seq == int64(at+1) {
						runtime.Goexit()
					}
				}
				t.Error("the goroutine went on")
			}()
			<-done
		}
	})
}

// Law 4 and law 5: what a call runs with is announced first, and C6: what is
// scheduled bears the arguments as the model sent them.
func TestC6RequestedAsSentStartedAsRun(t *testing.T) {
	ran := ""
	h := tools(tool.Tool{
		Spec: tool.Spec{Name: "t", Input: schema.MustParse(`{"type":"object","properties":{"path":{"type":"string"},"n":{"type":"integer"}}}`)},
		Handler: func(_ context.Context, c *tool.Call) (*tool.Result, error) {
			ran = string(c.Args)
			return tool.Text("x"), nil
		},
	}).Call
	var got []string
	c := tool.NewCall("t", `{"file_path":"a","n":"7"}`)
	for e, err := range event.Go(t.Context(), "r", func(ctx context.Context, r *event.Run) error {
		r.Do(ctx, h, c)
		return nil
	}) {
		if err != nil {
			t.Fatal(err)
		}
		if e.Type == event.StepStarted && ran != "" {
			t.Error("the call ran before it was announced")
		}
		got = append(got, fmt.Sprint(e.Type, " ", string(e.Call.Args)))
	}
	want := []string{`step.scheduled {"file_path":"a","n":"7"}`, `step.started ` + ran, `step.finished ` + ran}
	if d := cmp.Diff(got, want); d != "" || !strings.Contains(ran, `"path":"a"`) {
		t.Errorf("ran with %s (-got +want):\n%s", ran, d)
	}
	if string(c.Args) != `{"file_path":"a","n":"7"}` || c.Run != "r" {
		t.Errorf("the caller's call became %s %s", c.Args, c.Run)
	}
}

// C7: a crash disturbs no other call of the batch, and C1: each call has one end.
func TestC7ACrashDisturbsNoOtherCall(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := tools(tool.Tool{Spec: tool.Spec{Name: "t"}, Handler: func(ctx context.Context, c *tool.Call) (*tool.Result, error) {
			switch c.ID {
			case "c1":
				panic("crash")
			case "c2":
				runtime.Goexit()
			case "c3":
				return nil, nil
			}
			time.Sleep(time.Minute)
			return tool.Text("fine"), nil
		}}).Call
		results := make([]*tool.Result, 6)
		ends := map[string]int{}
		for e := range batch(t.Context(), h, 6, results) {
			if e.Type == event.StepFinished || e.Type == event.StepFailed {
				ends[e.Result.ID]++
			}
		}
		for i, r := range results {
			if r.OK() != (i == 0 || i > 3) || ends[r.ID] != 1 {
				t.Errorf("call %d ended %s %d times", i, r.Status, ends[r.ID])
			}
		}
	})
}

func TestSequenceHasNoGaps(t *testing.T) {
	h := tools(tool.Tool{Spec: tool.Spec{Name: "t"}, Handler: func(ctx context.Context, _ *tool.Call) (*tool.Result, error) {
		for range 5 {
			tool.Progress(ctx, "x")
		}
		return tool.Text("fine"), nil
	}}).Call
	results := make([]*tool.Result, 50)
	var last int64
	inside := false
	for e, err := range batch(t.Context(), h, 50, results) {
		if inside {
			t.Fatal("the body was entered twice at once")
		}
		inside = true
		if err != nil || e.Run != "r" || e.Seq != last+1 || e.Time.IsZero() {
			t.Fatalf("event %d after %d: %+v %v", e.Seq, last, e, err)
		}
		last = e.Seq
		inside = false
	}
	if last != 50*8+1 {
		t.Errorf("%d events", last)
	}
}

func TestEmitOfManyGoroutines(t *testing.T) {
	n := 0
	for range event.Go(t.Context(), "r", func(_ context.Context, r *event.Run) error {
		var wg sync.WaitGroup
		for range 20 {
			wg.Go(func() { r.Emit(event.Event{Type: event.Usage}) })
		}
		wg.Wait()
		return nil
	}) {
		n++
	}
	if n != 20 {
		t.Errorf("%d events", n)
	}
}

func TestStreamCanBeRangedOverAgain(t *testing.T) {
	runs := 0
	s := event.Go(t.Context(), "r", func(_ context.Context, r *event.Run) error {
		runs++
		r.Emit(event.Event{Type: event.RunStarted})
		return nil
	})
	for range 2 {
		for e := range s {
			if e.Seq != 1 {
				t.Errorf("the first event has the number %d", e.Seq)
			}
		}
	}
	if runs != 2 {
		t.Errorf("the work was done %d times", runs)
	}
}

func TestTypesOfOthers(t *testing.T) {
	openclaw := map[event.Type]string{
		event.RunStarted: "agent_start", event.RunFinished: "agent_end", event.TurnStarted: "turn_start", event.TurnFinished: "turn_end",
		event.MessageStarted: "message_start", event.MessageUpdated: "message_update", event.MessageDone: "message_end",
		event.TextDelta: "text_delta", event.ThinkingDelta: "thinking_delta", event.ToolCallStarted: "toolcall_start", event.ToolCallDelta: "toolcall_delta",
		event.ToolCallDone: "toolcall_end", event.StepScheduled: "tool_execution_start", event.StepProgress: "tool_execution_update",
		event.StepFinished: "tool_execution_end", event.StepFailed: "tool_execution_end", event.Usage: "",
	}
	for typ, want := range openclaw {
		if got := typ.OpenClaw(); got != want {
			t.Errorf("%s is %q, want %q", typ, got, want)
		}
	}
	durable := []event.Type{event.RunStarted, event.StepStarted, event.StepFinished, event.StepFailed, event.RunFinished, event.RunCancelled, event.MessageDone, event.Confirmed}
	for typ := range openclaw {
		if typ.Durable() != slices.Contains(durable, typ) {
			t.Errorf("%s is durable: %t", typ, typ.Durable())
		}
	}
}

func TestPayloadsAreJSON(t *testing.T) {
	b, err := json.Marshal(event.Event{Type: event.Usage, Run: "r", Seq: 1, Payload: map[string]int{"tokens": 7}})
	if err != nil || !strings.Contains(string(b), `"payload":{"tokens":7}`) {
		t.Errorf("%s %v", b, err)
	}
	if _, err := json.Marshal(event.Event{Payload: func() {}}); err == nil {
		t.Error("a payload without a JSON form was written")
	}
}
