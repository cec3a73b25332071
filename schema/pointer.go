package schema

import (
	"net/url"
	"strings"
)

var (
	pointerEscape   = strings.NewReplacer("~", "~0", "/", "~1")
	pointerUnescape = strings.NewReplacer("~1", "/", "~0", "~")
)

// join appends one token to a JSON pointer (RFC 6901).
func join(pointer, token string) string { return pointer + "/" + pointerEscape.Replace(token) }

// pointerOf writes tokens as a JSON pointer.
func pointerOf(tokens []string) string {
	var b strings.Builder
	for _, tok := range tokens {
		b.WriteByte('/')
		b.WriteString(pointerEscape.Replace(tok))
	}
	return b.String()
}

// tokensOf splits a JSON pointer.
func tokensOf(pointer string) []string {
	if pointer == "" {
		return nil
	}
	tokens := strings.Split(pointer[1:], "/")
	for i, tok := range tokens {
		tokens[i] = pointerUnescape.Replace(tok)
	}
	return tokens
}

// unescapeURL undoes the percent escapes of a URL fragment.
func unescapeURL(s string) string {
	if t, err := url.PathUnescape(s); err == nil {
		return t
	}
	return s
}
