package jsonx

import "unicode/utf8"

// Space returns the first index at or after i that holds no JSON white space.
func Space(b []byte, i int) int {
	for i < len(b) && (b[i] == ' ' || b[i] == '\n' || b[i] == '\r' || b[i] == '\t') {
		i++
	}
	return i
}

// ordinary are the bytes that stand for themselves inside a string.
var ordinary = func() (set [256]bool) {
	for c := ' '; c < utf8.RuneSelf; c++ {
		set[c] = c != '"' && c != '\\'
	}
	return set
}()

// String scans the string that opens with the quote at b[i]. It returns the
// index after the closing quote and whether the text between the quotes stands
// for itself (holds no escape). A failure has a message, and end is where it is.
func String(b []byte, i int) (end int, plain bool, msg string) {
	plain = true
	i++
	for i < len(b) {
		for i < len(b) && ordinary[b[i]] {
			i++
		}
		if i == len(b) {
			break
		}
		switch c := b[i]; {
		case c == '"':
			return i + 1, plain, ""
		case c == '\\':
			plain = false
			if i, msg = escape(b, i); msg != "" {
				return i, false, msg
			}
		case c < ' ':
			return i, false, "control character in a string: write it as an escape"
		default:
			r, n := utf8.DecodeRune(b[i:])
			if r == utf8.RuneError && n == 1 {
				return i, false, "invalid UTF-8 in a string"
			}
			i += n
		}
	}
	return len(b), false, "the text ends inside a string"
}

// escape scans the escape at b[i], a pair of surrogates as one.
func escape(b []byte, i int) (end int, msg string) {
	if i+1 >= len(b) {
		return len(b), "the text ends inside an escape"
	}
	switch b[i+1] {
	case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		return i + 2, ""
	case 'u':
	default:
		return i, "unknown escape in a string"
	}
	r, ok := hex4(b, i+2)
	if !ok {
		return i, `\u needs four hexadecimal digits`
	}
	if r < 0xd800 || r > 0xdfff {
		return i + 6, ""
	}
	if r < 0xdc00 && i+7 < len(b) && b[i+6] == '\\' && b[i+7] == 'u' {
		if low, ok := hex4(b, i+8); ok && low >= 0xdc00 && low <= 0xdfff {
			return i + 12, ""
		}
	}
	return i, "lone surrogate in a string"
}

// hex4 reads four hexadecimal digits at b[i].
func hex4(b []byte, i int) (rune, bool) {
	if i+4 > len(b) {
		return 0, false
	}
	var r rune
	for _, c := range b[i : i+4] {
		d := hexDigit(c)
		if d < 0 {
			return 0, false
		}
		r = r<<4 | d
	}
	return r, true
}

func hexDigit(c byte) rune {
	switch {
	case c >= '0' && c <= '9':
		return rune(c - '0')
	case c >= 'a' && c <= 'f':
		return rune(c - 'a' + 10)
	case c >= 'A' && c <= 'F':
		return rune(c - 'A' + 10)
	}
	return -1
}

// maxNumber bounds the length of a number and the size of its exponent, so that
// exact arithmetic on what a model wrote stays cheap. RFC 8259 §9 allows such a
// limit; a double ends at e±324.
const (
	maxNumber = 1000
	numberOut = "number out of range: at most 1,000 digits and an exponent within ±1,000"
)

// Number scans the number that begins at b[i] and returns the index after it.
// A failure has a message, and end is where it is. A number of more than 1,000
// bytes or with an exponent beyond ±1,000 is a failure.
func Number(b []byte, i int) (end int, msg string) {
	start := i
	if i < len(b) && b[i] == '-' {
		i++
	}
	switch {
	case i >= len(b):
		return len(b), "the text ends inside a number"
	case b[i] == '0':
		i++
		if i < len(b) && isDigit(b[i]) {
			return i, "a number must not begin with 0"
		}
	case isDigit(b[i]):
		i = digits(b, i)
	default:
		return i, "a number needs a digit here"
	}
	if i < len(b) && b[i] == '.' {
		j := digits(b, i+1)
		if j == i+1 {
			return j, "a number needs a digit after its point"
		}
		i = j
	}
	if i < len(b) && (b[i] == 'e' || b[i] == 'E') {
		i++
		if i < len(b) && (b[i] == '+' || b[i] == '-') {
			i++
		}
		j := digits(b, i)
		if j == i {
			return j, "a number needs a digit in its exponent"
		}
		if len(trimZeros(b[i:j])) > 4 || atoi(b[i:j]) > maxNumber {
			return start, numberOut
		}
		i = j
	}
	if i-start > maxNumber {
		return start, numberOut
	}
	return i, ""
}

func trimZeros(b []byte) []byte {
	for len(b) > 0 && b[0] == '0' {
		b = b[1:]
	}
	return b
}

func atoi(b []byte) (n int) {
	for _, c := range b {
		n = n*10 + int(c-'0')
	}
	return n
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

func digits(b []byte, i int) int {
	for i < len(b) && isDigit(b[i]) {
		i++
	}
	return i
}

// AppendText appends to dst what the string at b[0] stands for: the text
// between its quotes with the escapes undone. The string must be valid.
func AppendText(dst, b []byte) []byte {
	b = b[1 : len(b)-1]
	for i := 0; i < len(b); {
		if b[i] != '\\' {
			dst = append(dst, b[i])
			i++
			continue
		}
		switch c := b[i+1]; c {
		case 'u':
			r, _ := hex4(b, i+2)
			i += 6
			if r >= 0xd800 && r < 0xdc00 && i+6 <= len(b) {
				low, _ := hex4(b, i+2)
				r = (r-0xd800)<<10 + (low - 0xdc00) + 0x10000
				i += 6
			}
			dst = utf8.AppendRune(dst, r)
		default:
			dst = append(dst, simpleEscape(c))
			i += 2
		}
	}
	return dst
}

// simpleEscape is the byte that a backslash and c stand for.
func simpleEscape(c byte) byte {
	switch c {
	case 'b':
		return '\b'
	case 'f':
		return '\f'
	case 'n':
		return '\n'
	case 'r':
		return '\r'
	case 't':
		return '\t'
	}
	return c
}
