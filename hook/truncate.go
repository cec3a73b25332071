package hook

import (
	"encoding/json"
	"fmt"
	"strconv"
	"unicode/utf8"

	"github.com/toolpost/toolpost/internal/jsonx"
)

// Truncate is doc, a JSON value, if it is not longer than limit bytes; else what
// of it fits, as a JSON value of at most limit bytes (of at least 2, for there
// is no shorter one that says nothing). The forms are those of seed 001:
//
//   - a string keeps its beginning and "... [truncated, original size: N bytes]",
//     N being the size of doc; when its end looks like an error or a summary,
//     the end follows;
//   - an array keeps the longest run of leading elements that fits, followed by
//     {"_truncated":true,"original_count":N}, N being the number of elements;
//   - anything else becomes {"_truncated_json":"<beginning>...","original_bytes":N}.
//
// Characters stay whole. Doc may be anything: what is not JSON is treated like
// an object.
func Truncate(doc json.RawMessage, limit int) json.RawMessage {
	limit = max(limit, 2)
	if len(doc) <= limit {
		return doc
	}
	start := jsonx.Space(doc, 0)
	valid := jsonx.Check(doc) == nil
	switch {
	case valid && doc[start] == '"':
		text := string(jsonx.AppendText(nil, doc[start:trimmed(doc)]))
		return jsonx.AppendString(nil, truncateString(text, limit, len(doc)))
	case valid && doc[start] == '[':
		return truncateArray(doc, start, limit)
	}
	return truncateObject(doc, limit)
}

// trimmed is the length of doc without trailing white space.
func trimmed(doc []byte) int {
	n := len(doc)
	for n > 0 && (doc[n-1] == ' ' || doc[n-1] == '\n' || doc[n-1] == '\r' || doc[n-1] == '\t') {
		n--
	}
	return n
}

// TruncateText is s if its form as a JSON string is not longer than limit bytes;
// else its beginning, and its end where that matters, as [Truncate] has it.
func TruncateText(s string, limit int) string {
	limit = max(limit, 2)
	size := sizeUpTo(s, limit)
	if size <= limit {
		return s
	}
	return truncateString(s, limit, jsonSize(s))
}

// truncateString is the part of s and the sentinel whose JSON form is not longer
// than limit; original is the size that the sentinel tells.
func truncateString(s string, limit, original int) string {
	text, _ := cut(s, limit, original)
	return text
}

// cut is truncateString, and how many bytes of s stand before the sentinel.
func cut(s string, limit, original int) (text string, head int) {
	sentinel := fmt.Sprintf("... [truncated, original size: %d bytes]", original)
	room := limit - jsonSize(sentinel)
	if room < 0 {
		return sentinel[:fits(sentinel, limit-2)], 0
	}
	tail := telling(s, room)
	if tail == "" {
		head = fits(s, room)
		return s[:head] + sentinel, head
	}
	head = atLine(s, fits(s, room-(jsonSize(tail)-2)-len(`\n`)))
	return s[:head] + sentinel + "\n" + tail, head
}

// truncateArray keeps leading elements of the array that opens at doc[start].
func truncateArray(doc []byte, start, limit int) json.RawMessage {
	var ends []int // after each element
	var keys jsonx.Keys
	i := jsonx.Space(doc, start+1)
	first := i
	for doc[i] != ']' {
		end, _ := jsonx.Value(doc, i, 0, &keys)
		ends = append(ends, end)
		if i = jsonx.Space(doc, end); doc[i] == ',' {
			i = jsonx.Space(doc, i+1)
		}
	}
	sentinel := `{"_truncated":true,"original_count":` + strconv.Itoa(len(ends)) + `}`
	n := 0
	for n < len(ends) && 1+(ends[n]-first)+1+len(sentinel)+1 <= limit {
		n++
	}
	out := append(make([]byte, 0, limit), '[')
	if n > 0 {
		out = append(append(out, doc[first:ends[n-1]]...), ',')
	}
	if len(out)+len(sentinel)+1 > limit {
		return json.RawMessage("[]")
	}
	return append(append(out, sentinel...), ']')
}

// truncateObject is doc's beginning in an envelope.
func truncateObject(doc []byte, limit int) json.RawMessage {
	const open, end = `{"_truncated_json":`, `,"original_bytes":`
	size := strconv.Itoa(len(doc))
	room := limit - len(open) - len(end) - len(size) - len(`}`) - len(`"..."`)
	if room < 0 {
		return json.RawMessage("{}")
	}
	text := string(doc[:min(len(doc), room+utf8.UTFMax)])
	out := append(make([]byte, 0, limit), open...)
	out = jsonx.AppendString(out, text[:fits(text, room)]+"...")
	return append(append(append(out, end...), size...), '}')
}

// charSize is how many bytes the character at the start of s takes in a JSON
// string, and how many it has.
func charSize(s string) (size, n int) {
	switch c := s[0]; {
	case c == '"' || c == '\\' || c == '\n' || c == '\r' || c == '\t' || c == '\b' || c == '\f':
		return 2, 1
	case c < ' ':
		return 6, 1
	case c < utf8.RuneSelf:
		return 1, 1
	}
	r, n := utf8.DecodeRuneInString(s)
	if r == utf8.RuneError && n == 1 {
		return 3, 1 // it is written as U+FFFD
	}
	return n, n
}

// jsonSize is the length of s as a JSON string, with the quotes.
func jsonSize(s string) int {
	total := 2
	for len(s) > 0 {
		size, n := charSize(s)
		total += size
		s = s[n:]
	}
	return total
}

// sizeUpTo is jsonSize, or some number above limit when it is above it.
func sizeUpTo(s string, limit int) int {
	if len(s) > limit {
		return len(s)
	}
	return jsonSize(s)
}

// fits is how many leading bytes of s take up to room bytes in a JSON string.
func fits(s string, room int) int {
	at := 0
	for at < len(s) {
		size, n := charSize(s[at:])
		if room -= size; room < 0 {
			break
		}
		at += n
	}
	return at
}

// lastFits is the index from which the end of s takes up to room bytes.
func lastFits(s string, room int) int {
	at := len(s)
	for at > 0 {
		_, n := utf8.DecodeLastRuneInString(s[:at])
		size, _ := charSize(s[at-n : at])
		if room -= size; room < 0 {
			break
		}
		at -= n
	}
	return at
}
