package ollama

import (
	"context"
	"encoding/json"
	"io"
	"iter"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/toolpost/toolpost/internal/wire"
	"github.com/toolpost/toolpost/llm"
	"github.com/toolpost/toolpost/schema"
	"github.com/toolpost/toolpost/tool"
)

// API is how messages name this wire.
const API = "ollama-native"

// DefaultBaseURL is where a server listens if it is not told otherwise.
const DefaultBaseURL = "http://127.0.0.1:11434"

// KeyEnv is where people keep the API key of Ollama's cloud.
const KeyEnv = "OLLAMA_API_KEY"

// A Client asks models by Ollama's native API. The zero Client asks a server on
// this machine. Its fields are not changed once it is in use; many goroutines
// may use it then.
type Client struct {
	Name    string // how messages and errors call it; ollama if empty
	BaseURL string // up to and without /api/chat; DefaultBaseURL if empty
	Model   string // for requests that name none
	Context int    // tokens of the context (num_ctx); the server's own, often 4096, if zero

	// Key is asked for the API key at each request; nil or an empty key sends
	// none, which is right for a server of one's own.
	Key     func() string
	KeyName string      // the variable or setting that people keep the key in, for messages; KeyEnv if empty
	Header  http.Header // sent along; wins over what Client sets

	HTTP  *http.Client  // one without a timeout if nil: First and Idle bound a request
	First time.Duration // until the first byte, for which the model is loaded; 5 minutes if zero
	Idle  time.Duration // between two bytes of a stream; a minute if zero
	Whole bool          // ask for the reply in one piece rather than as a stream

	MaxEvent int   // bytes of one line, or of a reply in one piece; 32 MiB if zero
	MaxReply int64 // bytes of all that is sent for a reply; 64 MiB if zero
}

// Stream implements llm.Provider. Errors are *llm.Error.
func (c *Client) Stream(ctx context.Context, req *llm.Request) iter.Seq2[llm.Delta, error] {
	return func(yield func(llm.Delta, error) bool) {
		x := newExchange(c, req, yield)
		if err := x.run(ctx); err != nil && !x.gone {
			yield(llm.Delta{}, x.explain(ctx, err))
		}
	}
}

// Check reports what is wrong with the fields of c before any request is made.
func (c *Client) Check() error {
	if err := wire.CheckBase(c.base(), "/v1", DefaultBaseURL); err != nil { // that is its OpenAI-compatible API
		return err
	}
	return wire.CheckBase(c.base(), "/api/chat", DefaultBaseURL)
}

// Local reports whether the server is on this machine or in its own network,
// where a key is rarely needed.
func (c *Client) Local() bool { return wire.Local(c.base()) }

func (c *Client) base() string {
	if c.BaseURL == "" {
		return DefaultBaseURL
	}
	return strings.TrimSuffix(strings.TrimRight(c.BaseURL, "/"), "/api")
}

func (c *Client) name() string {
	if c.Name == "" {
		return "ollama"
	}
	return c.Name
}

// Decode reads the body of one answer of /api/chat, a stream or in one piece, as
// a Client reads what a server sends; names of tools are left as they are. It is
// for recordings. Errors are *llm.Error.
func Decode(r io.Reader) iter.Seq2[llm.Delta, error] {
	return func(yield func(llm.Delta, error) bool) {
		x := newExchange(&Client{Name: API}, &llm.Request{}, yield)
		b := wire.Body{R: r, Lines: true}
		if err := b.Read(&x.in); err != nil && !x.gone {
			yield(llm.Delta{}, llm.AsError(err))
		}
	}
}

// An exchange is one request and its answer.
type exchange struct {
	c     *Client
	req   *llm.Request
	model string
	key   string
	tools *wire.Tools
	extra map[string]json.RawMessage // of the request
	yield func(llm.Delta, error) bool
	gone  bool // nobody listens any more
	in    intake
}

func newExchange(c *Client, req *llm.Request, yield func(llm.Delta, error) bool) *exchange {
	model := req.Model
	if model == "" {
		model = c.Model
	}
	x := &exchange{c: c, req: req, model: model, tools: wire.NewTools(nil, schema.Dialect{}), yield: yield}
	x.in.x = x
	return x
}

func (x *exchange) run(ctx context.Context) error {
	if err := x.c.Check(); err != nil {
		return err
	}
	d, err := schema.DialectNamed("ollama")
	if err != nil {
		return tool.Errorf(tool.CodeInternal, "schema: %w", err)
	}
	x.tools = wire.NewTools(x.req.Tools, d)
	x.tools.Tell(ctx)
	body, err := x.encode()
	if err != nil {
		return err
	}
	u, err := url.Parse(x.c.base())
	if err != nil {
		return tool.Errorf(tool.CodeInvalid, "base URL %q: %w", x.c.BaseURL, err)
	}
	client := wire.Client{HTTP: x.c.HTTP, First: x.c.First, Idle: x.c.Idle, MaxEvent: x.c.MaxEvent, MaxReply: x.c.MaxReply, Lines: true}
	return client.Post(ctx, u.JoinPath("api", "chat").String(), x.header(), body, &x.in)
}

func (x *exchange) header() http.Header {
	h := http.Header{"Accept": {"application/x-ndjson, application/json"}}
	if x.c.Key != nil {
		x.key = strings.TrimSpace(x.c.Key())
	}
	if x.key != "" {
		h.Set("Authorization", "Bearer "+x.key)
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
	e := wire.Explain(ctx, err, wire.Who{Provider: x.c.name(), Model: x.model, Base: x.c.base(), KeyName: key, KeySent: x.key != ""})
	switch {
	case e.Code == tool.CodeNotFound && strings.Contains(e.Message, "not found"):
		e.Advice = "fetch the model: ollama pull " + x.model
	case e.Code == tool.CodeInvalid && strings.Contains(e.Message, "does not support tools"):
		e.Advice = "use a model that calls tools, or run without tools"
	case e.Code == tool.CodeInvalid && strings.Contains(e.Message, "does not support thinking"):
		e.Advice = "use a model that thinks, or set no reasoning effort"
	}
	return e
}
