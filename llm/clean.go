package llm

import (
	"strings"
	"unicode/utf8"

	"github.com/toolpost/toolpost/tool"
)

// Clean is s without NUL, DEL and the ASCII control characters other than line
// feed, carriage return and tab; bytes that are not UTF-8, such as half a
// surrogate pair, become U+FFFD. Text that is clean is returned as it is.
func Clean(s string) string {
	ok := true
	for i := 0; ok && i < len(s); i++ {
		c := s[i]
		ok = c >= ' ' && c < 0x7f || c == '\n' || c == '\t' || c == '\r'
	}
	if ok {
		return s
	}
	if !utf8.ValidString(s) {
		s = strings.ToValidUTF8(s, "\uFFFD")
	}
	return strings.Map(func(r rune) rune {
		if r < ' ' && r != '\n' && r != '\t' && r != '\r' || r == 0x7f {
			return -1
		}
		return r
	}, s)
}

// ResultText is what a model reads of a result: the envelope of one that did
// not succeed, else its text blocks, joined by line breaks.
func ResultText(r *tool.Result) string {
	if e := r.Envelope(); e != nil {
		return string(e)
	}
	if len(r.Content) == 1 {
		return r.Content[0].Text
	}
	var b strings.Builder
	for _, c := range r.Content {
		if c.Type != tool.ContentText {
			continue
		}
		if b.Len() > 0 {
			b.WriteByte('\n')
		}
		b.WriteString(c.Text)
	}
	return b.String()
}
