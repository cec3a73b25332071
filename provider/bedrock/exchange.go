package bedrock

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"net/http"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	v4 "github.com/aws/aws-sdk-go-v2/aws/signer/v4"

	"github.com/toolpost/toolpost/internal/wire"
	"github.com/toolpost/toolpost/llm"
	"github.com/toolpost/toolpost/schema"
	"github.com/toolpost/toolpost/tool"
)

// An exchange is one request and its answer.
type exchange struct {
	c      *Converse
	req    *llm.Request
	model  string
	tools  *wire.Tools
	extra  map[string]json.RawMessage // of the request
	proven bool                       // the request says who makes it
	yield  func(llm.Delta, error) bool
	gone   bool // nobody listens any more
	in     intake
}

func newExchange(c *Converse, req *llm.Request, yield func(llm.Delta, error) bool) *exchange {
	x := &exchange{c: c, req: req, model: req.Model, tools: &wire.Tools{}, yield: yield}
	if x.model == "" {
		x.model = c.Model
	}
	x.in.x = x
	x.in.blocks = wire.Blocks{Send: x.send, Tools: x.tools}
	return x
}

func (x *exchange) run(ctx context.Context) error {
	if err := x.c.Check(); err != nil {
		return err
	}
	if x.model == "" {
		return tool.Errorf(tool.CodeInvalid, "no model is named: it is part of the address")
	}
	d, err := schema.DialectNamed("bedrock")
	if err != nil {
		return err
	}
	x.tools = wire.NewTools(x.req.Tools, d)
	x.in.blocks.Tools = x.tools
	for _, l := range x.tools.Left() {
		if x.c.Left != nil {
			x.c.Left(ctx, l.Tool, l.Err)
		}
	}
	body, err := x.encode()
	if err != nil {
		return err
	}
	client := wire.Client{HTTP: x.c.HTTP, First: x.c.First, Idle: x.c.Idle, MaxReply: x.c.MaxReply, Frames: frames, Framed: framed, Sign: x.sign}
	verb := "/converse-stream"
	if x.c.Whole {
		verb = "/converse"
	}
	h := http.Header{"Accept": {framed + ", application/json"}}
	for k, v := range x.c.Header {
		h[http.CanonicalHeaderKey(k)] = v
	}
	return client.Post(ctx, x.c.base()+"/model/"+escape(x.model)+verb, h, body, &x.in)
}

// escape writes a model's name, which may be an ARN, as one segment of a path:
// all but the unreserved characters of RFC 3986 are escaped, as signatures want.
func escape(s string) string {
	var b strings.Builder
	for i := range len(s) {
		c := s[i]
		if c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || strings.IndexByte("-_.~", c) >= 0 {
			b.WriteByte(c)
			continue
		}
		b.WriteString("%" + strings.ToUpper(hex.EncodeToString([]byte{c})))
	}
	return b.String()
}

// sign adds the key, or signs for who has credentials.
func (x *exchange) sign(r *http.Request, body []byte) error {
	if x.c.Key != nil {
		if key := strings.TrimSpace(x.c.Key()); key != "" {
			x.proven = true
			r.Header.Set("Authorization", "Bearer "+key)
			return nil
		}
	}
	if x.c.Credentials == nil {
		return nil
	}
	cred, err := x.c.Credentials(r.Context())
	if err != nil {
		return &llm.Error{Code: tool.CodeUnauthenticated, Message: "find credentials", Err: err, Advice: "check the AWS credentials"}
	}
	x.proven = true
	now := time.Now
	if x.c.Now != nil {
		now = x.c.Now
	}
	sum := sha256.Sum256(body)
	return v4.NewSigner().SignHTTP(r.Context(), aws.Credentials{AccessKeyID: cred.AccessKey, SecretAccessKey: cred.Secret, SessionToken: cred.Session},
		r, hex.EncodeToString(sum[:]), "bedrock", x.c.Region, now())
}

// send hands a delta on, if anybody listens.
func (x *exchange) send(d llm.Delta) {
	x.gone = x.gone || !x.yield(d, nil)
}
