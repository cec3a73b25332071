package gemini_test

import (
	"bytes"
	"io"
	"net/http"
	"runtime"
	"strings"
	"testing"

	"github.com/toolpost/toolpost/llm"
	"github.com/toolpost/toolpost/llm/llmtest"
	"github.com/toolpost/toolpost/provider/gemini"
	"github.com/toolpost/toolpost/tool"
)

// long is a reply of n texts and n calls, or of Interactions n fragments of one.
func long(api string, n int) string {
	if api == gemini.Generate {
		text := `data: {"candidates":[{"content":{"parts":[{"text":" twelve char"}],"role":"model"},"index":0}],"usageMetadata":{"promptTokenCount":10,"candidatesTokenCount":2,"totalTokenCount":32,"promptTokensDetails":[{"modality":"TEXT","tokenCount":10}]},"modelVersion":"gemini-3-flash-001","responseId":"r1"}` + "\r\n\r\n"
		call := `data: {"candidates":[{"content":{"parts":[{"functionCall":{"id":"c1","name":"write_file","args":{"text":"twelve\nchar"}}}],"role":"model"},"index":0}],"modelVersion":"gemini-3-flash-001","responseId":"r1"}` + "\r\n\r\n"
		return strings.Repeat(text, n) + strings.Repeat(call, min(n, 100)) + `data: {"candidates":[{"finishReason":"STOP","index":0}]}` + "\r\n\r\n"
	}
	var b strings.Builder
	for _, c := range interacted(llmtest.Turn{Text: strings.Repeat("seven c", n), Calls: []llmtest.Call{{ID: "c", Name: "f", Args: `{"a":"` + strings.Repeat("seven c", n) + `"}`}}}).Chunks {
		b.WriteString(c)
	}
	return b.String()
}

type replay struct {
	bytes.Reader
	data []byte
}

func (r *replay) RoundTrip(*http.Request) (*http.Response, error) {
	r.Reset(r.data)
	return &http.Response{StatusCode: 200, Body: io.NopCloser(&r.Reader)}, nil
}

func asker(api string, n int) (ask func(testing.TB), events int) {
	rt := &replay{data: []byte(long(api, n))}
	c := &gemini.Client{API: api, Model: "m", HTTP: &http.Client{Transport: rt}}
	req := &llm.Request{Tools: []tool.Spec{{Name: "f"}, {Name: "write_file"}}}
	return func(tb testing.TB) {
		if _, err := llmtest.Ask(tb.Context(), c, req); err != nil {
			tb.Fatal(err)
		}
	}, bytes.Count(rt.data, []byte("data: "))
}

func TestAnEventCostsFewAllocations(t *testing.T) {
	for _, api := range []string{gemini.Generate, gemini.Interactions} {
		cost := func(n int) (float64, int) {
			ask, events := asker(api, n)
			return testing.AllocsPerRun(10, func() { ask(t) }), events
		}
		small, few := cost(200)
		large, many := cost(700)
		per := (large - small) / float64(many-few)
		if per > 2 {
			t.Errorf("%s: %.2f allocations for an event, from sse to llm.Reply", api, per)
		}
		t.Logf("%s: %.2f allocations for an event", api, per)
	}
}

func BenchmarkEvent(b *testing.B) {
	for _, api := range []string{gemini.Generate, gemini.Interactions} {
		b.Run(api, func(b *testing.B) {
			ask, events := asker(api, 500)
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			rounds := 0
			for b.Loop() {
				ask(b)
				rounds++
			}
			runtime.ReadMemStats(&after)
			n := float64(rounds * events)
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/n, "ns/event")
			b.ReportMetric(float64(after.Mallocs-before.Mallocs)/n, "allocs/event")
		})
	}
}
