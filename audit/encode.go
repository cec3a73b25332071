package audit

import (
	"bytes"
	"cmp"
	"encoding/base64"
	"encoding/json"
	"strconv"
	"time"
	"unicode/utf8"

	"github.com/toolpost/toolpost/internal/jsonx"
)

// An encoder writes one record. It appends to buf and keeps it, so that a run
// of many records allocates little. The hot part of a call's way is encoded by
// hand: a record is written several times for every call.
type encoder struct {
	buf   []byte
	lossy []lossy // strings that are not UTF-8
	call  span    // of the call that the record bears
	res   span    // of the result
	own   span    // of the event's own payload
	err   error

	values bytes.Buffer // what package encoding/json writes
	std    *json.Encoder

	policy     any // the snapshot that policyJSON is the form of
	policyJSON []byte
}

// span is a part of encoder.buf.
type span struct{ start, end int }

func (s span) of(b []byte) []byte { return b[s.start:s.end] }

// lossy is a string that JSON cannot hold, and where its quote opens in buf.
type lossy struct {
	at   int
	text string
}

func (e *encoder) reset() {
	clear(e.lossy)
	e.buf, e.lossy, e.err = e.buf[:0], e.lossy[:0], nil
	e.call, e.res, e.own = span{}, span{}, span{}
}

// name begins a member: a comma unless it is the first, the name and a colon.
// Names are written as they are.
func (e *encoder) name(s string) {
	if last := e.buf[len(e.buf)-1]; last != '{' {
		e.buf = append(e.buf, ',')
	}
	e.buf = append(e.buf, '"')
	e.buf = append(e.buf, s...)
	e.buf = append(e.buf, '"', ':')
}

// text is a member that is left out when empty.
func (e *encoder) text(name, s string) {
	if s != "" {
		e.name(name)
		e.string(s)
	}
}

// int is a member that is left out when zero.
func (e *encoder) int(name string, n int64) {
	if n != 0 {
		e.name(name)
		e.buf = strconv.AppendInt(e.buf, n, 10)
	}
}

// flag is a member that is left out when false.
func (e *encoder) flag(name string, b bool) {
	if b {
		e.name(name)
		e.buf = append(e.buf, "true"...)
	}
}

// time is a member in RFC 3339, UTC, milliseconds, left out when zero.
func (e *encoder) time(name string, t time.Time) {
	if !t.IsZero() {
		e.name(name)
		e.buf = appendTime(e.buf, t)
	}
}

func appendTime(b []byte, t time.Time) []byte {
	t = t.UTC()
	year, month, day := t.Date()
	if year < 0 || year > 9999 {
		return t.AppendFormat(b, `"2006-01-02T15:04:05.000Z"`)
	}
	hour, minute, sec := t.Clock()
	ms := t.Nanosecond() / 1e6
	b = append(b, '"', byte('0'+year/1000), byte('0'+year/100%10), byte('0'+year/10%10), byte('0'+year%10), '-')
	b = append(two(b, int(month)), '-')
	b = append(two(b, day), 'T')
	b = append(two(b, hour), ':')
	b = append(two(b, minute), ':')
	b = append(two(b, sec), '.', byte('0'+ms/100))
	return append(two(b, ms%100), 'Z', '"')
}

func two(b []byte, n int) []byte { return append(b, byte('0'+n/10), byte('0'+n%10)) }

// strings is a member that is left out when empty.
func (e *encoder) strings(name string, list []string) {
	if len(list) > 0 {
		e.name(name)
		e.array(list)
	}
}

func (e *encoder) array(list []string) {
	e.buf = append(e.buf, '[')
	for i, s := range list {
		if i > 0 {
			e.buf = append(e.buf, ',')
		}
		e.string(s)
	}
	e.buf = append(e.buf, ']')
}

// bytes is a member in base64, left out when empty.
func (e *encoder) bytes(name string, b []byte) {
	if len(b) > 0 {
		e.name(name)
		e.buf = append(e.buf, '"')
		e.buf = base64.StdEncoding.AppendEncode(e.buf, b)
		e.buf = append(e.buf, '"')
	}
}

// json is a member whose value is JSON already. Text that is not JSON, strictly
// read, stands as a string under the name with "Text" behind it.
func (e *encoder) json(name string, raw []byte) {
	switch {
	case len(raw) == 0:
	case jsonx.Check(raw) == nil:
		e.name(name)
		e.buf = appendCompact(e.buf, raw)
	default:
		e.text(name+"Text", string(raw))
	}
}

