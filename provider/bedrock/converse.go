package bedrock

import (
	"bufio"
	"context"
	"io"
	"iter"
	"net/http"
	"strings"
	"time"

	"github.com/toolpost/toolpost/internal/wire"
	"github.com/toolpost/toolpost/llm"
	"github.com/toolpost/toolpost/tool"
)

// API is how messages name this wire.
const API = "bedrock-converse"

// A Converse asks models by the Converse API. Its fields are not changed once it
// is in use; many goroutines may use it then.
type Converse struct {
	Name    string // how messages and errors call it; "bedrock" if empty
	Region  string // such as us-east-1; needed unless BaseURL and Key are set
	BaseURL string // up to and without /model; that of the region if empty
	Model   string // for requests that name none

	// Key is asked for an API key of Bedrock at each request. Without one,
	// Credentials are asked for, and the request is signed.
	Key         func() string
	KeyName     string // the variable or setting that people keep the key in, for messages
	Credentials func(context.Context) (Credentials, error)
	Header      http.Header // sent along; not signed

	Cache bool // set cache points behind tools, system and the last message; not all models take them

	HTTP  *http.Client  // one without a timeout if nil: First and Idle bound a request
	First time.Duration // until the first byte; five minutes if zero
	Idle  time.Duration // between two bytes of a stream; a minute if zero
	Whole bool          // ask for the reply in one piece rather than as a stream

	MaxReply int64 // bytes of all that is sent for a reply; 64 MiB if zero

	// Left is told of each tool that is not offered because the API would refuse
	// its schema and the whole request with it. Nobody is told if it is nil.
	Left func(ctx context.Context, tool string, why error)
	// Now is the time that signatures tell; time.Now if nil.
	Now func() time.Time
}

// Credentials sign requests.
type Credentials struct {
	AccessKey, Secret string
	Session           string // of temporary ones
}

// Stream implements llm.Provider. Errors are *llm.Error.
func (c *Converse) Stream(ctx context.Context, req *llm.Request) iter.Seq2[llm.Delta, error] {
	return func(yield func(llm.Delta, error) bool) {
		x := newExchange(c, req, yield)
		if err := x.run(ctx); err != nil && !x.gone {
			name := c.KeyName
			if name == "" {
				name = "AWS_BEARER_TOKEN_BEDROCK"
			}
			yield(llm.Delta{}, wire.Explain(ctx, err, wire.Who{Provider: c.name(), Model: x.model, Base: c.base(), KeyName: name, KeySent: x.proven}))
		}
	}
}

// Decode reads the body of one answer, a stream or in one piece, as a Converse
// reads what a server sends; names of tools and arguments are left as they are.
// It is for recordings. Errors are *llm.Error.
func Decode(r io.Reader) iter.Seq2[llm.Delta, error] {
	return func(yield func(llm.Delta, error) bool) {
		x := newExchange(&Converse{}, &llm.Request{}, yield)
		br := bufio.NewReader(r)
		b := wire.Body{R: br}
		if first, err := br.Peek(1); err == nil && first[0] == 0 { // of a frame's length
			b.Frames = frames
		}
		if err := b.Read(&x.in); err != nil && !x.gone {
			yield(llm.Delta{}, llm.AsError(err))
		}
	}
}

// Check reports what is wrong with the fields of c before any request is made.
func (c *Converse) Check() error {
	if c.Region == "" && c.BaseURL == "" {
		return tool.Errorf(tool.CodeInvalid, "no region is set: name one, such as us-east-1")
	}
	return wire.CheckBase(c.base(), "/model", "https://bedrock-runtime.us-east-1.amazonaws.com")
}

func (c *Converse) base() string {
	if c.BaseURL == "" {
		return "https://bedrock-runtime." + c.Region + ".amazonaws.com"
	}
	return strings.TrimRight(c.BaseURL, "/")
}

func (c *Converse) name() string {
	if c.Name != "" {
		return c.Name
	}
	return "bedrock"
}
