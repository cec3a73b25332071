package ollama_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/toolpost/toolpost/llm"
	"github.com/toolpost/toolpost/llm/llmtest"
	"github.com/toolpost/toolpost/provider/ollama"
	"github.com/toolpost/toolpost/schema"
	"github.com/toolpost/toolpost/tool"
)

func ExampleClient() {
	server := httptest.NewServer(llmtest.NewServer(chatted(llmtest.Turn{Text: "Four."})))
	defer server.Close()

	p := &ollama.Client{BaseURL: server.URL, Model: "qwen3", Context: 32768}
	var reply llm.Reply
	for d, err := range p.Stream(context.Background(), &llm.Request{Messages: []llm.Message{llm.User("2 + 2?")}}) {
		if err != nil {
			fmt.Println(err)
			return
		}
		reply.Add(d)
	}
	msg := reply.Message()
	fmt.Println(msg.Text(), msg.Stop)
	// Output: Four. stop
}

func ExampleDecode() {
	body := `{"message":{"role":"assistant","content":"Hi"},"done":true,"done_reason":"stop"}` + "\n"
	for d := range ollama.Decode(strings.NewReader(body)) {
		fmt.Printf("%q %q\n", d.Text, d.Stop)
	}
	// Output:
	// "" ""
	// "Hi" ""
	// "stop" "stop"
}

// history is a conversation that began with another model: a foreign call with
// thoughts, a picture, own thoughts, parallel calls, arguments that are no JSON,
// results in another order, one with a picture, a failed one.
func history() []llm.Message {
	thought := func(s string) llm.Block {
		return llm.Block{Content: tool.Content{Type: llm.BlockThinking}, Thinking: s}
	}
	call := func(id, providerID, name, args string) llm.Block {
		return llm.Block{Content: tool.Content{Type: llm.BlockCall}, Call: &tool.Call{Ref: tool.Ref{ID: id, Tool: name}, ProviderID: providerID, Args: json.RawMessage(args)}}
	}
	result := func(r *tool.Result, id, providerID, name string) llm.Block {
		r.ID, r.ProviderID, r.Tool = id, providerID, name
		return llm.ResultBlock(r)
	}
	pic := llm.Block{Content: tool.Content{Type: tool.ContentImage, Data: []byte("jpg"), MIME: "image/jpeg"}}
	return []llm.Message{
		{Role: llm.RoleUser, Blocks: []llm.Block{llm.TextBlock("Look:"), pic}},
		{Role: llm.RoleAssistant, Provider: "other", Blocks: []llm.Block{thought("Foreign."), call("1", "call_"+strings.Repeat("x", 60), "read_file", `{"path": "a"}`)}},
		{Role: llm.RoleTool, Blocks: []llm.Block{result(tool.Text("alpha"), "1", "call_"+strings.Repeat("x", 60), "read_file")}},
		{Role: llm.RoleAssistant, Provider: "test", API: ollama.API, Model: "m", Blocks: []llm.Block{thought("Hm."), llm.TextBlock("Both."), call("2", "call_1", "web.shot", `{"url":"x"}`), call("3", "", "read_file", `"no json`+`"`)}},
		{Role: llm.RoleTool, Blocks: []llm.Block{
			result(tool.Fail(tool.Errorf(tool.CodeNotFound, "no such file")), "3", "", "read_file"),
			result(tool.Image([]byte("png"), "image/png", "a page"), "2", "call_1", "web.shot")}},
		llm.User("Thanks \x00 <b>"),
	}
}

var fileTools = []tool.Spec{
	{Name: "web.shot", Description: "Take a picture."},
	{Name: "read_file", Description: "Read a file.", Input: schema.MustParse(`{"type":"object","properties":{"path":{"type":"string","minLength":1},"at":{"type":"object","properties":{"line":{"type":"integer"}},"required":["line"]}},"required":["path"],"additionalProperties":false}`)},
}

