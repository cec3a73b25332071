package agent_test

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/toolpost/toolpost/agent"
	"github.com/toolpost/toolpost/event"
	"github.com/toolpost/toolpost/llm"
	"github.com/toolpost/toolpost/session"
	"github.com/toolpost/toolpost/tool"
)

// model answers its nth request with its nth func; asked are the requests.
type model struct {
	turns []func(yield func(llm.Delta, error) bool)
	asked []llm.Request
}

func (m *model) Stream(_ context.Context, req *llm.Request) iter.Seq2[llm.Delta, error] {
	r := *req
	r.Messages = slices.Clone(req.Messages)
	m.asked = append(m.asked, r)
	return func(yield func(llm.Delta, error) bool) {
		n := len(m.asked) - 1
		if n >= len(m.turns) {
			yield(llm.Delta{}, errors.New("the model was asked too often"))
			return
		}
		m.turns[n](yield)
	}
}

func says(text string) func(func(llm.Delta, error) bool) {
	return func(yield func(llm.Delta, error) bool) {
		_ = yield(llm.Delta{Kind: llm.DeltaText, Text: text}, nil) &&
			yield(llm.Delta{Kind: llm.DeltaStop, Stop: llm.StopEnd}, nil)
	}
}

// calls asks for "tool args" each.
func calls(stop llm.Stop, each ...string) func(func(llm.Delta, error) bool) {
	return func(yield func(llm.Delta, error) bool) {
		for i, c := range each {
			name, args, _ := strings.Cut(c, " ")
			if !yield(llm.Delta{Kind: llm.DeltaCall, Index: i, ID: fmt.Sprintf("p%d", i), Name: name, Text: args}, nil) {
				return
			}
		}
		yield(llm.Delta{Kind: llm.DeltaStop, Stop: stop}, nil)
	}
}

type word struct {
	W string `json:"w"`
}

func registry(t testing.TB, tools ...tool.Tool) *tool.Registry {
	t.Helper()
	var r tool.Registry
	if err := r.Add(tools...); err != nil {
		t.Fatal(err)
	}
	return &r
}

func echo(name string, fn func(context.Context, string) (string, error)) tool.Tool {
	return tool.New(tool.Spec{Name: name, Description: "Echo.", Risk: tool.RiskReads}, func(ctx context.Context, in word) (word, error) {
		out, err := fn(ctx, in.W)
		return word{out}, err
	})
}

func run(t testing.TB, ctx context.Context, l *agent.Loop, s agent.Session) (agent.Outcome, []event.Event, error) {
	t.Helper()
	var out agent.Outcome
	var events []event.Event
	for e, err := range l.Run(ctx, s) {
		if err != nil {
			return out, events, err
		}
		if o, ok := e.Payload.(*agent.Outcome); ok {
			out = *o
		}
		events = append(events, e)
	}
	return out, events, nil
}

func results(msgs []llm.Message) []string {
	var out []string
	for _, m := range msgs {
		for _, b := range m.Blocks {
			if b.Result != nil {
				s := b.Result.Tool + " " + string(b.Result.Status)
				if b.Result.Err != nil {
					s += " " + string(b.Result.Err.Code)
				}
				out = append(out, s)
			}
		}
	}
	return out
}

func types(events []event.Event) []string {
	var out []string
	for _, e := range events {
		out = append(out, string(e.Type))
	}
	return out
}

func TestResultsStandInTheOrderOfTheCallsWhateverOrderTheyFinishIn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tools := registry(t, echo("slow", func(ctx context.Context, w string) (string, error) {
			d, _ := time.ParseDuration(w)
			time.Sleep(d)
			return w, nil
		}))
		m := &model{turns: []func(func(llm.Delta, error) bool){
			calls(llm.StopCalls, `slow {"w":"60s"}`, `slow {"w":"20s"}`, `slow {"w":"40s"}`), says("done"),
		}}
		chat := session.NewMemory(llm.User("go"))
		begin := time.Now()
		out, events, err := run(t, t.Context(), &agent.Loop{Provider: m, Tools: tools}, chat)
		if err != nil {
			t.Fatal(err)
		}
		if d := time.Since(begin); d != time.Minute {
			t.Errorf("three calls side by side took %s, want 1m0s", d)
		}
		var got []string
		for _, b := range chat.Messages()[2].Blocks {
			got = append(got, string(b.Result.Data))
		}
		if diff := cmp.Diff([]string{`{"w":"60s"}`, `{"w":"20s"}`, `{"w":"40s"}`}, got); diff != "" {
			t.Error(diff)
		}
		var finished []string
		for _, e := range events {
			if e.Type == event.StepFinished {
				finished = append(finished, string(e.Result.Data))
			}
		}
		if diff := cmp.Diff([]string{`{"w":"20s"}`, `{"w":"40s"}`, `{"w":"60s"}`}, finished); diff != "" {
			t.Error("finish events come in order of completion:", diff)
		}
		if out.Status != agent.StatusOK || out.Calls != 3 || out.Text != "done" || out.Turns != 2 {
			t.Errorf("outcome %+v", out)
		}
	})
}

