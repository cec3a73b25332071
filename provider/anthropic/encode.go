package anthropic

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

// own are the members that a request's Extra may not replace.
var own = []string{"model", "messages", "tools", "stream", "system", "tool_choice"}

// encode is the body of the request.
func (x *exchange) encode() ([]byte, error) {
	if err := x.readExtra(); err != nil {
		return nil, err
	}
	o := &wire.Object{B: append(make([]byte, 0, 4096), '{')}
	o.Str("model", x.model)
	if !x.has("max_tokens") {
		o.Num("max_tokens", x.most())
	}
	if !x.c.Whole {
		o.Raw("stream", "true")
	}
	h := x.history()
	x.offer(o)
	if err := x.choice(o); err != nil {
		return nil, err
	}
	h.tools(o)
	h.system(o)
	h.messages(o)
	x.think(o, h)
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
	for _, k := range own {
		if x.has(k) {
			return tool.Errorf(tool.CodeInvalid, "extra members of the request must not set %q: use the field that is there for it", k)
		}
	}
	return nil
}

// has reports whether the request's Extra sets the member k, which then wins.
func (x *exchange) has(k string) bool { _, ok := x.extra[k]; return ok }

// most is how many tokens the reply may have; the API wants it said.
func (x *exchange) most() int {
	switch {
	case x.req.MaxTokens > 0:
		return x.req.MaxTokens
	case x.c.MaxTokens > 0:
		return x.c.MaxTokens
	}
	if x.c.Whole {
		return min(x.kind.write, maxWhole)
	}
	return x.kind.write
}

// maxWhole is what a reply in one piece may have if nobody says more: a
// connection on which nothing comes for many minutes is cut by those between.
const maxWhole = 16_000

// cacheControl is a breakpoint: what stands before it is kept for the next
// request. At most four are allowed.
func (x *exchange) cacheControl(o *wire.Object) {
	switch x.c.Cache {
	case CacheNone:
	case CacheHour:
		o.Raw("cache_control", `{"type":"ephemeral","ttl":"1h"}`)
	default:
		o.Raw("cache_control", `{"type":"ephemeral"}`)
	}
}

func (x *exchange) offer(o *wire.Object) {
	offers := x.tools.Offers()
	if len(offers) == 0 {
		return
	}
	o.Key("tools")
	o.Put("[")
	for i := range offers {
		t := &offers[i]
		o.Next("{")
		o.Str("name", t.Name)
		if t.Description != "" {
			o.Str("description", t.Description)
		}
		o.JSON("input_schema", t.View.Schema)
		if i == len(offers)-1 {
			x.cacheControl(o)
		}
		o.Put("}")
	}
	o.Put("]")
}

// tools names the tools that the history calls where none is on offer: the API
// refuses calls of tools that it is not told of.
func (h *history) tools(o *wire.Object) {
	if len(h.x.tools.Offers()) > 0 || len(h.past) == 0 {
		return
	}
	o.Key("tools")
	o.Put("[")
	for _, name := range h.past {
		o.Next("{")
		o.Str("name", name)
		o.Raw("input_schema", `{"type":"object"}`)
		o.Put("}")
	}
	o.Put("]")
	o.Raw("tool_choice", `{"type":"none"}`)
}

func (x *exchange) choice(o *wire.Object) error {
	c := x.req.Choice
	kind := ""
	switch c.Mode {
	case llm.ChoiceAuto:
		kind = "auto"
	case llm.ChoiceNone:
		kind = "none"
	case llm.ChoiceRequired:
		kind = "any"
	case llm.ChoiceTool:
		kind = "tool"
	default:
		return tool.Errorf(tool.CodeInvalid, "tool choice %q is unknown: use none, required or tool", c.Mode)
	}
	if len(x.tools.Offers()) == 0 || kind == "auto" && !x.req.Serial {
		return nil
	}
	o.Key("tool_choice")
	o.Put("{")
	o.Str("type", kind)
	if kind == "tool" {
		o.Str("name", llm.WireName(c.Name))
	}
	if x.req.Serial && kind != "none" {
		o.Raw("disable_parallel_tool_use", "true")
	}
	o.Put("}")
	return nil
}

// forced reports whether the model must call, which excludes that it thinks.
func (x *exchange) forced() bool {
	return len(x.tools.Offers()) > 0 && (x.req.Choice.Mode == llm.ChoiceRequired || x.req.Choice.Mode == llm.ChoiceTool)
}

// budget is how many tokens of thinking are asked for; 0 if none.
func (x *exchange) budget() int {
	n, ok := budgets[strings.ToLower(x.req.Effort)]
	if !ok {
		n = budgets["medium"]
	}
	if n = min(n, x.most()/2); n < minBudget {
		return 0
	}
	return n
}

// thinks reports whether the model is asked to think.
func (x *exchange) thinks() bool {
	if e := x.req.Effort; e == "" || e == "none" || x.forced() || x.has("thinking") {
		return false
	}
	return x.kind.think == thinkAdaptive || x.kind.think == thinkBudget && x.budget() > 0
}

// think asks for thinking, and for a temperature, which it excludes.
func (x *exchange) think(o *wire.Object, h *history) {
	e := strings.ToLower(x.req.Effort)
	switch {
	case e == "none" && x.kind.think == thinkAdaptive && !x.has("thinking"):
		o.Raw("thinking", `{"type":"disabled"}`)
	case !x.thinks() || x.kind.think == thinkBudget && h.unthought():
	case x.kind.think == thinkAdaptive:
		o.Raw("thinking", `{"type":"adaptive","display":"summarized"}`)
		if e == "minimal" {
			e = "low"
		}
		if !x.has("output_config") && budgets[e] > 0 {
			o.Key("output_config")
			o.Put("{")
			o.Str("effort", e)
			o.Put("}")
		}
		return
	default:
		o.Key("thinking")
		o.Put(`{"type":"enabled"`)
		o.Num("budget_tokens", x.budget())
		o.Put("}")
		return
	}
	if x.req.Temp != nil && !x.has("temperature") {
		o.Raw("temperature", strconv.FormatFloat(*x.req.Temp, 'g', -1, 64))
	}
}
