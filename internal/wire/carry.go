package wire

import (
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// A Carry joins the fragments of one text where a server cut it inside a
// character: between the bytes of UTF-8 or between the halves of a surrogate
// pair. What is cut off waits for the next fragment.
type Carry struct {
	tail [4]byte
	n    int
}

// Join is the text of a fragment behind what waited, without what has to wait.
// It is always valid UTF-8: what can never be a character becomes U+FFFD.
func (c *Carry) Join(b []byte) string {
	if c.n == 0 && utf8.Valid(b) {
		return string(b)
	}
	if len(b) == 0 {
		return ""
	}
	if c.n > 0 {
		b = c.before(b)
	}
	keep := len(b) - unfinished(b)
	c.n = copy(c.tail[:], b[keep:])
	return strings.ToValidUTF8(string(b[:keep]), "\uFFFD")
}

// before is b behind the tail; two halves become their character.
func (c *Carry) before(b []byte) []byte {
	tail := c.tail[:c.n]
	joined := make([]byte, 0, len(b)+len(tail)+1)
	if high, ok := highHalf(tail); ok {
		if low, ok := lowHalf(b); ok {
			return append(utf8.AppendRune(joined, utf16.DecodeRune(high, low)), b[3:]...)
		}
	}
	return append(append(joined, tail...), b...)
}

// unfinished is how many bytes at the end of b may be the beginning of a character.
func unfinished(b []byte) int {
	if _, ok := highHalf(b); ok {
		return 3
	}
	for n := 1; n <= 3 && n <= len(b); n++ {
		c := b[len(b)-n]
		switch {
		case c < 0x80:
			return 0
		case c >= 0xc0:
			if !utf8.FullRune(b[len(b)-n:]) {
				return n
			}
			return 0
		}
	}
	return 0
}

// Rest is what waited and never got its other half.
func (c *Carry) Rest() string {
	if c.n == 0 {
		return ""
	}
	c.n = 0
	return "\uFFFD"
}
