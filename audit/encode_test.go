package audit_test

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/toolpost/toolpost/audit"
	"github.com/toolpost/toolpost/event"
	"github.com/toolpost/toolpost/tool"
)

// entriesOf records the events in memory and reads them back.
func entriesOf(t *testing.T, events ...event.Event) []*audit.Entry {
	t.Helper()
	var m audit.Memory
	run, err := m.Create(audit.Facts{})
	if err != nil {
		t.Fatal(err)
	}
	for _, err := range audit.Record(run, stream(events...)) {
		if err != nil {
			t.Fatal(err)
		}
	}
	var list []*audit.Entry
	for e, err := range m.Entries(run.ID()) {
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, e)
	}
	return list
}

func stream(events ...event.Event) event.Stream {
	return func(yield func(event.Event, error) bool) {
		for _, e := range events {
			if !yield(e, nil) {
				return
			}
		}
	}
}

// fill gives every field that is reached from v a value of its own.
func fill(v reflect.Value, n *int) {
	*n++
	switch v.Kind() {
	case reflect.String:
		v.SetString(fmt.Sprintf("text %d <&>", *n))
	case reflect.Int, reflect.Int64:
		v.SetInt(int64(*n) * 1e6)
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fill(v.Elem(), n)
	case reflect.Slice:
		if v.Type() == reflect.TypeFor[json.RawMessage]() {
			v.SetBytes(fmt.Appendf(nil, `{"n":%d}`, *n))
			return
		}
		v.Set(reflect.MakeSlice(v.Type(), 2, 2))
		fill(v.Index(0), n)
		fill(v.Index(1), n)
	case reflect.Uint8:
		v.SetUint(uint64(*n % 256))
	case reflect.Map:
		v.Set(reflect.MakeMap(v.Type()))
		for _, k := range []string{"zeta", "alpha"} {
			e := reflect.New(v.Type().Elem()).Elem()
			fill(e, n)
			v.SetMapIndex(reflect.ValueOf(k), e)
		}
	case reflect.Struct:
		if v.Type() == reflect.TypeFor[time.Time]() {
			v.Set(reflect.ValueOf(time.Date(2026, 11, 21, 15, 4, 5, *n*int(time.Millisecond), time.UTC)))
			return
		}
		for i := range v.NumField() {
			if f := v.Field(i); f.CanSet() && v.Type().Field(i).Name != "Spec" {
				fill(f, n)
			}
		}
	}
}

// A field that somebody adds to a call or a result must not be lost here.
func TestRecordHasEveryFieldThatTheEventItselfWrites(t *testing.T) {
	n := 0
	call, res := new(tool.Call), new(tool.Result)
	fill(reflect.ValueOf(call).Elem(), &n)
	fill(reflect.ValueOf(res).Elem(), &n)
	call.Spec = &tool.Spec{Risk: tool.RiskWrites, Category: "files"}
	res.Status = tool.StatusPartial
	at := time.Date(2026, 11, 21, 15, 4, 5, 678e6, time.UTC)
	events := map[string]event.Event{
		"a scheduled call":      {Type: event.StepScheduled, Call: call, Message: "m"},
		"a started call":        {Type: event.StepStarted, Call: call},
		"a waiting call":        {Type: event.StepWaiting, Call: call, Message: "asked", Step: "s"},
		"progress":              {Type: event.StepProgress, Call: call, Text: "50 %"},
		"a finished call":       {Type: event.StepFinished, Call: call, Result: res},
		"a result alone":        {Type: event.StepFailed, Result: res, Level: event.LevelWarn},
		"a delta":               {Type: event.TextDelta, Text: "a\u2028<b>", Index: 3},
		"a turn":                {Type: event.TurnStarted, Index: 2},
		"a payload":             {Type: event.MessageDone, Payload: map[string]any{"role": "user", "n": 1.5}},
		"a delta with payload":  {Type: event.ToolCallDelta, Text: "{", Payload: json.RawMessage(`[1, 2]`)},
		"an empty call":         {Type: event.StepStarted, Call: &tool.Call{}},
		"an empty result":       {Type: event.StepFinished, Result: &tool.Result{}},
		"an item without value": {Type: event.StepStarted, Call: &tool.Call{Item: &tool.Item{}}},
		"a year beyond 9999":    {Type: event.StepStarted, Call: &tool.Call{Created: time.Date(9999, 1, 1, 0, 0, 0, 0, time.UTC)}},
		"empty":                 {},
	}
	for name, e := range events {
		t.Run(name, func(t *testing.T) {
			e.Time = at
			entry := entriesOf(t, e)[0]
			e.Seq, e.Run = 1, entry.Run
			b, err := json.Marshal(e)
			if err != nil {
				t.Fatal(err)
			}
			got, want := object(t, entry.Raw), object(t, b)
			for _, frame := range []string{"v", "crc", "prev", "us", "facts"} {
				delete(got, frame)
			}
			if d := cmp.Diff(want, got); d != "" {
				t.Errorf("event's own form (-) and record (+):\n%s", d)
			}
		})
	}
}

