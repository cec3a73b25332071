package openai

import (
	"bufio"
	"bytes"
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/toolpost/toolpost/internal/sse"
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

// defaultClient follows no redirect: a POST would become a GET, and the key
// would go elsewhere.
var defaultClient = &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}

const maxErrorBody = 64 << 10

func (x *exchange) run(ctx context.Context) error {
	if err := x.c.Check(); err != nil {
		return err
	}
	body, err := x.encode()
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	w := newWatch(cancel, x.c.First, x.c.Idle, x.c.MaxReply)
	defer w.stop()
	resp, err := x.post(ctx, body)
	if err != nil {
		return w.why(ctx, err)
	}
	defer resp.Body.Close()
	w.body = resp.Body
	if resp.StatusCode != http.StatusOK {
		b, _ := io.ReadAll(io.LimitReader(w, maxErrorBody)) // what came is enough
		return x.refused(resp, b)
	}
	x.in.x = x
	if err := x.in.read(resp, w); err != nil {
		var own *llm.Error
		if err = w.why(ctx, err); errors.As(err, &own) && own.RequestID == "" {
			own.RequestID = llm.ErrorOf(http.StatusOK, resp.Header, nil).RequestID
		}
		return err
	}
	if !x.gone { // the connection is used again only if its last bytes are read
		w.hurry(100 * time.Millisecond)
		_, _ = io.CopyN(io.Discard, w, 4096)
	}
	return nil
}

func (x *exchange) post(ctx context.Context, body []byte) (*http.Response, error) {
	u, err := url.Parse(x.c.base())
	if err != nil {
		return nil, tool.Errorf(tool.CodeInvalid, "base URL %q: %w", x.c.BaseURL, err)
	}
	u = u.JoinPath("chat", "completions")
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, u.String(), bytes.NewReader(body))
	if err != nil {
		return nil, fmt.Errorf("make request: %w", err)
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "text/event-stream, application/json")
	if x.c.Whole {
		r.Header.Set("Accept", "application/json")
	}
	if x.c.Key != nil {
		x.key = strings.TrimSpace(x.c.Key())
	}
	if x.key != "" {
		r.Header.Set("Authorization", "Bearer "+x.key)
		if x.d.Name == "azure" {
			r.Header.Set("Api-Key", x.key)
		}
	}
	for k, v := range x.c.Header {
		r.Header[http.CanonicalHeaderKey(k)] = v
	}
	client := x.c.HTTP
	if client == nil {
		client = defaultClient
	}
	resp, err := client.Do(r)
	if err != nil {
		return nil, unreachable(u.Host, err)
	}
	return resp, nil
}

// unreachable is err without the address, which it repeats in full. A
// certificate that does not hold and a name that does not exist are not worth
// another attempt.
func unreachable(host string, err error) error {
	var ue *url.Error
	if errors.As(err, &ue) {
		err = fmt.Errorf("%s: %w", host, ue.Err)
	}
	var cert *tls.CertificateVerificationError
	var name *net.DNSError
	e := llm.AsError(err)
	switch {
	case errors.As(err, &cert):
		e.Retryable, e.Advice = false, "check the server's certificate and the base URL"
	case errors.Is(err, http.ErrSchemeMismatch):
		e.Retryable, e.Advice = false, "the server does not speak TLS: check whether the base URL should begin with http://"
	case errors.As(err, &name) && name.IsNotFound:
		e.Retryable, e.Advice = false, "there is no such host: check the base URL"
	}
	return e
}

// refused is the error of an answer that is not 200.
func (x *exchange) refused(resp *http.Response, body []byte) error {
	e := llm.ErrorOf(resp.StatusCode, resp.Header, body)
	if e.Code == tool.CodeNotFound {
		e.Advice = fmt.Sprintf("check the model %q and the base URL %s", x.model, x.c.base())
	}
	return e
}

