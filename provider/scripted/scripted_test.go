package scripted_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/toolpost/toolpost/llm"
	"github.com/toolpost/toolpost/provider/scripted"
	"github.com/toolpost/toolpost/tool"
)

func Example() {
	m, err := scripted.Parse("sum.yaml", []byte(`
turns:
  - text: I add.
    calls: [{tool: add, args: {a: 1, b: 2}}]
  - expect: "3"
    text: The sum is 3.
`))
	if err != nil {
		fmt.Println(err)
		return
	}
	req := &llm.Request{Messages: []llm.Message{llm.User("1 + 2?")}}
	first := ask(m, req)
	call := first.Blocks[1].Call
	fmt.Println(first.Text(), call.Tool, string(call.Args))

	answer := tool.Text("3")
	answer.ProviderID = call.ProviderID
	req.Messages = append(req.Messages, first, llm.Message{Role: llm.RoleTool, Blocks: []llm.Block{llm.ResultBlock(answer)}})
	last := ask(m, req)
	fmt.Println(last.Text())
	// Output:
	// I add. add {"a":1,"b":2}
	// The sum is 3.
}

func ask(p llm.Provider, req *llm.Request) llm.Message {
	var r llm.Reply
	for d, err := range p.Stream(context.Background(), req) {
		if err != nil {
			r.Fail(err)
			break
		}
		r.Add(d)
	}
	return r.Message()
}

func parse(t *testing.T, src string) *scripted.Model {
	t.Helper()
	m, err := scripted.Parse("s.yaml", []byte(src))
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func TestMistakesHaveAPlaceAndAnExcerpt(t *testing.T) {
	for _, tc := range []struct{ name, src, want string }{
		{"an unknown field", "turns:\n  - txt: a\n", "s.yaml:2:5: unknown field \"txt\"\n    2 |   - txt: a\n      |     ^"},
		{"a wrong type", "turns:\n  - text: a\n    repeat: many\n", "s.yaml:3:13: expected a whole number"},
		{"broken YAML", "turns:\n  - text: [\n", "s.yaml:2:"},
		{"a call without a tool", "turns:\n  - text: a\n  - calls: [{args: {}}]\n", "s.yaml:3:5: turn 2: call 1 names no tool"},
		{"args that are a list", "turns:\n  - calls: [{tool: x, args: [1]}]\n", "args must be a mapping"},
		{"args and raw", "turns:\n  - calls: [{tool: x, args: {}, raw: y}]\n", "both args and raw"},
		{"no turns", "model: x\n", "has no turns"},
		{"nothing", "", "has no turns"},
		{"a bad duration", "pace: fast\nturns: [{text: a}]\n", "s.yaml:1:7: \"fast\" is no duration"},
		{"error and text", "turns:\n  - error: {status: 500}\n    text: a\n", "a turn with error says nothing"},
		{"a key twice", "turns:\n  - text: a\n    text: b\n", "s.yaml:3:5: "},
		{"too many repeats", "turns:\n  - repeat: 1000000\n", "more than 100000"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			_, err := scripted.Parse("s.yaml", []byte(tc.src))
			if err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Fatalf("got %v, want %s", err, tc.want)
			}
			if !errors.Is(err, &tool.Error{Code: tool.CodeInvalid}) {
				t.Errorf("code is %s", tool.AsError(err).Code)
			}
		})
	}
}

func TestArgumentsKeepTheirOrderAndTypes(t *testing.T) {
	m := parse(t, "turns:\n  - calls:\n      - tool: x\n        args:\n          z: 1\n          a: [1.5, true, null, \"q\"]\n          m:\n            k: |\n              two\n              lines\n")
	msg := ask(m, &llm.Request{})
	if got, want := string(msg.Blocks[0].Call.Args), `{"z":1,"a":[1.5,true,null,"q"],"m":{"k":"two\nlines\n"}}`; got != want {
		t.Errorf("got %s\nwant %s", got, want)
	}
}

