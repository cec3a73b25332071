package ollama

import (
	"encoding/base64"
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/toolpost/toolpost/internal/jsonx"
	"github.com/toolpost/toolpost/internal/wire"
	"github.com/toolpost/toolpost/llm"
	"github.com/toolpost/toolpost/tool"
)

// own are the members that a request's Extra may not replace.
var own = []string{"model", "messages", "tools", "stream"}

func (x *exchange) readExtra() error {
	if len(x.req.Extra) == 0 {
		return nil
	}
	if err := jsonx.Unmarshal(x.req.Extra, &x.extra); err != nil {
		return tool.Errorf(tool.CodeInvalid, "extra members of the request must be a JSON object: %w", err)
	}
	for _, k := range own {
		if x.has(k) {
			return tool.Errorf(tool.CodeInvalid, "extra members of the request must not set %q: use the field that is there for it", k)
		}
	}
	return nil
}

// has reports whether the request's Extra sets the member k, which then wins.
func (x *exchange) has(k string) bool { _, ok := x.extra[k]; return ok }

// encode is the body of the request.
func (x *exchange) encode() ([]byte, error) {
	if err := x.readExtra(); err != nil {
		return nil, err
	}
	offers, err := x.chosen()
	if err != nil {
		return nil, err
	}
	o := &wire.Object{B: append(make([]byte, 0, 4096), '{')}
	o.Str("model", x.model)
	x.messages(o)
	if len(offers) > 0 {
		functions(o, offers)
	}
	o.Raw("stream", strconv.FormatBool(!x.c.Whole))
	if e := x.req.Effort; e != "" && !x.has("think") {
		think, err := x.think(e)
		if err != nil {
			return nil, err
		}
		o.Raw("think", think)
	}
	if err := x.options(o); err != nil {
		return nil, err
	}
	for _, k := range slices.Sorted(maps.Keys(x.extra)) {
		if k != "options" {
			o.JSON(k, x.extra[k])
		}
	}
	return append(o.B, '}'), nil
}

// efforts is the level of reasoning for each effort.
var efforts = map[string]string{"none": "low", "minimal": "low", "low": "low", "medium": "medium", "high": "high", "xhigh": "high", "max": "high"}

// leveled is in the names of models that take a level, and cannot but think;
// servers refuse a level for any other, which thinks or does not.
const leveled = "gpt-oss"

func (x *exchange) think(effort string) (string, error) {
	level, ok := efforts[effort]
	switch {
	case !ok:
		return "", tool.Errorf(tool.CodeInvalid, "reasoning effort %q is unknown: use none, minimal, low, medium, high, xhigh or max", effort)
	case strings.Contains(strings.ToLower(x.model), leveled):
		return `"` + level + `"`, nil
	}
	return strconv.FormatBool(effort != "none"), nil
}

// chosen is the tools to offer. A choice of none offers none; another cannot be
// told to the server.
func (x *exchange) chosen() ([]wire.Offer, error) {
	switch c := x.req.Choice; c.Mode {
	case llm.ChoiceAuto:
		return x.tools.Offers(), nil
	case llm.ChoiceNone:
		return nil, nil
	case llm.ChoiceRequired, llm.ChoiceTool:
		return nil, tool.Errorf(tool.CodeInvalid, "tool choice %q: %s does not let a call be forced; leave the choice to the model", c.Mode, x.c.name())
	default:
		return nil, tool.Errorf(tool.CodeInvalid, "tool choice %q is unknown: use none, required or tool", c.Mode)
	}
}

