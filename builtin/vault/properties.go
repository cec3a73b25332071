package vault

import (
	"encoding/json"
	"fmt"
	"math"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"
)

// Bounds of the front matter that is read: a note is written by anyone.
const (
	mostYAML   = 64 << 10 // bytes
	mostValues = 10_000
)

// properties is the front matter of a note as JSON, nil if there is none, it is no
// object or it cannot be read. Front matter with aliases is not read: a few bytes
// of it can stand for any amount of data.
func properties(text string) json.RawMessage {
	src, _, ok := cutFrontmatter(text)
	if !ok || len(src) > mostYAML || aliased(src) {
		return nil
	}
	var top yaml.MapSlice
	if err := yaml.UnmarshalWithOptions([]byte(src), &top, yaml.UseOrderedMap()); err != nil || len(top) == 0 {
		return nil
	}
	left := mostValues
	out, err := appendJSON(nil, top, &left)
	if err != nil {
		return nil
	}
	return out
}

// aliased reports whether a document has aliases, or cannot be parsed.
func aliased(src string) bool {
	file, err := parser.ParseBytes([]byte(src), 0)
	if err != nil {
		return true
	}
	var found aliasFinder
	for _, doc := range file.Docs {
		if doc.Body != nil {
			ast.Walk(&found, doc.Body)
		}
	}
	return bool(found)
}

type aliasFinder bool

// Visit notes an alias.
func (f *aliasFinder) Visit(n ast.Node) ast.Visitor {
	if n != nil && n.Type() == ast.AliasType {
		*f = true
	}
	return f
}

// appendJSON writes a value that package yaml has read.
func appendJSON(b []byte, v any, left *int) ([]byte, error) {
	if *left--; *left < 0 {
		return nil, fmt.Errorf("more than %d values", mostValues)
	}
	var err error
	switch v := v.(type) {
	case yaml.MapSlice:
		b = append(b, '{')
		for i, m := range v {
			if i > 0 {
				b = append(b, ',')
			}
			if b, err = appendScalar(b, fmt.Sprint(m.Key)); err != nil {
				return nil, err
			}
			if b, err = appendJSON(append(b, ':'), m.Value, left); err != nil {
				return nil, err
			}
		}
		return append(b, '}'), nil
	case []any:
		b = append(b, '[')
		for i, e := range v {
			if i > 0 {
				b = append(b, ',')
			}
			if b, err = appendJSON(b, e, left); err != nil {
				return nil, err
			}
		}
		return append(b, ']'), nil
	case float64:
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return append(b, "null"...), nil
		}
	}
	return appendScalar(b, v)
}

func appendScalar(b []byte, v any) ([]byte, error) {
	s, err := json.Marshal(v)
	return append(b, s...), err
}