// TestRequest compares what a server is sent with testdata/request.txt, a member
// or an element per line.
func TestRequest(t *testing.T) {
	c, s := serve(t, chatted(llmtest.Turn{Text: "ok"}))
	c.Context = 32768
	temp := 0.5
	req := &llm.Request{Model: "m", System: "Be brief.", Messages: history(), MaxTokens: 100, Effort: "low", Temp: &temp, Tools: fileTools,
		Extra: json.RawMessage(`{"keep_alive": "10m", "options": {"seed": 7, "temperature": 1}}`)}
	if _, err := llmtest.Ask(context.Background(), c, req); err != nil {
		t.Fatal(err)
	}
	r := s.Requests()[0]
	if !json.Valid(r.Body) {
		t.Fatalf("the request is not JSON: %s", r.Body)
	}
	var b bytes.Buffer
	fmt.Fprintf(&b, "%s %s\n", r.Method, r.Path)
	dec := json.NewDecoder(bytes.NewReader(r.Body))
	_, _ = dec.Token() // {
	for dec.More() {
		key, err := dec.Token()
		if err != nil {
			t.Fatal(err)
		}
		var v json.RawMessage
		if err := dec.Decode(&v); err != nil {
			t.Fatal(err)
		}
		var list []json.RawMessage
		if json.Unmarshal(v, &list) != nil {
			list = []json.RawMessage{v}
		}
		fmt.Fprintf(&b, "%s:\n", key)
		for _, e := range list {
			fmt.Fprintf(&b, "  %s\n", e)
		}
	}
	file := filepath.Join("testdata", "request.txt")
	if *update {
		if err := os.WriteFile(file, b.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), b.String()); diff != "" {
		t.Error(diff)
	}
}

func TestChoicesAndEfforts(t *testing.T) {
	for _, tc := range []struct {
		model  string
		effort string
		choice llm.Choice
		want   string // in the request, or in the error
		never  string
	}{
		{"qwen3", "", llm.Choice{}, `"tools":[`, `"think"`},
		{"qwen3", "", llm.Choice{Mode: llm.ChoiceNone}, `"stream":true`, `"tools"`},
		{"qwen3", "", llm.Choice{Mode: llm.ChoiceRequired}, "does not let a call be forced", ""},
		{"qwen3", "", llm.Choice{Mode: llm.ChoiceTool, Name: "read_file"}, "does not let a call be forced", ""},
		{"qwen3", "", llm.Choice{Mode: "maybe"}, `"maybe" is unknown`, ""},
		{"qwen3", "none", llm.Choice{}, `"think":false`, ""},
		{"qwen3", "max", llm.Choice{}, `"think":true`, ""},
		{"gpt-oss:20b", "max", llm.Choice{}, `"think":"high"`, ""},
		{"gpt-oss:20b", "none", llm.Choice{}, `"think":"low"`, ""},
		{"qwen3", "huge", llm.Choice{}, `"huge" is unknown`, ""},
	} {
		c, s := serve(t, chatted(llmtest.Turn{Text: "ok"}))
		_, err := llmtest.Ask(context.Background(), c, &llm.Request{Model: tc.model, Tools: fileTools, Choice: tc.choice, Effort: tc.effort})
		got := fmt.Sprint(err)
		if rs := s.Requests(); len(rs) > 0 {
			got = string(rs[0].Body)
		}
		if !strings.Contains(got, tc.want) || tc.never != "" && strings.Contains(got, tc.never) {
			t.Errorf("%s %v: got %s", tc.effort, tc.choice, got)
		}
	}
}

