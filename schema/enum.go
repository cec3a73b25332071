package schema

import (
	"encoding/json"

	"github.com/toolpost/toolpost/internal/jsonx"
)

// StringEnum is the schema of a property that holds one of values. It is a list
// of enum values rather than a union of constants, because every provider takes
// that form. desc may be empty.
func StringEnum(desc string, values ...string) json.RawMessage {
	return stringEnum(`{"type":"string"`, desc, values, "")
}

// OptionalStringEnum is [StringEnum] for a property that may also be null, which
// is how providers that make every property required spell "left out".
func OptionalStringEnum(desc string, values ...string) json.RawMessage {
	return stringEnum(`{"type":["string","null"]`, desc, values, "null")
}

func stringEnum(head, desc string, values []string, last string) json.RawMessage {
	b := []byte(head)
	if desc != "" {
		b = jsonx.AppendString(append(b, `,"description":`...), desc)
	}
	b = append(b, `,"enum":[`...)
	for i, v := range values {
		if i > 0 {
			b = append(b, ',')
		}
		b = jsonx.AppendString(b, v)
	}
	if last != "" {
		if len(values) > 0 {
			b = append(b, ',')
		}
		b = append(b, last...)
	}
	return append(b, "]}"...)
}
