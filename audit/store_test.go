package audit_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/toolpost/toolpost/audit"
	"github.com/toolpost/toolpost/event"
	"github.com/toolpost/toolpost/tool"
)

func create(t *testing.T, s *audit.Store, f audit.Facts) *audit.Run {
	t.Helper()
	run, err := s.Create(f)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = run.Close() })
	return run
}

func TestNamesOfRunsResolve(t *testing.T) {
	s := &audit.Store{Dir: t.TempDir()}
	start := time.Date(2026, 11, 21, 9, 0, 0, 0, time.UTC)
	for i, f := range []audit.Facts{{ID: "alpha-1", Label: "first"}, {ID: "alpha-2", Label: "both"}, {ID: "beta", Label: "both"}} {
		f.Started = start.Add(time.Duration(i) * time.Minute)
		create(t, s, f)
	}
	tests := []struct{ name, want, err string }{
		{"alpha-1", "alpha-1", ""},
		{"b", "beta", ""},
		{"-1", "beta", ""},
		{"-3", "alpha-1", ""},
		{"@first", "alpha-1", ""},
		{"alpha", "", `VALIDATION_ERROR: "alpha" means 2 runs: alpha-2, alpha-1; say more of the id`},
		{"@both", "", `VALIDATION_ERROR: "@both" means 2 runs: beta, alpha-2; say more of the id`},
		{"-4", "", "NOT_FOUND: no run -4: the store has 3"},
		{"-0", "", `NOT_FOUND: no run "-0" in the store; list them with: toolpost runs ls`},
		{"gamma", "", `NOT_FOUND: no run "gamma" in the store; list them with: toolpost runs ls`},
		{"../alpha-1", "", `NOT_FOUND: no run "../alpha-1" in the store; list them with: toolpost runs ls`},
		{"@", "", `NOT_FOUND: no run "@" in the store; list them with: toolpost runs ls`},
		{"", "", "VALIDATION_ERROR: the name of a run is empty: say its id, the beginning of it, -1 or @label"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got, err := s.Resolve(test.name)
			text := ""
			if err != nil {
				text = err.Error()
			}
			if got != test.want || text != test.err {
				t.Errorf("got %q, %v\nwant %q, %s", got, err, test.want, test.err)
			}
		})
	}
}

func TestAnIDThatIsNoPlainNameIsRefused(t *testing.T) {
	s := &audit.Store{Dir: t.TempDir()}
	for _, id := range []string{"..", ".hidden", "a/b", `a\b`, "-1", "a\x00b", "é", strings.Repeat("x", 129), "a b"} {
		if _, err := s.Create(audit.Facts{ID: id}); tool.AsError(err) == nil || tool.AsError(err).Code != tool.CodeInvalid {
			t.Errorf("%q: got %v, want VALIDATION_ERROR", id, err)
		}
		if _, err := s.Load(id); err == nil {
			t.Errorf("%q was loaded", id)
		}
	}
}

