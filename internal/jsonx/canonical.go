package jsonx

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"math"
	"math/big"
	"slices"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"
)

// Canonical returns b in the form of RFC 8785 (JCS): no white space, members
// sorted by the UTF-16 units of their names, numbers as ECMAScript writes a
// double. A number that is not finite as a double is an error. As the RFC has
// it, numbers are doubles: integers beyond ±2^53 that no double holds become
// their neighbour. Use [Hash] where they must not.
func Canonical(b []byte) ([]byte, error) {
	if err := Check(b); err != nil {
		return nil, err
	}
	c := canon{src: b, dst: make([]byte, 0, len(b))}
	c.value(Space(b, 0))
	if c.err != nil {
		return nil, c.err
	}
	return c.dst, nil
}

// Hash returns the SHA-256 of the canonical form of b in hexadecimal. It differs
// from the hash of [Canonical] in one point: an integer that no double holds
// exactly (9007199254740993) is written in full and marked with an n, so that
// two different integers never have one hash.
func Hash(b []byte) (string, error) {
	if err := Check(b); err != nil {
		return "", err
	}
	c := canon{src: b, dst: make([]byte, 0, len(b)), exact: true}
	c.value(Space(b, 0))
	if c.err != nil {
		return "", c.err
	}
	sum := sha256.Sum256(c.dst)
	return hex.EncodeToString(sum[:]), nil
}

// canon writes the canonical form of a text that has passed Check.
type canon struct {
	src, dst []byte
	exact    bool
	err      error
}

// value writes the value at src[i] and returns the index after it.
func (c *canon) value(i int) int {
	switch c.src[i] {
	case '{':
		return c.object(i)
	case '[':
		c.dst = append(c.dst, '[')
		for i = Space(c.src, i+1); c.src[i] != ']'; {
			i = Space(c.src, c.value(i))
			if c.src[i] == ',' {
				c.dst = append(c.dst, ',')
				i = Space(c.src, i+1)
			}
		}
		c.dst = append(c.dst, ']')
		return i + 1
	case '"':
		end, plain, _ := String(c.src, i)
		if plain {
			c.dst = append(c.dst, c.src[i:end]...)
		} else {
			c.dst = AppendString(c.dst, string(AppendText(nil, c.src[i:end])))
		}
		return end
	case 't', 'n':
		c.dst = append(c.dst, c.src[i:i+4]...)
		return i + 4
	case 'f':
		c.dst = append(c.dst, c.src[i:i+5]...)
		return i + 5
	}
	end, _ := Number(c.src, i)
	c.number(i, end)
	return end
}

type canonMember struct {
	name       string
	start, end int // its bytes in canon.dst
}

// object writes the members in the order of the source, then sorts them.
func (c *canon) object(i int) int {
	var members []canonMember
	base := len(c.dst)
	for i = Space(c.src, i+1); c.src[i] != '}'; {
		m := canonMember{start: len(c.dst)}
		end, _, _ := String(c.src, i)
		m.name = string(AppendText(nil, c.src[i:end]))
		c.dst = append(AppendString(c.dst, m.name), ':')
		i, _ = Colon(c.src, end)
		i = Space(c.src, c.value(i))
		m.end = len(c.dst)
		members = append(members, m)
		if c.src[i] == ',' {
			i = Space(c.src, i+1)
		}
	}
	slices.SortFunc(members, func(a, b canonMember) int { return cmpUTF16(a.name, b.name) })
	body := slices.Clone(c.dst[base:])
	c.dst = append(c.dst[:base], '{')
	for n, m := range members {
		if n > 0 {
			c.dst = append(c.dst, ',')
		}
		c.dst = append(c.dst, body[m.start-base:m.end-base]...)
	}
	c.dst = append(c.dst, '}')
	return i + 1
}

// cmpUTF16 compares by UTF-16 units, in which the characters beyond U+FFFF come
// before U+E000 to U+FFFF.
func cmpUTF16(a, b string) int {
	for a != "" && b != "" {
		r, n := utf8.DecodeRuneInString(a)
		s, m := utf8.DecodeRuneInString(b)
		if r != s {
			return cmp.Compare(firstUnit(r), firstUnit(s))*2 + cmp.Compare(r, s)
		}
		a, b = a[n:], b[m:]
	}
	return cmp.Compare(len(a), len(b))
}

func firstUnit(r rune) rune {
	if high, _ := utf16.EncodeRune(r); high != utf8.RuneError {
		return high
	}
	return r
}

func (c *canon) number(i, end int) {
	lit := c.src[i:end]
	f, err := strconv.ParseFloat(string(lit), 64)
	if err != nil || math.IsInf(f, 0) {
		if c.err == nil {
			c.err = NewSyntaxError(c.src, i, fmt.Sprintf("number %.40s is out of the range of a double", lit))
		}
		return
	}
	if c.exact && math.Abs(f) >= 1<<53 {
		if d, ok := ParseDecimal(lit); ok && d.IsInt() {
			text := d.AppendInt(nil)
			near, _ := big.NewFloat(f).Int(nil)
			if string(text) != near.String() {
				c.dst = append(append(c.dst, text...), 'n')
				return
			}
		}
	}
	c.dst = appendDouble(c.dst, f)
}

// appendDouble writes f as Number.prototype.toString of ECMAScript does.
func appendDouble(dst []byte, f float64) []byte {
	if f == 0 {
		return append(dst, '0') // -0 as well
	}
	if a := math.Abs(f); a >= 1e-6 && a < 1e21 {
		return strconv.AppendFloat(dst, f, 'f', -1, 64)
	}
	dst = strconv.AppendFloat(dst, f, 'e', -1, 64)
	// Go writes at least two digits of exponent, ECMAScript as few as it can.
	if n := len(dst); dst[n-2] == '0' && (dst[n-3] == '-' || dst[n-3] == '+') {
		dst[n-2] = dst[n-1]
		dst = dst[:n-1]
	}
	return dst
}
