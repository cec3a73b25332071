package event_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/toolpost/toolpost/event"
	"github.com/toolpost/toolpost/tool"
)

// samples is one event of each kind of payload.
func samples() []event.Event {
	at := time.Date(2026, 1, 2, 3, 4, 5, 6_000_000, time.UTC)
	call := &tool.Call{Ref: tool.Ref{ID: "c1", Tool: "echo", Run: "r1", Step: "s1", Attempt: 1}, Args: json.RawMessage(`{"n":1}`)}
	res := tool.Text("hi")
	res.Ref, res.Started, res.Ended = call.Ref, at, at.Add(time.Second)
	return []event.Event{
		{Type: event.RunStarted, Run: "r1", Seq: 1, Time: at, Message: "starts", Payload: json.RawMessage(`{"model":"m"}`)},
		{Type: event.TurnStarted, Run: "r1", Seq: 2, Time: at, Index: 1},
		{Type: event.TextDelta, Run: "r1", Seq: 3, Time: at, Text: "h<i>", Index: 2},
		{Type: event.StepScheduled, Run: "r1", Seq: 4, Time: at, Step: "s1", Call: call},
		{Type: event.StepProgress, Run: "r1", Seq: 5, Time: at, Step: "s1", Call: call, Text: "half"},
		{Type: event.StepFinished, Run: "r1", Seq: 6, Time: at, Step: "s1", Call: call, Result: res},
		{Type: event.StepFailed, Run: "r1", Seq: 7, Time: at, Level: event.LevelWarn, Step: "s1", Call: call, Result: res, Payload: json.RawMessage(`{"extra":true}`)},
		{Type: event.RunFinished, Run: "r1", Seq: 8, Time: at, Level: event.LevelError},
	}
}

// The form on disk and on the wire; UPDATE=1 writes the file.
func TestGoldenLines(t *testing.T) {
	var b strings.Builder
	for _, e := range samples() {
		line, err := json.Marshal(e)
		if err != nil {
			t.Fatal(err)
		}
		b.Write(append(line, '\n'))
	}
	file := filepath.Join("testdata", "events.jsonl")
	if os.Getenv("UPDATE") != "" {
		if err := os.WriteFile(file, []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(strings.Split(b.String(), "\n"), strings.Split(string(want), "\n")); d != "" {
		t.Errorf("(-got +want):\n%s", d)
	}
}

func TestRoundTrip(t *testing.T) {
	for _, e := range samples() {
		one, err := json.Marshal(e)
		if err != nil {
			t.Fatal(err)
		}
		var back event.Event
		if err := json.Unmarshal(one, &back); err != nil {
			t.Fatalf("%s: %v", one, err)
		}
		two, err := json.Marshal(back)
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(string(two), string(one)); d != "" {
			t.Errorf("%s (-again +once):\n%s", e.Type, d)
		}
		if back.Type != e.Type || back.Seq != e.Seq || !back.Time.Equal(e.Time) || back.Level != e.Level || back.Text != e.Text || back.Index != e.Index || (back.Call == nil) != (e.Call == nil) || (back.Result == nil) != (e.Result == nil) {
			t.Errorf("%s came back as %+v", e.Type, back)
		}
	}
}

func FuzzEventJSON(f *testing.F) {
	for _, e := range samples() {
		b, err := json.Marshal(e)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(b)
	}
	f.Fuzz(func(t *testing.T, in []byte) {
		var e event.Event
		if json.Unmarshal(in, &e) != nil {
			return
		}
		one, err := json.Marshal(e)
		if err != nil {
			return
		}
		var again event.Event
		if err := json.Unmarshal(one, &again); err != nil {
			t.Fatalf("%s cannot be read: %v", one, err)
		}
	})
}
