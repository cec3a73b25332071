package scripted

import (
	"encoding/json"
	"fmt"
	"strconv"
	"time"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"

	"github.com/toolpost/toolpost/internal/jsonx"
)

// A span is a duration such as 20ms; a bare number is milliseconds.
type span time.Duration

// UnmarshalYAML reads the node itself, so that an error can say where it is.
func (s *span) UnmarshalYAML(n ast.Node) error {
	text := n.GetToken().Value
	d, err := time.ParseDuration(text)
	if err != nil {
		d, err = time.ParseDuration(text + "ms")
	}
	if err != nil || d < 0 {
		return &yaml.SyntaxError{Message: strconv.Quote(text) + " is no duration: write 20ms, 1.5s or the like", Token: n.GetToken()}
	}
	*s = span(d)
	return nil
}

// words is a string or a list of them.
type words []string

func (w *words) UnmarshalYAML(unmarshal func(any) error) error {
	var one string
	if unmarshal(&one) == nil {
		*w = words{one}
		return nil
	}
	var list []string
	err := unmarshal(&list)
	*w = list
	return err
}

// A jsonDoc is a YAML value as JSON, members in their order.
type jsonDoc json.RawMessage

func (d *jsonDoc) UnmarshalYAML(unmarshal func(any) error) error {
	var v any
	if err := unmarshal(&v); err != nil {
		return err
	}
	b, err := appendJSON(nil, v)
	*d = b
	return err
}

func appendJSON(b []byte, v any) ([]byte, error) {
	var err error
	switch v := v.(type) {
	case yaml.MapSlice:
		b = append(b, '{')
		for i, item := range v {
			key, ok := item.Key.(string)
			if !ok {
				key = fmt.Sprint(item.Key)
			}
			if i > 0 {
				b = append(b, ',')
			}
			b = append(jsonx.AppendString(b, key), ':')
			if b, err = appendJSON(b, item.Value); err != nil {
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
			if b, err = appendJSON(b, e); err != nil {
				return nil, err
			}
		}
		return append(b, ']'), nil
	case string:
		return jsonx.AppendString(b, v), nil
	}
	lit, err := json.Marshal(v)
	if err != nil {
		return nil, fmt.Errorf("%v has no JSON form", v)
	}
	return append(b, lit...), nil
}
