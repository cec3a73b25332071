package gemini_test

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
	"github.com/toolpost/toolpost/provider/gemini"
)

var (
	update   = flag.Bool("update", false, "write what was got into testdata")
	everyCut = flag.Bool("everycut", false, "cut the streams at every byte, not at some 200 of them")
)

// object is JSON of alternating names and values.
func object(t ...any) map[string]any {
	m := map[string]any{}
	for i := 0; i < len(t); i += 2 {
		m[t[i].(string)] = t[i+1]
	}
	return m
}

func marshal(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err) // it is made of strings and numbers
	}
	return string(b)
}

// generated is a Turn as generateContent streams it: CRLF, whole calls, usage in
// the last chunk.
func generated(t llmtest.Turn) llmtest.Answer {
	var a llmtest.Answer
	chunk := func(part any, more ...any) {
		c := object(append([]any{"content", object("parts", []any{part}, "role", "model"), "index", 0}, more...)...)
		if part == nil {
			c = object(append([]any{"index", 0}, more...)...)
		}
		m := object("candidates", []any{c}, "modelVersion", "test-model", "responseId", "r-1")
		if part == nil && t.Usage {
			m["usageMetadata"] = object("promptTokenCount", 100, "candidatesTokenCount", 15, "thoughtsTokenCount", 5, "totalTokenCount", 120)
		}
		a.Chunks = append(a.Chunks, "data: "+marshal(m)+"\r\n\r\n")
	}
	if t.Thinking != "" {
		chunk(object("text", t.Thinking, "thought", true))
	}
	for r := []rune(t.Text); len(r) > 0; {
		n := min(7, len(r))
		chunk(object("text", string(r[:n])))
		r = r[n:]
	}
	for i, c := range t.Calls {
		p := object("functionCall", object("id", c.ID, "name", c.Name, "args", json.RawMessage(c.Args)))
		if i == 0 {
			p["thoughtSignature"] = "c2ln"
		}
		chunk(p)
	}
	chunk(nil, "finishReason", "STOP")
	return a
}

// interacted is a Turn as Interactions streams it.
func interacted(t llmtest.Turn) llmtest.Answer {
	var a llmtest.Answer
	event := func(kind string, more ...any) {
		m := object(append(more, "event_type", kind)...)
		a.Chunks = append(a.Chunks, "event: "+kind+"\ndata: "+marshal(m)+"\n\n")
	}
	status, index := "completed", 0
	event("interaction.created", "interaction", object("id", "v1_x", "status", "in_progress", "model", "test-model"))
	if t.Text != "" {
		event("step.start", "index", index, "step", object("type", "model_output"))
		for r := []rune(t.Text); len(r) > 0; {
			n := min(7, len(r))
			event("step.delta", "index", index, "delta", object("type", "text", "text", string(r[:n])))
			r = r[n:]
		}
		event("step.stop", "index", index)
		index++
	}
	for _, c := range t.Calls {
		status = "requires_action"
		event("step.start", "index", index, "step", object("type", "function_call", "id", c.ID, "name", c.Name, "arguments", object()))
		for s := c.Args; s != ""; {
			n := min(7, len(s))
			event("step.delta", "index", index, "delta", object("type", "arguments_delta", "arguments", s[:n]))
			s = s[n:]
		}
		event("step.stop", "index", index)
		index++
	}
	i := object("id", "v1_x", "status", status)
	if t.Usage {
		i["usage"] = object("total_input_tokens", 100, "total_output_tokens", 15, "total_thought_tokens", 5, "total_tokens", 120)
	}
	event("interaction.completed", "interaction", i)
	a.Chunks = append(a.Chunks, "event: done\ndata: [DONE]\n\n")
	return a
}

// refused is an error in Google's form.
func refused(status int, kind, message string) llmtest.Answer {
	return llmtest.Answer{Status: status, Header: http.Header{"Content-Type": {"application/json"}}, Chunks: []string{
		marshal(object("error", object("code", status, "message", message, "status", strings.ToUpper(kind))))}}
}

func TestKit(t *testing.T) {
	for api, reply := range map[string]func(llmtest.Turn) llmtest.Answer{gemini.Generate: generated, gemini.Interactions: interacted} {
		t.Run(api, func(t *testing.T) {
			llmtest.Run(t, llmtest.Wire{
				New:    func(url string) llm.Provider { return &gemini.Client{BaseURL: url + "/v1beta", API: api} },
				Reply:  reply,
				Refuse: refused,
			})
		})
	}
}

