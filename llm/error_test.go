package llm_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/toolpost/toolpost/llm"
	"github.com/toolpost/toolpost/tool"
)

func ExampleErrorOf() {
	err := llm.ErrorOf(429, http.Header{"Retry-After": {"2"}, "X-Request-Id": {"req_1"}},
		[]byte(`{"error":{"message":"Rate limit reached.","type":"requests","code":"rate_limit_exceeded"}}`))
	err.Provider = "openai"
	fmt.Println(err)
	fmt.Println(err.Retryable, tool.AsError(err).Code)
	// Output:
	// model openai: HTTP 429 rate_limit_exceeded: Rate limit reached. (request req_1); try again in 2s
	// true UNAVAILABLE
}

func TestBodiesOfErrors(t *testing.T) {
	for _, tc := range []struct {
		name   string
		status int
		body   string
		code   tool.Code
		retry  bool
		full   bool
		wants  string
	}{
		{"OpenAI", 400, `{"error":{"message":"Invalid 'tools'.","type":"invalid_request_error","param":"tools","code":"array_above_max_length"}}`, tool.CodeInvalid, false, false, "array_above_max_length: Invalid 'tools'."},
		{"OpenAI, no quota", 429, `{"error":{"message":"You exceeded your current quota","type":"insufficient_quota","code":"insufficient_quota"}}`, tool.CodeLimit, false, false, "quota"},
		{"Anthropic", 529, `{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"},"request_id":"req_1"}`, tool.CodeUnavailable, true, false, "overloaded_error: Overloaded"},
		{"Anthropic in a stream", 0, `{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}`, tool.CodeUnavailable, true, false, "Overloaded"},
		{"Gemini, a wrong key", 400, `[{"error":{"code":400,"message":"API key not valid.","status":"INVALID_ARGUMENT","details":[{"reason":"API_KEY_INVALID"}]}}]`, tool.CodeUnauthenticated, false, false, "API key not valid"},
		{"Gemini, full", 400, `{"error":{"code":400,"message":"The input token count (1000001) exceeds the maximum number of tokens allowed (1000000).","status":"INVALID_ARGUMENT"}}`, tool.CodeLimit, false, true, ""},
		{"Mistral", 422, `{"object":"error","message":"Invalid request","type":"invalid_request","param":null,"code":"3280","raw_status_code":422}`, tool.CodeInvalid, false, false, "Invalid request"},
		{"Mistral, detail", 422, `{"detail":[{"type":"missing","loc":["body","model"],"msg":"Field required"}]}`, tool.CodeInvalid, false, false, "Field required"},
		{"Groq, a bad call", 400, `{"error":{"message":"Failed to call a function.","type":"invalid_request_error","code":"tool_use_failed","failed_generation":"<x>"}}`, tool.CodeInvalid, true, false, "tool_use_failed"},
		{"OpenRouter in a stream", 0, `{"error":{"code":402,"message":"Insufficient credits"}}`, tool.CodeLimit, false, false, "Insufficient credits"},
		{"llama.cpp, full", 400, `{"error":{"code":400,"message":"the request exceeds the available context size","type":"exceed_context_size_error","n_ctx":4096}}`, tool.CodeLimit, false, true, ""},
		{"Ollama", 500, `{"error":"model runner has unexpectedly stopped"}`, tool.CodeUnavailable, true, false, "runner"},
		{"Anthropic, full", 400, `{"type":"error","error":{"type":"invalid_request_error","message":"prompt is too long: 210000 tokens > 200000 maximum"}}`, tool.CodeLimit, false, true, "prompt is too long"},
		{"a rate of tokens is no full context", 429, `{"error":{"message":"Request too large: please reduce the length of the messages","code":"rate_limit_exceeded"}}`, tool.CodeUnavailable, true, false, ""},
		{"text", 502, "upstream\n  timed   out", tool.CodeUnavailable, true, false, "upstream timed out"},
		{"nothing", 503, "", tool.CodeUnavailable, true, false, "service unavailable"},
		{"HTML", 403, "<html><head><title>Access <b>denied</b></title>" + strings.Repeat("<p>x", 5000), tool.CodeUnauthenticated, false, false, `titled "Access denied"`},
		{"a body of megabytes", 500, strings.Repeat("x", 5<<20), tool.CodeUnavailable, true, false, "xxx…"},
		{"too large", 413, "", tool.CodeLimit, false, false, ""},
		{"timeout", 408, "", tool.CodeUnavailable, true, false, ""},
		{"conflict", 409, "", tool.CodeUnavailable, true, false, ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			e := llm.ErrorOf(tc.status, nil, []byte(tc.body))
			if e.Code != tc.code || e.Retryable != tc.retry || e.Overflow != tc.full || !strings.Contains(e.Error(), tc.wants) {
				t.Errorf("got %s, retryable %v, overflow %v: %v", e.Code, e.Retryable, e.Overflow, e)
			}
			if len(e.Error()) > 1000 || strings.ContainsAny(e.Error(), "\n<") {
				t.Errorf("the text is not fit to show: %.200q", e)
			}
		})
	}
}