// options are what the model is run with; those of the request's Extra win.
func (x *exchange) options(o *wire.Object) error {
	all := map[string]json.RawMessage{}
	if x.c.Context > 0 {
		all["num_ctx"] = strconv.AppendInt(nil, int64(x.c.Context), 10)
	}
	if x.req.MaxTokens > 0 {
		all["num_predict"] = strconv.AppendInt(nil, int64(x.req.MaxTokens), 10)
	}
	if x.req.Temp != nil {
		all["temperature"] = strconv.AppendFloat(nil, *x.req.Temp, 'g', -1, 64)
	}
	if x.has("options") {
		var extra map[string]json.RawMessage
		if err := jsonx.Unmarshal(x.extra["options"], &extra); err != nil {
			return tool.Errorf(tool.CodeInvalid, "extra member options of the request must be a JSON object: %w", err)
		}
		maps.Copy(all, extra)
	}
	if len(all) == 0 {
		return nil
	}
	o.Key("options")
	o.Put("{")
	for _, k := range slices.Sorted(maps.Keys(all)) {
		o.JSON(k, all[k])
	}
	o.Put("}")
	return nil
}

func functions(o *wire.Object, offers []wire.Offer) {
	o.Key("tools")
	o.Put("[")
	for _, t := range offers {
		o.Next(`{"type":"function","function":{`)
		o.Str("name", t.Name)
		o.Str("description", t.Description)
		o.JSON("parameters", t.View.Schema)
		o.Put("}}")
	}
	o.Put("]")
}

func (x *exchange) messages(o *wire.Object) {
	o.Key("messages")
	o.Put("[")
	if x.req.System != "" {
		o.Next("{")
		o.Str("role", "system")
		o.Str("content", llm.Clean(x.req.System))
		o.Put("}")
	}
	msgs := llm.Sanitize(x.req.Messages, llm.Profile{
		Provider: x.c.name(), API: API, Model: x.model,
		IDs: llm.IDsOpenAI, ResultImages: true,
	})
	for i := range msgs {
		m := &msgs[i]
		switch m.Role {
		case llm.RoleAssistant:
			x.reply(o, m)
		case llm.RoleTool:
			for j := range m.Blocks {
				result(o, m.Blocks[j].Result)
			}
		default:
			o.Next("{")
			o.Str("role", string(m.Role))
			o.Str("content", m.Text())
			images(o, m.Blocks, func(b *llm.Block) *tool.Content { return &b.Content })
			o.Put("}")
		}
	}
	o.Put("]")
}

// images is the pictures among list, as a member.
func images[T any](o *wire.Object, list []T, of func(*T) *tool.Content) {
	begun := false
	for i := range list {
		c := of(&list[i])
		if c.Type != tool.ContentImage {
			continue
		}
		if !begun {
			begun = true
			o.Key("images")
			o.Put("[")
		}
		o.Next(`"`)
		o.B = base64.StdEncoding.AppendEncode(o.B, c.Data)
		o.Put(`"`)
	}
	if begun {
		o.Put("]")
	}
}

func (x *exchange) reply(o *wire.Object, m *llm.Message) {
	o.Next("{")
	o.Str("role", "assistant")
	o.Str("content", m.Text())
	var thinking string
	for i := range m.Blocks {
		thinking += m.Blocks[i].Thinking
	}
	if thinking != "" {
		o.Str("thinking", thinking)
	}
	if m.Calls() > 0 {
		o.Key("tool_calls")
		o.Put("[")
		n := 0
		for i := range m.Blocks {
			c := m.Blocks[i].Call
			if c == nil {
				continue
			}
			o.Next("{")
			o.Str("id", c.ProviderID)
			o.Key("function")
			o.Put("{")
			o.Num("index", n)
			o.Str("name", llm.WireName(c.Tool))
			o.JSON("arguments", x.tools.Express(c.Tool, c.Args))
			o.Put("}}")
			n++
		}
		o.Put("]")
	}
	o.Put("}")
}

func result(o *wire.Object, r *tool.Result) {
	o.Next("{")
	o.Str("role", "tool")
	o.Str("tool_name", llm.WireName(r.Tool))
	o.Str("tool_call_id", r.ProviderID)
	o.Str("content", llm.ResultText(r))
	images(o, r.Content, func(c *tool.Content) *tool.Content { return c })
	o.Put("}")
}
