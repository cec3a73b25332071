package scripted_test

import (
	"strings"
	"testing"

	"github.com/toolpost/toolpost/llm"
	"github.com/toolpost/toolpost/provider/scripted"
	"github.com/toolpost/toolpost/tool"
)

func TestEveryFieldIsRead(t *testing.T) {
	m := parse(t, `
model: demo
chunk: 8
pace: 20ms
loop: true
turns:
  - thinking: Where?
    text: I look.
    calls:
      - {tool: read_file, id: doc, args: {path: README.md}}
      - {tool: read_file, raw: '{"path":'}
    stop: length
    usage: {input: 120, output: 8, cacheRead: 5, cacheWrite: 6, reasoning: 7}
    delay: 1s
    repeat: 3
    expect: one
  - error: {status: 429, message: slow down, retryAfter: 1s, type: rate_limit}
  - error: {code: LIMIT_EXCEEDED}
  - {text: half, cut: true}
`)
	if m.Name != "demo" || m.Chunk != 8 || m.Pace.String() != "20ms" || !m.Loop || len(m.Turns) != 4 {
		t.Errorf("got %+v", m)
	}
	a := m.Turns[0]
	if a.Thinking != "Where?" || a.Text != "I look." || a.Calls[0].ID != "doc" || a.Calls[1].Raw != `{"path":` || a.Stop != llm.StopLength || a.Usage.Reasoning != 7 || a.Delay.String() != "1s" || a.Repeat != 3 || a.Expect[0] != "one" {
		t.Errorf("got %+v", a)
	}
	if e := m.Turns[1].Fail; e.Status != 429 || e.Code != tool.CodeUnavailable || !e.Retryable || e.RetryAfter.String() != "1s" || e.Type != "rate_limit" {
		t.Errorf("got %+v", e)
	}
	if e := m.Turns[2].Fail; e.Code != tool.CodeLimit || e.Retryable {
		t.Errorf("got %+v", e)
	}
	if !m.Turns[3].Cut {
		t.Error("cut was not read")
	}
}

func TestOpenNamesTheFile(t *testing.T) {
	if _, err := scripted.Open("testdata/none.yaml"); tool.AsError(err).Code != tool.CodeNotFound {
		t.Errorf("got %v", err)
	}
}

func TestAnchorsWork(t *testing.T) {
	m := parse(t, "turns:\n  - calls: [{tool: a, args: &x {p: 1}}]\n  - calls: [{tool: b, args: *x}]\n")
	if got := string(m.Turns[1].Calls[0].Args); got != `{"p":1}` {
		t.Errorf("got %s", got)
	}
}

func FuzzParse(f *testing.F) {
	f.Add("turns:\n  - text: a\n    calls: [{tool: x, args: {a: $result.b.c}}]\n")
	f.Add("turns: [\n")
	f.Add("turns:\n !-\vteool: ")
	f.Fuzz(func(t *testing.T, src string) {
		if len(src) > 2000 || strings.Count(src, "*") > 3 {
			return // aliases of aliases are YAML's own way to use up memory
		}
		m, err := scripted.Parse("f.yaml", []byte(src))
		if err != nil {
			if !strings.Contains(err.Error(), "f.yaml:") {
				t.Errorf("an error without a place: %v", err)
			}
			return
		}
		if len(m.Turns) == 0 {
			t.Error("no turns and no error")
		}
	})
}
