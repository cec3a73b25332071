package gemini

import (
	"encoding/json"
	"maps"
	"slices"
	"strconv"

	"github.com/toolpost/toolpost/internal/jsonx"
	"github.com/toolpost/toolpost/internal/wire"
	"github.com/toolpost/toolpost/llm"
	"github.com/toolpost/toolpost/tool"
)

// own are the members that a request's Extra may not replace, by API.
var own = map[string][]string{
	Generate:     {"contents", "tools", "toolConfig", "systemInstruction", "continuationToken"},
	Interactions: {"model", "input", "tools", "stream", "system_instruction", "continuation_token"},
}

func (x *exchange) readExtra() error {
	if len(x.req.Extra) == 0 {
		return nil
	}
	if err := jsonx.Unmarshal(x.req.Extra, &x.extra); err != nil {
		return tool.Errorf(tool.CodeInvalid, "extra members of the request must be a JSON object: %w", err)
	}
	for _, k := range own[x.c.api()] {
		if x.has(k) {
			return tool.Errorf(tool.CodeInvalid, "extra members of the request must not set %q: use the field that is there for it", k)
		}
	}
	return nil
}

// has reports whether the request's Extra sets the member k, which then wins.
func (x *exchange) has(k string) bool { _, ok := x.extra[k]; return ok }

// encode is the body of the next request.
func (x *exchange) encode() ([]byte, error) {
	o := &wire.Object{B: append(make([]byte, 0, 4096), '{')}
	config := "generationConfig"
	var err error
	if x.c.api() == Interactions {
		config = "generation_config"
		x.steps(o)
		err = x.generationSteps(o)
	} else {
		x.contents(o)
		err = x.generation(o)
	}
	if err != nil {
		return nil, err
	}
	for _, k := range slices.Sorted(maps.Keys(x.extra)) {
		if k == config || k == "previous_interaction_id" && x.in.hop.owner != "" && x.keeps() {
			continue
		}
		o.JSON(k, x.extra[k])
	}
	return append(o.B, '}'), nil
}

// A setting is a member of a request's configuration.
type setting struct{ name, value string }

// configure writes settings as the member name, unless there are none; those of
// the request's Extra win.
func (x *exchange) configure(o *wire.Object, name string, settings []setting) error {
	var extra map[string]json.RawMessage
	if x.has(name) {
		if err := jsonx.Unmarshal(x.extra[name], &extra); err != nil {
			return tool.Errorf(tool.CodeInvalid, "extra member %s of the request must be a JSON object: %w", name, err)
		}
	}
	settings = slices.DeleteFunc(settings, func(s setting) bool { _, ok := extra[s.name]; return ok })
	for _, k := range slices.Sorted(maps.Keys(extra)) {
		settings = append(settings, setting{k, string(extra[k])})
	}
	if len(settings) == 0 {
		return nil
	}
	o.Key(name)
	o.Put("{")
	for _, s := range settings {
		o.Raw(s.name, s.value)
	}
	o.Put("}")
	return nil
}

// generation is what generateContent is told beside the conversation.
func (x *exchange) generation(o *wire.Object) error {
	if len(x.tools.Offers()) > 0 && !x.has("cachedContent") { // which brings its own tools
		x.declarations(o)
		if err := x.choice(o); err != nil {
			return err
		}
	}
	var s []setting
	if x.req.MaxTokens > 0 {
		s = append(s, setting{"maxOutputTokens", strconv.Itoa(x.req.MaxTokens)})
	}
	if x.req.Temp != nil {
		s = append(s, setting{"temperature", strconv.FormatFloat(*x.req.Temp, 'g', -1, 64)})
	}
	s, err := x.thinking(s)
	if err != nil {
		return err
	}
	if err := x.configure(o, "generationConfig", s); err != nil {
		return err
	}
	if t := x.in.hop.from; t != "" {
		o.Str("continuationToken", t)
	}
	return nil
}

func (x *exchange) thinking(s []setting) ([]setting, error) {
	e := x.req.Effort
	if e == "" || x.f.Thinking == "" {
		return s, nil
	}
	show := strconv.FormatBool(e != "none")
	n, ok := x.f.budget(e)
	if x.f.Thinking == ThinkingBudget && ok {
		return append(s, setting{"thinkingConfig", `{"includeThoughts":` + show + `,"thinkingBudget":` + strconv.Itoa(n) + `}`}), nil
	}
	level, ok := x.f.level(e)
	if !ok {
		return nil, unknownEffort(e)
	}
	return append(s, setting{"thinkingConfig", `{"includeThoughts":` + show + `,"thinkingLevel":"` + level + `"}`}), nil
}

func unknownEffort(e string) error {
	return tool.Errorf(tool.CodeInvalid, "reasoning effort %q is unknown: use none, minimal, low, medium, high, xhigh or max", e)
}

func (x *exchange) declarations(o *wire.Object) {
	o.Key("tools")
	o.Put(`[{"functionDeclarations":[`)
	for _, t := range x.tools.Offers() {
		o.Next("{")
		o.Str("name", t.Name)
		if t.Description != "" {
			o.Str("description", t.Description)
		}
		if !t.View.Empty {
			o.JSON(x.f.SchemaIn, t.View.Schema)
		}
		o.Put("}")
	}
	o.Put("]}]")
}

func (x *exchange) choice(o *wire.Object) error {
	mode, name := "", ""
	switch c := x.req.Choice; c.Mode {
	case llm.ChoiceAuto:
		return nil
	case llm.ChoiceNone:
		mode = "NONE"
	case llm.ChoiceRequired:
		mode = "ANY"
	case llm.ChoiceTool:
		mode, name = "ANY", llm.WireName(c.Name)
	default:
		return unknownChoice(c.Mode)
	}
	o.Key("toolConfig")
	o.Put(`{"functionCallingConfig":{`)
	o.Str("mode", mode)
	if name != "" {
		o.Key("allowedFunctionNames")
		o.Put("[")
		o.B = append(jsonx.AppendString(o.B, name), ']')
	}
	o.Put("}}")
	return nil
}

func unknownChoice(m llm.ChoiceMode) error {
	return tool.Errorf(tool.CodeInvalid, "tool choice %q is unknown: use none, required or tool", m)
}
