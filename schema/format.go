package schema

import (
	"bytes"
	"errors"
	"net/mail"
	"net/netip"
	"net/url"
	"strings"
	"time"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// formats are the formats of draft 2020-12 §7.3 that are checked here, in the
// fast walk as in the slow validator.
var formats = map[string]func([]byte) bool{
	"date-time": isDateTime,
	"date":      isDate,
	"time":      isTime,
	"email":     isEmail,
	"hostname":  isHostname,
	"ipv4":      isIPv4,
	"ipv6":      isIPv6,
	"uri":       isURI,
	"uuid":      isUUID,
}

// slowFormats are checked by the slow validator alone.
var slowFormats = map[string]bool{
	"regex": true, "json-pointer": true, "relative-json-pointer": true, "duration": true, "uri-reference": true,
	"uri-template": true, "iri": true, "iri-reference": true, "period": true, "semver": true, "idn-email": true, "idn-hostname": true,
}

// registerFormats makes the slow validator agree about formats.
func registerFormats(c *jsonschema.Compiler, policy Formats) {
	for name, ok := range formats {
		c.RegisterFormat(&jsonschema.Format{Name: name, Validate: func(v any) error {
			if s, isText := v.(string); policy == FormatsAsserted && isText && !ok([]byte(s)) {
				return errors.New("not a valid " + name)
			}
			return nil
		}})
	}
	if policy == FormatsAsserted {
		c.AssertFormat()
		return
	}
	for name := range slowFormats {
		c.RegisterFormat(&jsonschema.Format{Name: name, Validate: func(any) error { return nil }})
	}
}

// isDateTime checks RFC 3339 §5.6, leap seconds included.
func isDateTime(b []byte) bool {
	return len(b) > 11 && (b[10] == 'T' || b[10] == 't') && isDate(b[:10]) && isTime(b[11:])
}

func isDate(b []byte) bool {
	if len(b) != 10 || !pattern8601(b, "dddd-dd-dd") {
		return false
	}
	_, err := time.Parse(time.DateOnly, string(b))
	return err == nil
}

// pattern8601 matches b against a picture in which d stands for a digit.
func pattern8601(b []byte, picture string) bool {
	if len(b) != len(picture) {
		return false
	}
	for i, c := range b {
		if picture[i] == 'd' {
			if c < '0' || c > '9' {
				return false
			}
		} else if c != picture[i] {
			return false
		}
	}
	return true
}

func isTime(b []byte) bool {
	if len(b) < 9 || !pattern8601(b[:8], "dd:dd:dd") {
		return false
	}
	hour, minute, second := two(b), two(b[3:]), two(b[6:])
	if hour > 23 || minute > 59 || second > 60 {
		return false
	}
	b = b[8:]
	if b[0] == '.' {
		rest := bytes.TrimLeft(b[1:], "0123456789")
		if len(rest) == len(b)-1 || len(rest) == 0 {
			return false
		}
		b = rest
	}
	offset := 0
	switch {
	case len(b) == 1 && (b[0] == 'Z' || b[0] == 'z'):
	case pattern8601(b[1:], "dd:dd") && (b[0] == '+' || b[0] == '-') && two(b[1:]) < 24 && two(b[4:]) < 60:
		offset = two(b[1:])*60 + two(b[4:])
		if b[0] == '-' {
			offset = -offset
		}
	default:
		return false
	}
	// A leap second comes at the end of a day in UTC.
	return second < 60 || (hour*60+minute-offset+2880)%1440 == 1439
}

func two(b []byte) int { return int(b[0]-'0')*10 + int(b[1]-'0') }

func isEmail(b []byte) bool {
	s := string(b)
	at := strings.LastIndexByte(s, '@')
	if at < 1 || len(s) > 254 || at > 64 {
		return false
	}
	a, err := mail.ParseAddress(s)
	if err != nil || a.Name != "" || strings.ContainsAny(s, "<> \t\r\n") && s[0] != '"' {
		return false
	}
	domain := s[at+1:]
	if ip, ok := strings.CutPrefix(domain, "["); ok {
		_, err := netip.ParseAddr(strings.TrimPrefix(strings.TrimSuffix(ip, "]"), "IPv6:"))
		return err == nil
	}
	return isHostname([]byte(domain))
}

// isHostname checks RFC 1123 §2.1.
func isHostname(b []byte) bool {
	if len(b) == 0 || len(b) > 253 {
		return false
	}
	for label := range bytes.SplitSeq(b, []byte(".")) {
		if len(label) == 0 || len(label) > 63 || label[0] == '-' || label[len(label)-1] == '-' {
			return false
		}
		for _, c := range label {
			if !(c == '-' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z') {
				return false
			}
		}
	}
	return true
}

func isIPv4(b []byte) bool {
	a, err := netip.ParseAddr(string(b))
	return err == nil && a.Is4()
}

func isIPv6(b []byte) bool {
	a, err := netip.ParseAddr(string(b))
	return err == nil && a.Is6() && a.Zone() == ""
}

func isURI(b []byte) bool {
	for _, c := range b {
		if c <= ' ' || c >= 0x7f || strings.IndexByte("\"<>\\^`{|}", c) >= 0 {
			return false
		}
	}
	u, err := url.Parse(string(b))
	return err == nil && u.IsAbs()
}

func isUUID(b []byte) bool {
	if len(b) != 36 {
		return false
	}
	for i, c := range b {
		if i == 8 || i == 13 || i == 18 || i == 23 {
			if c != '-' {
				return false
			}
		} else if !(c >= '0' && c <= '9' || c >= 'a' && c <= 'f' || c >= 'A' && c <= 'F') {
			return false
		}
	}
	return true
}
