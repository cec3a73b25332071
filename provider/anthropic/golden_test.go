package anthropic_test

import (
	"context"
	"encoding/json"
	"flag"
	"io"
	"net/http"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/toolpost/toolpost/llm"
	"github.com/toolpost/toolpost/llm/llmtest"
	"github.com/toolpost/toolpost/provider/anthropic"
	"github.com/toolpost/toolpost/tool"
)

var (
	update   = flag.Bool("update", false, "write what was got into testdata")
	everyCut = flag.Bool("everycut", false, "cut the streams at every byte, not at some 200 of them")
)

func TestStreams(t *testing.T) {
	read := func(_ *testing.T, r llmtest.Recording, body io.Reader) (llm.Message, error) {
		c := &anthropic.Messages{Model: "m", HTTP: &http.Client{Transport: canned{r.ContentType(), body}}}
		return llmtest.Ask(context.Background(), c, &llm.Request{Tools: r.Tools})
	}
	llmtest.Streams{Glob: "testdata/streams/*.txtar", Read: read, Update: *update, EveryCut: *everyCut}.Run(t)
}

// canned is a RoundTripper that answers with a body.
type canned struct {
	kind string
	body io.Reader
}

func (c canned) RoundTrip(*http.Request) (*http.Response, error) {
	return &http.Response{StatusCode: 200, Header: http.Header{"Content-Type": {c.kind}}, Body: io.NopCloser(c.body)}, nil
}

// FuzzStream reads a stream of any bytes: whatever comes, the message can be
// kept and an incomplete reply has an error.
func FuzzStream(f *testing.F) {
	f.Add(`{"type":"content_block_start","index":0,"content_block":{"type":"tool_use","id":"a","name":"f","input":{}}}`, `{"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_json":"{\"value\":\"\ud83c"}}`)
	f.Add(`{"type":"content_block_start","index":1,"content_block":{"type":"server_tool_use","id":"a","name":"f","input":{}}}`, `{"type":"content_block_delta","index":1,"delta":{"type":"input_json_delta","partial_json":"{}"}}`)
	f.Add(`{"type":"content_block_start","index":0,"content_block":{"type":"thinking","thinking":"x"}}`, `{"type":"content_block_delta","index":0,"delta":{"type":"signature_delta","signature":"x"}}`)
	f.Add(`{"type":"message","content":[{"type":"text","text":"x"}],"stop_reason":"end_turn"}`, `{"type":"error","error":{"message":"x"}}`)
	f.Fuzz(func(t *testing.T, a, b string) {
		streams := []string{"data: " + a + "\n\ndata: " + b + "\n\ndata: {\"type\":\"content_block_stop\",\"index\":0}\n\ndata: {\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"tool_use\"}}\n\ndata: {\"type\":\"message_stop\"}\n\n", a}
		for _, s := range streams {
			c := &anthropic.Messages{Model: "m", HTTP: &http.Client{Transport: canned{"text/event-stream", strings.NewReader(s)}}}
			msg, err := llmtest.Ask(context.Background(), c, &llm.Request{Tools: []tool.Spec{{Name: "f"}}})
			if (err != nil) != msg.Broken() {
				t.Errorf("stop %s, error %v", msg.Stop, err)
			}
			if _, err := json.Marshal(msg); err != nil {
				t.Errorf("the message cannot be kept: %v", err)
			}
			for _, x := range msg.Blocks {
				if !utf8.ValidString(x.Text) || !utf8.ValidString(x.Thinking) || !utf8.ValidString(x.Signature) {
					t.Errorf("text that is not UTF-8: %q %q", x.Text, x.Thinking)
				}
			}
		}
	})
}
