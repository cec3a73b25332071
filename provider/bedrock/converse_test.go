package bedrock_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws/protocol/eventstream"
	"github.com/google/go-cmp/cmp"

	"github.com/toolpost/toolpost/llm"
	"github.com/toolpost/toolpost/llm/llmtest"
	"github.com/toolpost/toolpost/provider/bedrock"
	"github.com/toolpost/toolpost/schema"
	"github.com/toolpost/toolpost/tool"
)

const framed = "application/vnd.amazon.eventstream"

// frame is one frame of an event stream.
func frame(kind, name, payload string) string {
	m := eventstream.Message{Payload: []byte(payload)}
	m.Headers.Set(":message-type", eventstream.StringValue(kind))
	m.Headers.Set(":"+kind+"-type", eventstream.StringValue(name))
	var b bytes.Buffer
	if err := eventstream.NewEncoder().Encode(&b, m); err != nil {
		panic(err) // a buffer takes all
	}
	return b.String()
}

func event(name, payload string) string { return frame("event", name, payload) }

func quote(s string) string {
	b, err := json.Marshal(s)
	if err != nil {
		panic(err) // strings have a JSON form
	}
	return string(b)
}

func pieces(s string) (all []string) {
	for r := []rune(s); len(r) > 0; {
		n := min(7, len(r))
		all, r = append(all, string(r[:n])), r[n:]
	}
	return all
}

// reply is a Turn as the API streams it.
func reply(t llmtest.Turn) llmtest.Answer {
	a := llmtest.Answer{Header: http.Header{"Content-Type": {framed}}}
	say := func(name, payload string) { a.Chunks = append(a.Chunks, event(name, payload)) }
	say("messageStart", `{"role":"assistant","p":"abc"}`)
	n := 0
	end := func() { say("contentBlockStop", fmt.Sprintf(`{"contentBlockIndex":%d}`, n)); n++ }
	for _, p := range pieces(t.Text) {
		say("contentBlockDelta", fmt.Sprintf(`{"contentBlockIndex":%d,"delta":{"text":%s},"p":"ab"}`, n, quote(p)))
	}
	if t.Text != "" {
		end()
	}
	for _, c := range t.Calls {
		say("contentBlockStart", fmt.Sprintf(`{"contentBlockIndex":%d,"start":{"toolUse":{"toolUseId":%s,"name":%s}}}`, n, quote(c.ID), quote(c.Name)))
		for _, p := range pieces(c.Args) {
			say("contentBlockDelta", fmt.Sprintf(`{"contentBlockIndex":%d,"delta":{"toolUse":{"input":%s}}}`, n, quote(p)))
		}
		end()
	}
	stop := "end_turn"
	if len(t.Calls) > 0 {
		stop = "tool_use"
	}
	say("messageStop", `{"stopReason":"`+stop+`"}`)
	say("metadata", `{"usage":{"inputTokens":100,"outputTokens":20,"totalTokens":120},"metrics":{"latencyMs":1}}`)
	return a
}

func refuse(status int, kind, message string) llmtest.Answer {
	return llmtest.Answer{Status: status, Header: http.Header{"Content-Type": {"application/json"}, "X-Amzn-Errortype": {kind + ":http://x"}, "X-Amzn-Requestid": {"req-1"}},
		Chunks: []string{`{"message":` + quote(message) + `}`}}
}

func TestKit(t *testing.T) {
	llmtest.Run(t, llmtest.Wire{New: func(url string) llm.Provider { return &bedrock.Converse{BaseURL: url} }, Reply: reply, Refuse: refuse})
}

func ExampleConverse() {
	server := httptest.NewServer(llmtest.NewServer(reply(llmtest.Turn{Text: "Four."})))
	defer server.Close()

	p := &bedrock.Converse{BaseURL: server.URL, Model: "some-model"}
	var r llm.Reply
	for d, err := range p.Stream(context.Background(), &llm.Request{Messages: []llm.Message{llm.User("2 + 2?")}}) {
		if err != nil {
			fmt.Println(err)
			return
		}
		r.Add(d)
	}
	msg := r.Message()
	fmt.Println(msg.Text(), msg.Stop)
	// Output: Four. stop
}