func TestEventsOfARunComeInOrder(t *testing.T) {
	tools := registry(t, echo("echo", func(_ context.Context, w string) (string, error) { return w, nil }))
	m := &model{turns: []func(func(llm.Delta, error) bool){calls(llm.StopCalls, `echo {"w":"a"}`), says("done")}}
	_, events, err := run(t, t.Context(), &agent.Loop{Provider: m, Tools: tools}, session.NewMemory(llm.User("go")))
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"run.started",
		"turn.started", "message.started", "toolcall.started", "toolcall.delta", "message.finished",
		"step.scheduled", "step.started", "step.finished", "turn.finished",
		"turn.started", "message.started", "text.delta", "message.finished", "turn.finished", "run.finished"}
	if diff := cmp.Diff(want, types(events)); diff != "" {
		t.Error(diff)
	}
	for i, e := range events {
		if e.Seq != int64(i+1) {
			t.Errorf("event %d has seq %d", i, e.Seq)
		}
	}
}

func TestCallsOfAReplyThatWasCutOffAreNeverRun(t *testing.T) {
	var ran atomic.Int64
	tools := registry(t, echo("echo", func(_ context.Context, w string) (string, error) { ran.Add(1); return w, nil }))
	m := &model{turns: []func(func(llm.Delta, error) bool){
		calls(llm.StopLength, `echo {"w":"whole"}`, `echo {"w":"src/ma`), says("sorry"),
	}}
	chat := session.NewMemory(llm.User("go"))
	if _, _, err := run(t, t.Context(), &agent.Loop{Provider: m, Tools: tools}, chat); err != nil {
		t.Fatal(err)
	}
	if ran.Load() != 0 {
		t.Errorf("%d calls were run", ran.Load())
	}
	if diff := cmp.Diff([]string{"echo error TRUNCATED_CALL", "echo error TRUNCATED_CALL"}, results(chat.Messages())); diff != "" {
		t.Error(diff)
	}
}

func TestAnAbortAnswersEveryOpenCallAndKeepsItsResult(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tools := registry(t,
			echo("polite", func(ctx context.Context, w string) (string, error) { <-ctx.Done(); return "", ctx.Err() }),
			echo("stubborn", func(ctx context.Context, w string) (string, error) { time.Sleep(time.Hour); return w, nil }),
		)
		m := &model{turns: []func(func(llm.Delta, error) bool){calls(llm.StopCalls, `polite {"w":"a"}`, `stubborn {"w":"b"}`)}}
		chat := session.NewMemory(llm.User("go"))
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(time.Second, cancel)
		begin := time.Now()
		out, events, err := run(t, ctx, &agent.Loop{Provider: m, Tools: tools}, chat)
		if d := time.Since(begin); d != time.Second+tool.Grace {
			t.Errorf("ended after %s, want 1s and the grace", d)
		}
		if !errors.Is(err, &tool.Error{Code: tool.CodeCancelled}) {
			t.Errorf("got %v, want CANCELLED", err)
		}
		if diff := cmp.Diff([]string{"polite cancelled CANCELLED", "stubborn cancelled CANCELLED"}, results(chat.Messages())); diff != "" {
			t.Error(diff)
		}
		if tail := types(events)[len(events)-2:]; !slices.Equal(tail, []string{"run.cancelled", "run.finished"}) {
			t.Errorf("last events %v", tail)
		}
		if out.Status != agent.StatusCancelled {
			t.Errorf("status %s", out.Status)
		}
		time.Sleep(2 * time.Hour) // the stubborn one ends, too
	})
}

func TestToBreakCancelsAndWaitsForTheEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tools := registry(t, tool.New(tool.Spec{Name: "work", Description: "Work."}, func(ctx context.Context, in word) (word, error) {
			tool.Progress(ctx, "half")
			<-ctx.Done()
			return in, ctx.Err()
		}))
		m := &model{turns: []func(func(llm.Delta, error) bool){calls(llm.StopCalls, `work {"w":"a"}`, `work {"w":"b"}`)}}
		chat := session.NewMemory(llm.User("go"))
		for e, err := range (&agent.Loop{Provider: m, Tools: tools}).Run(t.Context(), chat) {
			if err != nil {
				t.Fatal(err)
			}
			if e.Type == event.StepProgress {
				break
			}
		}
		if diff := cmp.Diff([]string{"work cancelled CANCELLED", "work cancelled CANCELLED"}, results(chat.Messages())); diff != "" {
			t.Error(diff)
		}
	})
}

func TestWhatIsSaidMeanwhileIsPutInBeforeTheNextRequest(t *testing.T) {
	inbox, follow := make(chan llm.Message, 4), make(chan llm.Message, 1)
	tools := registry(t, echo("echo", func(_ context.Context, w string) (string, error) {
		inbox <- llm.User("first")
		inbox <- llm.User("second")
		follow <- llm.User("and then")
		return w, nil
	}))
	m := &model{turns: []func(func(llm.Delta, error) bool){
		calls(llm.StopCalls, `echo {"w":"a"}`), says("one"), says("two"), says("three"),
	}}
	chat := session.NewMemory(llm.User("go"))
	if _, _, err := run(t, t.Context(), &agent.Loop{Provider: m, Tools: tools, Inbox: inbox, FollowUps: follow}, chat); err != nil {
		t.Fatal(err)
	}
	var said []string
	for _, msg := range chat.Messages() {
		said = append(said, string(msg.Role)+" "+msg.Text())
	}
	want := []string{"user go", "assistant ", "tool ", "user first", "assistant one", "user second", "assistant two", "user and then", "assistant three"}
	if diff := cmp.Diff(want, said); diff != "" {
		t.Error(diff)
	}
}

func TestTheLoopEndsOnlyWhenEveryResultSaysTerminate(t *testing.T) {
	last := tool.Tool{Spec: tool.Spec{Name: "last", Description: "End."}, Handler: func(context.Context, *tool.Call) (*tool.Result, error) {
		r := tool.Text("bye")
		r.After = tool.AfterTerminate
		return r, nil
	}}
	tools := registry(t, last, echo("echo", func(_ context.Context, w string) (string, error) { return w, nil }))
	m := &model{turns: []func(func(llm.Delta, error) bool){
		calls(llm.StopCalls, `last {}`, `echo {"w":"a"}`), calls(llm.StopCalls, `last {}`, `last {}`),
	}}
	out, _, err := run(t, t.Context(), &agent.Loop{Provider: m, Tools: tools}, session.NewMemory(llm.User("go")))
	if err != nil || len(m.asked) != 2 || out.Calls != 4 {
		t.Errorf("asked %d times, %+v, %v", len(m.asked), out, err)
	}
}

func TestASequentialToolMakesItsBatchSequential(t *testing.T) {
	var active, most atomic.Int64
	work := func(_ context.Context, w string) (string, error) {
		most.Store(max(most.Load(), active.Add(1)))
		time.Sleep(time.Millisecond)
		active.Add(-1)
		return w, nil
	}
	one := echo("one", work)
	one.Sequential = true
	m := &model{turns: []func(func(llm.Delta, error) bool){calls(llm.StopCalls, `two {"w":"a"}`, `one {"w":"b"}`, `two {"w":"c"}`), says("done")}}
	if _, _, err := run(t, t.Context(), &agent.Loop{Provider: m, Tools: registry(t, one, echo("two", work))}, session.NewMemory(llm.User("go"))); err != nil {
		t.Fatal(err)
	}
	if most.Load() != 1 {
		t.Errorf("%d ran at once", most.Load())
	}
}

func TestCallsThatNameTheSameResourceRunOneAfterAnotherInSourceOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var mu sync.Mutex
		var order []string
		type in struct {
			Path string `json:"path"`
			N    string `json:"n"`
		}
		edit := tool.New(tool.Spec{Name: "edit", Description: "Edit.", Locks: []string{"path"}}, func(_ context.Context, a in) (word, error) {
			mu.Lock()
			order = append(order, "begin "+a.N)
			mu.Unlock()
			d, _ := time.ParseDuration(a.N)
			time.Sleep(d)
			mu.Lock()
			order = append(order, "end "+a.N)
			mu.Unlock()
			return word{}, nil
		})
		m := &model{turns: []func(func(llm.Delta, error) bool){calls(llm.StopCalls,
			`edit {"path":"a.md","n":"30s"}`, `edit {"path":"./a.md","n":"10s"}`, `edit {"path":"b.md","n":"5s"}`), says("done")}}
		if _, _, err := run(t, t.Context(), &agent.Loop{Provider: m, Tools: registry(t, edit)}, session.NewMemory(llm.User("go"))); err != nil {
			t.Fatal(err)
		}
		at := func(s string) int { return slices.Index(order, s) }
		if at("end 30s") > at("begin 10s") || at("end 5s") > at("end 30s") {
			t.Errorf("order %v", order)
		}
	})
}

