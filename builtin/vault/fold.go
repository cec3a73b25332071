package vault

import (
	"strings"
	"unicode/utf8"
)

// folded finds out fast that a text has no match of a plain query, whatever the
// case of its letters: most notes have none. The zero value may always match.
type folded struct {
	query string // ASCII; empty if nothing can be said
}

func newFolded(query string) folded {
	for i := range len(query) {
		if query[i] >= utf8.RuneSelf {
			return folded{}
		}
	}
	return folded{query}
}

// mayMatch reports whether the text has the query. It may err by yes.
func (f folded) mayMatch(text string) bool {
	if f.query == "" || strings.Contains(text, "\u212a") || strings.Contains(text, "\u017f") {
		return true // a Kelvin sign is a k, a long s an s
	}
	low, high := strings.ToLower(f.query[:1])[0], strings.ToUpper(f.query[:1])[0]
	nextLow, nextHigh := strings.IndexByte(text, low), strings.IndexByte(text, high)
	for nextLow >= 0 || nextHigh >= 0 {
		at := nextLow
		if at < 0 || nextHigh >= 0 && nextHigh < at {
			at = nextHigh
		}
		if end := at + len(f.query); end > len(text) {
			return false
		} else if strings.EqualFold(text[at:end], f.query) {
			return true
		}
		if at == nextLow {
			nextLow = nextByte(text, at+1, low)
		}
		if at == nextHigh {
			nextHigh = nextByte(text, at+1, high)
		}
	}
	return false
}

// nextByte is where b comes next in text, from a place on; -1 if it does not.
func nextByte(text string, from int, b byte) int {
	if i := strings.IndexByte(text[from:], b); i >= 0 {
		return from + i
	}
	return -1
}