// value is a member whose value is encoded by package encoding/json; an error
// is kept.
func (e *encoder) value(name string, v any) {
	if e.std == nil {
		e.std = json.NewEncoder(&e.values)
		e.std.SetEscapeHTML(false)
	}
	e.values.Reset()
	if err := e.std.Encode(v); err != nil {
		e.err = cmp.Or(e.err, err)
		return
	}
	e.name(name)
	e.buf = appendCompact(e.buf, e.values.Bytes())
}

// plain marks the bytes that stand for themselves in a JSON string.
var plain = func() (t [256]bool) {
	for b := ' '; b < utf8.RuneSelf; b++ {
		t[b] = b != '"' && b != '\\' && b != 0x7f
	}
	return t
}()

// string appends s as a JSON string on which no reader breaks a line: control
// characters, DEL, NEL and the separators U+2028 and U+2029 are escaped. What is
// not UTF-8 reads as U+FFFD, and its bytes go to the member "bytes".
func (e *encoder) string(s string) {
	at := len(e.buf)
	e.buf = append(e.buf, '"')
	start, whole := 0, true
	for i := 0; i < len(s); {
		if plain[s[i]] {
			i++
			continue
		}
		r, n := utf8.DecodeRuneInString(s[i:])
		if r >= utf8.RuneSelf && !breaksLine(r) && (r != utf8.RuneError || n > 1) {
			i += n
			continue
		}
		e.buf = append(e.buf, s[start:i]...)
		if r == utf8.RuneError {
			whole = false
		}
		e.buf = appendEscape(e.buf, r)
		i += n
		start = i
	}
	e.buf = append(append(e.buf, s[start:]...), '"')
	if !whole {
		e.lossy = append(e.lossy, lossy{at, s})
	}
}

// breaksLine reports whether some reader takes r for a line end, though JSON
// lets it stand in a string.
func breaksLine(r rune) bool { return r == 0x85 || r == 0x2028 || r == 0x2029 }

func appendEscape(b []byte, r rune) []byte {
	switch r {
	case '"', '\\':
		return append(b, '\\', byte(r))
	case '\n':
		return append(b, '\\', 'n')
	case '\r':
		return append(b, '\\', 'r')
	case '\t':
		return append(b, '\\', 't')
	}
	const hex = "0123456789abcdef"
	return append(b, '\\', 'u', hex[r>>12&15], hex[r>>8&15], hex[r>>4&15], hex[r&15])
}

// appendCompact appends valid JSON without white space, and with line breaking
// characters escaped.
func appendCompact(dst, src []byte) []byte {
	start := 0
	for i := 0; i < len(src); {
		switch c := src[i]; {
		case c == '"':
			i = stringEnd(src, i)
			dst = appendLiteral(dst, src[start:i])
			start = i
		case c == ' ' || c == '\n' || c == '\r' || c == '\t':
			dst = append(dst, src[start:i]...)
			i++
			start = i
		default:
			i++
		}
	}
	return append(dst, src[start:]...)
}

// stringEnd is the index after the string of valid JSON that opens at b[i].
func stringEnd(b []byte, i int) int {
	for i++; ; i++ {
		n := bytes.IndexByte(b[i:], '"')
		if n < 0 {
			return len(b)
		}
		from := i
		i += n
		back := i
		for back > from && b[back-1] == '\\' {
			back--
		}
		if (i-back)%2 == 0 {
			return i + 1
		}
	}
}

// appendLiteral appends a piece of JSON that ends with a string, its line
// breaking characters escaped. All of them begin with the bytes C2 or E2.
func appendLiteral(dst, lit []byte) []byte {
	start := 0
	for i := 0; i < len(lit); i++ {
		c := lit[i]
		if c == 0x7f {
			dst = appendEscape(append(dst, lit[start:i]...), 0x7f)
			start = i + 1
			continue
		}
		if c != 0xc2 && c != 0xe2 {
			continue
		}
		if r, n := utf8.DecodeRune(lit[i:]); breaksLine(r) {
			dst = appendEscape(append(dst, lit[start:i]...), r)
			i += n - 1
			start = i + 1
		}
	}
	return append(dst, lit[start:]...)
}
