package llmtest

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
)

// A Turn is a reply to be told in the form of Chat Completions.
type Turn struct {
	Thinking string
	Text     string
	Calls    []Call
	Finish   string // tool_calls or stop if empty
	Usage    bool   // 100 tokens in, 20 out
}

// A Call is a call in a Turn.
type Call struct{ ID, Name, Args string }

// Chat is a stream of Chat Completions, arguments in pieces of a few bytes and
// parallel calls one after another.
func Chat(t Turn) Answer {
	a := Answer{}
	event := func(choice map[string]any) { a.Chunks = append(a.Chunks, frame(choice)) }
	delta := func(d map[string]any) { event(map[string]any{"index": 0, "delta": d, "finish_reason": nil}) }
	delta(map[string]any{"role": "assistant", "content": ""})
	for _, s := range pieces(t.Thinking, 7) {
		delta(map[string]any{"reasoning_content": s})
	}
	for _, s := range pieces(t.Text, 7) {
		delta(map[string]any{"content": s})
	}
	for i, c := range t.Calls {
		delta(map[string]any{"tool_calls": []any{map[string]any{"index": i, "id": c.ID, "type": "function", "function": map[string]any{"name": c.Name, "arguments": ""}}}})
		for _, s := range pieces(c.Args, 7) {
			delta(map[string]any{"tool_calls": []any{map[string]any{"index": i, "function": map[string]any{"arguments": s}}}})
		}
	}
	finish := t.Finish
	if finish == "" {
		finish = "stop"
		if len(t.Calls) > 0 {
			finish = "tool_calls"
		}
	}
	event(map[string]any{"index": 0, "delta": map[string]any{}, "finish_reason": finish})
	if t.Usage {
		a.Chunks = append(a.Chunks, `data: {"id":"chatcmpl-1","object":"chat.completion.chunk","model":"test-model","choices":[],"usage":{"prompt_tokens":100,"completion_tokens":20,"total_tokens":120}}`+"\n\n")
	}
	a.Chunks = append(a.Chunks, "data: [DONE]\n\n")
	return a
}

// frame is one event with one choice.
func frame(choice map[string]any) string {
	b, err := json.Marshal(map[string]any{"id": "chatcmpl-1", "object": "chat.completion.chunk", "model": "test-model", "choices": []any{choice}})
	if err != nil {
		panic(err) // it is made of strings and numbers
	}
	return "data: " + string(b) + "\n\n"
}

// pieces is s in pieces of n characters.
func pieces(s string, n int) []string {
	var all []string
	r := []rune(s)
	for len(r) > 0 {
		k := min(n, len(r))
		all, r = append(all, string(r[:k])), r[k:]
	}
	return all
}

// Refuse is an error in OpenAI's form.
func Refuse(status int, kind, message string) Answer {
	b, err := json.Marshal(map[string]any{"error": map[string]any{"message": message, "type": kind, "code": kind}})
	if err != nil {
		panic(err) // it is made of strings
	}
	return Answer{Status: status, Header: http.Header{"Content-Type": {"application/json"}, "X-Request-Id": {"req_" + strconv.Itoa(status)}}, Chunks: []string{string(b)}}
}

// RateLimit is a 429 with a retry-after of so many seconds, which may be a
// fraction.
func RateLimit(seconds float64) Answer {
	a := Refuse(http.StatusTooManyRequests, "rate_limit_exceeded", "Rate limit reached.")
	a.Header.Set("Retry-After", fmt.Sprint(seconds))
	return a
}

// HTML is a page such as proxies send.
func HTML(status int) Answer {
	return Answer{Status: status, Header: http.Header{"Content-Type": {"text/html"}}, Chunks: []string{
		"<!DOCTYPE html>\n<html><head><title>" + http.StatusText(status) + " | proxy</title></head><body><h1>Sorry</h1><p>secret-token-in-page</p></body></html>"}}
}

// Broken is a with only its first n chunks, after which the connection breaks.
func (a Answer) Broken(n int) Answer {
	a.Chunks, a.Cut = a.Chunks[:min(n, len(a.Chunks))], true
	return a
}

// Hanging is a with only its first n chunks, after which nothing comes.
func (a Answer) Hanging(n int) Answer {
	a.Chunks, a.Hang = a.Chunks[:min(n, len(a.Chunks))], true
	return a
}
