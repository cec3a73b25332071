package audit_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/toolpost/toolpost/audit"
	"github.com/toolpost/toolpost/event"
	"github.com/toolpost/toolpost/tool"
)

// adder is a registry with a tool that adds two numbers, and off to what it says.
func adder(tb testing.TB, off int, about string) *tool.Registry {
	tb.Helper()
	type in struct {
		A int `json:"a"`
		B int `json:"b,omitempty"`
	}
	type out struct {
		Sum        int `json:"sum"`
		DurationMs int `json:"durationMs"`
	}
	n := 0
	tools := new(tool.Registry)
	if err := tools.Add(tool.New(tool.Spec{Name: "add", Description: about, Risk: tool.RiskReads},
		func(_ context.Context, x in) (out, error) {
			n++
			if x.A < 0 {
				return out{}, tool.Errorf(tool.CodeFailed, "attempt %d: no negative numbers", n)
			}
			return out{x.A + x.B + off, n}, nil
		})); err != nil {
		tb.Fatal(err)
	}
	return tools
}

// additions is a driver that makes calls with these arguments, in turns.
func additions(tools tool.Set, args ...string) func(context.Context, *event.Run) error {
	return func(ctx context.Context, r *event.Run) error {
		r.Emit(event.Event{Type: event.RunStarted})
		for i, a := range args {
			r.Emit(event.Event{Type: event.TurnStarted, Index: i + 1})
			r.Emit(event.Event{Type: event.MessageDone, Payload: map[string]string{"role": "assistant"}})
			if ctx.Err() != nil {
				return ctx.Err()
			}
			r.Do(ctx, tools.Call, tool.NewCall("add", a))
			r.Emit(event.Event{Type: event.TurnFinished, Index: i + 1})
		}
		r.Emit(event.Event{Type: event.RunFinished})
		return nil
	}
}

// viewOf is the record of a driver's run.
func viewOf(tb testing.TB, tools *tool.Registry, drive func(context.Context, *event.Run) error) *audit.View {
	tb.Helper()
	var m audit.Memory
	version, specs, err := audit.RegistryVersion(tools.Specs())
	if err != nil {
		tb.Fatal(err)
	}
	run, err := m.Create(audit.Facts{Registry: version, Specs: specs})
	if err != nil {
		tb.Fatal(err)
	}
	for _, err := range audit.Record(run, event.Go(context.Background(), run.ID(), drive)) {
		if err != nil {
			tb.Fatal(err)
		}
	}
	v, err := m.Load(run.ID())
	if err != nil {
		tb.Fatal(err)
	}
	return v
}

func replayed(r *audit.Replay, drive func(context.Context, *event.Run) error) (calls int, err error) {
	for e, failed := range r.Watch(event.Go(context.Background(), "again", drive)) {
		if failed != nil {
			err = failed
		}
		if e.Result != nil {
			calls++
		}
	}
	return calls, err
}

func TestAReplayIsTheRunOrShowsTheFirstDifference(t *testing.T) {
	three := []string{`{"a":1,"b":2}`, `{"a":-1,"b":2}`, `{"a":3,"b":4.0}`}
	tests := []struct {
		name   string
		args   []string
		off    int
		about  string
		live   []string
		until  string
		status audit.Status
		same   int
		want   string
	}{
		{name: "the same", args: three, off: 7, same: 3},
		{name: "the same, written in another way", args: []string{`{"b":2, "a":1.0}`, three[1], three[2]}, same: 3},
		{name: "the tool for real", args: three, live: []string{"add"}, same: 3},
		{name: "the tool for real, which has changed", args: three, off: 1, live: []string{"add"}, want: "call 1 (add): data /sum: was 3, is 4"},
		{name: "a tool that promises something else", args: three, about: "Subtract.", want: "call 1 (add): spec: was "},
		{name: "other arguments", args: []string{three[0], three[1], `{"a":3,"b":5}`}, same: 2, want: "call 3 (add): args /b: was 4.0, is 5"},
		{name: "a call too many", args: append(three[:3:3], `{}`), same: 3, want: `call 4 (add): call: was not there, is add {}`},
		{name: "a call too few", args: three[:2], same: 2, want: `call 3 (add): call: was add {"a":3,"b":4.0}`},
		{name: "up to a call", args: append(three[:2:2], `{"a":100}`), until: "2", same: 2},
		{name: "a record that breaks off", args: append(three[:3:3], `{}`), status: audit.StatusInterrupted, same: 3},
		{name: "up to a call that is not there", args: three, until: "9", want: `no call "9"`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			tools := adder(t, 0, "Add.")
			view := viewOf(t, tools, additions(tools, three...))
			if test.status != "" {
				view.Status = test.status
			}
			about := test.about
			if about == "" {
				about = "Add."
			}
			r := &audit.Replay{View: view, Tools: adder(t, test.off, about), Live: test.live, Until: test.until}
			_, err := replayed(r, additions(r, test.args...))
			var d *audit.Difference
			switch {
			case test.want == "" && err != nil:
				t.Errorf("got %v", err)
			case test.want != "" && (err == nil || !strings.Contains(err.Error(), test.want)):
				t.Errorf("got %v, want %s", err, test.want)
			case test.want != "" && test.until == "" && !errors.As(err, &d):
				t.Errorf("%v is no *Difference", err)
			}
			if r.Same() != test.same {
				t.Errorf("%d calls were the same, want %d", r.Same(), test.same)
			}
		})
	}
}

