package openai_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/toolpost/toolpost/llm"
	"github.com/toolpost/toolpost/llm/llmtest"
	"github.com/toolpost/toolpost/provider/openai"
	"github.com/toolpost/toolpost/tool"
)

// serve is a Chat that asks a server with these answers.
func serve(t testing.TB, answers ...llmtest.Answer) (*openai.Chat, *llmtest.Server) {
	t.Helper()
	s := llmtest.NewServer(answers...)
	ts := httptest.NewServer(s)
	t.Cleanup(ts.Close)
	return &openai.Chat{Name: "test", BaseURL: ts.URL + "/v1", Model: "m"}, s
}

func TestAReplyStreams(t *testing.T) {
	c, s := serve(t, llmtest.Chat(llmtest.Turn{
		Thinking: "Two files, both at once.", Text: "I read both: ünï 🎉.", Usage: true,
		Calls: []llmtest.Call{{ID: "call_1", Name: "read_file", Args: `{"path":"a.txt"}`}, {ID: "call_2", Name: "read_file", Args: `{"path":"b.txt"}`}},
	}))
	msg, err := llmtest.Ask(context.Background(), c, &llm.Request{Messages: []llm.Message{llm.User("hi")}})
	if err != nil {
		t.Fatal(err)
	}
	if msg.Text() != "I read both: ünï 🎉." || msg.Blocks[0].Thinking != "Two files, both at once." || msg.Stop != llm.StopCalls {
		t.Errorf("got %+v", msg)
	}
	if msg.Provider != "test" || msg.API != openai.API || msg.Model != "m" || msg.Served != "test-model" || msg.ID != "chatcmpl-1" {
		t.Errorf("got %q %q %q %q %q", msg.Provider, msg.API, msg.Model, msg.Served, msg.ID)
	}
	for i, want := range []string{`{"path":"a.txt"}`, `{"path":"b.txt"}`} {
		if c := msg.Blocks[2+i].Call; c.Tool != "read_file" || string(c.Args) != want || len(c.ID) != 36 || c.Attempt != 1 {
			t.Errorf("got %+v", c)
		}
	}
	if diff := cmp.Diff(&llm.Usage{Input: 100, Output: 20}, msg.Usage); diff != "" {
		t.Error(diff)
	}
	if r := s.Requests()[0]; r.Path != "/v1/chat/completions" || r.Header.Get("Authorization") != "" {
		t.Errorf("asked %s %v", r.Path, r.Header)
	}
}

