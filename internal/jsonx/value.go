package jsonx

import (
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// Unmarshal decodes the one JSON value in b into v, which must be a non-nil
// pointer. Duplicate names, invalid UTF-8 and trailing data are errors; names
// match fields with case; members without a field are ignored.
func Unmarshal(b []byte, v any) error {
	return json.Unmarshal(b, v)
}

// UnmarshalStrict is [Unmarshal], except that a member without a field is an
// error.
func UnmarshalStrict(b []byte, v any) error {
	return json.Unmarshal(b, v, json.RejectUnknownMembers(true))
}

// Marshal encodes v on one line. The members of maps are sorted by name, so
// equal values give equal bytes. Invalid UTF-8 in a string is an error.
func Marshal(v any) ([]byte, error) {
	return json.Marshal(v, json.Deterministic(true))
}

// AppendString appends s to dst as a JSON string. Bytes that are not UTF-8
// become U+FFFD, so the result is valid whatever s holds.
func AppendString(dst []byte, s string) []byte {
	dst, _ = jsontext.AppendQuote(dst, s) // its only error is invalid UTF-8, which it replaces
	return dst
}

// AppendCompact appends src to dst without the white space between tokens. The
// bytes of src must be valid JSON; else what is appended is not either.
func AppendCompact(dst, src []byte) []byte {
	for i := 0; i < len(src); {
		switch c := src[i]; {
		case c == ' ' || c == '\t' || c == '\n' || c == '\r':
			i++
		case c == '"':
			end, _, msg := String(src, i)
			if msg != "" {
				return append(dst, src[i:]...)
			}
			dst = append(dst, src[i:end]...)
			i = end
		default:
			dst = append(dst, c)
			i++
		}
	}
	return dst
}
