package gemini

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"strings"

	"github.com/toolpost/toolpost/internal/wire"
	"github.com/toolpost/toolpost/llm"
	"github.com/toolpost/toolpost/schema"
	"github.com/toolpost/toolpost/tool"
)

// An exchange is a reply and the requests that it took.
type exchange struct {
	c     *Client
	f     Family
	req   *llm.Request
	model string
	key   string
	tools *wire.Tools
	extra map[string]json.RawMessage // of the request
	yield func(llm.Delta, error) bool
	gone  bool // nobody listens any more
	in    intake

	corrected bool // the model was told that its call could not be read
}

func newExchange(c *Client, req *llm.Request, yield func(llm.Delta, error) bool) *exchange {
	model := req.Model
	if model == "" {
		model = c.Model
	}
	x := &exchange{c: c, f: c.family(model), req: req, model: model, tools: wire.NewTools(nil, schema.Dialect{}), yield: yield}
	x.in.x = x
	return x
}

// decoder is what takes the answers apart.
func (x *exchange) decoder() wire.Decoder {
	if x.c.api() == Interactions {
		return &events{intake: &x.in}
	}
	return &chunks{intake: &x.in}
}

func (x *exchange) run(ctx context.Context) error {
	to, err := x.address()
	if err != nil {
		return err
	}
	if err := x.prepare(ctx); err != nil {
		return err
	}
	client := wire.Client{HTTP: x.c.HTTP, First: x.c.First, Idle: x.c.Idle, MaxEvent: x.c.MaxEvent, MaxReply: x.c.MaxReply}
	d, header := x.decoder(), x.header()
	for {
		body, err := x.encode()
		if err != nil {
			return err
		}
		err = client.Post(ctx, to, header, body, d)
		switch {
		case x.gone:
			return nil
		case ctx.Err() == nil && x.in.goOn(err):
		case err == nil && ctx.Err() != nil && x.in.stop == llm.StopContinue:
			return ctx.Err()
		case err != nil:
			return err
		case x.correct():
		default:
			return x.in.finish()
		}
	}
}

// prepare is what all requests of the exchange have in common.
func (x *exchange) prepare(ctx context.Context) error {
	name := x.f.Schema
	if x.c.api() == Interactions {
		name = "gemini-interactions"
	}
	d, err := schema.DialectNamed(name)
	if err != nil {
		return tool.Errorf(tool.CodeInvalid, "family %s: %w", x.f.Name, err)
	}
	if n := len(x.req.Tools); d.MaxTools > 0 && n > d.MaxTools {
		return tool.Errorf(tool.CodeLimit, "%d tools are on offer and %s takes %d: allow fewer for this run", n, x.c.name(), d.MaxTools)
	}
	x.tools = wire.NewTools(x.req.Tools, d)
	x.tools.Tell(ctx)
	return x.readExtra()
}

// address is where the request goes.
func (x *exchange) address() (string, error) {
	if err := x.c.Check(); err != nil {
		return "", err
	}
	u, err := url.Parse(x.c.base())
	if err != nil {
		return "", tool.Errorf(tool.CodeInvalid, "base URL %q: %w", x.c.BaseURL, err)
	}
	switch x.c.api() {
	case Interactions:
		u = u.JoinPath("interactions")
	case Generate:
		method := ":streamGenerateContent"
		if x.c.Whole {
			method = ":generateContent"
		}
		model := x.model
		if !strings.Contains(model, "/") { // else a path, such as tunedModels/x
			model = "models/" + model
		}
		u = u.JoinPath(model + method)
	default:
		return "", tool.Errorf(tool.CodeInvalid, "API %q is unknown: use %s or %s", x.c.API, Generate, Interactions)
	}
	if !x.c.Whole {
		u.RawQuery = "alt=sse"
	}
	return u.String(), nil
}

func (x *exchange) header() http.Header {
	h := http.Header{"Accept": {"text/event-stream, application/json"}}
	if x.c.Whole {
		h.Set("Accept", "application/json")
	}
	if x.c.api() == Interactions {
		h.Set("Api-Revision", "2026-05-20") // the first that speaks in steps
	}
	if x.c.Key != nil {
		x.key = strings.TrimSpace(x.c.Key())
	}
	switch {
	case strings.HasPrefix(x.key, "ya29."):
		h.Set("Authorization", "Bearer "+x.key)
	case x.key != "":
		h.Set("X-Goog-Api-Key", x.key)
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

// explain is err with who was asked and what to try.
func (x *exchange) explain(ctx context.Context, err error) error {
	key := x.c.KeyName
	if key == "" {
		key = KeyEnv
	}
	return wire.Explain(ctx, err, wire.Who{Provider: x.c.name(), Model: x.model, Base: x.c.base(), KeyName: key, KeySent: x.key != ""})
}
