package gemini_test

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/toolpost/toolpost/llm"
	"github.com/toolpost/toolpost/llm/llmtest"
	"github.com/toolpost/toolpost/provider/gemini"
	"github.com/toolpost/toolpost/tool"
)

func TestFailuresHaveCodesAndAdvice(t *testing.T) {
	ok := generated(llmtest.Turn{Text: "A long enough answer.", Usage: true})
	limited := refused(429, "resource_exhausted", "Quota of requests per minute is used up.")
	limited.Chunks = []string{`{"error":{"code":429,"message":"Slow down.","status":"RESOURCE_EXHAUSTED","details":[{"@type":"type.googleapis.com/google.rpc.RetryInfo","retryDelay":"1.5s"}]}}`}
	badKey := llmtest.Answer{Status: 400, Chunks: []string{`{"error":{"code":400,"message":"API key not valid.","status":"INVALID_ARGUMENT","details":[{"reason":"API_KEY_INVALID"}]}}`}}
	for _, tc := range []struct {
		name   string
		answer llmtest.Answer
		code   tool.Code
		retry  bool
		wants  []string
	}{
		{"a bad key is a 400", badKey, tool.CodeUnauthenticated, false, []string{"HTTP 400 API_KEY_INVALID", "set GEMINI_API_KEY"}},
		{"403", refused(403, "permission_denied", "No."), tool.CodeUnauthenticated, false, []string{"HTTP 403"}},
		{"404", refused(404, "not_found", "models/x is not found."), tool.CodeNotFound, false, []string{`check the model "gemini-3-flash"`}},
		{"429 with a wait", limited, tool.CodeUnavailable, true, []string{"try again in 1.5s"}},
		{"500", refused(500, "internal", "Oops."), tool.CodeUnavailable, true, []string{"HTTP 500 INTERNAL"}},
		{"503", refused(503, "unavailable", "The model is overloaded."), tool.CodeUnavailable, true, []string{"overloaded"}},
		{"504", refused(504, "deadline_exceeded", "Late."), tool.CodeUnavailable, true, nil},
		{"the context is full", refused(400, "invalid_argument", "The input token count (9) exceeds the maximum number of tokens allowed (8)."), tool.CodeLimit, false, []string{"larger context"}},
		{"a missing signature", refused(400, "invalid_argument", "Function call is missing a thought_signature in functionCall parts."), tool.CodeInvalid, false, []string{"thought_signature"}},
		{"an HTML 502", llmtest.HTML(502), tool.CodeUnavailable, true, []string{`titled "Bad Gateway | proxy"`}},
		{"an HTML 200", llmtest.HTML(200), tool.CodeUnavailable, false, []string{"HTML", "base URL"}},
		{"a redirect", llmtest.Answer{Status: 302, Header: http.Header{"Location": {"http://127.0.0.1:1/x"}}}, tool.CodeUnavailable, false, []string{"redirects"}},
		{"half a stream", ok.Broken(2), tool.CodeUnavailable, true, nil},
		{"a stream without a finish", llmtest.Answer{Chunks: ok.Chunks[:2]}, tool.CodeUnavailable, true, []string{"before the reply did"}},
		{"nothing", llmtest.Answer{}, tool.CodeUnavailable, true, []string{"before it said anything"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			c, s := serve(t, tc.answer)
			_, err := llmtest.Ask(context.Background(), c, &llm.Request{})
			var e *llm.Error
			if !errors.As(err, &e) {
				t.Fatalf("got %v", err)
			}
			if e.Code != tc.code || e.Retryable != tc.retry || tool.AsError(err).Code != tc.code {
				t.Errorf("got %s, retryable %v, want %s, %v: %v", e.Code, e.Retryable, tc.code, tc.retry, err)
			}
			for _, w := range append(tc.wants, "model test/gemini-3-flash: ") {
				if !strings.Contains(err.Error(), w) {
					t.Errorf("%q is not in %v", w, err)
				}
			}
			if strings.Contains(err.Error(), "secret-token") || len(s.Requests()) != 1 {
				t.Errorf("%d requests, %v", len(s.Requests()), err)
			}
		})
	}
}

func TestSilenceEndsAStream(t *testing.T) {
	ok := generated(llmtest.Turn{Text: "A long enough answer.", Usage: true})
	c, _ := serve(t, ok.Hanging(2), llmtest.Answer{Delay: time.Hour}, ok.Hanging(len(ok.Chunks)))
	c.Idle, c.First = 50*time.Millisecond, 80*time.Millisecond
	for _, want := range []string{"the stream stood still for 50ms", "no answer came for 80ms"} {
		_, err := llmtest.Ask(context.Background(), c, &llm.Request{})
		if e := llm.AsError(err); e == nil || !strings.Contains(err.Error(), want) || !e.Retryable || e.Type != llm.IdleStream {
			t.Errorf("got %v, want %s", err, want)
		}
	}
	if msg, err := llmtest.Ask(context.Background(), c, &llm.Request{}); err != nil || msg.Stop != llm.StopEnd {
		t.Errorf("a stream that is silent after its finish: %v, %v", msg.Stop, err)
	}
}

func TestALineOf20MB(t *testing.T) {
	text := strings.Repeat("0123456789", 2<<20)
	stream := `data: {"candidates":[{"content":{"parts":[{"text":"` + text + `"}]},"finishReason":"STOP"}]}` + "\r\n\r\n"
	ask := func(limit int) (llm.Message, error) {
		c := &gemini.Client{Model: "m", MaxEvent: limit, HTTP: &http.Client{Transport: canned{"", strings.NewReader(stream)}}}
		return llmtest.Ask(context.Background(), c, &llm.Request{})
	}
	if msg, err := ask(0); err != nil || len(msg.Text()) != len(text) {
		t.Errorf("got %d bytes, %v", len(msg.Text()), err)
	}
	if _, err := ask(1 << 20); llm.AsError(err) == nil || llm.AsError(err).Code != tool.CodeLimit {
		t.Errorf("got %v", err)
	}
}

func TestCancelling(t *testing.T) {
	c, s := serve(t, answer(chunk("One, ", "CONTINUATION", "t1")).Hanging(1), answer(chunk("two", "STOP", "")))
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	var last error
	for d, err := range c.Stream(ctx, &llm.Request{}) {
		if last = err; d.Kind == llm.DeltaText {
			cancel()
		}
	}
	if !errors.Is(last, context.Canceled) || tool.AsError(last).Code != tool.CodeCancelled || len(s.Requests()) != 1 {
		t.Errorf("got %v, %d requests", last, len(s.Requests()))
	}
}

func TestNoServer(t *testing.T) {
	ts := httptest.NewServer(nil)
	ts.Close()
	_, err := llmtest.Ask(context.Background(), &gemini.Client{BaseURL: ts.URL, Model: "m"}, &llm.Request{})
	if e := llm.AsError(err); e.Code != tool.CodeUnavailable || !e.Retryable || !strings.Contains(err.Error(), "check that the server runs") {
		t.Errorf("got %v", err)
	}
}
