package sandbox

import (
	"context"
	"errors"
	"net"
	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"code.dny.dev/ssrf"
)

// Dialer is the way of tools to the network, and the only one. It connects to
// public addresses alone: each address is judged after the name has been
// resolved and right before the connection is made, so that neither a
// redirect nor a name whose address changes leads past it.
//
// The zero value works. A Dialer is safe for concurrent use and must not be
// changed once used.
type Dialer struct {
	// Allow names the hosts that may be reached; empty is all. "example.com"
	// is that host, "*.example.com" every host below it.
	Allow []string

	// Deny names hosts that may not, in the same way. It wins over Allow.
	Deny []string

	// Ports are the ports that may be reached; empty is 80 and 443.
	Ports []uint16

	// Except are addresses that may be reached though they are not public,
	// such as 10.1.2.0/24. They say nothing of ports or names.
	Except []netip.Prefix

	// Timeout bounds the making of a connection; 0 is 10 s.
	Timeout time.Duration

	// Resolver finds the addresses of a name; nil is the system's.
	Resolver *net.Resolver
}

// alsoDenied are addresses outside the registries of special ones that serve
// the machine itself: the host agent of Azure.
var alsoDenied = []netip.Prefix{netip.MustParsePrefix("168.63.129.16/32")}

// embedsV4 are prefixes under which an IPv4 address is carried inside a global
// IPv6 one. A gateway would unpack it, so they are not reached at all.
var embedsV4 = []netip.Prefix{
	netip.MustParsePrefix("2002::/16"), netip.MustParsePrefix("2001::/32"), netip.MustParsePrefix("64:ff9b::/96"), netip.MustParsePrefix("64:ff9b:1::/48"), netip.MustParsePrefix("3fff::/20"), netip.MustParsePrefix("5f00::/16"), netip.MustParsePrefix("2001:db8::/32"),
}

// DialContext connects to a host and port over TCP; network is tcp, tcp4 or
// tcp6. It fails with [KindRefused] for what the rules do not allow, before
// anything is sent.
func (d *Dialer) DialContext(ctx context.Context, network, address string) (net.Conn, error) {
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return nil, fail(KindInvalid, "", "address "+quote(address)+" is not host:port")
	}
	if network != "tcp" && network != "tcp4" && network != "tcp6" {
		return nil, refused("network " + quote(network) + " is not reached; only TCP is")
	}
	if host, err = hostName(host); err != nil {
		return nil, err
	}
	if err := d.checkHost(host); err != nil {
		return nil, err
	}
	dialer := net.Dialer{Timeout: d.timeout(), Resolver: d.Resolver, ControlContext: func(_ context.Context, network, address string, _ syscall.RawConn) error {
		return d.judge(network, address)
	}}
	conn, err := dialer.DialContext(ctx, network, net.JoinHostPort(host, port))
	if err == nil {
		return conn, nil
	}
	if e, ok := errors.AsType[*Error](err); ok {
		return nil, e
	}
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	return nil, &Error{Kind: KindIO, Msg: "connecting to " + quote(net.JoinHostPort(host, port)) + ": " + dialCause(err), Err: err}
}

func (d *Dialer) timeout() time.Duration {
	if d.Timeout > 0 {
		return d.Timeout
	}
	return 10 * time.Second
}

// dialCause is the reason without the addresses that a name led to.
func dialCause(err error) string {
	if e, ok := errors.AsType[*net.DNSError](err); ok {
		return e.Err
	}
	if e, ok := errors.AsType[*net.OpError](err); ok && e.Err != nil {
		return e.Err.Error()
	}
	return err.Error()
}

func refused(msg string) *Error { return fail(KindRefused, "", msg) }