func TestFailuresHaveCodesAndAdvice(t *testing.T) {
	ok := llmtest.Chat(llmtest.Turn{Text: "A long enough answer.", Usage: true})
	for _, tc := range []struct {
		name   string
		answer llmtest.Answer
		code   tool.Code
		retry  bool
		wants  []string
		never  []string
	}{
		{"401", llmtest.Refuse(401, "invalid_api_key", "Incorrect API key."), tool.CodeUnauthenticated, false, []string{"HTTP 401", "OPENAI_API_KEY", "req_401"}, nil},
		{"403", llmtest.Refuse(403, "forbidden", "No."), tool.CodeUnauthenticated, false, []string{"HTTP 403"}, nil},
		{"404", llmtest.Refuse(404, "model_not_found", "The model m does not exist."), tool.CodeNotFound, false, []string{`check the model "m"`, "/v1"}, nil},
		{"429", llmtest.RateLimit(1.5), tool.CodeUnavailable, true, []string{"try again in 1.5s"}, nil},
		{"429 without quota", llmtest.Refuse(429, "insufficient_quota", "You exceeded your current quota."), tool.CodeLimit, false, []string{"billing"}, nil},
		{"500", llmtest.Refuse(500, "server_error", "Oops."), tool.CodeUnavailable, true, []string{"HTTP 500", "Oops."}, nil},
		{"HTML 502", llmtest.HTML(502), tool.CodeUnavailable, true, []string{`titled "Bad Gateway | proxy"`}, []string{"secret-token", "<h1>"}},
		{"HTML 200", llmtest.HTML(200), tool.CodeUnavailable, false, []string{"HTML", "base URL"}, []string{"secret-token", "<h1>"}},
		{"context full", llmtest.Refuse(400, "context_length_exceeded", "This model's maximum context length is 8192 tokens."), tool.CodeLimit, false, []string{"larger context"}, nil},
		{"another 400", llmtest.Refuse(400, "invalid_request_error", "Unknown parameter."), tool.CodeInvalid, false, []string{"Unknown parameter"}, nil},
		{"a redirect", llmtest.Answer{Status: 302, Header: http.Header{"Location": {"http://127.0.0.1:1/x"}}}, tool.CodeUnavailable, false, []string{"redirects"}, nil},
		{"half a stream", ok.Broken(3), tool.CodeUnavailable, true, nil, nil},
		{"a stream without a finish", llmtest.Answer{Chunks: ok.Chunks[:3]}, tool.CodeUnavailable, true, []string{"before the reply did"}, nil},
		{"done without a finish", llmtest.Answer{Chunks: []string{ok.Chunks[1], "data: [DONE]\n\n"}}, tool.CodeUnavailable, true, []string{"before the reply did"}, nil},
		{"nothing", llmtest.Answer{}, tool.CodeUnavailable, true, []string{"before it said anything"}, nil},
		{"an error in a 200", llmtest.Answer{Chunks: []string{ok.Chunks[1], `data: {"error":{"message":"Overloaded","code":503},"choices":null}` + "\n\n"}}, tool.CodeUnavailable, true, []string{"Overloaded"}, nil},
		{"an error as the whole 200", llmtest.Answer{Chunks: []string{`{"error":{"message":"Bad key","type":"authentication_error"}}`}}, tool.CodeUnauthenticated, false, []string{"Bad key"}, nil},
		{"an event that is not JSON", llmtest.Answer{Chunks: []string{"data: {\"choices\":[{]}\n\n", "data: [DONE]\n\n"}}, tool.CodeUnavailable, true, []string{"not JSON"}, nil},
	} {
		t.Run(tc.name, func(t *testing.T) {
			c, _ := serve(t, tc.answer)
			c.Dialect = new(openai.Dialect)
			*c.Dialect, _ = openai.DialectFor("openai", "", "")
			_, err := llmtest.Ask(context.Background(), c, &llm.Request{})
			var e *llm.Error
			if !errors.As(err, &e) {
				t.Fatalf("got %v", err)
			}
			if e.Code != tc.code || e.Retryable != tc.retry || tool.AsError(err).Code != tc.code {
				t.Errorf("got %s, retryable %v, want %s, %v: %v", e.Code, e.Retryable, tc.code, tc.retry, err)
			}
			for _, w := range append(tc.wants, "model test/m: ") {
				if !strings.Contains(err.Error(), w) {
					t.Errorf("%q is not in %v", w, err)
				}
			}
			for _, w := range tc.never {
				if strings.Contains(err.Error(), w) {
					t.Errorf("%q is in %v", w, err)
				}
			}
		})
	}
}

func TestSilenceEndsAStream(t *testing.T) {
	ok := llmtest.Chat(llmtest.Turn{Text: "A long enough answer.", Usage: true})
	c, _ := serve(t, ok.Hanging(3), llmtest.Answer{Delay: time.Hour}, ok.Hanging(5))
	c.Idle, c.First = 50*time.Millisecond, 80*time.Millisecond
	for _, want := range []string{"the stream stood still for 50ms", "no answer came for 80ms"} {
		_, err := llmtest.Ask(context.Background(), c, &llm.Request{})
		e := llm.AsError(err)
		if e == nil || !strings.Contains(err.Error(), want) || !e.Retryable || e.Code != tool.CodeUnavailable {
			t.Errorf("got %v, want %s", err, want)
		}
	}
	if msg, err := llmtest.Ask(context.Background(), c, &llm.Request{}); err != nil || msg.Stop != llm.StopEnd {
		t.Errorf("a stream that is silent after its finish: %v, %v", msg.Stop, err)
	}
}