func TestHintsAboutRetries(t *testing.T) {
	date := time.Now().Add(90 * time.Second).UTC().Format(http.TimeFormat)
	for _, tc := range []struct {
		status int
		header http.Header
		least  time.Duration
		most   time.Duration
		retry  bool
	}{
		{429, http.Header{"Retry-After": {"3"}}, 3 * time.Second, 3 * time.Second, true},
		{429, http.Header{"X-Ratelimit-Remaining-Tokens": {"0"}, "X-Ratelimit-Reset-Tokens": {"6m0s"}, "X-Ratelimit-Remaining-Requests": {"3"}, "X-Ratelimit-Reset-Requests": {"9h"}}, 6 * time.Minute, 6 * time.Minute, true},
		{429, http.Header{"Anthropic-Ratelimit-Input-Tokens-Remaining": {"0"}, "Anthropic-Ratelimit-Input-Tokens-Reset": {time.Now().Add(40 * time.Second).UTC().Format(time.RFC3339)}}, 38 * time.Second, 40 * time.Second, true},
		{429, http.Header{"Retry-After": {"0.25"}}, 250 * time.Millisecond, 250 * time.Millisecond, true},
		{429, http.Header{"Retry-After-Ms": {"1500"}, "Retry-After": {"9"}}, 1500 * time.Millisecond, 1500 * time.Millisecond, true},
		{503, http.Header{"Retry-After": {date}}, 85 * time.Second, 91 * time.Second, true},
		{503, http.Header{"Retry-After": {"Mon, 01 Jan 2001 00:00:00 GMT"}}, 0, 0, true},
		{429, http.Header{"Retry-After": {"soon"}}, 0, 0, true},
		{429, http.Header{"Retry-After": {"-5"}}, 0, 0, true},
		{429, http.Header{"Retry-After": {"1e300"}}, 0, 0, true},
		{500, http.Header{"X-Should-Retry": {"false"}}, 0, 0, false},
		{400, http.Header{"X-Should-Retry": {"true"}}, 0, 0, true},
	} {
		e := llm.ErrorOf(tc.status, tc.header, nil)
		if e.RetryAfter < tc.least || e.RetryAfter > tc.most || e.Retryable != tc.retry {
			t.Errorf("%d %v: got %v, retryable %v", tc.status, tc.header, e.RetryAfter, e.Retryable)
		}
	}
	if e := llm.ErrorOf(429, nil, []byte(`{"error":{"code":429,"message":"x","details":[{"@type":"RetryInfo","retryDelay":"12.5s"}]}}`)); e.RetryAfter != 12500*time.Millisecond {
		t.Errorf("got %v", e.RetryAfter)
	}
}

func TestAsErrorKeepsMeanings(t *testing.T) {
	for _, tc := range []struct {
		err   error
		code  tool.Code
		retry bool
	}{
		{fmt.Errorf("x: %w", context.Canceled), tool.CodeCancelled, false},
		{context.DeadlineExceeded, tool.CodeTimeout, false},
		{tool.Errorf(tool.CodeInvalid, "x"), tool.CodeInvalid, false},
		{errors.New("connection reset by peer"), tool.CodeUnavailable, true},
		{fmt.Errorf("x: %w", &llm.Error{Code: tool.CodeLimit}), tool.CodeLimit, false},
	} {
		e := llm.AsError(tc.err)
		if e.Code != tc.code || e.Retryable != tc.retry || !errors.Is(e, &tool.Error{Code: tc.code}) {
			t.Errorf("%v: got %s, retryable %v", tc.err, e.Code, e.Retryable)
		}
	}
	if llm.AsError(nil) != nil {
		t.Error("nil is an error")
	}
}

func FuzzErrorOf(f *testing.F) {
	f.Add(400, `{"error":{"message":"x","details":[{"reason":"API_KEY_INVALID"}]}}`)
	f.Add(0, "<html><title>x</title>")
	f.Fuzz(func(t *testing.T, status int, body string) {
		e := llm.ErrorOf(status, nil, []byte(body))
		if e.Code == "" || len(e.Error()) > 2000 || strings.ContainsAny(e.Message, "\n\x00") {
			t.Errorf("%q", e)
		}
	})
}
