package audit_test

import (
	"context"
	"errors"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/toolpost/toolpost/audit"
	"github.com/toolpost/toolpost/event"
	"github.com/toolpost/toolpost/tool"
)

func TestAnEventIsOnRecordBeforeItIsPassedOn(t *testing.T) {
	s := &audit.Store{Dir: t.TempDir()}
	run := create(t, s, audit.Facts{})
	for e, err := range audit.Record(run, event.Go(t.Context(), run.ID(), calls(3))) {
		if err != nil {
			t.Fatal(err)
		}
		last := int64(0)
		for r, err := range s.Entries(run.ID()) {
			if err != nil {
				t.Fatal(err)
			}
			last = r.Seq
		}
		if last != e.Seq {
			t.Fatalf("event %d was passed on with %d on record", e.Seq, last)
		}
	}
}

func TestEventsThatComeTogetherArePassedOnAfterTheLast(t *testing.T) {
	s := &audit.Store{Dir: t.TempDir()}
	run := create(t, s, audit.Facts{})
	var order []string
	source := func(yield func(event.Event, error) bool) {
		for i, e := range []event.Event{
			{Type: event.RunStarted}, {Type: event.StepStarted, More: true}, {Type: event.StepProgress, More: true},
			{Type: event.StepStarted}, {Type: event.RunFinished, More: true}} {
			order = append(order, "made "+string(rune('1'+i)))
			if !yield(e, nil) {
				return
			}
		}
	}
	for e, err := range audit.Record(run, source) {
		if err != nil {
			t.Fatal(err)
		}
		order = append(order, "heard "+string(rune('0'+e.Seq)))
	}
	want := []string{"made 1", "heard 1", "made 2", "made 3", "made 4", "heard 2", "heard 3", "heard 4", "made 5", "heard 5"}
	if d := cmp.Diff(want, order); d != "" {
		t.Errorf("want (-) and got (+):\n%s", d)
	}
}

func TestAStreamThatFailsHasAnEndOnRecord(t *testing.T) {
	var m audit.Memory
	run, err := m.Create(audit.Facts{})
	if err != nil {
		t.Fatal(err)
	}
	broken := tool.Errorf(tool.CodeUnavailable, "the model is away")
	var got error
	for _, err := range audit.Record(run, event.Go(t.Context(), run.ID(), func(_ context.Context, r *event.Run) error {
		r.Emit(event.Event{Type: event.RunStarted})
		return broken
	})) {
		got = err
	}
	if !errors.Is(got, broken) {
		t.Errorf("got %v", got)
	}
	v, err := m.Load(run.ID())
	if err != nil {
		t.Fatal(err)
	}
	if v.Status != audit.StatusError || v.Message != "the model is away" || !v.Sealed {
		t.Errorf("status %s, message %q", v.Status, v.Message)
	}
}

func TestAnEventOfAnotherRunIsRefused(t *testing.T) {
	var m audit.Memory
	run, err := m.Create(audit.Facts{ID: "one"})
	if err != nil {
		t.Fatal(err)
	}
	var got error
	for _, err := range audit.Record(run, event.Go(t.Context(), "two", calls(1))) {
		got = err
	}
	if tool.AsError(got) == nil || tool.AsError(got).Code != tool.CodePrecondition {
		t.Errorf("got %v, want PRECONDITION_FAILED", got)
	}
}

func TestACallThroughADoorIsARunOfItsOwn(t *testing.T) {
	var tools tool.Registry
	if err := tools.Add(
		tool.Tool{Spec: tool.Spec{Name: "good", Risk: tool.RiskReads}, Handler: func(ctx context.Context, _ *tool.Call) (*tool.Result, error) {
			tool.Progress(ctx, "half")
			return tool.Text("done"), nil
		}},
		tool.Tool{Spec: tool.Spec{Name: "bad"}, Handler: func(context.Context, *tool.Call) (*tool.Result, error) {
			return nil, tool.Errorf(tool.CodeConflict, "it changed")
		}}); err != nil {
		t.Fatal(err)
	}
	s := &audit.Store{Dir: t.TempDir()}
	door := audit.Calls(s, audit.Facts{Door: "mcp", Registry: "v1", Policy: &tool.Snapshot{Hash: "h"}})(tools.Call)
	var notes []tool.NoteKind
	ctx := tool.WithNotes(t.Context(), func(n tool.Note) { notes = append(notes, n.Kind) })
	var got []string
	for _, name := range []string{"good", "bad", "unknown"} {
		c := tool.NewCall(name, `{}`)
		r := tool.Do(ctx, door, c)
		text := name + " " + string(r.Status)
		if r.Err != nil {
			text += " " + string(r.Err.Code)
		}
		if r.ID != c.ID {
			t.Errorf("%s: the result is of call %s, not %s", name, r.ID, c.ID)
		}
		got = append(got, text)
	}
	want := []string{"good ok", "bad error CONFLICT", "unknown error NOT_FOUND"}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("results: %s", d)
	}
	if d := cmp.Diff([]tool.NoteKind{tool.NoteStarted, tool.NoteProgress, tool.NoteStarted}, notes); d != "" {
		t.Errorf("notes of the listener outside: %s", d)
	}
	var runs []string
	for r, err := range s.List() {
		if err != nil {
			t.Fatal(err)
		}
		v, err := s.Load(r.ID)
		if err != nil {
			t.Fatal(err)
		}
		runs = append(runs, string(r.Kind)+" "+r.Door+" "+v.Calls[0].Tool()+" "+string(r.Status))
		for _, name := range []string{"calls.jsonl", "results.jsonl"} {
			line := object(t, read(t, s.Dir+"/"+r.ID+"/"+name))
			if name == "calls.jsonl" && (line["toolRegistryVersion"] != "v1" || line["argsHash"] == nil || line["policy"] == nil) {
				t.Errorf("call line %v", line)
			}
			if line["callId"] != v.Calls[0].ID() || line["runId"] != r.ID {
				t.Errorf("%s: %v", name, line)
			}
		}
	}
	if d := cmp.Diff([]string{"call mcp unknown error", "call mcp bad error", "call mcp good ok"}, runs); d != "" {
		t.Errorf("runs: %s", d)
	}
}

func TestACallThatCannotBePutOnRecordIsNotMade(t *testing.T) {
	file := t.TempDir() + "/file"
	write(t, file, nil)
	ran := false
	door := audit.Calls(&audit.Store{Dir: file + "/store"}, audit.Facts{})(func(context.Context, *tool.Call) (*tool.Result, error) {
		ran = true
		return tool.Text("x"), nil
	})
	r := tool.Do(t.Context(), door, tool.NewCall("t", `{}`))
	if ran || r.Err == nil || r.Err.Code != tool.CodeUnavailable {
		t.Errorf("ran %t, %v", ran, r.Err)
	}
}

func TestCallsThroughADoorAtTheSameTime(t *testing.T) {
	s := &audit.Store{Dir: t.TempDir()}
	door := audit.Calls(s, audit.Facts{})(func(context.Context, *tool.Call) (*tool.Result, error) { return tool.Text("x"), nil })
	var all sync.WaitGroup
	for range 20 {
		all.Go(func() {
			if r := tool.Do(context.Background(), door, tool.NewCall("t", `{}`)); !r.OK() {
				t.Error(r.Err)
			}
		})
	}
	all.Wait()
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	n := 0
	for r, err := range s.List() {
		if err != nil || r.Status != audit.StatusOK || !r.Sealed {
			t.Errorf("%v %+v", err, r)
		}
		n++
	}
	if n != 20 {
		t.Errorf("%d runs, want 20", n)
	}
}
