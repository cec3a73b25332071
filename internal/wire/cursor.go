package wire

import (
	"strconv"
	"unicode/utf16"
	"unicode/utf8"
)

// A Cursor walks over the JSON that a server sent, without building anything. It
// is lenient where it costs nothing (duplicate names, lone surrogates, broken
// UTF-8, which are what a cut fragment looks like) and strict about the shape: it
// is bad from the first byte that cannot be, and nothing is read after that. The
// zero Cursor reads nothing; see Reset.
type Cursor struct {
	b       []byte
	i       int
	bad     bool
	depth   int
	scratch []byte // texts whose escapes were undone, one behind the other
}

const maxDepth = 200

// Reset makes the cursor read b from its beginning and keeps the memory of what
// it read before, whose texts are no longer valid.
func (c *Cursor) Reset(b []byte) { *c = Cursor{b: b, scratch: c.scratch[:0]} }

// Bad reports whether what was read is not JSON.
func (c *Cursor) Bad() bool { return c.bad }

// Ahead is what was not read yet.
func (c *Cursor) Ahead() []byte { return c.b[c.i:] }

// A Mark is a place to go back to.
type Mark struct{ i, depth int }

// Mark is where the cursor is.
func (c *Cursor) Mark() Mark { return Mark{c.i, c.depth} }

// Back goes back to a mark, unless the cursor is bad.
func (c *Cursor) Back(m Mark) {
	if !c.bad {
		c.i, c.depth = m.i, m.depth
	}
}

// Each calls fn at the value of each member of an object; fn reads or skips it.
// Any other value is skipped.
func (c *Cursor) Each(fn func(name []byte)) {
	if !c.Open('{') {
		return
	}
	for first := true; ; {
		name, ok := c.Member(&first)
		if !ok {
			return
		}
		fn(name)
	}
}

// List calls fn at each element of an array; fn reads or skips it. Any other
// value is skipped.
func (c *Cursor) List(fn func()) {
	if !c.Open('[') {
		return
	}
	for first := true; c.More(']', &first); {
		fn()
	}
}

// Peek is the first byte of the next token, 0 at the end.
func (c *Cursor) Peek() byte {
	for c.i < len(c.b) {
		switch ch := c.b[c.i]; ch {
		case ' ', '\t', '\n', '\r':
			c.i++
		default:
			return ch
		}
	}
	return 0
}

func (c *Cursor) fail() { c.bad, c.i = true, len(c.b) }

// Open enters the object or array that opens with ch. Any other value is
// skipped, and the answer is false.
func (c *Cursor) Open(ch byte) bool {
	if c.bad || c.Peek() != ch {
		c.Skip()
		return false
	}
	if c.depth++; c.depth > maxDepth {
		c.fail()
		return false
	}
	c.i++
	return true
}

// More goes to the next element of what ends with ch, or behind it.
func (c *Cursor) More(ch byte, first *bool) bool {
	if c.bad {
		return false
	}
	p := c.Peek()
	if p == ch {
		c.i++
		c.depth--
		return false
	}
	if !*first {
		if p != ',' {
			c.fail()
			return false
		}
		c.i++
		c.Peek()
	}
	*first = false
	if c.i >= len(c.b) {
		c.fail()
	}
	return !c.bad
}

// Member goes to the next member of an object and is its name, as written.
func (c *Cursor) Member(first *bool) (name []byte, ok bool) {
	if !c.More('}', first) {
		return nil, false
	}
	start := c.i + 1
	if c.Peek() != '"' || !c.skipString() {
		c.fail()
		return nil, false
	}
	name = c.b[start : c.i-1]
	if c.Peek() != ':' {
		c.fail()
		return nil, false
	}
	c.i++
	return name, true
}

// Skip goes behind a value.
func (c *Cursor) Skip() {
	if c.bad {
		return
	}
	first := true
	switch ch := c.Peek(); ch {
	case '"':
		if !c.skipString() {
			c.fail()
		}
	case '{':
		if !c.Open('{') {
			return
		}
		for {
			if _, ok := c.Member(&first); !ok {
				return
			}
			c.Skip()
		}
	case '[':
		if !c.Open('[') {
			return
		}
		for c.More(']', &first) {
			c.Skip()
		}
	default:
		c.scalar()
	}
}

// scalar goes behind a number or a word.
func (c *Cursor) scalar() {
	start := c.i
	for c.i < len(c.b) {
		switch ch := c.b[c.i]; {
		case ch >= '0' && ch <= '9', ch >= 'a' && ch <= 'z', ch == '-', ch == '+', ch == '.', ch == 'E':
			c.i++
			continue
		}
		break
	}
	if c.i == start {
		c.fail()
	}
}

