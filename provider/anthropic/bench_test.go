package anthropic_test

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"runtime"
	"strings"
	"testing"

	"github.com/toolpost/toolpost/llm"
	"github.com/toolpost/toolpost/llm/llmtest"
	"github.com/toolpost/toolpost/provider/anthropic"
)

// longStream is a reply of n text and n argument fragments.
func longStream(n int) []byte {
	text := strings.Repeat(`event: content_block_delta`+"\n"+`data: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":" twelve char"}}`+"\n\n", n)
	args := strings.Repeat(`event: content_block_delta`+"\n"+`data: {"type":"content_block_delta","index":1,"delta":{"type":"input_json_delta","partial_json":" twelve\\nchar"}}`+"\n\n", n)
	var b bytes.Buffer
	for _, s := range []string{
		`{"type":"message_start","message":{"id":"msg_1","model":"m-1","usage":{"input_tokens":3}}}`,
		`{"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}`, text,
		`{"type":"content_block_stop","index":0}`,
		`{"type":"content_block_start","index":1,"content_block":{"type":"tool_use","id":"toolu_1","name":"write_file","input":{}}}`,
		`{"type":"content_block_delta","index":1,"delta":{"type":"input_json_delta","partial_json":"{\"text\":\""}}`, args,
		`{"type":"content_block_delta","index":1,"delta":{"type":"input_json_delta","partial_json":"\"}"}}`,
		`{"type":"content_block_stop","index":1}`,
		`{"type":"message_delta","delta":{"stop_reason":"tool_use"},"usage":{"output_tokens":9}}`,
		`{"type":"message_stop"}`,
	} {
		if strings.HasPrefix(s, "{") {
			s = "data: " + s + "\n\n"
		}
		b.WriteString(s)
	}
	return b.Bytes()
}

// replay answers with the same bytes each time.
type replay struct {
	bytes.Reader
	data []byte
}

func (r *replay) RoundTrip(*http.Request) (*http.Response, error) {
	return &http.Response{StatusCode: 200, Body: io.NopCloser(&r.Reader)}, nil
}

func newReplay(n int) (*anthropic.Messages, *replay) {
	rt := &replay{data: longStream(n)}
	return &anthropic.Messages{Model: "m", HTTP: &http.Client{Transport: rt}}, rt
}

func askReplay(tb testing.TB, c *anthropic.Messages, rt *replay) {
	rt.Reset(rt.data)
	if _, err := llmtest.Ask(context.Background(), c, &llm.Request{}); err != nil {
		tb.Fatal(err)
	}
}

func TestAnEventCostsFewAllocations(t *testing.T) {
	cost := func(n int) float64 {
		c, rt := newReplay(n)
		return testing.AllocsPerRun(20, func() { askReplay(t, c, rt) })
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
		askReplay(b, c, rt)
		rounds++
	}
	runtime.ReadMemStats(&after)
	events := float64(rounds * (2*n + 10))
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/events, "ns/event")
	b.ReportMetric(float64(after.Mallocs-before.Mallocs)/events, "allocs/event")
}
