package sandbox_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/toolpost/toolpost/sandbox"
)

func ExampleDialer_CheckURL() {
	d := &sandbox.Dialer{Deny: []string{"*.internal.example"}}
	for _, text := range []string{"https://example.com/", "http://127.0.0.1/", "http://db.internal.example/", "https://example.com:22/"} {
		u, _ := url.Parse(text)
		fmt.Println(d.CheckURL(u))
	}
	// Output:
	// <nil>
	// address 127.0.0.1 is not public; ask the operator for an exception if it is meant to be reached
	// host "db.internal.example" is denied by the network rules
	// port 22 is not among those that the network rules allow
}

// hostileHosts are ways to say an address that is not to be reached.
var hostileHosts = []string{
	"127.0.0.1", "127.0.0.1.", "127.1", "127.0.1", "0", "0.0.0.0", "0x7f.1", "0x7f000001", "2130706433", "017700000001", "0177.0.0.1", "127.0.0.1%00.example.com",
	"localhost", "LOCALHOST", "localhost.", "[::1]", "[::]", "[0:0:0:0:0:0:0:1]", "[::ffff:127.0.0.1]", "[::ffff:7f00:1]", "[::127.0.0.1]", "[64:ff9b::7f00:1]", "[64:ff9b:1::1]",
	"[2002:7f00:1::]", "[2001::1]", "[fe80::1]", "[fe80::1%25lo]", "[fc00::1]", "[fd00:ec2::254]", "[fec0::1]", "[ff02::1]", "[100::1]", "[2001:db8::1]", "[3fff::1]", "[5f00::1]",
	"10.0.0.1", "10.255.255.255", "172.16.0.1", "172.31.255.255", "192.168.0.1", "169.254.169.254", "169.254.170.2", "100.64.0.1", "100.100.100.200", "192.0.0.1", "192.0.0.192", "192.0.2.1",
	"198.18.0.1", "198.51.100.1", "203.0.113.1", "224.0.0.1", "239.255.255.255", "240.0.0.1", "255.255.255.255", "168.63.129.16", "192.88.99.1", "[::ffff:169.254.169.254]", "[::ffff:0:127.0.0.1]",
	"①②⑦.0.0.1", "127。0。0。1", "127.0.0.1\u200b", "exa mple.com", "a..b", "-", "", "a_b.1",
}

func TestAddressesThatAreNotPublicAreNotReached(t *testing.T) {
	d := &sandbox.Dialer{Timeout: time.Second, Resolver: answering(t, "127.0.0.1")}
	for _, host := range hostileHosts {
		conn, err := d.DialContext(t.Context(), "tcp", strings.Trim(host, " ")+":80")
		if strings.HasPrefix(host, "[") {
			conn, err = d.DialContext(t.Context(), "tcp", net.JoinHostPort(strings.Trim(strings.ReplaceAll(host, "%25", "%"), "[]"), "80"))
		}
		if kind := sandbox.KindOf(err); kind != sandbox.KindRefused && kind != sandbox.KindInvalid {
			t.Errorf("%s: %v (kind %q)", host, err, kind)
		}
		if conn != nil {
			conn.Close()
		}
	}
	for _, addr := range []string{"1.1.1.1", "8.8.8.8", "93.184.216.34", "[2606:4700:4700::1111]", "example.com", "EXAMPLE.com.", "xn--bcher-kva.example"} {
		if err := d.CheckURL(&url.URL{Scheme: "https", Host: addr}); err != nil {
			t.Errorf("%s: %v", addr, err)
		}
	}
}

func TestURLsThatNoToolMayFetch(t *testing.T) {
	d := &sandbox.Dialer{Allow: []string{"example.com", "*.example.org"}, Deny: []string{"bad.example.org"}}
	for text, want := range map[string]sandbox.Kind{
		"https://example.com/": "", "https://a.example.org/": "", "https://EXAMPLE.COM.:443/": "",
		"https://example.org/": sandbox.KindRefused, "https://bad.example.org/": sandbox.KindRefused, "https://bad.example.org./": sandbox.KindRefused, "https://notexample.com/": sandbox.KindRefused, "https://example.com.evil.net/": sandbox.KindRefused,
		"ftp://example.com/": sandbox.KindInvalid, "file:///etc/passwd": sandbox.KindInvalid, "gopher://example.com/": sandbox.KindInvalid, "https://user:pass@example.com/": sandbox.KindInvalid,
		"https://example.com:22/": sandbox.KindRefused, "https://example.com:0/": sandbox.KindInvalid, "//example.com": sandbox.KindInvalid,
	} {
		u, err := url.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		wantKind(t, text, d.CheckURL(u), want)
	}
	wantKind(t, "no URL", d.CheckURL(nil), sandbox.KindInvalid)
	_, err := d.DialContext(t.Context(), "udp", "example.com:53")
	wantKind(t, "UDP", err, sandbox.KindRefused)
	_, err = d.DialContext(t.Context(), "tcp", "example.com")
	wantKind(t, "no port", err, sandbox.KindInvalid)
}

