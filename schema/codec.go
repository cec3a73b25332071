package schema

import (
	"github.com/toolpost/toolpost/internal/jsonx"
)

// Canonical returns doc in the form of RFC 8785: sorted, without white space,
// numbers as doubles. Numbers that are not finite as doubles are an error.
func Canonical(doc []byte) ([]byte, error) { return jsonx.Canonical(doc) }

// Hash returns the SHA-256 of the canonical form of doc in hexadecimal. Equal
// values have equal hashes however they are written; integers beyond 2^53,
// which the canonical form would merge, keep hashes of their own.
func Hash(doc []byte) (string, error) { return jsonx.Hash(doc) }

// Decode decodes doc, which should have passed [Schema.Check] or [Schema.Fit],
// into v, a pointer. Duplicate names and invalid UTF-8 are errors, names match
// with case, members without a field are ignored. A whole number that is written
// as 5.0 or 1e2 decodes into Go integers, because JSON Schema calls it an
// integer.
func Decode(doc []byte, v any) error {
	err := jsonx.Unmarshal(doc, v)
	if err == nil {
		return nil
	}
	if plain, changed := plainIntegers(doc); changed && jsonx.Unmarshal(plain, v) == nil {
		return nil
	}
	return err
}

// Encode is the counterpart of [Decode]: v on one line, map members sorted.
func Encode(v any) ([]byte, error) { return jsonx.Marshal(v) }

// plainIntegers rewrites whole numbers with a point or an exponent as digits.
func plainIntegers(doc []byte) ([]byte, bool) {
	if jsonx.Check(doc) != nil {
		return doc, false
	}
	out := make([]byte, 0, len(doc))
	changed := false
	for i := 0; i < len(doc); {
		switch c := doc[i]; {
		case c == '"':
			end, _, _ := jsonx.String(doc, i)
			out = append(out, doc[i:end]...)
			i = end
		case c == '-' || c >= '0' && c <= '9':
			end, _ := jsonx.Number(doc, i)
			lit := doc[i:end]
			i = end
			if _, plain := smallInt(lit); !plain {
				if d, ok := jsonx.ParseDecimal(lit); ok && d.IsInt() && len(lit) < 40 {
					if text := d.AppendInt(nil); len(text) < 40 {
						out, changed = append(out, text...), true
						continue
					}
				}
			}
			out = append(out, lit...)
		default:
			out = append(out, c)
			i++
		}
	}
	return out, changed
}
