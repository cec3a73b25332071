package openai

import (
	"context"
	"fmt"
	"iter"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/toolpost/toolpost/llm"
	"github.com/toolpost/toolpost/tool"
)

// API is how messages name this wire.
const API = "openai-chat"

// DefaultBaseURL is OpenAI's own.
const DefaultBaseURL = "https://api.openai.com/v1"

// Timeouts of a Chat that names none.
const (
	DefaultFirst = 5 * time.Minute  // until the first byte
	DefaultIdle  = 60 * time.Second // between two bytes of a stream
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
func (c *Chat) Check() error {
	u, err := url.Parse(c.base())
	switch {
	case err != nil:
		return tool.Errorf(tool.CodeInvalid, "base URL %q: %w", c.BaseURL, err)
	case u.Scheme != "http" && u.Scheme != "https" || u.Host == "":
		return tool.Errorf(tool.CodeInvalid, "base URL %q must begin with http:// or https:// and name a host, such as %s", c.BaseURL, DefaultBaseURL)
	case strings.HasSuffix(u.Path, "/chat/completions"):
		return tool.Errorf(tool.CodeInvalid, "base URL %q must end before /chat/completions", c.BaseURL)
	}
	return nil
}

// Local reports whether the server is on this machine or in its own network,
// where a key is rarely needed.
func (c *Chat) Local() bool {
	host, _ := hostPort(c.base())
	if host == "localhost" || strings.HasSuffix(host, ".localhost") || strings.HasSuffix(host, ".local") {
		return true
	}
	ip := net.ParseIP(host)
	return ip != nil && (ip.IsLoopback() || ip.IsPrivate() || ip.IsLinkLocalUnicast())
}

func hostPort(base string) (host, port string) {
	u, err := url.Parse(base)
	if err != nil {
		return "", ""
	}
	return strings.ToLower(u.Hostname()), u.Port()
}

// explain is err with who was asked and what to try.
func (x *exchange) explain(ctx context.Context, err error) error {
	if cause := ctx.Err(); cause != nil {
		err = cause // whatever broke, it was us
	}
	e := *llm.AsError(err)
	e.Provider, e.Model = x.c.name(&x.d), x.model
	if e.Code == tool.CodeUnauthenticated && e.Advice == "" {
		key := x.c.KeyName
		if key == "" {
			key = x.d.KeyEnv
		}
		switch {
		case x.key != "":
			e.Advice = fmt.Sprintf("the API key was refused: check %s", key)
		case key != "":
			e.Advice = fmt.Sprintf("no API key was sent: set %s", key)
		}
	}
	return &e
}