// hostName is the one form in which a host is compared and dialled: lower
// case, without the dot of the root. Names that another resolver could read
// differently are refused.
func hostName(host string) (string, error) {
	name := strings.ToLower(strings.TrimSuffix(host, "."))
	if addr, err := netip.ParseAddr(name); err == nil {
		if addr.Zone() != "" {
			return "", refused("address " + quote(host) + " has a zone; addresses of one link are not reached")
		}
		return addr.String(), nil
	}
	if name == "" || len(name) > 253 {
		return "", fail(KindInvalid, "", "host "+quote(host)+" is empty or longer than a name can be")
	}
	labels := strings.Split(name, ".")
	for _, label := range labels {
		if label == "" || len(label) > 63 || label[0] == '-' || label[len(label)-1] == '-' || strings.Trim(label, "abcdefghijklmnopqrstuvwxyz0123456789-_") != "" {
			return "", fail(KindInvalid, "", "host "+quote(host)+" is not a name of letters, digits, - and dots; write other letters in their ASCII form (xn--…)")
		}
	}
	// 127.1, 0x7f.1 and 2130706433 are addresses to some resolvers.
	last := labels[len(labels)-1]
	if strings.Trim(last, "0123456789") == "" || strings.HasPrefix(last, "0x") {
		return "", fail(KindInvalid, "", "host "+quote(host)+" is neither a name nor an address in its usual form")
	}
	return name, nil
}

// checkHost judges a canonical name.
func (d *Dialer) checkHost(host string) error {
	is := func(rule string) bool {
		rule = strings.ToLower(strings.TrimSuffix(rule, "."))
		if below, ok := strings.CutPrefix(rule, "*."); ok {
			return strings.HasSuffix(host, "."+below)
		}
		return host == rule
	}
	switch {
	case slices.ContainsFunc(d.Deny, is):
		return refused("host " + quote(host) + " is denied by the network rules")
	case len(d.Allow) > 0 && !slices.ContainsFunc(d.Allow, is):
		return refused("host " + quote(host) + " is not among the hosts that the network rules allow")
	}
	return nil
}

// judge decides on a resolved address, right before the connection.
func (d *Dialer) judge(network, address string) error {
	to, err := netip.ParseAddrPort(address)
	if err != nil || network != "tcp4" && network != "tcp6" {
		return refused("address " + quote(address) + " is not one of TCP")
	}
	ports := d.Ports
	if len(ports) == 0 {
		ports = []uint16{80, 443}
	}
	if !slices.Contains(ports, to.Port()) {
		return refused("port " + strconv.Itoa(int(to.Port())) + " is not among those that the network rules allow")
	}
	return d.judgeAddr(to.Addr())
}

func (d *Dialer) judgeAddr(addr netip.Addr) error {
	in := func(p netip.Prefix) bool { return p.Contains(addr) || p.Contains(addr.Unmap()) }
	if slices.ContainsFunc(d.Except, in) {
		return nil
	}
	if addr.Is4In6() || slices.ContainsFunc(slices.Concat(alsoDenied, embedsV4), in) || ssrf.New(ssrf.WithAnyPort()).SafeAddr(addr) != nil {
		return refused("address " + addr.String() + " is not public; ask the operator for an exception if it is meant to be reached")
	}
	return nil
}

// CheckURL judges a URL by its text alone: scheme, host and port. What its
// name resolves to is judged when it is dialled.
func (d *Dialer) CheckURL(u *url.URL) error {
	if u == nil || u.Scheme != "http" && u.Scheme != "https" {
		return fail(KindInvalid, "", "the URL must begin with http:// or https://")
	}
	if u.User != nil {
		return fail(KindInvalid, "", "the URL holds a user name or password; leave it out")
	}
	host, err := hostName(u.Hostname())
	if err != nil {
		return err
	}
	port := u.Port()
	if port == "" {
		port = map[string]string{"http": "80", "https": "443"}[u.Scheme]
	}
	n, err := strconv.ParseUint(port, 10, 16)
	if err != nil || n == 0 {
		return fail(KindInvalid, "", "port "+quote(port)+" is none")
	}
	if err := d.checkHost(host); err != nil {
		return err
	}
	addr, err := netip.ParseAddr(host)
	if err != nil {
		addr = netip.MustParseAddr("1.1.1.1") // any public one: only the port is asked about
	}
	family := "tcp4"
	if addr.Is6() {
		family = "tcp6"
	}
	return d.judge(family, netip.AddrPortFrom(addr, uint16(n)).String())
}