func TestResultsFlowIntoLaterArguments(t *testing.T) {
	m := parse(t, `
turns:
  - calls: [{tool: big, id: big, args: {}}]
  - calls: [{tool: read, args: {id: $result.big.artifact.id, first: "$result.big.content[0].text", n: $result.big.data.n}}]
  - calls: [{tool: read, args: {id: $result.big.data.none}}]
`)
	req := &llm.Request{Messages: []llm.Message{ask(m, &llm.Request{})}}
	r := tool.Text("cut \"here\"")
	r.ProviderID, r.Data, r.Artifact = "big", json.RawMessage(`{"n":5}`), &tool.Artifact{ID: "art1"}
	req.Messages = append(req.Messages, llm.Message{Role: llm.RoleTool, Blocks: []llm.Block{llm.ResultBlock(r)}})
	msg := ask(m, req)
	if msg.Error != "" {
		t.Fatal(msg.Error)
	}
	if got, want := string(msg.Blocks[0].Call.Args), `{"id":"art1","first":"cut \"here\"","n":5}`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	req.Messages = append(req.Messages, msg)
	if msg = ask(m, req); !strings.Contains(msg.Error, `s.yaml:5:5: arguments of read: $result.big.data.none: $result.big.data has no member "none", only n`) {
		t.Errorf("got %s", msg.Error)
	}
}

func TestAScriptThatIsNotFollowedSaysWhere(t *testing.T) {
	m := parse(t, "turns:\n  - text: a\n  - expect: [seven]\n    text: b\n")
	req := &llm.Request{Messages: []llm.Message{ask(m, &llm.Request{}), llm.User("six")}}
	if got := ask(m, req).Error; !strings.Contains(got, `s.yaml:3:5: turn 2 expects "seven" in what came since the last reply, which was: "six"`) {
		t.Errorf("got %s", got)
	}
	req.Messages = append(req.Messages, llm.Message{Role: llm.RoleAssistant}, llm.User("seven"))
	if got := ask(m, req).Error; !strings.Contains(got, "s.yaml:3:1: the script answers 2 times and was asked once more") {
		t.Errorf("got %s", got)
	}
}

func TestFailuresComeOnceInASession(t *testing.T) {
	m := parse(t, "turns:\n  - error: {status: 429, retryAfter: 2s}\n  - text: half\n    cut: true\n  - text: whole\n")
	for _, session := range []string{"a", "b"} {
		req := &llm.Request{Session: session}
		var got []string
		for range 4 {
			msg := ask(m, req)
			got = append(got, string(msg.Stop)+" "+msg.Text()+" "+msg.Error)
		}
		want := []string{
			"broken  model script: HTTP 429: the script says that the request fails; try again in 2s",
			"broken half model script: the stream was cut, as the script says; try again later",
			"stop whole ", "stop whole ",
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Error(diff)
		}
	}
}

func TestChunksArePacedAndNeverCutACharacter(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := &scripted.Model{Chunk: 2, Pace: time.Second, Turns: []scripted.Turn{{Text: "añb日本", Delay: time.Minute}}}
		start := time.Now()
		var got []string
		for d, err := range m.Stream(context.Background(), &llm.Request{}) {
			if err != nil {
				t.Fatal(err)
			}
			if d.Kind == llm.DeltaText {
				got = append(got, d.Text)
			}
		}
		if diff := cmp.Diff([]string{"añ", "b日", "本"}, got); diff != "" {
			t.Error(diff)
		}
		if d := time.Since(start); d != time.Minute+4*time.Second {
			t.Errorf("took %v", d)
		}
	})
}

func TestACancelledContextEndsTheStream(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	for _, err := range scripted.New(scripted.Turn{Text: "x"}).Stream(ctx, &llm.Request{}) {
		if !errors.Is(err, context.Canceled) {
			t.Errorf("got %v", err)
		}
	}
}

func TestLoopAndRepeat(t *testing.T) {
	m := &scripted.Model{Loop: true, Turns: []scripted.Turn{{Text: "a", Repeat: 2}, {Text: "b"}}}
	req := &llm.Request{}
	got := ""
	for range 7 {
		msg := ask(m, req)
		got += msg.Text()
		req.Messages = append(req.Messages, msg)
	}
	if got != "aabaaba" {
		t.Error(got)
	}
}

func BenchmarkTwoTurns(b *testing.B) {
	m := scripted.New(scripted.Turn{Calls: []scripted.Call{{Tool: "add", Args: []byte(`{"a":1,"b":2}`)}}}, scripted.Turn{Text: "3"})
	b.ReportAllocs()
	for b.Loop() {
		req := &llm.Request{Messages: make([]llm.Message, 0, 4)}
		req.Messages = append(req.Messages, llm.User("1+2"))
		req.Messages = append(req.Messages, ask(m, req))
		ask(m, req)
	}
}
