package openai

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"strings"

	"github.com/toolpost/toolpost/internal/wire"
	"github.com/toolpost/toolpost/llm"
	"github.com/toolpost/toolpost/tool"
)

// An exchange is one request and its answer.
type exchange struct {
	c     *Chat
	d     Dialect
	req   *llm.Request
	model string
	key   string
	names llm.Names
	extra map[string]json.RawMessage // of the request
	yield func(llm.Delta, error) bool
	gone  bool // nobody listens any more
	in    intake
}

func (x *exchange) run(ctx context.Context) error {
	if err := x.c.Check(); err != nil {
		return err
	}
	body, err := x.encode()
	if err != nil {
		return err
	}
	u, err := url.Parse(x.c.base())
	if err != nil {
		return tool.Errorf(tool.CodeInvalid, "base URL %q: %w", x.c.BaseURL, err)
	}
	x.in.x = x
	client := wire.Client{HTTP: x.c.HTTP, First: x.c.First, Idle: x.c.Idle, MaxEvent: x.c.MaxEvent, MaxReply: x.c.MaxReply}
	return client.Post(ctx, u.JoinPath("chat", "completions").String(), x.header(), body, &x.in)
}

func (x *exchange) header() http.Header {
	h := http.Header{"Accept": {"text/event-stream, application/json"}}
	if x.c.Whole {
		h.Set("Accept", "application/json")
	}
	if x.c.Key != nil {
		x.key = strings.TrimSpace(x.c.Key())
	}
	if x.key != "" {
		h.Set("Authorization", "Bearer "+x.key)
		if x.d.Name == "azure" {
			h.Set("Api-Key", x.key)
		}
	}
	for k, v := range x.c.Header {
		h[http.CanonicalHeaderKey(k)] = v
	}
	return h
}

// send hands a delta on. It is false when nobody listens any more.
func (x *exchange) send(d llm.Delta) bool {
	x.gone = x.gone || !x.yield(d, nil)
	return !x.gone
}
