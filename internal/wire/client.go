package wire

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/toolpost/toolpost/llm"
	"github.com/toolpost/toolpost/tool"
)

// Timeouts of a Client that names none.
const (
	DefaultFirst = 5 * time.Minute  // until the first byte
	DefaultIdle  = 60 * time.Second // between two bytes of a stream
)

// A Client sends requests. The zero Client has the default limits.
type Client struct {
	HTTP     *http.Client  // one without a timeout if nil: First and Idle bound a request
	First    time.Duration // until the first byte; DefaultFirst if zero
	Idle     time.Duration // between two bytes; DefaultIdle if zero
	MaxEvent int           // bytes of one event, or of a reply in one piece; 32 MiB if zero
	MaxReply int64         // bytes of all that is sent for a reply; 64 MiB if zero
	Lines    bool          // a stream is JSON, one value a line, not server-sent events

	// Frames, if not nil, reads the streams of a server that sends them in a form
	// of its own, which it names as the content type Framed.
	Frames func(r io.Reader, max int) Source
	Framed string
	// Sign, if not nil, adds to a request what proves who makes it.
	Sign func(r *http.Request, body []byte) error
}

// noRedirects follows no redirect: a POST would become a GET, and the key would
// go elsewhere.
var noRedirects = &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}

const maxErrorBody = 64 << 10

// Post sends body as JSON to url and hands the answer to d. Any status but 200 is
// an error, as [llm.ErrorOf] reads it. Everything is over when Post returns.
func (c *Client) Post(ctx context.Context, url string, header http.Header, body []byte, d Decoder) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	w := newWatch(cancel, c)
	defer w.stop()
	resp, err := c.send(ctx, url, header, body)
	if err != nil {
		return w.why(ctx, err)
	}
	defer resp.Body.Close()
	w.body = resp.Body
	if resp.StatusCode != http.StatusOK {
		b, _ := io.ReadAll(io.LimitReader(w, maxErrorBody)) // what came is enough
		return llm.ErrorOf(resp.StatusCode, resp.Header, b)
	}
	answer := Body{R: w, Header: resp.Header, Max: c.MaxEvent, Lines: c.Lines, watch: w}
	if c.Frames != nil && strings.HasPrefix(resp.Header.Get("Content-Type"), c.Framed) {
		answer.Frames = c.Frames
	}
	if err := answer.Read(d); err != nil {
		var own *llm.Error
		if err = w.why(ctx, err); errors.As(err, &own) && own.RequestID == "" {
			own.RequestID = llm.ErrorOf(http.StatusOK, resp.Header, nil).RequestID
		}
		return err
	}
	if !d.Gone() { // the connection is used again only if its last bytes are read
		w.hurry(100 * time.Millisecond)
		_, _ = io.CopyN(io.Discard, w, 4096)
	}
	return nil
}

func (c *Client) send(ctx context.Context, to string, header http.Header, body []byte) (*http.Response, error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, to, bytes.NewReader(body))
	if err != nil {
		return nil, tool.Errorf(tool.CodeInvalid, "make request: %w", err)
	}
	r.Header.Set("Content-Type", "application/json")
	for k, v := range header {
		r.Header[http.CanonicalHeaderKey(k)] = v
	}
	if c.Sign != nil {
		if err := c.Sign(r, body); err != nil {
			return nil, err
		}
	}
	client := c.HTTP
	if client == nil {
		client = noRedirects
	}
	resp, err := client.Do(r)
	if err != nil {
		return nil, unreachable(r.URL.Host, err)
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

// CheckBase reports what is wrong with a base URL, which must end before suffix;
// example is one that is right.
func CheckBase(base, suffix, example string) error {
	u, err := url.Parse(base)
	switch {
	case err != nil:
		return tool.Errorf(tool.CodeInvalid, "base URL %q: %w", base, err)
	case u.Scheme != "http" && u.Scheme != "https" || u.Host == "":
		return tool.Errorf(tool.CodeInvalid, "base URL %q must begin with http:// or https:// and name a host, such as %s", base, example)
	case suffix != "" && strings.HasSuffix(u.Path, suffix):
		return tool.Errorf(tool.CodeInvalid, "base URL %q must end before %s", base, suffix)
	}
	return nil
}

// Local reports whether the server at base is on this machine or in its own
// network, where a key is rarely needed.
func Local(base string) bool {
	u, err := url.Parse(base)
	if err != nil {
		return false
	}
	host := strings.ToLower(u.Hostname())
	if host == "localhost" || strings.HasSuffix(host, ".localhost") || strings.HasSuffix(host, ".local") {
		return true
	}
	ip := net.ParseIP(host)
	return ip != nil && (ip.IsLoopback() || ip.IsPrivate() || ip.IsLinkLocalUnicast())
}

// Explain is err with who was asked and what to try.
func Explain(ctx context.Context, err error, who Who) *llm.Error {
	if cause := ctx.Err(); cause != nil {
		err = cause // whatever broke, it was us
	}
	e := *llm.AsError(err)
	e.Provider, e.Model = who.Provider, who.Model
	switch {
	case e.Advice != "":
	case e.Code == tool.CodeNotFound && e.Status != 0:
		e.Advice = fmt.Sprintf("check the model %q and the base URL %s", who.Model, who.Base)
	case e.Code == tool.CodeUnauthenticated && who.KeySent:
		e.Advice = "the API key was refused: check " + who.KeyName
	case e.Code == tool.CodeUnauthenticated && who.KeyName != "":
		e.Advice = "no API key was sent: set " + who.KeyName
	}
	return &e
}

// Who is who was asked, for errors.
type Who struct {
	Provider, Model, Base string
	KeyName               string // the variable or setting that people keep the API key in
	KeySent               bool   // there was one
}