func ExampleDecode() {
	recorded := strings.Join(reply(llmtest.Turn{Calls: []llmtest.Call{{ID: "t1", Name: "add", Args: `{"a":2}`}}}).Chunks, "")
	msg, err := decode(strings.NewReader(recorded))
	fmt.Println(msg.Blocks[0].Call.Tool, string(msg.Blocks[0].Call.Args), msg.Stop, err)
	// Output: add {"a":2} tool_calls <nil>
}

func decode(r io.Reader) (llm.Message, error) {
	var reply llm.Reply
	for d, err := range bedrock.Decode(r) {
		if err != nil {
			reply.Fail(err)
			return reply.Message(), err
		}
		reply.Add(d)
	}
	return reply.Message(), nil
}

func TestStreams(t *testing.T) {
	begin := event("messageStart", `{"role":"assistant"}`)
	stop := func(reason string) string {
		return event("messageStop", `{"stopReason":"`+reason+`"}`) + event("metadata", `{"usage":{"inputTokens":1,"outputTokens":2,"cacheReadInputTokens":3,"cacheWriteInputTokens":4}}`)
	}
	delta := func(i int, d string) string {
		return event("contentBlockDelta", fmt.Sprintf(`{"contentBlockIndex":%d,"delta":%s}`, i, d))
	}
	end := func(i int) string { return event("contentBlockStop", fmt.Sprintf(`{"contentBlockIndex":%d}`, i)) }
	use := func(i int, id string) string {
		return event("contentBlockStart", fmt.Sprintf(`{"contentBlockIndex":%d,"start":{"toolUse":{"toolUseId":%q,"name":"f"}}}`, i, id))
	}
	const usage = "usage {Input:1 CacheRead:3 CacheWrite:4 Output:2 Reasoning:0 ToolInput:0}\n"
	for name, tc := range map[string]struct{ stream, want string }{
		"reasoning with its signature, and a redacted piece": {
			begin + delta(0, `{"reasoningContent":{"text":"Hm"}}`) + delta(0, `{"reasoningContent":{"text":"m."}}`) + delta(0, `{"reasoningContent":{"signature":"s=="}}`) + end(0) +
				delta(1, `{"reasoningContent":{"redactedContent":"YQ=="}}`) + end(1) + delta(2, `{"text":"x"}`) + end(2) + stop("end_turn"),
			"thinking \"Hmm.\"\n  signed s==\nopaque {\"reasoningContent\":{\"redactedContent\":\"YQ==\"}}\ntext \"x\"\nstop stop\n" + usage},
		"calls that grow at once": {
			begin + use(0, "a") + use(1, "b") + delta(1, `{"toolUse":{"input":"{\"x\""}}`) + delta(0, `{"toolUse":{"input":"{}"}}`) + delta(1, `{"toolUse":{"input":":1}"}}`) + end(1) + end(0) + stop("tool_use"),
			"call f id=\"a\" {}\ncall f id=\"b\" {\"x\":1}\nstop tool_calls\n" + usage},
		"a call without arguments":    {begin + use(0, "a") + delta(0, `{"toolUse":{"input":""}}`) + end(0) + stop("tool_use"), "call f id=\"a\" {}\nstop tool_calls\n" + usage},
		"a call that is cut":          {begin + use(0, "a") + delta(0, `{"toolUse":{"input":"{\"x"}}`) + stop("max_tokens"), "call f id=\"a\" \"{\\\"x\"\n  broken TRUNCATED_CALL: the reply was cut off (length) inside this call; it was not run. Received: {\"x. Send the whole call again, with shorter arguments\nstop length\n" + usage},
		"a filter":                    {begin + delta(0, `{"text":"x"}`) + stop("guardrail_intervened"), "text \"x\"\nstop refused\n" + usage},
		"a call that nobody can read": {begin + stop("malformed_tool_use"), "stop bad_tool_call\n" + usage},
		"unknown events and members":  {begin + event("later", `{"x":1}`) + delta(0, `{"later":{"y":[]}}`) + delta(0, `{"text":"x"}`) + stop("newly_invented"), "text \"x\"\nstop newly_invented\n" + usage},
		"an exception":                {begin + delta(0, `{"text":"x"}`) + frame("exception", "throttlingException", `{"message":"Too many"}`), "text \"x\"\nstop broken\nerror UNAVAILABLE: model: throttlingException: Too many; try again later\n"},
		"an exception of ours":        {frame("exception", "validationException", `{"message":"No."}`), "stop broken\nerror VALIDATION_ERROR: model: validationException: No.\n"},
		"a stream that ends early":    {begin + delta(0, `{"text":"x"}`), "text \"x\"\nstop broken\nerror UNAVAILABLE: model: cut: the stream ended before the reply did; try again\n"},
		"in one piece":                {`{"output":{"message":{"role":"assistant","content":[{"reasoningContent":{"reasoningText":{"text":"Hm","signature":"s"}}},{"text":"x"},{"toolUse":{"toolUseId":"a","name":"f","input":{"x":1.50}}},{"later":{"y":1}}]}},"stopReason":"tool_use","usage":{"inputTokens":1,"outputTokens":2,"cacheReadInputTokens":3,"cacheWriteInputTokens":4}}`, "thinking \"Hm\"\n  signed s\ntext \"x\"\ncall f id=\"a\" {\"x\":1.50}\nopaque {\"later\":{\"y\":1}}\nstop tool_calls\n" + usage},
	} {
		t.Run(name, func(t *testing.T) {
			show := func(r io.Reader) string {
				m, err := decode(r)
				return llmtest.Show(&m, err)
			}
			if diff := cmp.Diff(tc.want, show(strings.NewReader(tc.stream))); diff != "" {
				t.Error(diff)
			}
			if diff := cmp.Diff(tc.want, show(iotest.OneByteReader(strings.NewReader(tc.stream)))); diff != "" {
				t.Errorf("byte by byte: %s", diff)
			}
		})
	}
	damaged := []byte(begin + delta(0, `{"text":"xyz"}`) + stop("end_turn"))
	damaged[len(begin)+len(damaged[len(begin):])/2-40] ^= 1
	if _, err := decode(bytes.NewReader(damaged)); llm.AsError(err) == nil || !llm.AsError(err).Retryable {
		t.Errorf("a damaged frame: got %v", err)
	}
}