func TestAFailureIsOpenUntilALaterBatchSucceeds(t *testing.T) {
	tools := registry(t, echo("try", func(_ context.Context, w string) (string, error) {
		if w == "bad" {
			return "", tool.Errorf(tool.CodeFailed, "no")
		}
		return w, nil
	}))
	for _, c := range []struct {
		name  string
		turns []string
		want  agent.Status
	}{
		{"recovered", []string{`try {"w":"bad"}`, `try {"w":"good"}`}, agent.StatusOK},
		{"left open", []string{`try {"w":"good"}`, `try {"w":"bad"}`}, agent.StatusOpen},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := &model{}
			for _, s := range c.turns {
				m.turns = append(m.turns, calls(llm.StopCalls, s))
			}
			m.turns = append(m.turns, says("done"))
			out, _, err := run(t, t.Context(), &agent.Loop{Provider: m, Tools: tools}, session.NewMemory(llm.User("go")))
			if err != nil || out.Status != c.want {
				t.Errorf("status %s, %v; want %s", out.Status, err, c.want)
			}
		})
	}
}

func TestAFailingModelEndsTheRunWithItsError(t *testing.T) {
	m := &model{turns: []func(func(llm.Delta, error) bool){func(yield func(llm.Delta, error) bool) {
		_ = yield(llm.Delta{Kind: llm.DeltaText, Text: "half a"}, nil) && yield(llm.Delta{}, tool.Errorf(tool.CodeUnavailable, "gone"))
	}}}
	chat := session.NewMemory(llm.User("go"))
	out, _, err := run(t, t.Context(), &agent.Loop{Provider: m}, chat)
	if !errors.Is(err, &tool.Error{Code: tool.CodeUnavailable}) || out.Status != agent.StatusFailed {
		t.Errorf("got %v, %s", err, out.Status)
	}
	if last := chat.Messages()[1]; !last.Broken() || last.Text() != "half a" {
		t.Errorf("kept %+v", last)
	}
}

func TestTheTranscriptHoldsWhatTheModelSentAndTheEventWhatRan(t *testing.T) {
	tools := registry(t, tool.New(tool.Spec{Name: "read", Description: "Read."}, func(_ context.Context, in struct {
		Path string `json:"path"`
	}) (word, error) {
		return word{in.Path}, nil
	}))
	m := &model{turns: []func(func(llm.Delta, error) bool){calls(llm.StopCalls, `read {"file_path":"a"}`), says("done")}}
	chat := session.NewMemory(llm.User("go"))
	_, events, err := run(t, t.Context(), &agent.Loop{Provider: m, Tools: tools}, chat)
	if err != nil {
		t.Fatal(err)
	}
	if got := string(chat.Messages()[1].Blocks[0].Call.Args); got != `{"file_path":"a"}` {
		t.Errorf("transcript: %s", got)
	}
	for _, e := range events {
		if e.Type == event.StepStarted && string(e.Call.Args) != `{"path":"a"}` {
			t.Errorf("record: %s", e.Call.Args)
		}
	}
}

func ExampleLoop() {
	type sum struct{ A, B int }
	var tools tool.Registry
	_ = tools.Add(tool.New(tool.Spec{Name: "add", Description: "Add two numbers.", Risk: tool.RiskReads},
		func(_ context.Context, in sum) (int, error) { return in.A + in.B, nil }))
	m := &model{turns: []func(func(llm.Delta, error) bool){calls(llm.StopCalls, `add {"A":2,"B":3}`), says("It is 5.")}}

	loop := agent.Loop{Provider: m, Tools: &tools}
	for e, err := range loop.Run(context.Background(), session.NewMemory(llm.User("What is 2+3?"))) {
		if err != nil {
			fmt.Println(err)
		}
		switch e.Type {
		case event.StepFinished:
			fmt.Println(e.Result.Tool, string(e.Result.Data))
		case event.TextDelta:
			fmt.Println(e.Text)
		}
	}
	// Output:
	// add 5
	// It is 5.
}