// send hands a delta on. It is false when nobody listens any more.
func (x *exchange) send(d llm.Delta) bool {
	x.gone = x.gone || !x.yield(d, nil)
	return !x.gone
}

// read reads an answer of status 200, whatever it holds.
func (in *intake) read(resp *http.Response, w *watch) error {
	br := bufio.NewReaderSize(w, 4096)
	switch firstByte(br) {
	case '<':
		b, _ := io.ReadAll(io.LimitReader(br, maxErrorBody))
		e := llm.ErrorOf(0, resp.Header, b)
		e.Status, e.Retryable = resp.StatusCode, false
		e.Advice = "check the base URL: it may need /v1 at its end"
		return e
	case '{', '[': // an error, or a server that does not stream
		return in.whole(br, resp)
	}
	return in.stream(br, w)
}

// firstByte is the first byte of r that is no white space, which stays in r; 0
// if there is none.
func firstByte(r *bufio.Reader) byte {
	for {
		b, err := r.Peek(1)
		if err != nil {
			return 0
		}
		if b[0] != ' ' && b[0] != '\t' && b[0] != '\n' && b[0] != '\r' {
			return b[0]
		}
		_, _ = r.Discard(1) // it was peeked at
	}
}

func (in *intake) max() int {
	if in.x.c.MaxEvent > 0 {
		return in.x.c.MaxEvent
	}
	return sse.DefaultMax
}

// whole reads a reply in one piece.
func (in *intake) whole(r io.Reader, resp *http.Response) error {
	b, err := io.ReadAll(io.LimitReader(r, int64(in.max())+1))
	if err != nil {
		return fmt.Errorf("read reply: %w", err)
	}
	if len(b) > in.max() {
		return tooLong(in.max())
	}
	if !in.chunk(b) {
		e := llm.ErrorOf(0, resp.Header, b)
		e.Message = "the reply is not JSON: " + e.Message
		return e
	}
	if !in.started && in.fault == nil {
		return llm.ErrorOf(0, resp.Header, b)
	}
	return in.end()
}

func tooLong(n int) error {
	return &llm.Error{Code: tool.CodeLimit, Message: fmt.Sprintf("the server sent an event of more than %d bytes", n), Advice: "ask for less at a time, or use another model"}
}

// grace is how long a stream may go on silently once its finish has been said.
const grace = 3 * time.Second

// stream reads server-sent events up to [DONE], the end, or silence after the
// finish.
func (in *intake) stream(r io.Reader, w *watch) error {
	sr := sse.Reader{R: r, Max: in.max()}
	for !in.x.gone {
		ev, err := sr.Next()
		switch {
		case errors.Is(err, sse.ErrTooLong):
			return tooLong(in.max())
		case err != nil && in.stop != "":
			return in.end() // all that matters was there
		case err == io.EOF && !in.started && len(bytes.TrimSpace(w.head)) > 0 && in.fault == nil:
			return &llm.Error{Code: tool.CodeUnavailable, Retryable: true, Message: "the answer is not a reply: " + clip(bytes.TrimSpace(w.head))}
		case err == io.EOF:
			return in.end()
		case err != nil:
			return fmt.Errorf("read stream: %w", err)
		}
		data := bytes.TrimSpace(ev.Data)
		switch {
		case string(data) == "[DONE]":
			return in.end()
		case len(data) == 0:
		case !in.chunk(data):
			if ev.Cut {
				return in.end()
			}
			return &llm.Error{Code: tool.CodeUnavailable, Retryable: true, Message: "the stream holds an event that is not JSON: " + clip(data), Advice: "check that the base URL leads to an OpenAI-compatible server"}
		}
		if in.fault != nil {
			return in.fault
		}
		if in.stop != "" {
			w.hurry(grace)
		}
		w.said()
	}
	return nil
}

func clip(b []byte) string {
	if len(b) > 200 {
		b = b[:200]
	}
	return strings.Join(strings.Fields(llm.Clean(string(bytes.ToValidUTF8(b, nil)))), " ")
}