func TestFailuresHaveCodesAndAdvice(t *testing.T) {
	ok := chatted(llmtest.Turn{Text: "A long enough answer.", Usage: true})
	for _, tc := range []struct {
		name   string
		answer llmtest.Answer
		code   tool.Code
		retry  bool
		wants  []string
	}{
		{"an unknown model", refused(404, "", `model "m" not found, try pulling it first`), tool.CodeNotFound, false, []string{"ollama pull m"}},
		{"a wrong path", llmtest.Answer{Status: 404, Chunks: []string{"404 page not found"}}, tool.CodeNotFound, false, nil},
		{"a model without tools", refused(400, "", `m does not support tools`), tool.CodeInvalid, false, []string{"without tools"}},
		{"a model that does not think", refused(400, "", `"m" does not support thinking`), tool.CodeInvalid, false, []string{"reasoning effort"}},
		{"a bad key", refused(401, "", `unauthorized`), tool.CodeUnauthenticated, false, []string{"OLLAMA_API_KEY"}},
		{"a model that does not load", refused(500, "", `llama runner process has terminated`), tool.CodeUnavailable, true, []string{"runner"}},
		{"a busy server", refused(503, "", `server busy, please try again. maximum pending requests exceeded`), tool.CodeUnavailable, true, nil},
		{"the cloud away", refused(502, "", `bad gateway`), tool.CodeUnavailable, true, nil},
		{"an HTML 200", llmtest.HTML(200), tool.CodeUnavailable, false, []string{"HTML", "base URL"}},
		{"half a stream", ok.Broken(2), tool.CodeUnavailable, true, nil},
		{"a stream that ends early", llmtest.Answer{Chunks: ok.Chunks[:2]}, tool.CodeUnavailable, true, []string{"before the reply did"}},
		{"nothing", llmtest.Answer{}, tool.CodeUnavailable, true, []string{"before it said anything"}},
		{"an error inside", llmtest.Answer{Chunks: []string{ok.Chunks[0], `{"error":"runner crashed"}` + "\n"}}, tool.CodeUnavailable, true, []string{"runner crashed"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			c, _ := serve(t, tc.answer)
			_, err := llmtest.Ask(context.Background(), c, &llm.Request{})
			var e *llm.Error
			if !errors.As(err, &e) {
				t.Fatalf("got %v", err)
			}
			if e.Code != tc.code || e.Retryable != tc.retry {
				t.Errorf("got %s, retryable %v, want %s, %v: %v", e.Code, e.Retryable, tc.code, tc.retry, err)
			}
			for _, w := range append(tc.wants, "model test/m: ") {
				if !strings.Contains(err.Error(), w) {
					t.Errorf("%q is not in %v", w, err)
				}
			}
		})
	}
}

func TestSilenceEndsAStream(t *testing.T) {
	ok := chatted(llmtest.Turn{Text: "A long enough answer."})
	c, _ := serve(t, ok.Hanging(2), llmtest.Answer{Delay: time.Hour}, ok.Hanging(len(ok.Chunks)))
	c.Idle, c.First = 50*time.Millisecond, 80*time.Millisecond
	for _, want := range []string{"the stream stood still for 50ms", "no answer came for 80ms"} {
		_, err := llmtest.Ask(context.Background(), c, &llm.Request{})
		if e := llm.AsError(err); e == nil || !strings.Contains(err.Error(), want) || !e.Retryable || e.Type != llm.IdleStream {
			t.Errorf("got %v, want %s", err, want)
		}
	}
	if msg, err := llmtest.Ask(context.Background(), c, &llm.Request{}); err != nil || msg.Stop != llm.StopEnd {
		t.Errorf("a stream that is silent after its last line: %v, %v", msg.Stop, err)
	}
}

func TestALineOf20MB(t *testing.T) {
	text := strings.Repeat("0123456789", 2<<20)
	stream := `{"message":{"content":"","tool_calls":[{"function":{"name":"f","arguments":{"a":"` + text + `"}}}]},"done":true}` + "\n"
	ask := func(limit int) (llm.Message, error) {
		c := &ollama.Client{Model: "m", MaxEvent: limit, HTTP: &http.Client{Transport: canned{strings.NewReader(stream)}}}
		return llmtest.Ask(context.Background(), c, &llm.Request{})
	}
	if msg, err := ask(0); err != nil || msg.Calls() != 1 || msg.Blocks[0].Broken == nil || msg.Blocks[0].Broken.Code != tool.CodeLimit {
		t.Errorf("got %v, %v: a call of 20 MB is told, and not run", msg.Stop, err)
	}
	if _, err := ask(1 << 20); llm.AsError(err) == nil || llm.AsError(err).Code != tool.CodeLimit {
		t.Errorf("got %v", err)
	}
}