// serve is a Client that asks a server with these answers.
func serve(t testing.TB, answers ...llmtest.Answer) (*gemini.Client, *llmtest.Server) {
	t.Helper()
	s := llmtest.NewServer(answers...)
	ts := httptest.NewServer(s)
	t.Cleanup(ts.Close)
	return &gemini.Client{Name: "test", BaseURL: ts.URL + "/v1beta", Model: "gemini-3-flash"}, s
}

// canned is a RoundTripper that answers with a body.
type canned struct {
	kind string
	body io.Reader
}

func (c canned) RoundTrip(*http.Request) (*http.Response, error) {
	return &http.Response{StatusCode: 200, Header: http.Header{"Content-Type": {c.kind}}, Body: io.NopCloser(c.body)}, nil
}

// TestStreams reads testdata/streams: "dialect" is the API, gemini-generate if
// none is named.
func TestStreams(t *testing.T) {
	read := func(t *testing.T, r llmtest.Recording, body io.Reader) (llm.Message, error) {
		c := &gemini.Client{API: r.Dialect, Model: "m", HTTP: &http.Client{Transport: canned{r.ContentType(), body}}}
		return llmtest.Ask(context.Background(), c, &llm.Request{Tools: r.Tools})
	}
	llmtest.Streams{Glob: "testdata/streams/*.txtar", Read: read, Update: *update, EveryCut: *everyCut}.Run(t)
}

// fuzzed reads a stream of any bytes: whatever comes, the message can be kept
// and an incomplete reply has an error.
func fuzzed(t *testing.T, api, stream string) {
	var reply llm.Reply
	decode := gemini.Decode
	if api == gemini.Interactions {
		decode = gemini.DecodeInteractions
	}
	var err error
	for d, e := range decode(strings.NewReader(stream)) {
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
	msg.Provider, msg.API, msg.Model = "gemini", api, "m"
	c := &gemini.Client{API: api, Model: "m", HTTP: &http.Client{Transport: checked{t}}}
	if _, err := llmtest.Ask(context.Background(), c, &llm.Request{Messages: []llm.Message{llm.User("x"), msg}}); err == nil {
		t.Error("an empty answer is no error")
	}
}

// checked is a RoundTripper that answers nothing to what has to be JSON.
type checked struct{ t *testing.T }

func (c checked) RoundTrip(r *http.Request) (*http.Response, error) {
	body, err := io.ReadAll(r.Body)
	if err != nil || !json.Valid(body) {
		c.t.Errorf("asked %s, %v", body, err)
	}
	return &http.Response{StatusCode: 200, Body: http.NoBody}, nil
}

func FuzzGenerate(f *testing.F) {
	f.Add(`{"candidates":[{"content":{"parts":[{"text":"hi \ud83c"},{"text":"","thoughtSignature":"x"}]}}]}`, `{"candidates":[{"content":{"parts":[{"functionCall":{"name":"f","args":{"a":1}}}]},"finishReason":"STOP","index":0}],"usageMetadata":{"promptTokenCount":1e3}}`)
	f.Add(`{"candidates":[{"content":{"parts":[{"functionCall":{"name":"f","willContinue":true}},{"functionCall":{"partialArgs":[{"jsonPath":"$.a['b'][0]","stringValue":"x","willContinue":true}],"willContinue":true}}]}}]}`, `{"candidates":[{"content":{"parts":[{"functionCall":{"partialArgs":[{"jsonPath":"$.a['b'][1]","numberValue":1}]}},{"inlineData":{"data":""}}]},"finishReason":"CONTINUATION","continuationToken":"t"}]}`)
	f.Add(`{"promptFeedback":{"blockReason":"SAFETY"}}`, `{"error":{"message":"x"}}`)
	f.Fuzz(func(t *testing.T, a, b string) {
		fuzzed(t, gemini.Generate, "data: "+a+"\r\n\r\ndata: "+b+"\r\n\r\n")
	})
}

func FuzzInteractions(f *testing.F) {
	f.Add(`{"event_type":"step.start","index":0,"step":{"type":"function_call","id":"c","name":"f","arguments":{}}}`, `{"event_type":"step.delta","index":0,"delta":{"type":"arguments_delta","arguments":"{\"a\":"}}`, `{"event_type":"interaction.completed","interaction":{"id":"x","status":"requires_action","usage":{"total_input_tokens":1}}}`)
	f.Add(`{"event_type":"step.start","index":0,"step":{"type":"google_search_call","id":"c"}}`, `{"event_type":"step.delta","index":0,"delta":{"type":"google_search_call","arguments":{"q":1}}}`, `{"event_type":"interaction.status_update","status":"completed"}`)
	f.Fuzz(func(t *testing.T, a, b, c string) {
		fuzzed(t, gemini.Interactions, "data: "+a+"\n\ndata: "+b+"\n\ndata: "+c+"\n\n")
	})
}
