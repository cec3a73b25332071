package openai_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"runtime"
	"testing"

	"github.com/toolpost/toolpost/llm"
	"github.com/toolpost/toolpost/llm/llmtest"
	"github.com/toolpost/toolpost/provider/openai"
)

// longStream is a reply of n text and n argument fragments.
func longStream(n int) []byte {
	var b bytes.Buffer
	for range n {
		b.WriteString(`data: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1,"model":"m-1","service_tier":"default","system_fingerprint":"fp_1","choices":[{"index":0,"delta":{"content":" twelve char"},"logprobs":null,"finish_reason":null}],"usage":null}` + "\n\n")
	}
	b.WriteString(`data: {"id":"chatcmpl-1","choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"call_1","type":"function","function":{"name":"write_file","arguments":"{\"text\":\""}}]},"finish_reason":null}]}` + "\n\n")
	for range n {
		b.WriteString(`data: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1,"model":"m-1","choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"function":{"arguments":" twelve\\nchar"}}]},"finish_reason":null}]}` + "\n\n")
	}
	b.WriteString(`data: {"id":"chatcmpl-1","choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"function":{"arguments":"\"}"}}]},"finish_reason":"tool_calls"}]}` + "\n\ndata: [DONE]\n\n")
	return b.Bytes()
}

func askCanned(tb testing.TB, c *openai.Chat, rt *replay) llm.Message {
	rt.Reader.Reset(rt.data)
	msg, err := llmtest.Ask(context.Background(), c, &llm.Request{})
	if err != nil {
		tb.Fatal(err)
	}
	return msg
}

// replay answers with the same bytes each time.
type replay struct {
	bytes.Reader
	data []byte
}

func (r *replay) RoundTrip(*http.Request) (*http.Response, error) {
	return &http.Response{StatusCode: 200, Body: io.NopCloser(&r.Reader)}, nil
}

func newReplay(n int) (*openai.Chat, *replay) {
	rt := &replay{data: longStream(n)}
	return &openai.Chat{Model: "m", BaseURL: "http://127.0.0.1/v1", HTTP: &http.Client{Transport: rt}}, rt
}

func TestAnEventCostsFewAllocations(t *testing.T) {
	cost := func(n int) float64 {
		c, rt := newReplay(n)
		return testing.AllocsPerRun(20, func() { askCanned(t, c, rt) })
	}
	small, large := cost(100), cost(600)
	per := (large - small) / 1000 // 500 more of each kind
	if per > 1.2 {
		t.Errorf("%.2f allocations for an event, from sse to llm.Reply; it was 1", per)
	}
	t.Logf("%.3f allocations for an event, %.0f for a reply", per, small-200*per)
}

func BenchmarkEvent(b *testing.B) {
	const n = 500
	c, rt := newReplay(n)
	b.ReportAllocs()
	b.SetBytes(int64(len(rt.data)))
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	rounds := 0
	for b.Loop() {
		askCanned(b, c, rt)
		rounds++
	}
	runtime.ReadMemStats(&after)
	events := float64(rounds * (2*n + 3))
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/events, "ns/event")
	b.ReportMetric(float64(after.Mallocs-before.Mallocs)/events, "allocs/event")
}

func TestALineOf20MB(t *testing.T) {
	text := bytes.Repeat([]byte("0123456789"), 2<<20)
	stream := fmt.Appendf(nil, "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"%s\"},\"finish_reason\":\"stop\"}]}\n\n", text)
	c := &openai.Chat{Model: "m", BaseURL: "http://127.0.0.1/v1", HTTP: &http.Client{Transport: canned{"text/event-stream", bytes.NewReader(stream)}}}
	msg, err := llmtest.Ask(context.Background(), c, &llm.Request{})
	if err != nil || len(msg.Text()) != len(text) {
		t.Errorf("got %d bytes, %v", len(msg.Text()), err)
	}
	c.HTTP = &http.Client{Transport: canned{"text/event-stream", bytes.NewReader(stream)}}
	c.MaxEvent = 1 << 20
	if _, err := llmtest.Ask(context.Background(), c, &llm.Request{}); llm.AsError(err) == nil || llm.AsError(err).Code != "LIMIT_EXCEEDED" {
		t.Errorf("got %v", err)
	}
}
