package ollama_test

import (
	"context"
	"encoding/json"
	"flag"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/toolpost/toolpost/llm"
	"github.com/toolpost/toolpost/llm/llmtest"
	"github.com/toolpost/toolpost/provider/ollama"
)

var (
	update   = flag.Bool("update", false, "write what was got into testdata")
	everyCut = flag.Bool("everycut", false, "cut the streams at every byte, not at some 200 of them")
)

func marshal(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err) // it is made of strings and numbers
	}
	return string(b)
}

// chatted is a Turn as a server streams it: a call a line, the figures in the
// last.
func chatted(t llmtest.Turn) llmtest.Answer {
	a := llmtest.Answer{Header: http.Header{"Content-Type": {"application/x-ndjson"}}}
	line := func(message map[string]any) {
		message["role"] = "assistant"
		a.Chunks = append(a.Chunks, marshal(map[string]any{"model": "test-model", "created_at": "2026-01-01T00:00:00Z", "message": message, "done": false})+"\n")
	}
	if t.Thinking != "" {
		line(map[string]any{"content": "", "thinking": t.Thinking})
	}
	for r := []rune(t.Text); len(r) > 0; {
		n := min(7, len(r))
		line(map[string]any{"content": string(r[:n])})
		r = r[n:]
	}
	for i, c := range t.Calls {
		line(map[string]any{"content": "", "tool_calls": []any{map[string]any{"id": c.ID, "function": map[string]any{"index": i, "name": c.Name, "arguments": json.RawMessage(c.Args)}}}})
	}
	last := map[string]any{"model": "test-model", "message": map[string]any{"role": "assistant", "content": ""}, "done": true, "done_reason": "stop"}
	if t.Usage {
		last["prompt_eval_count"], last["eval_count"] = 100, 20
	}
	a.Chunks = append(a.Chunks, marshal(last)+"\n")
	return a
}

// refused is an error in Ollama's form.
func refused(status int, _, message string) llmtest.Answer {
	return llmtest.Answer{Status: status, Header: http.Header{"Content-Type": {"application/json"}}, Chunks: []string{marshal(map[string]any{"error": message})}}
}

func TestKit(t *testing.T) {
	llmtest.Run(t, llmtest.Wire{
		New:    func(url string) llm.Provider { return &ollama.Client{BaseURL: url} },
		Reply:  chatted,
		Refuse: refused,
	})
}

// serve is a Client that asks a server with these answers.
func serve(t testing.TB, answers ...llmtest.Answer) (*ollama.Client, *llmtest.Server) {
	t.Helper()
	s := llmtest.NewServer(answers...)
	ts := httptest.NewServer(s)
	t.Cleanup(ts.Close)
	return &ollama.Client{Name: "test", BaseURL: ts.URL, Model: "m"}, s
}

// canned is a RoundTripper that answers with a body.
type canned struct{ body io.Reader }

func (c canned) RoundTrip(*http.Request) (*http.Response, error) {
	return &http.Response{StatusCode: 200, Header: http.Header{"Content-Type": {"application/x-ndjson"}}, Body: io.NopCloser(c.body)}, nil
}

func TestStreams(t *testing.T) {
	read := func(t *testing.T, r llmtest.Recording, body io.Reader) (llm.Message, error) {
		c := &ollama.Client{Model: "m", HTTP: &http.Client{Transport: canned{body}}, Whole: r.Whole}
		return llmtest.Ask(context.Background(), c, &llm.Request{Tools: r.Tools})
	}
	llmtest.Streams{Glob: "testdata/streams/*.txtar", Read: read, Update: *update, EveryCut: *everyCut}.Run(t)
}

// FuzzDecode reads a stream of any bytes: whatever comes, the message can be
// kept and an incomplete reply has an error.
func FuzzDecode(f *testing.F) {
	f.Add(`{"model":"m","message":{"content":"hi \ud83c"},"done":false}`, `{"message":{"content":"\udf89","tool_calls":[{"function":{"name":"f","arguments":{"a":1}}}]},"done":true,"eval_count":3}`)
	f.Add(`{"message":{"thinking":"x"}}`, `{"error":"x"}`)
	f.Fuzz(func(t *testing.T, a, b string) {
		var reply llm.Reply
		var err error
		for d, e := range ollama.Decode(strings.NewReader(a + "\n" + b + "\n")) {
			if err = e; e == nil {
				reply.Add(d)
			}
		}
		reply.Fail(err)
		msg := reply.Message()
		if (err != nil) != msg.Broken() {
			t.Errorf("stop %s, error %v", msg.Stop, err)
		}
		if _, err := json.Marshal(msg); err != nil {
			t.Errorf("the message cannot be kept: %v", err)
		}
		for _, b := range msg.Blocks {
			if !utf8.ValidString(b.Text) || !utf8.ValidString(b.Thinking) {
				t.Errorf("text that is not UTF-8: %q %q", b.Text, b.Thinking)
			}
			if b.Call != nil && b.Broken == nil && !json.Valid(b.Call.Args) {
				t.Errorf("a call may be run with %s", b.Call.Args)
			}
		}
	})
}
