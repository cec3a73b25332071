package builtin

import (
	"bytes"
	"fmt"
	"regexp"
	"strings"
	"unicode/utf8"
)

// query is what a search looks for in a line; the zero query matches any file
// and looks into none.
type query struct {
	re      *regexp.Regexp // nil for plain text
	literal []byte
	whole   *regexp.Regexp // matches a file in which some line may match; nil if that is not known
	note    string         // for the model
}

func newQuery(text string, literal bool) query {
	q := query{literal: []byte(text)}
	if literal || text == "" || regexp.QuoteMeta(text) == text {
		return q
	}
	re, err := regexp.Compile(text)
	if err != nil {
		q.note = fmt.Sprintf("the query is no regular expression and was searched as plain text: %s", strings.TrimPrefix(err.Error(), "error parsing regexp: "))
		return q
	}
	q.re = re
	// \A, \z and switched-off flags mean a line to us and the file to it.
	if !strings.Contains(text, `\A`) && !strings.Contains(text, `\z`) && !strings.Contains(text, "(?") {
		q.whole, _ = regexp.Compile("(?m:" + text + ")")
	}
	return q
}

// mayMatch reports whether some line of a file can match; it may err by yes.
func (q *query) mayMatch(content []byte) bool {
	switch {
	case q.re == nil:
		return bytes.Contains(content, q.literal)
	case q.whole == nil, bytes.IndexByte(content, '\r') >= 0:
		return true
	}
	return q.whole.Match(content)
}

// match is where a line matches first, or -1.
func (q *query) match(line []byte) int {
	if q.re == nil {
		return bytes.Index(line, q.literal)
	}
	if loc := q.re.FindIndex(line); loc != nil {
		return loc[0]
	}
	return -1
}

// cutLine is a line of at most lineCut characters that shows what is at byte at.
func cutLine(line []byte, at int) string {
	const lead = 100 // characters shown before a match far to the right
	text := strings.ToValidUTF8(string(line), "\uFFFD")
	if utf8.RuneCountInString(text) <= lineCut {
		return text
	}
	before := utf8.RuneCount(line[:at])
	runes := []rune(text)
	if before <= lineCut-lead {
		return string(runes[:lineCut-1]) + "…"
	}
	from := min(before-lead, len(runes)-lineCut+1)
	if from+lineCut-1 >= len(runes) {
		return "…" + string(runes[from:])
	}
	return "…" + string(runes[from:from+lineCut-2]) + "…"
}
