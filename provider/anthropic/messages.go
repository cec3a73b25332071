package anthropic

import (
	"context"
	"io"
	"iter"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/toolpost/toolpost/internal/wire"
	"github.com/toolpost/toolpost/llm"
)

// API is how messages name this wire.
const API = "anthropic-messages"

// DefaultBaseURL is Anthropic's own.
const DefaultBaseURL = "https://api.anthropic.com"

// Version is the version of the API that is asked for.
const Version = "2023-06-01"

// Timeouts of a Messages that names none.
const (
	DefaultFirst = wire.DefaultFirst // until the first byte
	DefaultIdle  = wire.DefaultIdle  // between two bytes of a stream
)

// A Messages asks models by the Messages API. The zero Messages asks Anthropic.
// Its fields are not changed once it is in use; many goroutines may use it then.
type Messages struct {
	Name    string // how messages and errors call it; "anthropic" if empty
	BaseURL string // up to and without /v1/messages; DefaultBaseURL if empty
	Model   string // for requests that name none

	// Key is asked for the API key at each request; nil or an empty key sends none.
	Key     func() string
	KeyName string      // the variable or setting that people keep the key in, for messages
	Bearer  bool        // the key is sent as Authorization: Bearer, as OpenRouter and OAuth want it, rather than as X-Api-Key
	Header  http.Header // sent along; wins over what Messages sets, such as Anthropic-Beta

	MaxTokens int   // of a reply, for requests that set no limit; what the model can write if zero
	Cache     Cache // of prompts

	HTTP  *http.Client  // one without a timeout if nil: First and Idle bound a request
	First time.Duration // DefaultFirst if zero
	Idle  time.Duration // DefaultIdle if zero
	Whole bool          // ask for the reply in one piece rather than as a stream

	MaxEvent int   // bytes of one event, or of a reply in one piece; 32 MiB if zero
	MaxReply int64 // bytes of all that is sent for a reply; 64 MiB if zero

	// Left is told of each tool that is not offered because the API would refuse
	// its schema and the whole request with it. Nobody is told if it is nil.
	Left func(ctx context.Context, tool string, why error)
}

// Cache says how long a provider keeps the beginning of a prompt, so that the
// next request pays less for it.
type Cache string

// Lifetimes of a cached prompt. The zero one is five minutes.
const (
	CacheMinutes Cache = ""
	CacheHour    Cache = "1h"
	CacheNone    Cache = "none"
)

// Stream implements llm.Provider. Errors are *llm.Error.
func (c *Messages) Stream(ctx context.Context, req *llm.Request) iter.Seq2[llm.Delta, error] {
	return func(yield func(llm.Delta, error) bool) {
		x := newExchange(c, req, yield)
		if err := x.run(ctx); err != nil && !x.gone {
			yield(llm.Delta{}, wire.Explain(ctx, err, wire.Who{Provider: c.name(), Model: x.model, Base: c.base(), KeyName: c.keyName(), KeySent: x.key != ""}))
		}
	}
}

// Decode reads the body of one answer, a stream or in one piece, as a Messages
// reads what a server sends; names of tools and arguments are left as they are.
// It is for recordings. Errors are *llm.Error.
func Decode(r io.Reader) iter.Seq2[llm.Delta, error] {
	return func(yield func(llm.Delta, error) bool) {
		x := newExchange(&Messages{}, &llm.Request{}, yield)
		b := wire.Body{R: r}
		if err := b.Read(&x.in); err != nil && !x.gone {
			yield(llm.Delta{}, llm.AsError(err))
		}
	}
}

// Check reports what is wrong with the fields of c before any request is made.
func (c *Messages) Check() error { return wire.CheckBase(c.base(), "/messages", DefaultBaseURL) }

// Local reports whether the server is on this machine or in its own network,
// where a key is rarely needed.
func (c *Messages) Local() bool { return wire.Local(c.base()) }

func (c *Messages) base() string {
	if c.BaseURL == "" {
		return DefaultBaseURL
	}
	return strings.TrimRight(c.BaseURL, "/")
}

func (c *Messages) name() string {
	if c.Name != "" {
		return c.Name
	}
	return "anthropic"
}

// keyNames are where people keep the keys of servers that speak this API.
var keyNames = map[string]string{"api.deepseek.com": "DEEPSEEK_API_KEY", "openrouter.ai": "OPENROUTER_API_KEY"}

func (c *Messages) keyName() string {
	if c.KeyName != "" {
		return c.KeyName
	}
	if u, err := url.Parse(c.base()); err == nil && keyNames[u.Hostname()] != "" {
		return keyNames[u.Hostname()]
	}
	return "ANTHROPIC_API_KEY"
}
