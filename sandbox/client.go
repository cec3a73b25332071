package sandbox

import (
	"io"
	"net/http"
	"time"
)

// Fetch bounds what a [Dialer.Client] does in one request.
type Fetch struct {
	// Bytes is the most read of a body, after decompression; 0 is 10 MiB. At
	// the limit reading fails with [KindTooLarge].
	Bytes int64

	// Timeout is the time from request to the end of the body; 0 is 30 s.
	Timeout time.Duration

	// Redirects is the most followed; 0 is 10, below 0 none: the answer that
	// redirects is then returned as it is.
	Redirects int
}

const (
	defaultFetchBytes     = 10 << 20
	defaultFetchTimeout   = 30 * time.Second
	defaultRedirects      = 10
	maxHeaderBytes        = 256 << 10
	fetchHandshakeTimeout = 10 * time.Second
)

// Client is an HTTP client on the dialer. It asks no proxy, keeps no cookies,
// judges each hop of a redirect, and sends headers that may hold credentials
// to no other origin than they were meant for. Close its idle connections
// when done.
func (d *Dialer) Client(f Fetch) *http.Client {
	if f.Bytes <= 0 {
		f.Bytes = defaultFetchBytes
	}
	if f.Timeout <= 0 {
		f.Timeout = defaultFetchTimeout
	}
	transport := &http.Transport{
		Proxy: nil, DialContext: d.DialContext, ForceAttemptHTTP2: true, MaxResponseHeaderBytes: maxHeaderBytes,
		TLSHandshakeTimeout: fetchHandshakeTimeout, IdleConnTimeout: fetchHandshakeTimeout, MaxIdleConns: 8,
	}
	return &http.Client{
		Transport:     &hop{dialer: d, next: transport, bytes: f.Bytes},
		Timeout:       f.Timeout,
		CheckRedirect: f.redirect,
	}
}

// redirect decides whether a redirect is followed, and what goes along.
func (f Fetch) redirect(req *http.Request, via []*http.Request) error {
	most := f.Redirects
	if most == 0 {
		most = defaultRedirects
	}
	if most < 0 {
		return http.ErrUseLastResponse
	}
	if len(via) > most {
		return fail(KindTooLarge, "", "the server redirects more often than is followed")
	}
	last := via[len(via)-1]
	if last.URL.Scheme == "https" && req.URL.Scheme != "https" {
		return refused("the server redirects from https to " + quote(req.URL.Scheme) + ", which is not followed")
	}
	// net/http drops what it knows for credentials when the host changes, but
	// not names of a server's own, and not when only the port does.
	if first := via[0].URL; req.URL.Scheme != first.Scheme || req.URL.Host != first.Host {
		for name := range req.Header {
			if !harmlessHeader[name] {
				req.Header.Del(name)
			}
		}
	}
	return nil
}

// harmlessHeader may cross from one origin to another. Any other header could
// be a credential.
var harmlessHeader = map[string]bool{
	"Accept": true, "Accept-Language": true, "Accept-Encoding": true, "User-Agent": true, "Content-Type": true, "Content-Language": true,
	"Range": true, "Cache-Control": true,
}

// hop is one request of a chain: each is judged, and bounded in what it reads.
type hop struct {
	dialer *Dialer
	next   *http.Transport
	bytes  int64
}

// RoundTrip does one request.
func (h *hop) RoundTrip(req *http.Request) (*http.Response, error) {
	if err := h.dialer.CheckURL(req.URL); err != nil {
		if req.Body != nil {
			req.Body.Close()
		}
		return nil, err
	}
	resp, err := h.next.RoundTrip(req)
	if err != nil {
		return nil, err
	}
	resp.Body = &boundedBody{body: resp.Body, left: h.bytes}
	return resp, nil
}

// CloseIdleConnections lets [http.Client.CloseIdleConnections] work.
func (h *hop) CloseIdleConnections() { h.next.CloseIdleConnections() }

// boundedBody fails past its limit instead of ending there, so that a cut
// answer is not taken for a whole one.
type boundedBody struct {
	body io.ReadCloser
	left int64
}

func (b *boundedBody) Read(p []byte) (int, error) {
	if b.left < 0 {
		return 0, errBodyTooLarge
	}
	if int64(len(p)) > b.left+1 {
		p = p[:b.left+1]
	}
	n, err := b.body.Read(p)
	if int64(n) > b.left {
		n, err = int(b.left), errBodyTooLarge
		b.left = -1
		return n, err
	}
	b.left -= int64(n)
	return n, err
}

func (b *boundedBody) Close() error { return b.body.Close() }

var errBodyTooLarge = error(&Error{Kind: KindTooLarge, Msg: "the answer is larger than is read; ask for a part of it"})