func TestAWholeReplyAndAddresses(t *testing.T) {
	for _, base := range []string{"", "/", "/api", "/api/"} {
		c, s := serve(t, llmtest.Answer{Header: http.Header{"Content-Type": {"application/json"}}, Chunks: []string{`{"model":"m:latest","message":{"role":"assistant","content":"Hi"},"done":true,"done_reason":"stop","prompt_eval_count":3,"eval_count":2}`}})
		c.BaseURL += base
		c.Whole, c.Key = true, func() string { return "k" }
		msg, err := llmtest.Ask(context.Background(), c, &llm.Request{})
		r := s.Requests()[0]
		if err != nil || msg.Text() != "Hi" || msg.Served != "m:latest" || msg.Usage.Total() != 5 || r.Path != "/api/chat" || !bytes.Contains(r.Body, []byte(`"stream":false`)) || r.Header.Get("Authorization") != "Bearer k" {
			t.Errorf("%q: %s %s, %+v, %v", base, r.Path, r.Body, msg, err)
		}
	}
	for _, bad := range []string{"127.0.0.1:11434", "ftp://x", "http://x/v1", "http://x/api/chat", "http://[::1"} {
		if _, err := llmtest.Ask(context.Background(), &ollama.Client{BaseURL: bad}, &llm.Request{}); llm.AsError(err).Code != tool.CodeInvalid {
			t.Errorf("%s: got %v", bad, err)
		}
	}
	for want, extra := range map[string]string{"must be a JSON object": `[1]`, `must not set "messages"`: `{"messages":[]}`, "options of the request": `{"options":1}`} {
		if _, err := llmtest.Ask(context.Background(), new(ollama.Client), &llm.Request{Extra: json.RawMessage(extra)}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %s", err, want)
		}
	}
	if !new(ollama.Client).Local() || (&ollama.Client{BaseURL: "https://ollama.com"}).Local() {
		t.Error("local is told wrongly")
	}
}

type replay struct {
	bytes.Reader
	data []byte
}

func (r *replay) RoundTrip(*http.Request) (*http.Response, error) {
	r.Reset(r.data)
	return &http.Response{StatusCode: 200, Body: io.NopCloser(&r.Reader)}, nil
}

func asker(n int) func(testing.TB) {
	line := `{"model":"qwen3","created_at":"2026-08-01T10:00:00.1Z","message":{"role":"assistant","content":" twelve\nchar"},"done":false}` + "\n"
	rt := &replay{data: []byte(strings.Repeat(strings.ReplaceAll(line, "\nchar", `\nchar`), n) + `{"message":{"content":""},"done":true,"eval_count":3}` + "\n")}
	c := &ollama.Client{Model: "m", HTTP: &http.Client{Transport: rt}}
	return func(tb testing.TB) {
		if _, err := llmtest.Ask(tb.Context(), c, &llm.Request{}); err != nil {
			tb.Fatal(err)
		}
	}
}

func TestALineCostsFewAllocations(t *testing.T) {
	cost := func(n int) float64 {
		ask := asker(n)
		return testing.AllocsPerRun(10, func() { ask(t) })
	}
	if per := (cost(700) - cost(200)) / 500; per > 1.5 {
		t.Errorf("%.2f allocations for a line, from the wire to llm.Reply", per)
	}
}

func BenchmarkLine(b *testing.B) {
	ask := asker(1000)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	rounds := 0
	for b.Loop() {
		ask(b)
		rounds++
	}
	runtime.ReadMemStats(&after)
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(rounds*1000), "ns/line")
	b.ReportMetric(float64(after.Mallocs-before.Mallocs)/float64(rounds*1000), "allocs/line")
}
