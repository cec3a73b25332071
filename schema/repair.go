package schema

import (
	"bytes"
	"unicode/utf8"

	"github.com/toolpost/toolpost/internal/jsonx"
)

// What [Repair] does.
const (
	RepairFence     = "code fence stripped"
	RepairSpace     = "surrounding space stripped"
	RepairControl   = "control characters escaped"
	RepairComma     = "trailing commas dropped"
	RepairLiteral   = "Python literals written as JSON"
	RepairBackslash = "invalid escapes doubled"
)

// Repair makes JSON of text that fails to be it only in its writing. No value
// is added, dropped, closed or guessed:
//
//   - a code fence, or space that JSON does not know, around the whole is
//     stripped;
//   - control characters inside strings become escapes;
//   - a comma before a closing bracket is dropped;
//   - True, False and None outside strings become true, false and null;
//   - a backslash that begins no escape (\d, \.) is doubled, unless its string
//     also has \n, \t, \b, \f or \r, or the escape \', of which one cannot know
//     what was meant.
//
// It reports what it did, and whether fixed is JSON; if not, fixed is the text
// as it came. Text that is JSON is returned as it is. Only arguments that the
// provider called finished may be repaired: a text that was cut off stays
// broken.
func Repair(args []byte) (fixed []byte, what []string, ok bool) {
	if jsonx.Check(args) == nil {
		return args, nil, true
	}
	if !utf8.Valid(args) {
		return args, nil, false
	}
	r := &repairer{}
	body := r.strip(args)
	if !r.walk(body) || jsonx.Check(r.out) != nil {
		return args, nil, false
	}
	return r.out, r.what, true
}

type repairer struct {
	out  []byte
	what []string
}

func (r *repairer) did(what string) {
	for _, w := range r.what {
		if w == what {
			return
		}
	}
	r.what = append(r.what, what)
}

// strip takes off what stands around the whole.
func (r *repairer) strip(b []byte) []byte {
	inner := trimSpace(b)
	if len(inner) > 6 && bytes.HasPrefix(inner, []byte("```")) && bytes.HasSuffix(inner, []byte("```")) {
		head, rest, found := bytes.Cut(inner[3:len(inner)-3], []byte("\n"))
		if label := string(bytes.TrimSpace(head)); found && (label == "" || label == "json" || label == "JSON" || label == "json5" || label == "jsonc") {
			r.did(RepairFence)
			return trimSpace(rest)
		}
	}
	if len(inner) < len(bytes.Trim(b, " \t\r\n")) {
		r.did(RepairSpace)
	}
	return inner
}

func trimSpace(b []byte) []byte {
	return bytes.TrimSpace(bytes.Trim(bytes.TrimSpace(b), "\uFEFF"))
}

// walk copies the text token by token, as far as it has tokens.
func (r *repairer) walk(b []byte) bool {
	for i := 0; i < len(b); {
		switch c := b[i]; {
		case c == '"':
			end, ok := r.str(b, i)
			if !ok {
				return false
			}
			i = end
		case c == ',':
			next := jsonx.Space(b, i+1)
			if next < len(b) && (b[next] == '}' || b[next] == ']') && r.afterValue() {
				r.did(RepairComma)
			} else {
				r.out = append(r.out, c)
			}
			i++
		case c >= 'A' && c <= 'Z':
			end := i
			for end < len(b) && (b[end]|0x20 >= 'a' && b[end]|0x20 <= 'z' || b[end] >= '0' && b[end] <= '9' || b[end] == '_') {
				end++
			}
			word, ok := map[string]string{"True": "true", "False": "false", "None": "null"}[string(b[i:end])]
			if !ok {
				return false
			}
			r.did(RepairLiteral)
			r.out = append(r.out, word...)
			i = end
		default:
			r.out = append(r.out, c)
			i++
		}
	}
	return true
}

// afterValue reports whether what was written ends with a value.
func (r *repairer) afterValue() bool {
	b := bytes.TrimRight(r.out, " \t\r\n")
	return len(b) > 0 && b[len(b)-1] != ',' && b[len(b)-1] != '[' && b[len(b)-1] != '{' && b[len(b)-1] != ':'
}

// str copies the string at b[i] and returns the index after it.
func (r *repairer) str(b []byte, i int) (int, bool) {
	r.out = append(r.out, '"')
	doubled, doubtful := false, false
	for i++; i < len(b); i++ {
		c := b[i]
		switch {
		case c == '"':
			r.out = append(r.out, c)
			return i + 1, !doubled || !doubtful
		case c < 0x20:
			r.did(RepairControl)
			quoted := jsonx.AppendString(nil, string(rune(c)))
			r.out = append(r.out, quoted[1:len(quoted)-1]...)
		case c != '\\':
			r.out = append(r.out, c)
		case i+1 == len(b):
			return i, false
		default:
			size, valid := escape(b[i:])
			if !valid {
				if b[i+1] < 0x20 || b[i+1] == '\'' {
					return i, false
				}
				r.did(RepairBackslash)
				doubled = true
				r.out = append(r.out, '\\', '\\')
				continue
			}
			doubtful = doubtful || bytes.IndexByte([]byte("ntbfr"), b[i+1]) >= 0
			r.out = append(r.out, b[i:i+size]...)
			i += size - 1
		}
	}
	return i, false
}

// escape reads the escape that b begins with.
func escape(b []byte) (size int, valid bool) {
	switch b[1] {
	case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		return 2, true
	case 'u':
		if len(b) < 6 {
			return 0, false
		}
		for _, c := range b[2:6] {
			if !(c >= '0' && c <= '9' || c|0x20 >= 'a' && c|0x20 <= 'f') {
				return 0, false
			}
		}
		return 6, true
	}
	return 0, false
}