// answering is a resolver whose names have the given addresses in turn, asked
// over a connection to a server of its own.
func answering(t testing.TB, addrs ...string) *net.Resolver {
	t.Helper()
	pc, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { pc.Close() })
	var asked atomic.Int64
	go func() {
		buf := make([]byte, 1500)
		for {
			n, from, err := pc.ReadFrom(buf)
			if err != nil {
				return
			}
			addr := netip.MustParseAddr(addrs[int(asked.Load())%len(addrs)])
			answer, isA := dnsAnswer(buf[:n], addr)
			if isA {
				asked.Add(1)
			}
			_, _ = pc.WriteTo(answer, from)
		}
	}()
	return &net.Resolver{PreferGo: true, Dial: func(ctx context.Context, _, _ string) (net.Conn, error) {
		var d net.Dialer
		return d.DialContext(ctx, "udp", pc.LocalAddr().String())
	}}
}

// dnsAnswer answers a question for A with the address, others with nothing;
// see RFC 1035.
func dnsAnswer(q []byte, addr netip.Addr) (answer []byte, isA bool) {
	end := 12
	for end < len(q) && q[end] != 0 {
		end += int(q[end]) + 1
	}
	end += 5
	if end > len(q) {
		return nil, false
	}
	isA = binary.BigEndian.Uint16(q[end-4:]) == 1
	answer = append([]byte{q[0], q[1], 0x81, 0x80, 0, 1, 0, 0, 0, 0, 0, 0}, q[12:end]...)
	if isA {
		answer[7] = 1
		answer = append(answer, 0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 0, 0, 4)
		answer = append(answer, addr.AsSlice()...)
	}
	return answer, isA
}

// local is a dialer that may reach a test server and nothing else that is not public.
func local(t testing.TB, srv *httptest.Server) (*sandbox.Dialer, *url.URL) {
	t.Helper()
	u, err := url.Parse(srv.URL)
	if err != nil {
		t.Fatal(err)
	}
	port, err := strconv.ParseUint(u.Port(), 10, 16)
	if err != nil {
		t.Fatal(err)
	}
	return &sandbox.Dialer{Except: []netip.Prefix{netip.MustParsePrefix("127.0.0.1/32")}, Ports: []uint16{uint16(port), 80}, Timeout: 2 * time.Second}, u
}

func TestANameThatChangesItsAddressIsJudgedWhenDialled(t *testing.T) {
	var hits atomic.Int32
	srv := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { hits.Add(1) }))
	defer srv.Close()
	d, u := local(t, srv)
	d.Except = nil
	d.Resolver = answering(t, "240.0.0.1", "127.0.0.1", "169.254.169.254")
	for range 60 {
		_, err := d.DialContext(t.Context(), "tcp", "rebinding.example:"+u.Port())
		wantKind(t, "a name that leads inside", err, sandbox.KindRefused)
	}
	if hits.Load() > 0 {
		t.Errorf("%d connections reached the server", hits.Load())
	}
	// The same name is reached when the address it leads to is excepted.
	d, _ = local(t, srv)
	d.Resolver = answering(t, "127.0.0.1")
	resp, err := d.Client(sandbox.Fetch{}).Get("http://rebinding.example:" + u.Port() + "/")
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
}

