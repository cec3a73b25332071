package bedrock

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/toolpost/toolpost/internal/jsonx"
	"github.com/toolpost/toolpost/internal/wire"
	"github.com/toolpost/toolpost/llm"
	"github.com/toolpost/toolpost/tool"
)

const cachePoint = `{"cachePoint":{"type":"default"}}`

// encode is the body of the request.
func (x *exchange) encode() ([]byte, error) {
	if err := x.readExtra(); err != nil {
		return nil, err
	}
	h := x.history()
	o := &wire.Object{B: append(make([]byte, 0, 4096), '{')}
	h.system(o)
	h.messages(o)
	if err := x.offer(o, h.past); err != nil {
		return nil, err
	}
	if (x.req.MaxTokens > 0 || x.req.Temp != nil) && x.extra["inferenceConfig"] == nil {
		o.Key("inferenceConfig")
		o.Put("{")
		if x.req.MaxTokens > 0 {
			o.Num("maxTokens", x.req.MaxTokens)
		}
		if x.req.Temp != nil {
			o.Raw("temperature", strconv.FormatFloat(*x.req.Temp, 'g', -1, 64))
		}
		o.Put("}")
	}
	for _, k := range slices.Sorted(maps.Keys(x.extra)) {
		o.JSON(k, x.extra[k])
	}
	return append(o.B, '}'), nil
}

func (x *exchange) readExtra() error {
	if len(x.req.Extra) == 0 {
		return nil
	}
	if err := jsonx.Unmarshal(x.req.Extra, &x.extra); err != nil {
		return tool.Errorf(tool.CodeInvalid, "extra members of the request must be a JSON object: %w", err)
	}
	for _, k := range []string{"messages", "system", "toolConfig"} {
		if x.extra[k] != nil {
			return tool.Errorf(tool.CodeInvalid, "extra members of the request must not set %q: use the field that is there for it", k)
		}
	}
	return nil
}

// offer writes the tools. A history with calls needs some, so those that it calls
// are named where none is on offer.
func (x *exchange) offer(o *wire.Object, past []string) error {
	offers := x.tools.Offers()
	choice, err := x.choice()
	if err != nil {
		return err
	}
	if x.req.Choice.Mode == llm.ChoiceNone && len(past) == 0 {
		return nil // there is no word for none
	}
	if len(offers) == 0 && len(past) == 0 {
		return nil
	}
	o.Key("toolConfig")
	o.Put(`{"tools":[`)
	for i := range offers {
		t := &offers[i]
		o.Next(`{"toolSpec":{`)
		o.Str("name", t.Name)
		if t.Description != "" {
			o.Str("description", t.Description)
		}
		o.Put(`,"inputSchema":{`)
		o.JSON("json", t.View.Schema)
		o.Put("}}}")
	}
	if len(offers) == 0 {
		for _, name := range past {
			o.Next(`{"toolSpec":{`)
			o.Str("name", name)
			o.Put(`,"inputSchema":{"json":{"type":"object"}}}}`)
		}
	}
	if x.c.Cache {
		o.Next(cachePoint)
	}
	o.Put("]")
	if choice != "" && len(offers) > 0 {
		o.Raw("toolChoice", choice)
	}
	o.Put("}")
	return nil
}

func (x *exchange) choice() (string, error) {
	switch c := x.req.Choice; c.Mode {
	case llm.ChoiceAuto, llm.ChoiceNone:
		return "", nil
	case llm.ChoiceRequired:
		return `{"any":{}}`, nil
	case llm.ChoiceTool:
		o := wire.Object{B: []byte(`{"tool":{`)}
		o.Str("name", llm.WireName(c.Name))
		return string(o.B) + "}}", nil
	default:
		return "", tool.Errorf(tool.CodeInvalid, "tool choice %q is unknown: use none, required or tool", c.Mode)
	}
}

// flags reports whether the model is told by a flag that a result is an error;
// others refuse it.
func (x *exchange) flags() bool {
	m := strings.ToLower(x.model)
	return strings.Contains(m, "claude") || strings.Contains(m, "nova")
}
