package gemini

import (
	"context"
	"io"
	"iter"
	"net/http"
	"strings"
	"time"

	"github.com/toolpost/toolpost/internal/wire"
	"github.com/toolpost/toolpost/llm"
)

// How messages name the two wires, and the values of Client.API.
const (
	Generate     = "gemini-generate"
	Interactions = "gemini-interactions"
)

// DefaultBaseURL is Google's own.
const DefaultBaseURL = "https://generativelanguage.googleapis.com/v1beta"

// KeyEnv is where people keep the API key.
const KeyEnv = "GEMINI_API_KEY"

// A Client asks Gemini models. The zero Client asks Google by generateContent.
// Its fields are not changed once it is in use; many goroutines may use it then.
type Client struct {
	Name    string // how messages and errors call it; gemini if empty
	API     string // Generate if empty, or Interactions
	BaseURL string // up to and without /models or /interactions; DefaultBaseURL if empty
	Model   string // for requests that name none

	// Key is asked for the API key at each request; nil or an empty key sends
	// none. An access token of Google Cloud (ya29.…) is sent as what it is.
	Key     func() string
	KeyName string      // the variable or setting that people keep the key in, for messages; KeyEnv if empty
	Header  http.Header // sent along; wins over what Client sets
	Family  *Family     // chosen by FamilyFor if nil

	HTTP  *http.Client  // one without a timeout if nil: First and Idle bound a request
	First time.Duration // until the first byte; 5 minutes if zero
	Idle  time.Duration // between two bytes of a stream; a minute if zero
	Whole bool          // ask for the reply in one piece rather than as a stream

	MaxEvent int   // bytes of one event, or of a reply in one piece; 32 MiB if zero
	MaxReply int64 // bytes of all that is sent in answer to one request; 64 MiB if zero
}

// Stream implements llm.Provider. A reply may take several requests: one that
// the server cut with a token to go on by is continued, and one whose call the
// server could not read is asked for once more. Errors are *llm.Error.
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
	if err := wire.CheckBase(c.base(), "/interactions", DefaultBaseURL); err != nil {
		return err
	}
	return wire.CheckBase(c.base(), "/models", DefaultBaseURL)
}

// Local reports whether the server is on this machine or in its own network,
// where a key is rarely needed.
func (c *Client) Local() bool { return wire.Local(c.base()) }

func (c *Client) base() string {
	if c.BaseURL == "" {
		return DefaultBaseURL
	}
	return strings.TrimRight(c.BaseURL, "/")
}

func (c *Client) api() string {
	if c.API == "" {
		return Generate
	}
	return c.API
}

func (c *Client) name() string {
	if c.Name == "" {
		return "gemini"
	}
	return c.Name
}

func (c *Client) family(model string) Family {
	if c.Family != nil {
		return *c.Family
	}
	return FamilyFor(model)
}

// Decode reads the body of one answer of generateContent, a stream or in one
// piece, as a Client reads what a server sends; names of tools are left as they
// are, and nothing is asked for again. It is for recordings. Errors are
// *llm.Error.
func Decode(r io.Reader) iter.Seq2[llm.Delta, error] { return decode(r, Generate) }

// DecodeInteractions is Decode for answers of Interactions.
func DecodeInteractions(r io.Reader) iter.Seq2[llm.Delta, error] { return decode(r, Interactions) }

func decode(r io.Reader, api string) iter.Seq2[llm.Delta, error] {
	return func(yield func(llm.Delta, error) bool) {
		x := newExchange(&Client{Name: api, API: api}, &llm.Request{}, yield)
		b := wire.Body{R: r}
		err := b.Read(x.decoder())
		if err == nil && !x.gone {
			err = x.in.finish()
		}
		if err != nil && !x.gone {
			yield(llm.Delta{}, llm.AsError(err))
		}
	}
}