func TestRedirectsAreJudgedHopByHop(t *testing.T) {
	var inside atomic.Int32
	secret := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { inside.Add(1) }))
	defer secret.Close()
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		to := r.URL.Query().Get("to")
		if to == "" {
			n, _ := strconv.Atoi(r.URL.Query().Get("n"))
			to = "/?n=" + strconv.Itoa(n+1)
		}
		http.Redirect(w, r, to, http.StatusFound)
	}))
	defer srv.Close()
	d, u := local(t, srv)
	c := d.Client(sandbox.Fetch{})
	for _, to := range []string{secret.URL, "http://169.254.169.254/", "http://[::1]:80/", "http://localhost:80/", "file:///etc/passwd", "http://10.0.0.1/", "http://user@127.0.0.1:" + u.Port() + "/"} {
		resp, err := c.Get(srv.URL + "/?to=" + url.QueryEscape(to))
		if err == nil {
			resp.Body.Close()
			t.Errorf("%s was followed", to)
		}
	}
	if inside.Load() > 0 {
		t.Error("a server inside was reached")
	}
	_, err := c.Get(srv.URL)
	wantKind(t, "redirects without end", err, sandbox.KindTooLarge)
	resp, err := d.Client(sandbox.Fetch{Redirects: -1}).Get(srv.URL)
	if err != nil || resp.StatusCode != http.StatusFound {
		t.Errorf("a redirect that is not to be followed: %v", err)
	}
}

func TestCredentialsStayWithTheirOrigin(t *testing.T) {
	var seen http.Header
	other := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { seen = r.Header }))
	defer other.Close()
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, other.URL, http.StatusFound) }))
	defer srv.Close()
	d, _ := local(t, srv)
	_, u := local(t, other)
	port, _ := strconv.ParseUint(u.Port(), 10, 16)
	d.Ports = append(d.Ports, uint16(port))
	req, _ := http.NewRequest(http.MethodGet, srv.URL, nil)
	for _, name := range []string{"Authorization", "Cookie", "X-Api-Key", "Proxy-Authorization", "X-Amz-Security-Token"} {
		req.Header.Set(name, "secret")
	}
	req.Header.Set("Accept", "text/html")
	resp, err := d.Client(sandbox.Fetch{}).Do(req)
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	for name, values := range seen {
		if strings.Contains(strings.Join(values, ""), "secret") {
			t.Errorf("%s went to another origin", name)
		}
	}
	if seen.Get("Accept") == "" {
		t.Error("a header that is no credential was lost")
	}
}

func TestAnswersAreBounded(t *testing.T) {
	var zipped bytes.Buffer
	z := gzip.NewWriter(&zipped)
	_, _ = z.Write(make([]byte, 8<<20))
	z.Close()
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/bomb":
			w.Header().Set("Content-Encoding", "gzip")
			_, _ = w.Write(zipped.Bytes())
		case "/exact":
			_, _ = w.Write(make([]byte, 1000))
		case "/slow":
			w.WriteHeader(http.StatusOK)
			w.(http.Flusher).Flush()
			<-r.Context().Done()
		default:
			for {
				if _, err := w.Write(make([]byte, 1<<16)); err != nil {
					return
				}
			}
		}
	}))
	defer srv.Close()
	d, _ := local(t, srv)
	for path, want := range map[string]sandbox.Kind{"/bomb": sandbox.KindTooLarge, "/endless": sandbox.KindTooLarge, "/exact": ""} {
		resp, err := d.Client(sandbox.Fetch{Bytes: 1000}).Get(srv.URL + path)
		if err != nil {
			t.Fatal(err)
		}
		b, err := io.ReadAll(resp.Body)
		resp.Body.Close()
		wantKind(t, path, err, want)
		if len(b) != 1000 {
			t.Errorf("%s: %d bytes read", path, len(b))
		}
	}
	resp, err := d.Client(sandbox.Fetch{Timeout: 100 * time.Millisecond}).Get(srv.URL + "/slow")
	if err == nil {
		_, err = io.ReadAll(resp.Body)
		resp.Body.Close()
	}
	if err == nil {
		t.Error("a server that never ends was waited for")
	}
}

func TestNoProxyIsAsked(t *testing.T) {
	var asked atomic.Int32
	proxy := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { asked.Add(1) }))
	defer proxy.Close()
	for _, name := range []string{"HTTP_PROXY", "http_proxy", "HTTPS_PROXY", "ALL_PROXY"} {
		t.Setenv(name, proxy.URL)
	}
	d := &sandbox.Dialer{Resolver: answering(t, "127.0.0.1"), Timeout: time.Second}
	if resp, err := d.Client(sandbox.Fetch{}).Get("http://example.com/"); err == nil {
		resp.Body.Close()
		t.Error("reached")
	}
	if asked.Load() > 0 {
		t.Error("a proxy of the environment was asked")
	}
}