func TestAStreamWithoutEndIsGivenUp(t *testing.T) {
	chunk := llmtest.Chat(llmtest.Turn{Text: strings.Repeat("endless ", 1000)}).Chunks[:100]
	one := strings.Join(chunk, "")
	endless := make([]string, 1000)
	for i := range endless {
		endless[i] = one
	}
	pings := make([]string, 1000)
	for i := range pings {
		pings[i] = ": ping\n\n"
	}
	c, _ := serve(t, llmtest.Answer{Chunks: endless}, llmtest.Answer{Chunks: pings, Pace: 5 * time.Millisecond})
	c.MaxReply = 1 << 20
	_, err := llmtest.Ask(context.Background(), c, &llm.Request{})
	if e := llm.AsError(err); e == nil || e.Code != tool.CodeLimit || e.Retryable {
		t.Errorf("data without end: got %v", err)
	}
	c.Idle = 20 * time.Millisecond
	_, err = llmtest.Ask(context.Background(), c, &llm.Request{})
	if e := llm.AsError(err); e == nil || e.Type != llm.IdleStream || !e.Retryable {
		t.Errorf("pings without end: got %v", err)
	}
}

func TestCancelling(t *testing.T) {
	c, _ := serve(t, llmtest.Chat(llmtest.Turn{Text: "A long answer"}).Hanging(2))
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	var last error
	for d, err := range c.Stream(ctx, &llm.Request{}) {
		if last = err; d.Kind == llm.DeltaText {
			cancel()
		}
	}
	if !errors.Is(last, context.Canceled) || tool.AsError(last).Code != tool.CodeCancelled {
		t.Errorf("got %v", last)
	}
}

func TestNoServer(t *testing.T) {
	ts := httptest.NewServer(nil)
	ts.Close()
	_, err := llmtest.Ask(context.Background(), &openai.Chat{BaseURL: ts.URL, Model: "m"}, &llm.Request{})
	e := llm.AsError(err)
	if e.Code != tool.CodeUnavailable || !e.Retryable || !strings.Contains(err.Error(), "connection refused") || !strings.Contains(err.Error(), "check that the server runs") {
		t.Errorf("got %v", err)
	}
	for _, bad := range []string{"127.0.0.1:80/v1", "ftp://x/v1", "http://x/v1/chat/completions", "http://[::1"} {
		if _, err := llmtest.Ask(context.Background(), &openai.Chat{BaseURL: bad}, &llm.Request{}); llm.AsError(err).Code != tool.CodeInvalid {
			t.Errorf("%s: got %v", bad, err)
		}
	}
}

func TestATLSFaultIsNotTriedAgain(t *testing.T) {
	ts := httptest.NewTLSServer(llmtest.NewServer())
	defer ts.Close()
	ts.Config.ErrorLog = log.New(io.Discard, "", 0)
	_, err := llmtest.Ask(context.Background(), &openai.Chat{BaseURL: ts.URL}, &llm.Request{})
	if e := llm.AsError(err); e.Code != tool.CodeUnavailable || e.Retryable || !strings.Contains(err.Error(), "certificate") {
		t.Errorf("got %v", err)
	}
	plain := httptest.NewServer(llmtest.NewServer())
	defer plain.Close()
	_, err = llmtest.Ask(context.Background(), &openai.Chat{BaseURL: strings.Replace(plain.URL, "http:", "https:", 1)}, &llm.Request{})
	if e := llm.AsError(err); e.Retryable || !strings.Contains(err.Error(), "begin with http://") {
		t.Errorf("got %v", err)
	}
}

func TestAWholeReply(t *testing.T) {
	body := `{"id":"x","model":"m1","choices":[{"index":0,"message":{"role":"assistant","content":"Hi","tool_calls":[{"id":"a","type":"function","function":{"name":"f","arguments":"{\"x\":1}"}},{"id":"b","type":"function","function":{"name":"f","arguments":"{}"}}]},"finish_reason":"tool_calls"}],"usage":{"prompt_tokens":10,"completion_tokens":5,"prompt_tokens_details":{"cached_tokens":4}}}`
	c, s := serve(t, llmtest.Answer{Header: http.Header{"Content-Type": {"application/json"}}, Chunks: []string{body}})
	c.Whole = true
	msg, err := llmtest.Ask(context.Background(), c, &llm.Request{})
	if err != nil || msg.Text() != "Hi" || msg.Calls() != 2 || msg.Usage.CacheRead != 4 || msg.Usage.Input != 6 {
		t.Errorf("got %+v, %v", msg, err)
	}
	var asked map[string]json.RawMessage
	if err := json.Unmarshal(s.Requests()[0].Body, &asked); err != nil || asked["stream"] != nil {
		t.Errorf("asked %v, %v", asked, err)
	}
}