func TestARequest(t *testing.T) {
	s := llmtest.NewServer(reply(llmtest.Turn{Text: "ok"}), reply(llmtest.Turn{Text: "ok"}))
	ts := httptest.NewServer(s)
	defer ts.Close()
	c := &bedrock.Converse{Name: "test", BaseURL: ts.URL, Region: "us-east-1", Cache: true,
		Now: func() time.Time { return time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC) },
		Credentials: func(context.Context) (bedrock.Credentials, error) {
			return bedrock.Credentials{AccessKey: "AKID", Secret: "secret", Session: "token"}, nil
		}}
	temp := 0.5
	model := "arn:aws:bedrock:us-east-1::x/anthropic.claude-sonnet-5-v1:0"
	msgs := llmtest.History("test", bedrock.API, model)
	msgs[5].Blocks[0].Signature = "s=="
	req := &llm.Request{Model: model, System: "Be brief.", Messages: msgs, MaxTokens: 100, Temp: &temp, Choice: llm.Choice{Mode: llm.ChoiceRequired},
		Tools: []tool.Spec{{Name: "read_file", Description: "Read a file.", Input: schema.MustParse(`{"type":"object","properties":{"path":{"type":"string"}}}`)}},
		Extra: json.RawMessage(`{"additionalModelRequestFields":{"thinking":{"type":"adaptive"}}}`)}
	if _, err := llmtest.Ask(context.Background(), c, req); err != nil {
		t.Fatal(err)
	}
	r := s.Requests()[0]
	if a := r.Header.Get("Authorization"); r.Path != "/model/"+model+"/converse-stream" || r.Header.Get("X-Amz-Security-Token") != "token" ||
		!strings.HasPrefix(a, "AWS4-HMAC-SHA256 Credential=AKID/20260102/us-east-1/bedrock/aws4_request") {
		t.Errorf("got %s, %s", r.Path, a)
	}
	want := `system:
  {"text":"Be brief."}
  {"cachePoint":{"type":"default"}}
messages:
  {"role":"user","content":[{"text":"Begin."}]}
  {"role":"assistant","content":[{"toolUse":{"toolUseId":"2okqOGQvxnqZ3bjSnhgg0rscuqmWqFm9","name":"read_file","input":{}}}]}
  {"role":"user","content":[{"toolResult":{"toolUseId":"2okqOGQvxnqZ3bjSnhgg0rscuqmWqFm9","content":[{"text":"(no output)"}]}},{"text":"Look."}]}
  {"role":"assistant","content":[{"reasoningContent":{"reasoningText":{"text":"Both.","signature":"s=="}}},{"toolUse":{"toolUseId":"toolu_01A","name":"web_shot_gwso5p","input":{"url":"x"}}},{"toolUse":{"toolUseId":"toolu_01B","name":"read_file","input":{}}}]}
  {"role":"user","content":[{"toolResult":{"toolUseId":"toolu_01A","content":[{"text":"a page"},{"image":{"format":"png","source":{"bytes":"cG5n"}}}]}},{"toolResult":{"toolUseId":"toolu_01B","content":[{"text":"{\"status\":\"error\",\"tool\":\"read_file\",\"code\":\"NOT_FOUND\",\"error\":\"no such file\"}"}],"status":"error"}},{"text":"And?"}]}
  {"role":"assistant","content":[{"text":"Done."}]}
  {"role":"user","content":[{"text":"Thanks  <b>"},{"cachePoint":{"type":"default"}}]}
toolConfig: {"tools":[{"toolSpec":{"name":"read_file","description":"Read a file.","inputSchema":{"json":{"properties":{"path":{"type":"string"}},"type":"object"}}}},{"cachePoint":{"type":"default"}}],"toolChoice":{"any":{}}}
inferenceConfig: {"maxTokens":100,"temperature":0.5}
additionalModelRequestFields: {"thinking":{"type":"adaptive"}}
`
	if diff := cmp.Diff(want, llmtest.ShowRequest(t, r.Body)); diff != "" {
		t.Error(diff)
	}
	c.Key = func() string { return "key\n" }
	if _, err := llmtest.Ask(context.Background(), c, &llm.Request{Model: "m"}); err != nil {
		t.Fatal(err)
	}
	if a := s.Requests()[1].Header.Get("Authorization"); a != "Bearer key" {
		t.Errorf("got %s", a)
	}
	if _, err := llmtest.Ask(context.Background(), &bedrock.Converse{}, &llm.Request{Model: "m"}); err == nil || !strings.Contains(err.Error(), "no region is set") {
		t.Errorf("got %v", err)
	}
}

func FuzzDecode(f *testing.F) {
	f.Add([]byte(strings.Join(reply(llmtest.Turn{Text: "hi", Calls: []llmtest.Call{{ID: "a", Name: "f", Args: "{}"}}}).Chunks, "")))
	f.Add([]byte(`{"output":{"message":{"content":[{"text":"x"}]}},"stopReason":"end_turn"}`))
	f.Fuzz(func(t *testing.T, b []byte) {
		m, err := decode(bytes.NewReader(b))
		if (err != nil) != m.Broken() {
			t.Errorf("stop %s, error %v", m.Stop, err)
		}
		if _, err := json.Marshal(m); err != nil {
			t.Errorf("the message cannot be kept: %v", err)
		}
	})
}
