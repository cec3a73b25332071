package openai

import (
	"context"
	"iter"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/toolpost/toolpost/internal/wire"
	"github.com/toolpost/toolpost/llm"
)

// API is how messages name this wire.
const API = "openai-chat"

// DefaultBaseURL is OpenAI's own.
const DefaultBaseURL = "https://api.openai.com/v1"

// Timeouts of a Chat that names none.
const (
	DefaultFirst = wire.DefaultFirst // until the first byte
	DefaultIdle  = wire.DefaultIdle  // between two bytes of a stream
)

// A Chat asks models by Chat Completions. The zero Chat asks OpenAI. Its fields
// are not changed once it is in use; many goroutines may use it then.
type Chat struct {
	Name    string // how messages and errors call it; the dialect's name if empty
	BaseURL string // up to and without /chat/completions; DefaultBaseURL if empty
	Model   string // for requests that name none

	// Key is asked for the API key at each request; nil or an empty key sends none.
	Key     func() string
	KeyName string      // the variable or setting that people keep the key in, for messages
	Header  http.Header // sent along; wins over what Chat sets
	Dialect *Dialect    // chosen by DialectFor if nil

	HTTP  *http.Client  // one without a timeout if nil: First and Idle bound a request
	First time.Duration // DefaultFirst if zero
	Idle  time.Duration // DefaultIdle if zero
	Whole bool          // ask for the reply in one piece rather than as a stream

	MaxEvent int   // bytes of one event, or of a reply in one piece; 32 MiB if zero
	MaxReply int64 // bytes of all that is sent for a reply; 64 MiB if zero
}

// Stream implements llm.Provider. Errors are *llm.Error.
func (c *Chat) Stream(ctx context.Context, req *llm.Request) iter.Seq2[llm.Delta, error] {
	return func(yield func(llm.Delta, error) bool) {
		model := req.Model
		if model == "" {
			model = c.Model
		}
		x := &exchange{c: c, d: c.dialect(model), req: req, model: model, names: llm.NewNames(req.Tools), yield: yield}
		if err := x.run(ctx); err != nil && !x.gone {
			yield(llm.Delta{}, x.explain(ctx, err))
		}
	}
}

func (c *Chat) base() string {
	if c.BaseURL == "" {
		return DefaultBaseURL
	}
	return strings.TrimRight(c.BaseURL, "/")
}

func (c *Chat) dialect(model string) Dialect {
	if c.Dialect != nil {
		return *c.Dialect
	}
	d, _ := DialectFor("", c.base(), model)
	return d
}

func (c *Chat) name(d *Dialect) string {
	if c.Name != "" {
		return c.Name
	}
	return d.Name
}

// Check reports what is wrong with the fields of c before any request is made.
func (c *Chat) Check() error { return wire.CheckBase(c.base(), "/chat/completions", DefaultBaseURL) }

// Local reports whether the server is on this machine or in its own network,
// where a key is rarely needed.
func (c *Chat) Local() bool { return wire.Local(c.base()) }

func hostPort(base string) (host, port string) {
	u, err := url.Parse(base)
	if err != nil {
		return "", ""
	}
	return strings.ToLower(u.Hostname()), u.Port()
}

// explain is err with who was asked and what to try.
func (x *exchange) explain(ctx context.Context, err error) error {
	key := x.c.KeyName
	if key == "" {
		key = x.d.KeyEnv
	}
	return wire.Explain(ctx, err, wire.Who{Provider: x.c.name(&x.d), Model: x.model, Base: x.c.base(), KeyName: key, KeySent: x.key != ""})
}
