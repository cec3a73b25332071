package anthropic

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"path"
	"strings"

	"github.com/toolpost/toolpost/internal/wire"
	"github.com/toolpost/toolpost/llm"
	"github.com/toolpost/toolpost/schema"
	"github.com/toolpost/toolpost/tool"
)

// An exchange is one request and its answer.
type exchange struct {
	c     *Messages
	req   *llm.Request
	model string
	kind  family
	key   string
	tools *wire.Tools
	extra map[string]json.RawMessage // of the request
	yield func(llm.Delta, error) bool
	gone  bool // nobody listens any more
	in    intake
}

func newExchange(c *Messages, req *llm.Request, yield func(llm.Delta, error) bool) *exchange {
	x := &exchange{c: c, req: req, model: req.Model, tools: &wire.Tools{}, yield: yield}
	if x.model == "" {
		x.model = c.Model
	}
	x.kind = familyOf(x.model)
	x.in.x = x
	x.in.blocks = wire.Blocks{Send: x.send, Tools: x.tools}
	return x
}

func (x *exchange) run(ctx context.Context) error {
	if err := x.c.Check(); err != nil {
		return err
	}
	d, err := schema.DialectNamed("anthropic")
	if err != nil {
		return err
	}
	x.tools = wire.NewTools(x.req.Tools, d)
	x.in.blocks.Tools = x.tools
	x.tools.Tell(ctx)
	for _, l := range x.tools.Left() {
		if x.c.Left != nil {
			x.c.Left(ctx, l.Tool, l.Err)
		}
	}
	body, err := x.encode()
	if err != nil {
		return err
	}
	to, err := x.address()
	if err != nil {
		return err
	}
	client := wire.Client{HTTP: x.c.HTTP, First: x.c.First, Idle: x.c.Idle, MaxEvent: x.c.MaxEvent, MaxReply: x.c.MaxReply}
	return client.Post(ctx, to, x.header(), body, &x.in)
}

// address is where requests go. People write base URLs with and without the
// version at their end.
func (x *exchange) address() (string, error) {
	u, err := url.Parse(x.c.base())
	if err != nil {
		return "", tool.Errorf(tool.CodeInvalid, "base URL %q: %w", x.c.BaseURL, err)
	}
	if path.Base(u.Path) != "v1" {
		u = u.JoinPath("v1")
	}
	return u.JoinPath("messages").String(), nil
}

func (x *exchange) header() http.Header {
	h := http.Header{"Accept": {"text/event-stream, application/json"}, "Anthropic-Version": {Version}}
	if x.c.Whole {
		h.Set("Accept", "application/json")
	}
	if x.kind.interleave != "" && len(x.tools.Offers()) > 0 && x.thinks() {
		h.Set("Anthropic-Beta", x.kind.interleave)
	}
	if x.c.Key != nil {
		x.key = strings.TrimSpace(x.c.Key())
	}
	switch {
	case x.key == "":
	case x.c.Bearer:
		h.Set("Authorization", "Bearer "+x.key)
	default:
		h.Set("X-Api-Key", x.key)
	}
	for k, v := range x.c.Header {
		h[http.CanonicalHeaderKey(k)] = v
	}
	return h
}

// send hands a delta on, if anybody listens.
func (x *exchange) send(d llm.Delta) {
	x.gone = x.gone || !x.yield(d, nil)
}
