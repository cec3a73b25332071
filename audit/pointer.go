package audit

import (
	"iter"
	"strconv"
	"strings"

	"github.com/toolpost/toolpost/internal/jsonx"
)

// members is the names, as they are written, and the values of the object doc,
// which is compact and valid. Of what is not valid it is the members before that.
func members(doc []byte) iter.Seq2[[]byte, []byte] {
	return func(yield func([]byte, []byte) bool) {
		for i := 1; i < len(doc) && doc[i] == '"'; i++ {
			end := stringEnd(doc, i)
			if end >= len(doc) || doc[end] != ':' || end < i+2 {
				return
			}
			name := doc[i+1 : end-1]
			i = valueEnd(doc, end+1)
			if !yield(name, doc[end+1:i]) || i >= len(doc) || doc[i] != ',' {
				return
			}
		}
	}
}

// valueEnd is the index after the value at doc[i].
func valueEnd(doc []byte, i int) int {
	for depth := 0; i < len(doc); {
		switch doc[i] {
		case '"':
			i = stringEnd(doc, i)
			continue
		case '{', '[':
			depth++
		case '}', ']':
			if depth == 0 {
				return i
			}
			depth--
		case ',':
			if depth == 0 {
				return i
			}
		}
		i++
	}
	return i
}

// pointers is the JSON pointer (RFC 6901) and the offset of every string that
// is a value in doc, which is compact and valid.
func pointers(doc []byte) iter.Seq2[string, int] {
	return func(yield func(string, int) bool) {
		walkStrings(doc, 0, "", yield)
	}
}

var escapePointer = strings.NewReplacer("~", "~0", "/", "~1")

// walkStrings yields the strings of the value at doc[i], and returns the index
// after it and whether to go on.
func walkStrings(doc []byte, i int, at string, yield func(string, int) bool) (int, bool) {
	switch doc[i] {
	case '"':
		return stringEnd(doc, i), yield(at, i)
	case '{':
		for i++; doc[i] != '}'; {
			if doc[i] == ',' {
				i++
			}
			end := stringEnd(doc, i)
			name := string(jsonx.AppendText(nil, doc[i:end]))
			next, more := walkStrings(doc, end+1, at+"/"+escapePointer.Replace(name), yield)
			if !more {
				return next, false
			}
			i = next
		}
		return i + 1, true
	case '[':
		i++
		for n := 0; doc[i] != ']'; n++ {
			if doc[i] == ',' {
				i++
			}
			next, more := walkStrings(doc, i, at+"/"+strconv.Itoa(n), yield)
			if !more {
				return next, false
			}
			i = next
		}
		return i + 1, true
	}
	for i < len(doc) && doc[i] != ',' && doc[i] != '}' && doc[i] != ']' {
		i++
	}
	return i, true
}
