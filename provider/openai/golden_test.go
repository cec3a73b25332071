package openai_test

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
	"github.com/toolpost/toolpost/provider/openai"
	"github.com/toolpost/toolpost/tool"
)

var (
	update   = flag.Bool("update", false, "write what was got into testdata")
	everyCut = flag.Bool("everycut", false, "cut the streams at every byte, not at some 200 of them")
)

func TestStreams(t *testing.T) {
	read := func(t *testing.T, r llmtest.Recording, body io.Reader) (llm.Message, error) {
		name := r.Dialect
		if name == "" {
			name = "generic"
		}
		d, ok := openai.DialectFor(name, "", "")
		if !ok {
			t.Fatalf("no dialect %q", name)
		}
		c := &openai.Chat{Model: "m", Dialect: &d, HTTP: &http.Client{Transport: canned{r.ContentType(), body}}}
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

// fuzzStream reads a stream of any bytes: whatever comes, the message can be
// kept and an incomplete reply has an error.
func fuzzStream(t *testing.T, stream string) {
	d, _ := openai.DialectFor("openrouter", "", "")
	c := &openai.Chat{Model: "m", Dialect: &d, HTTP: &http.Client{Transport: canned{"text/event-stream", strings.NewReader(stream)}}}
	msg, err := llmtest.Ask(context.Background(), c, &llm.Request{Tools: []tool.Spec{{Name: "f"}}})
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
	}
}
