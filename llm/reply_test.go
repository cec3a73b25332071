package llm_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/toolpost/toolpost/llm"
	"github.com/toolpost/toolpost/tool"
)

func ExampleReply() {
	var r llm.Reply
	for _, d := range []llm.Delta{
		{Kind: llm.DeltaText, Text: "I "},
		{Kind: llm.DeltaText, Text: "look."},
		{Kind: llm.DeltaCall, Index: 0, ID: "call_1", Name: "read_file"},
		{Kind: llm.DeltaCall, Index: 0, Text: `{"path":`},
		{Kind: llm.DeltaCall, Index: 0, Text: `"a.txt"}`},
		{Kind: llm.DeltaStop, Stop: llm.StopCalls},
	} {
		if c := r.Add(d); c.New {
			fmt.Println("block", c.Block, "begins")
		}
	}
	msg := r.Message()
	fmt.Println(msg.Text(), msg.Blocks[1].Call.Tool, string(msg.Blocks[1].Call.Args), msg.Stop)
	// Output:
	// block 0 begins
	// block 1 begins
	// I look. read_file {"path":"a.txt"} tool_calls
}

func frag(index int, id, name, args string) llm.Delta {
	return llm.Delta{Kind: llm.DeltaCall, Index: index, ID: id, Name: name, Text: args}
}

var stop = llm.Delta{Kind: llm.DeltaStop, Stop: llm.StopCalls}

func join(ds ...llm.Delta) llm.Message {
	var r llm.Reply
	for _, d := range ds {
		r.Add(d)
	}
	return r.Message()
}

// calls is the calls of a message as text.
func calls(m *llm.Message) (all []string) {
	for _, b := range m.Blocks {
		if b.Call == nil {
			continue
		}
		s := b.Call.ProviderID + " " + b.Call.Tool + " " + string(b.Call.Args)
		if b.Broken != nil {
			s += " " + string(b.Broken.Code)
		}
		all = append(all, s)
	}
	return all
}

