package openai

import (
	"bytes"
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

// encode is the body of the request.
func (x *exchange) encode() ([]byte, error) {
	d, req := &x.d, x.req
	if d.MaxTools > 0 && len(req.Tools) > d.MaxTools {
		return nil, tool.Errorf(tool.CodeLimit, "%d tools are on offer and %s takes %d: allow fewer for this run", len(req.Tools), d.Name, d.MaxTools)
	}
	if err := x.readExtra(); err != nil {
		return nil, err
	}
	o := &wire.Object{B: append(make([]byte, 0, 4096), '{')}
	o.Str("model", x.model)
	x.messages(o)
	if len(req.Tools) > 0 {
		x.tools(o)
	}
	if !x.c.Whole {
		o.Raw("stream", "true")
		if d.Usage && !x.has("stream_options") {
			o.Key("stream_options")
			o.Put(`{"include_usage":true`)
			if d.Obfuscation {
				o.Put(`,"include_obfuscation":false`)
			}
			o.Put("}")
		}
	}
	if err := x.choice(o); err != nil {
		return nil, err
	}
	field := d.MaxTokens
	if field == "" {
		field = "max_tokens"
	}
	if req.MaxTokens > 0 && !x.has(field) {
		o.Num(field, req.MaxTokens)
	}
	if req.Temp != nil && !x.has("temperature") {
		o.Raw("temperature", strconv.FormatFloat(*req.Temp, 'g', -1, 64))
	}
	if req.Session != "" && d.CacheKey && !x.has("prompt_cache_key") {
		o.Str("prompt_cache_key", req.Session[:min(len(req.Session), 64)])
	}
	x.effort(o)
	for _, k := range slices.Sorted(maps.Keys(x.extra)) {
		o.JSON(k, x.extra[k])
	}
	return append(o.B, '}'), nil
}

// own are the members that a request's Extra may not replace.
var own = []string{"model", "messages", "tools", "stream", "tool_choice"}

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

// tools are in the order of their names, so that equal sets give equal bytes and
// a prompt cache stays warm.
func (x *exchange) tools(o *wire.Object) {
	specs := x.req.Tools
	order := make([]int, len(specs))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return strings.Compare(specs[a].Name, specs[b].Name) })
	o.Key("tools")
	o.Put("[")
	for _, i := range order {
		s := &specs[i]
		o.Next(`{"type":"function","function":{`)
		o.Str("name", llm.WireName(s.Name))
		if s.Description != "" {
			o.Str("description", s.Description)
		}
		if s.Input != nil {
			o.JSON("parameters", s.Input.JSON())
		} else {
			o.Raw("parameters", `{"type":"object","properties":{}}`)
		}
		if x.d.Strict {
			o.Raw("strict", "false")
		}
		o.Put("}}")
	}
	o.Put("]")
}

func (x *exchange) choice(o *wire.Object) error {
	d, req := &x.d, x.req
	if len(req.Tools) == 0 {
		return nil
	}
	switch {
	case x.has("parallel_tool_calls"):
	case req.Serial && d.Parallel:
		o.Raw("parallel_tool_calls", "false")
	case d.ParallelOff:
		o.Raw("parallel_tool_calls", "true")
	}
	thinks := d.ThinkingFree && req.Effort != "" && req.Effort != "none"
	switch c := req.Choice; {
	case c.Mode == llm.ChoiceAuto:
	case c.Mode == llm.ChoiceNone:
		o.Str("tool_choice", "none")
	case c.Mode == llm.ChoiceRequired && d.Required != "" && !thinks:
		o.Str("tool_choice", d.Required)
	case c.Mode == llm.ChoiceTool && d.Named && !thinks:
		o.Key("tool_choice")
		o.Put(`{"type":"function","function":{`)
		o.Str("name", llm.WireName(c.Name))
		o.Put("}}")
	case c.Mode == llm.ChoiceRequired || c.Mode == llm.ChoiceTool:
		why := "does not let a call be forced"
		if thinks {
			why = "does not let a call be forced while the model thinks"
		}
		return tool.Errorf(tool.CodeInvalid, "tool choice %q: %s %s; leave the choice to the model", c.Mode, d.Name, why)
	default:
		return tool.Errorf(tool.CodeInvalid, "tool choice %q is unknown: use none, required or tool", c.Mode)
	}
	return nil
}

func (x *exchange) effort(o *wire.Object) {
	e := x.req.Effort
	if e == "" || x.has(string(x.d.Effort)) {
		return
	}
	on := strconv.FormatBool(e != "none")
	switch x.d.Effort {
	case EffortPlain:
		o.Str("reasoning_effort", e)
	case EffortObject:
		o.Key("reasoning")
		o.Put("{")
		o.Str("effort", e)
		o.Put("}")
	case EffortEnable:
		o.Raw("enable_thinking", on)
	case EffortThinking:
		word := "enabled"
		if e == "none" {
			word = "disabled"
		}
		o.Raw("thinking", `{"type":"`+word+`"}`)
	case EffortTemplate:
		o.Raw("chat_template_kwargs", `{"enable_thinking":`+on+`}`)
	}
}