// skipString goes behind a string.
func (c *Cursor) skipString() bool {
	for c.i++; c.i < len(c.b); c.i++ {
		switch c.b[c.i] {
		case '\\':
			c.i++
		case '"':
			c.i++
			return true
		}
	}
	return false
}

// Raw is the next value as it is written.
func (c *Cursor) Raw() []byte {
	c.Peek()
	start := c.i
	c.Skip()
	if c.bad {
		return nil
	}
	return c.b[start:c.i]
}

// Text is what a string stands for; nil, and the value skipped, if it is none.
// Half surrogate pairs come out as three bytes each, to be joined later. It is
// valid until the scratch is used anew.
func (c *Cursor) Text() []byte {
	if c.bad || c.Peek() != '"' {
		c.Skip()
		return nil
	}
	start := c.i + 1
	for i := start; i < len(c.b); i++ {
		switch c.b[i] {
		case '"':
			c.i = i + 1
			return c.b[start:i:i]
		case '\\':
			return c.escaped(start, i)
		}
	}
	c.fail()
	return nil
}

// escaped is text for a string that holds an escape, first at i.
func (c *Cursor) escaped(start, i int) []byte {
	from := len(c.scratch)
	c.scratch = append(c.scratch, c.b[start:i]...)
	for i < len(c.b) {
		ch := c.b[i]
		switch {
		case ch == '"':
			c.i = i + 1
			return c.scratch[from:len(c.scratch):len(c.scratch)]
		case ch != '\\':
			c.scratch = append(c.scratch, ch)
			i++
		case i+1 < len(c.b) && c.b[i+1] == 'u':
			if i+6 > len(c.b) {
				c.fail()
				return nil
			}
			n, err := strconv.ParseUint(string(c.b[i+2:i+6]), 16, 16)
			if err != nil {
				c.fail()
				return nil
			}
			c.scratch = appendUnit(c.scratch, from, rune(n))
			i += 6
		case i+1 < len(c.b):
			c.scratch = append(c.scratch, unescape(c.b[i+1]))
			i += 2
		default:
			i++
		}
	}
	c.fail()
	return nil
}

func unescape(ch byte) byte {
	switch ch {
	case 'n':
		return '\n'
	case 't':
		return '\t'
	case 'r':
		return '\r'
	case 'b':
		return '\b'
	case 'f':
		return '\f'
	}
	return ch
}

// appendUnit appends a UTF-16 code unit. A half pair is written as its three
// bytes (WTF-8), a low half behind a high one becomes the character.
func appendUnit(b []byte, from int, u rune) []byte {
	if !utf16.IsSurrogate(u) {
		return utf8.AppendRune(b, u)
	}
	if u >= 0xdc00 {
		if high, ok := highHalf(b[from:]); ok {
			return utf8.AppendRune(b[:len(b)-3], utf16.DecodeRune(high, u))
		}
	}
	return append(b, 0xe0|byte(u>>12), 0x80|byte(u>>6)&0x3f, 0x80|byte(u)&0x3f)
}

// highHalf is the high surrogate that b ends in.
func highHalf(b []byte) (rune, bool) {
	n := len(b)
	if n < 3 || b[n-3] != 0xed || b[n-2] < 0xa0 || b[n-2] > 0xaf {
		return 0, false
	}
	return 0xd000 | rune(b[n-2]&0x3f)<<6 | rune(b[n-1]&0x3f), true
}

// lowHalf is the low surrogate that b begins with.
func lowHalf(b []byte) (rune, bool) {
	if len(b) < 3 || b[0] != 0xed || b[1] < 0xb0 || b[1] > 0xbf {
		return 0, false
	}
	return 0xd000 | rune(b[1]&0x3f)<<6 | rune(b[2]&0x3f), true
}

// Number is the next value as a whole number; 0 if it is none.
func (c *Cursor) Number() int64 {
	if c.bad || c.Peek() == '"' || c.Peek() == '{' || c.Peek() == '[' {
		c.Skip()
		return 0
	}
	start := c.i
	c.scalar()
	if c.bad {
		return 0
	}
	lit := c.b[start:c.i]
	var n int64
	for _, ch := range lit {
		if ch < '0' || ch > '9' || n > 1<<53 {
			f, err := strconv.ParseFloat(string(lit), 64)
			if err != nil || f < 0 || f > 1<<53 {
				return 0
			}
			return int64(f)
		}
		n = n*10 + int64(ch-'0')
	}
	return n
}

// Done reports whether nothing follows the value that was read.
func (c *Cursor) Done() bool { return !c.bad && c.Peek() == 0 && c.i >= len(c.b) }