func TestDiffComparesCallsAndNoProse(t *testing.T) {
	tools := adder(t, 0, "Add.")
	a := viewOf(t, tools, additions(tools, `{"a":1,"b":2}`, `{"a":-1}`, `{"a":3}`))
	b := viewOf(t, tools, additions(tools, `{"a":1,"b":2}`, `{"a":-1}`, `{"a":3}`)) // with other durations, and errors in other words
	if c := audit.Diff(a, b); !c.Alike() || len(c.Pairs) != 3 {
		t.Errorf("equal runs differ: %+v", c.Pairs)
	}
	b = viewOf(t, tools, additions(tools, `{"a":1,"b":3}`, `{"a":1}`, `{"a":3}`, `{"a":4}`))
	c := audit.Diff(a, b)
	var got []string
	for _, p := range c.Pairs {
		for _, d := range p.Differences {
			got = append(got, d.Error())
		}
	}
	want := []string{
		"call 1 (add): args /b: was 2, is 3",
		"call 1 (add): data /sum: was 3, is 4",
		"call 2 (add): args /a: was -1, is 1",
		`call 2 (add): status: was error, is ok`,
		`call 2 (add): code: was TOOL_FAILED, is not there`,
		`call 2 (add): data: was not there, is {"durationMs":5,"sum":1}`,
		`call 4 (add): call: was not there, is add {"a":4}`,
	}
	for i := range got { // the count of calls is that of the tool, and means nothing
		if strings.Contains(got[i], "durationMs") {
			got[i] = want[5]
		}
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("want (-) and got (+):\n%s", d)
	}
	if c.First != 0 || c.Pairs[3].A != nil {
		t.Errorf("first %d, last %+v", c.First, c.Pairs[3])
	}
}

func ExampleReplay() {
	var tools tool.Registry
	if err := tools.Add(tool.New(tool.Spec{Name: "greet"}, func(_ context.Context, in struct{ Name string }) (string, error) {
		return "hello " + in.Name, nil
	})); err != nil {
		fmt.Println(err)
		return
	}
	greetings := func(set tool.Set, name string) event.Stream {
		return event.Go(context.Background(), "run", func(ctx context.Context, r *event.Run) error {
			r.Do(ctx, set.Call, tool.NewCall("greet", `{"name":"`+name+`"}`))
			return nil
		})
	}
	var runs audit.Memory
	run, err := runs.Create(audit.Facts{ID: "run"})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, err := range audit.Record(run, greetings(&tools, "Ada")) {
		if err != nil {
			fmt.Println(err)
			return
		}
	}
	view, err := runs.Load("run")
	if err != nil {
		fmt.Println(err)
		return
	}
	view.Status = audit.StatusOK // this driver emits no end
	for _, name := range []string{"Ada", "Bob"} {
		again := &audit.Replay{View: view, Tools: &tools}
		var end error
		for _, err := range again.Watch(greetings(again, name)) {
			end = err
		}
		fmt.Println(again.Same(), end)
	}
	// Output:
	// 1 <nil>
	// 0 call 1 (greet): args /name: was "Ada", is "Bob"
}

func BenchmarkReplay10000Calls(b *testing.B) {
	args := make([]string, 10_000)
	for i := range args {
		args[i] = fmt.Sprintf(`{"a":%d,"b":2}`, i)
	}
	tools := adder(b, 0, "Add.")
	store := &audit.Store{Dir: b.TempDir()}
	run := newRun(b, store)
	for _, err := range audit.Record(run, event.Go(b.Context(), run.ID(), additions(tools, args...))) {
		if err != nil {
			b.Fatal(err)
		}
	}
	for b.Loop() {
		view, err := store.Load(run.ID())
		if err != nil {
			b.Fatal(err)
		}
		r := &audit.Replay{View: view, Tools: tools}
		if _, err := replayed(r, additions(r, args...)); err != nil || r.Same() != len(args) {
			b.Fatalf("%d the same: %v", r.Same(), err)
		}
	}
}