func TestListIsNewestFirstAndGoesOnBehindARunThatCannotBeRead(t *testing.T) {
	s := &audit.Store{Dir: t.TempDir()}
	var want []string
	for range 5 {
		want = append([]string{create(t, s, audit.Facts{}).ID()}, want...)
	}
	write(t, filepath.Join(s.Dir, want[2], "run.json"), []byte("{"))
	if err := os.MkdirAll(filepath.Join(s.Dir, "not-a-run"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Join(s.Dir, tool.NewID()), 0o700); err != nil { // a crash before it was made
		t.Fatal(err)
	}
	if id, err := s.Resolve("-1"); id != want[0] {
		t.Errorf("the newest is %s, %v", id, err)
	}
	var got []string
	bad := 0
	for r, err := range s.List() {
		if err != nil {
			bad++
			if !strings.Contains(err.Error(), want[2]) {
				t.Errorf("%v does not name run %s", err, want[2])
			}
			continue
		}
		got = append(got, r.ID)
	}
	if d := cmp.Diff(append(want[:2:2], want[3:]...), got); d != "" || bad != 1 {
		t.Errorf("%d bad; want (-) and got (+):\n%s", bad, d)
	}
	for range (&audit.Store{Dir: filepath.Join(s.Dir, "missing")}).List() {
		t.Error("a store that is not there has a run")
	}
}

func TestARunIsWrittenByOneAtATime(t *testing.T) {
	s := &audit.Store{Dir: t.TempDir()}
	run := create(t, s, audit.Facts{})
	_, err := (&audit.Store{Dir: s.Dir}).Resume(run.ID())
	want := fmt.Sprintf("CONFLICT: run %s is being written (held by another process, pid %d); wait until it has ended, or stop that process", run.ID(), os.Getpid())
	if err == nil || err.Error() != want {
		t.Fatalf("got  %v\nwant %s", err, want)
	}
	if _, err := s.Create(audit.Facts{ID: run.ID()}); tool.AsError(err) == nil || tool.AsError(err).Code != tool.CodeConflict {
		t.Errorf("the same id again: %v", err)
	}
	if err := run.Close(); err != nil {
		t.Fatal(err)
	}
	again, err := s.Resume(run.ID())
	if err != nil {
		t.Fatalf("after it was closed: %v", err)
	}
	if err := again.Close(); err != nil {
		t.Error(err)
	}
}

func TestResumeGoesOnInTheSameRecord(t *testing.T) {
	s, id, _ := recorded(t, 1)
	run, err := s.Resume(id)
	if err != nil {
		t.Fatal(err)
	}
	for _, err := range audit.Record(run, event.Go(t.Context(), id, calls(2))) {
		if err != nil {
			t.Fatal(err)
		}
	}
	v, err := s.Load(id)
	if err != nil {
		t.Fatal(err)
	}
	if v.Counts.Calls != 3 || !v.Sealed || v.Status != audit.StatusOK || v.Prompt != "p" {
		t.Errorf("%d calls, sealed %t, status %s, prompt %q", v.Counts.Calls, v.Sealed, v.Status, v.Prompt)
	}
	opened := 0
	for e, err := range s.Entries(id) {
		if err != nil {
			t.Fatal(err)
		}
		if e.Facts != nil {
			opened++
		}
	}
	if opened != 2 {
		t.Errorf("facts stand in %d records, want 2", opened)
	}
	unchangedByRebuild(t, s, id)
}

func TestACallHasItsTimesItsTurnAndWhatItWaitedFor(t *testing.T) {
	at := time.Date(2026, 11, 21, 9, 0, 0, 0, time.UTC)
	tick := func() time.Time { at = at.Add(400 * time.Microsecond); return at }
	asked := tool.NewCall("read", `{"file":"a"}`)
	ran := *asked
	ran.Tool, ran.Args = "read_file", []byte(`{"path":"a"}`)
	res := tool.Text("x")
	res.Ref = ran.Ref
	s := &audit.Store{Dir: t.TempDir()}
	run := create(t, s, audit.Facts{})
	for _, err := range audit.Record(run, stream(
		event.Event{Type: event.RunStarted, Time: tick()},
		event.Event{Type: event.TurnStarted, Index: 1, Time: tick()},
		event.Event{Type: event.MessageDone, Time: tick(), Payload: map[string]string{"role": "assistant"}},
		event.Event{Type: event.StepScheduled, Call: asked, Time: tick()},
		event.Event{Type: event.StepWaiting, Call: &ran, Message: "for you", Time: tick()},
		event.Event{Type: event.StepStarted, Call: &ran, Time: tick()},
		event.Event{Type: event.StepProgress, Call: &ran, Text: "half", Time: tick()},
		event.Event{Type: event.StepFinished, Call: &ran, Result: res, Time: tick()},
		event.Event{Type: event.Usage, Time: tick(), Payload: map[string]int{"input": 10, "output": 2}},
		event.Event{Type: event.Usage, Time: tick(), Payload: map[string]int{"input": 1}},
		event.Event{Type: event.TurnFinished, Index: 1, Time: tick()},
		event.Event{Type: event.RunFinished, Time: tick(), Payload: map[string]any{"status": "tool_error", "exitCode": 5, "money": 0.25, "error": "it failed"}},
	)) {
		if err != nil {
			t.Fatal(err)
		}
	}
	v, err := s.Load(run.ID())
	if err != nil {
		t.Fatal(err)
	}
	c, err := v.Call("1")
	if err != nil {
		t.Fatal(err)
	}
	since := func(u time.Time) string { return u.Sub(v.Turns[0].Started).String() }
	got := []string{c.Asked.Tool, c.Tool(), string(c.Ran.Args), fmt.Sprint(c.Turn, v.Turns[0].Calls[0] == c), c.WaitedFor, c.Progress[0].Text,
		since(v.Turns[0].Replied), since(c.Scheduled), since(c.Waiting), since(c.Started), since(c.Ended), since(v.Turns[0].Ended),
		string(v.Status), fmt.Sprint(*v.Exit), v.Message, fmt.Sprint(v.Usage), fmt.Sprint(v.Money)}
	want := []string{"read", "read_file", `{"path":"a"}`, "1 true", "for you", "half",
		"400µs", "800µs", "1.2ms", "1.6ms", "2.4ms", "3.6ms", "tool_error", "5", "it failed", "map[input:11 output:2]", "0.25"}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("want (-) and got (+):\n%s", d)
	}
	for r, err := range s.List() {
		if err != nil || r.Status != "tool_error" || *r.Exit != 5 || r.Counts.Turns != 1 || r.Usage["input"] != 11 {
			t.Errorf("list: %v %+v", err, r)
		}
	}
}

func TestTailFollowsARunUntilItEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &audit.Store{Dir: t.TempDir()}
		run := create(t, s, audit.Facts{})
		done := make(chan []int64)
		go func() {
			var seqs []int64
			for e, err := range s.Tail(context.Background(), run.ID(), 1) {
				if err != nil {
					t.Error(err)
				}
				seqs = append(seqs, e.Seq)
			}
			done <- seqs
		}()
		for _, err := range audit.Record(run, event.Go(t.Context(), run.ID(), func(ctx context.Context, r *event.Run) error {
			for _, typ := range []event.Type{event.RunStarted, event.TextDelta, event.TextDelta, event.RunFinished} {
				r.Emit(event.Event{Type: typ, Text: "x"})
				<-time.After(time.Second)
			}
			return nil
		})) {
			if err != nil {
				t.Fatal(err)
			}
		}
		if d := cmp.Diff([]int64{2, 3, 4}, <-done); d != "" {
			t.Error(d)
		}
	})
}

func TestArtifactsAreNamedByContentAndReadAnywhere(t *testing.T) {
	s := &audit.Store{Dir: t.TempDir()}
	run := create(t, s, audit.Facts{})
	data := bytes.Repeat([]byte("0123456789"), 1000)
	a, err := s.Put(run.ID(), data, "text/plain")
	if err != nil {
		t.Fatal(err)
	}
	if again, err := s.Put(run.ID(), data, "text/plain"); err != nil || again != a {
		t.Errorf("again: %+v, %v", again, err)
	}
	x, err := s.OpenArtifact(run.ID(), a.ID)
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	part := make([]byte, 5)
	if _, err := x.ReadAt(part, 9998); !errors.Is(err, io.EOF) || string(part[:2]) != "89" {
		t.Errorf("at the end: %q, %v", part, err)
	}
	all, err := io.ReadAll(x.Reader())
	if err != nil || !bytes.Equal(all, data) || x.Artifact != a {
		t.Errorf("%d bytes, %v, %+v", len(all), err, x.Artifact)
	}
	for _, id := range []string{"nothing", "../run.json", "", a.ID + ".json"} {
		if _, err := s.OpenArtifact(run.ID(), id); tool.AsError(err) == nil || tool.AsError(err).Code != tool.CodeNotFound {
			t.Errorf("%q: %v", id, err)
		}
	}
	if _, err := s.Put("nobody", data, ""); tool.AsError(err) == nil || tool.AsError(err).Code != tool.CodeNotFound {
		t.Errorf("a run that is not there: %v", err)
	}
}

func TestRegistryVersionDependsOnSpecsAndNotOnTheirOrder(t *testing.T) {
	a, b := tool.Spec{Name: "a"}, tool.Spec{Name: "b", Description: "x"}
	v1, specs, err := audit.RegistryVersion([]tool.Spec{a, b})
	if err != nil {
		t.Fatal(err)
	}
	v2, _, err := audit.RegistryVersion([]tool.Spec{b, a})
	if err != nil || v1 != v2 || len(specs) != 2 || specs["a"] == specs["b"] {
		t.Errorf("%s, %s, %v, %v", v1, v2, specs, err)
	}
	b.Description = "y"
	if v3, _, _ := audit.RegistryVersion([]tool.Spec{a, b}); v3 == v1 {
		t.Error("another description, and the same version")
	}
}

// unchangedByRebuild fails when the files of a run are not those that its
// journal gives.
func unchangedByRebuild(t *testing.T, store *audit.Store, id string) {
	t.Helper()
	names := []string{"calls.jsonl", "results.jsonl", "messages.jsonl"}
	had := map[string]string{}
	for _, name := range names {
		path := filepath.Join(store.Dir, id, name)
		b, err := os.ReadFile(path)
		if err == nil {
			had[name] = string(b)
			err = os.Remove(path)
		}
		if err != nil && !os.IsNotExist(err) {
			t.Fatal(err)
		}
	}
	if err := store.Rebuild(id); err != nil {
		t.Errorf("rebuild: %v", err)
	}
	for _, name := range names {
		b, err := os.ReadFile(filepath.Join(store.Dir, id, name))
		if err != nil && !os.IsNotExist(err) {
			t.Fatal(err)
		}
		if string(b) != had[name] {
			t.Errorf("%s of run %s:\nhad     %q\nrebuilt %q", name, id, had[name], b)
		}
	}
}