func (x *exchange) messages(o *wire.Object) {
	o.Key("messages")
	o.Put("[")
	system := "system"
	if x.d.Developer {
		system = "developer"
	}
	if x.req.System != "" {
		o.Next("{")
		o.Str("role", system)
		o.Str("content", llm.Clean(x.req.System))
		o.Put("}")
	}
	msgs := llm.Sanitize(x.req.Messages, llm.Profile{
		Provider: x.c.name(&x.d), API: API, Model: x.model,
		IDs: x.d.IDs, AssistantBetween: x.d.BetweenResults,
	})
	for i := range msgs {
		m := &msgs[i]
		switch m.Role {
		case llm.RoleSystem:
			o.Next("{")
			o.Str("role", system)
			o.Str("content", m.Text())
			o.Put("}")
		case llm.RoleAssistant:
			x.assistant(o, m)
		case llm.RoleTool:
			for j := range m.Blocks {
				x.result(o, m.Blocks[j].Result)
			}
		default:
			user(o, m)
		}
	}
	o.Put("]")
}

func user(o *wire.Object, m *llm.Message) {
	o.Next("{")
	o.Str("role", "user")
	images := slices.ContainsFunc(m.Blocks, func(b llm.Block) bool { return b.Type == tool.ContentImage })
	if !images {
		o.Str("content", m.Text())
		o.Put("}")
		return
	}
	o.Key("content")
	o.Put("[")
	for i := range m.Blocks {
		switch b := &m.Blocks[i]; b.Type {
		case tool.ContentText:
			o.Next("{")
			o.Str("type", "text")
			o.Str("text", b.Text)
			o.Put("}")
		case tool.ContentImage:
			o.Next(`{"type":"image_url","image_url":{`)
			o.Key("url")
			o.Put(`"data:` + mediaType(b.MIME) + `;base64,`)
			o.B = base64.StdEncoding.AppendEncode(o.B, b.Data)
			o.Put(`"}}`)
		}
	}
	o.Put("]}")
}

// mediaType is mime if it is one of the few that models take, so that nothing
// else can get into the URL.
func mediaType(mime string) string {
	switch mime {
	case "image/jpeg", "image/gif", "image/webp":
		return mime
	}
	return "image/png"
}

func (x *exchange) assistant(o *wire.Object, m *llm.Message) {
	o.Next("{")
	o.Str("role", "assistant")
	calls := m.Calls()
	if text := m.Text(); text != "" || calls == 0 {
		o.Str("content", text)
	} else {
		o.Raw("content", "null")
	}
	x.thinking(o, m, calls)
	if calls > 0 {
		o.Key("tool_calls")
		o.Put("[")
		for i := range m.Blocks {
			b := &m.Blocks[i]
			if b.Call == nil {
				continue
			}
			o.Next("{")
			o.Str("id", b.Call.ProviderID)
			o.Put(`,"type":"function","function":{`)
			o.Str("name", llm.WireName(b.Call.Tool))
			o.Str("arguments", string(bytes.TrimSpace(b.Call.Args)))
			o.Put("}")
			if b.Signature != "" {
				o.Put(`,"extra_content":{"google":{`)
				o.Str("thought_signature", b.Signature)
				o.Put("}}")
			}
			o.Put("}")
		}
		o.Put("]")
	}
	o.Put("}")
}

// thinking sends reasoning back where the server wants it. What came of others
// is no longer there.
func (x *exchange) thinking(o *wire.Object, m *llm.Message, calls int) {
	var text, field string
	var details []json.RawMessage
	for i := range m.Blocks {
		switch b := &m.Blocks[i]; b.Type {
		case llm.BlockThinking:
			text += b.Thinking
		case llm.BlockOpaque:
			details = append(details, b.Opaque)
		}
	}
	field = "reasoning_content"
	if len(x.d.ThinkingIn) > 0 {
		field = x.d.ThinkingIn[0]
	}
	switch x.d.Echo {
	case EchoCalls:
		if calls > 0 {
			o.Str("reasoning_content", text)
		}
	case EchoSame:
		if text != "" {
			o.Str(field, text)
		}
	case EchoDetails:
		if len(details) > 0 {
			o.Key("reasoning_details")
			o.Put("[")
			for _, d := range details {
				o.Next(string(d))
			}
			o.Put("]")
		}
	}
}

func (x *exchange) result(o *wire.Object, r *tool.Result) {
	o.Next("{")
	o.Str("role", "tool")
	o.Str("tool_call_id", r.ProviderID)
	if x.d.ResultName {
		o.Str("name", llm.WireName(r.Tool))
	}
	o.Str("content", llm.ResultText(r))
	o.Put("}")
}