func TestFragmentsFindTheirCall(t *testing.T) {
	for _, tc := range []struct {
		name   string
		deltas []llm.Delta
		want   []string
	}{
		{"by index", []llm.Delta{frag(0, "a", "f", ""), frag(1, "b", "g", ""), frag(1, "", "", `{"x":2}`), frag(0, "", "", `{"x":1}`)}, []string{`a f {"x":1}`, `b g {"x":2}`}},
		{"indices with gaps and out of order", []llm.Delta{frag(7, "a", "f", "{}"), frag(3, "b", "g", "{}")}, []string{"a f {}", "b g {}"}},
		{"another id on a whole call begins one", []llm.Delta{frag(0, "a", "f", "{}"), frag(0, "b", "f", "{}")}, []string{"a f {}", "b f {}"}},
		{"another id on a call that is not whole does not", []llm.Delta{frag(0, "a", "f", `{"x"`), frag(0, "b", "", `:1}`)}, []string{`a f {"x":1}`}},
		{"no index, by id", []llm.Delta{frag(-1, "a", "f", `{"x":`), frag(-1, "b", "g", `{}`), frag(-1, "a", "", `1}`)}, []string{`a f {"x":1}`, "b g {}"}},
		{"no index, no id, by being whole", []llm.Delta{frag(-1, "", "f", `{"x":`), frag(-1, "", "", `1}`), frag(-1, "", "f", `{"x":2}`)}, []string{` f {"x":1}`, ` f {"x":2}`}},
		{"the word null is no id", []llm.Delta{frag(-1, "null", "f", "{}"), frag(-1, "null", "g", "{}")}, []string{" f {}", " g {}"}},
		{"an id that comes late", []llm.Delta{frag(0, "", "f", `{`), frag(0, "a", "", `}`)}, []string{"a f {}"}},
		{"a name that comes late", []llm.Delta{frag(0, "a", "", ``), frag(0, "", "f", `{}`)}, []string{"a f {}"}},
		{"brackets in strings do not count", []llm.Delta{frag(0, "a", "f", `{"x":"}\"{"`), frag(0, "a", "f", `}`), frag(0, "b", "f", `{}`)}, []string{`a f {"x":"}\"{"}`, "b f {}"}},
		{"white space behind a whole call", []llm.Delta{frag(0, "a", "f", "{} "), frag(0, "", "", "\n")}, []string{"a f {}"}},
		{"all once more", []llm.Delta{frag(0, "a", "f", `{"x":1}`), frag(0, "a", "f", `{"x":1}`)}, []string{`a f {"x":1}`}},
		{"two values are not taken apart", []llm.Delta{frag(0, "a", "f", `{"x":1}`), frag(0, "", "", `{"x":2}`)}, []string{`a f "{\"x\":1}{\"x\":2}" VALIDATION_ERROR`}},
		{"no call at all", []llm.Delta{frag(0, "", "", `{"x":1}`)}, []string{`  {"x":1}`}},
		{"the provider sends all at the end", []llm.Delta{frag(0, "a", "f", `{"x`), {Kind: llm.DeltaCallDone, Index: 0, Text: `{"x":1}`}}, []string{`a f {"x":1}`}},
		{"only the end comes", []llm.Delta{{Kind: llm.DeltaCallDone, Index: 0, ID: "a", Name: "f", Text: `{}`}}, []string{"a f {}"}},
		{"another alternative", []llm.Delta{frag(0, "a", "f", "{}"), {Kind: llm.DeltaCall, Choice: 1, Name: "g"}}, []string{"a f {}"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			m := join(append(tc.deltas, stop)...)
			if diff := cmp.Diff(tc.want, calls(&m)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestACutReplyRunsNothing(t *testing.T) {
	for _, s := range []llm.Stop{llm.StopLength, llm.StopContextFull, llm.StopRefused, llm.StopBadCall, ""} {
		m := join(frag(0, "a", "f", "{}"), frag(1, "b", "f", `{"x":`), llm.Delta{Kind: llm.DeltaStop, Stop: s})
		want := []string{"a f {} TRUNCATED_CALL", `b f "{\"x\":" TRUNCATED_CALL`}
		if diff := cmp.Diff(want, calls(&m)); diff != "" {
			t.Errorf("%q: %s", s, diff)
		}
	}
	if m := join(frag(0, "a", "f", "{}"), llm.Delta{Kind: llm.DeltaStop, Stop: llm.StopLength}, stop); m.Stop != llm.StopLength {
		t.Errorf("a second finish undid the cut: %s", m.Stop)
	}
}

func TestFailEndsAMessage(t *testing.T) {
	for err, want := range map[error]llm.Stop{errors.New("boom"): llm.StopBroken, fmt.Errorf("wrapped: %w", context.Canceled): llm.StopAborted} {
		var r llm.Reply
		r.Add(llm.Delta{Kind: llm.DeltaText, Text: "half"})
		r.Fail(err)
		if m := r.Message(); m.Stop != want || m.Error != err.Error() || !m.Broken() || m.Text() != "half" {
			t.Errorf("got %+v", m)
		}
	}
}

func TestLimits(t *testing.T) {
	big := strings.Repeat("x", 1<<20)
	ds := []llm.Delta{frag(0, "a", "f", `{"x":"`)}
	for range 5 {
		ds = append(ds, frag(0, "", "", big))
	}
	ds = append(ds, frag(0, "", "", `"}`), frag(1, "b", strings.Repeat("n", 300), "{}"), frag(2, "c", "g", "{}"))
	m := join(append(ds, stop)...)
	for i, want := range []tool.Code{tool.CodeLimit, tool.CodeLimit, ""} {
		b := m.Blocks[i]
		if got := b.Broken; want == "" && got != nil || want != "" && (got == nil || got.Code != want) {
			t.Errorf("call %d: got %v", i, got)
		}
		if len(b.Call.Args) > 2000 || len(b.Call.Tool) > llm.MaxName || !json.Valid(b.Call.Args) {
			t.Errorf("call %d: %d bytes of arguments, %d of name", i, len(b.Call.Args), len(b.Call.Tool))
		}
	}
	ds = ds[:0]
	for i := range 5000 {
		ds = append(ds, frag(i, fmt.Sprint(i), "f", "{}"))
	}
	if m = join(append(ds, stop)...); m.Blocks[127].Broken != nil || m.Blocks[128].Broken == nil || len(m.Blocks) > 1024 {
		t.Errorf("%d calls, %v, %v", len(m.Blocks), m.Blocks[127].Broken, m.Blocks[128].Broken)
	}
}

func TestSignedBlocksAreNeitherMergedNorSplit(t *testing.T) {
	th := func(s, sig string) llm.Delta { return llm.Delta{Kind: llm.DeltaThinking, Text: s, Signature: sig} }
	tx := func(s, sig string) llm.Delta { return llm.Delta{Kind: llm.DeltaText, Text: s, Signature: sig} }
	m := join(th("a", ""), th("b", ""), th("", "s1"), th("c", ""), tx("x", ""), tx("y", "s2"), tx("z", ""), tx("", "s3"))
	var got []string
	for _, b := range m.Blocks {
		got = append(got, b.Thinking+b.Text+"/"+b.Signature)
	}
	if diff := cmp.Diff([]string{"ab/s1", "c/", "x/", "y/s2", "z/", "/s3"}, got); diff != "" {
		t.Error(diff)
	}
}

func TestAMessageSurvivesJSON(t *testing.T) {
	m := join(llm.Delta{Kind: llm.DeltaStart, Provider: "p", API: "a", Model: "m", MessageID: "i"}, llm.Delta{Kind: llm.DeltaText, Text: "hi"},
		frag(0, "a", "f", "not json"), llm.Delta{Kind: llm.DeltaOpaque, Opaque: json.RawMessage(`{"k":1}`)}, stop)
	b, err := json.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	var back llm.Message
	if err := json.Unmarshal(b, &back); err != nil {
		t.Fatal(err)
	}
	again, err := json.Marshal(back)
	if err != nil || string(again) != string(b) {
		t.Errorf("got %s\nwant %s, %v", again, b, err)
	}
}

func TestAFragmentCostsLittle(t *testing.T) {
	var r llm.Reply
	r.Add(frag(0, "a", "f", `{"x":"`))
	d := frag(0, "", "", "twelve chars")
	for range 10_000 {
		r.Add(d)
	}
	if n := testing.AllocsPerRun(1000, func() { r.Add(d) }); n > 0.1 {
		t.Errorf("%v allocations", n)
	}
}

// FuzzReply cuts arguments into fragments in any way and expects the same call.
func FuzzReply(f *testing.F) {
	f.Add(`{"path":"a.txt"}`, uint8(3), false)
	f.Add(`{"a":"\ud83c\udf89","b":[{}]}`, uint8(1), true)
	f.Add(`{"a":1}{"b":2}`, uint8(2), false)
	f.Fuzz(func(t *testing.T, args string, n uint8, named bool) {
		var ds []llm.Delta
		ds = append(ds, frag(0, "a", "f", ""))
		for rest := args; rest != ""; {
			k := min(int(n)+1, len(rest))
			d := frag(0, "", "", rest[:k])
			if named {
				d.ID = "a"
			}
			ds, rest = append(ds, d), rest[k:]
		}
		m := join(append(ds, stop)...)
		if len(m.Blocks) != 1 {
			t.Fatalf("%d blocks", len(m.Blocks))
		}
		b := m.Blocks[0]
		if !json.Valid(b.Call.Args) {
			t.Fatalf("arguments are not JSON: %s", b.Call.Args)
		}
		if t := strings.TrimSpace(args); b.Broken == nil && t != "" && t != "null" && !strings.HasPrefix(args, string(b.Call.Args)) && string(b.Call.Args) != t {
			panic(fmt.Sprintf("%q became %s", args, b.Call.Args))
		}
	})
}
