// Package passage finds and replaces passages of a text as a model names them: by
// the text itself, whatever its line ends. An [Edit] that fits no place, or more
// than one, says so with what it takes to correct it.
//
// It knows no files and no regular expressions.
package passage

import (
	"fmt"
	"strings"
)

// span is a passage of a text, in bytes.
type span struct{ start, end int }

// find is where old occurs in text: apart from one another if all are to be
// replaced, else every place at which it begins, since two places that overlap
// are as ambiguous as two apart. If old does not occur as it is, line ends are
// taken as equal whether written LF or CRLF.
func find(text, old string, apart bool) []span {
	if spans := findExact(text, old, apart); len(spans) > 0 {
		return spans
	}
	if !strings.Contains(text, "\r\n") && !strings.Contains(old, "\r\n") {
		return nil
	}
	flat, at := flatten(text)
	spans := findExact(flat, strings.ReplaceAll(old, "\r\n", "\n"), apart)
	for i, s := range spans {
		spans[i] = span{at(s.start), at(s.end)}
	}
	return spans
}

func findExact(text, old string, apart bool) []span {
	if old == "" {
		return nil
	}
	var spans []span
	for from := 0; ; {
		i := strings.Index(text[from:], old)
		if i < 0 {
			return spans
		}
		start := from + i
		spans = append(spans, span{start, start + len(old)})
		from = start + 1
		if apart {
			from = start + len(old)
		}
	}
}

// flatten is text with LF for each CRLF, and a function from places in it to
// places in text. A place behind an LF is behind the whole line end; a place
// before it is before the CR. It must be asked for ascending places.
func flatten(text string) (string, func(int) int) {
	flat := strings.ReplaceAll(text, "\r\n", "\n")
	var crs []int // places in flat of the LFs that had a CR
	for i, j := 0, 0; i < len(text); i, j = i+1, j+1 {
		if text[i] == '\r' && i+1 < len(text) && text[i+1] == '\n' {
			crs = append(crs, j)
			i++
		}
	}
	return flat, func(pos int) int {
		lo, hi := 0, len(crs)
		for lo < hi {
			if mid := (lo + hi) / 2; crs[mid] < pos {
				lo = mid + 1
			} else {
				hi = mid
			}
		}
		return pos + lo
	}
}

// replaceSpans puts text in place of each span, with the line ends that are
// used there.
func replaceSpans(text string, spans []span, replacement string) string {
	var out strings.Builder
	whole := lineEnd(text)
	last := 0
	for _, s := range spans {
		end := whole
		if own := lineEnd(text[s.start:s.end]); own != "" {
			end = own
		}
		out.WriteString(text[last:s.start])
		out.WriteString(withLineEnds(replacement, end))
		last = s.end
	}
	out.WriteString(text[last:])
	return out.String()
}

// lineEnd is the line end that most lines of a text have, "" if it has none.
func lineEnd(text string) string {
	lf := strings.Count(text, "\n")
	crlf := strings.Count(text, "\r\n")
	switch {
	case lf == 0:
		return ""
	case crlf*2 > lf:
		return "\r\n"
	}
	return "\n"
}

func withLineEnds(text, end string) string {
	if end == "" {
		return text
	}
	text = strings.ReplaceAll(text, "\r\n", "\n")
	if end == "\n" {
		return text
	}
	return strings.ReplaceAll(text, "\n", end)
}

// lineList is the line numbers of up to five spans.
func lineList(text string, spans []span) string {
	const most = 5
	var out []string
	for _, s := range spans[:min(len(spans), most)] {
		out = append(out, fmt.Sprint(strings.Count(text[:s.start], "\n")+1))
	}
	if len(spans) > most {
		out = append(out, "…")
	}
	return strings.Join(out, ", ")
}