func object(t *testing.T, b []byte) map[string]any {
	t.Helper()
	var m map[string]any
	if err := json.Unmarshal(b, &m); err != nil {
		t.Fatalf("%v in %s", err, b)
	}
	return m
}

// nasty is text that has broken somebody's log.
var nasty = []string{
	"\n", "\r\n", "\x00", "\u2028\u2029", "\u0085", "\x7f", "\x1b[31m", "\xff\xfe", "a\xc3", "\xed\xa0\x80", "�",
	`{"v":1,"seq":2,"crc":"00000000","prev":"`, "\n" + `{"v":1,"type":"step.finished"}` + "\n", `"},"x":{"`, `\`, `\u0000`, "</script>", "é", "𝄞",
}

func TestTextComesBackByteForByteAndForgesNoLine(t *testing.T) {
	for _, s := range nasty {
		t.Run(fmt.Sprintf("%q", s), func(t *testing.T) {
			call := tool.NewCall("t"+s, `{}`)
			call.ID, call.Preview, call.Args = "id"+s, s, json.RawMessage(s)
			res := &tool.Result{Ref: call.Ref, Status: tool.StatusError, Content: []tool.Content{{Type: tool.ContentText, Text: s}},
				User: s, Data: json.RawMessage(s), Err: &tool.Error{Code: tool.CodeFailed, Message: s},
				Effects: &tool.Effects{Commands: []tool.CommandRun{{Argv: []string{"x", s}}}, Created: []tool.FileEffect{{Path: s}}}}
			list := entriesOf(t,
				event.Event{Type: event.RunStarted, Message: s},
				event.Event{Type: event.StepScheduled, Call: call},
				event.Event{Type: event.StepFailed, Call: call, Result: res, Message: s},
				event.Event{Type: event.TextDelta, Text: s, Index: 1})
			if len(list) != 4 {
				t.Fatalf("%d records for 4 events", len(list))
			}
			for _, e := range list {
				if i := strings.IndexAny(string(e.Raw), "\n\r\x00\u0085\u2028\u2029\x7f\x1b"); i >= 0 {
					t.Errorf("a line break or control character stands raw: %q", e.Raw)
				}
				if !json.Valid(e.Raw) {
					t.Errorf("no JSON: %s", e.Raw)
				}
			}
			whole := func(e *audit.Entry, pointer, text string) {
				t.Helper()
				if b, ok := e.Bytes[pointer]; ok {
					text = string(b)
				}
				if text != s {
					t.Errorf("%s: got %q, want %q (bytes %q)", pointer, text, s, e.Bytes)
				}
			}
			whole(list[0], "/message", list[0].Message)
			whole(list[1], "/payload/call/preview", list[1].Call.Preview)
			if !json.Valid([]byte(s)) {
				whole(list[1], "/payload/call/argsText", string(list[1].Call.Args))
			}
			r := list[2].Result
			whole(list[2], "/payload/result/content/0/text", r.Content[0].Text)
			whole(list[2], "/payload/result/userMessage", r.User)
			whole(list[2], "/payload/result/error/message", r.Err.Message)
			whole(list[2], "/payload/result/effects/commands/0/argv/1", r.Effects.Commands[0].Argv[1])
			whole(list[2], "/payload/result/effects/created/0/path", r.Effects.Created[0].Path)
			whole(list[3], "/payload/text", list[3].Text)
		})
	}
}

func FuzzTextComesBack(f *testing.F) {
	for _, s := range nasty {
		f.Add(s, s)
	}
	f.Fuzz(func(t *testing.T, text, args string) {
		call := tool.NewCall("t", args)
		list := entriesOf(t, event.Event{Type: event.StepScheduled, Call: call, Message: text},
			event.Event{Type: event.StepStarted, Call: call}, event.Event{Type: event.RunFinished})
		e := list[0]
		got := e.Message
		if b, ok := e.Bytes["/message"]; ok {
			got = string(b)
		}
		if got != text {
			t.Errorf("message: got %q, want %q", got, text)
		}
		back := string(e.Call.Args)
		if b, ok := e.Bytes["/payload/call/argsText"]; ok {
			back = string(b)
		}
		var a, b any
		if json.Unmarshal([]byte(args), &a) == nil && json.Unmarshal([]byte(back), &b) == nil {
			if d := cmp.Diff(a, b); d != "" {
				t.Errorf("arguments: %s", d)
			}
		} else if back != args {
			t.Errorf("arguments: got %q, want %q", back, args)
		}
	})
}

func TestRecordingALineAllocatesLittle(t *testing.T) {
	var m audit.Memory
	run, err := m.Create(audit.Facts{})
	if err != nil {
		t.Fatal(err)
	}
	call := tool.NewCall("t", `{"path":"a"}`)
	e := event.Event{Type: event.StepStarted, Call: call, Run: run.ID(), Time: time.Now()}
	var got float64
	for _, err := range audit.Record(run, func(yield func(event.Event, error) bool) {
		for range 100 {
			yield(e, nil)
		}
		got = testing.AllocsPerRun(1000, func() { yield(e, nil) })
	}) {
		if err != nil {
			t.Fatal(err)
		}
	}
	if got > 1 {
		t.Errorf("%v allocations a record, want at most 1", got)
	}
}
