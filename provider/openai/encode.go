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
	"github.com/toolpost/toolpost/llm"
	"github.com/toolpost/toolpost/tool"
)

// An object is JSON being written: a comma stands before every member but the
// first.
type object struct{ b []byte }

func (o *object) key(name string) {
	if n := len(o.b); n > 0 && o.b[n-1] != '{' && o.b[n-1] != '[' {
		o.b = append(o.b, ',')
	}
	o.b = append(jsonx.AppendString(o.b, name), ':')
}

func (o *object) str(name, v string)     { o.key(name); o.b = jsonx.AppendString(o.b, v) }
func (o *object) raw(name, v string)     { o.key(name); o.b = append(o.b, v...) }
func (o *object) num(name string, v int) { o.key(name); o.b = strconv.AppendInt(o.b, int64(v), 10) }
func (o *object) json(name string, v json.RawMessage) {
	o.key(name)
	o.b = jsonx.AppendCompact(o.b, v)
}

// next begins an element of a list.
func (o *object) next(s string) {
	if n := len(o.b); o.b[n-1] != '[' {
		o.b = append(o.b, ',')
	}
	o.b = append(o.b, s...)
}

func (o *object) put(s string) { o.b = append(o.b, s...) }

// encode is the body of the request.
func (x *exchange) encode() ([]byte, error) {
	d, req := &x.d, x.req
	if d.MaxTools > 0 && len(req.Tools) > d.MaxTools {
		return nil, tool.Errorf(tool.CodeLimit, "%d tools are on offer and %s takes %d: allow fewer for this run", len(req.Tools), d.Name, d.MaxTools)
	}
	if err := x.readExtra(); err != nil {
		return nil, err
	}
	o := &object{b: append(make([]byte, 0, 4096), '{')}
	o.str("model", x.model)
	x.messages(o)
	if len(req.Tools) > 0 {
		x.tools(o)
	}
	if !x.c.Whole {
		o.raw("stream", "true")
		if d.Usage && !x.has("stream_options") {
			o.key("stream_options")
			o.put(`{"include_usage":true`)
			if d.Obfuscation {
				o.put(`,"include_obfuscation":false`)
			}
			o.put("}")
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
		o.num(field, req.MaxTokens)
	}
	if req.Temp != nil && !x.has("temperature") {
		o.raw("temperature", strconv.FormatFloat(*req.Temp, 'g', -1, 64))
	}
	if req.Session != "" && d.CacheKey && !x.has("prompt_cache_key") {
		o.str("prompt_cache_key", req.Session[:min(len(req.Session), 64)])
	}
	x.effort(o)
	for _, k := range slices.Sorted(maps.Keys(x.extra)) {
		o.json(k, x.extra[k])
	}
	return append(o.b, '}'), nil
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
func (x *exchange) tools(o *object) {
	specs := x.req.Tools
	order := make([]int, len(specs))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return strings.Compare(specs[a].Name, specs[b].Name) })
	o.key("tools")
	o.put("[")
	for _, i := range order {
		s := &specs[i]
		o.next(`{"type":"function","function":{`)
		o.str("name", llm.WireName(s.Name))
		if s.Description != "" {
			o.str("description", s.Description)
		}
		if s.Input != nil {
			o.json("parameters", s.Input.JSON())
		} else {
			o.raw("parameters", `{"type":"object","properties":{}}`)
		}
		if x.d.Strict {
			o.raw("strict", "false")
		}
		o.put("}}")
	}
	o.put("]")
}

func (x *exchange) choice(o *object) error {
	d, req := &x.d, x.req
	if len(req.Tools) == 0 {
		return nil
	}
	switch {
	case x.has("parallel_tool_calls"):
	case req.Serial && d.Parallel:
		o.raw("parallel_tool_calls", "false")
	case d.ParallelOff:
		o.raw("parallel_tool_calls", "true")
	}
	thinks := d.ThinkingFree && req.Effort != "" && req.Effort != "none"
	switch c := req.Choice; {
	case c.Mode == llm.ChoiceAuto:
	case c.Mode == llm.ChoiceNone:
		o.str("tool_choice", "none")
	case c.Mode == llm.ChoiceRequired && d.Required != "" && !thinks:
		o.str("tool_choice", d.Required)
	case c.Mode == llm.ChoiceTool && d.Named && !thinks:
		o.key("tool_choice")
		o.put(`{"type":"function","function":{`)
		o.str("name", llm.WireName(c.Name))
		o.put("}}")
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

func (x *exchange) effort(o *object) {
	e := x.req.Effort
	if e == "" || x.has(string(x.d.Effort)) {
		return
	}
	on := strconv.FormatBool(e != "none")
	switch x.d.Effort {
	case EffortPlain:
		o.str("reasoning_effort", e)
	case EffortObject:
		o.key("reasoning")
		o.put("{")
		o.str("effort", e)
		o.put("}")
	case EffortEnable:
		o.raw("enable_thinking", on)
	case EffortThinking:
		word := "enabled"
		if e == "none" {
			word = "disabled"
		}
		o.raw("thinking", `{"type":"`+word+`"}`)
	case EffortTemplate:
		o.raw("chat_template_kwargs", `{"enable_thinking":`+on+`}`)
	}
}

func (x *exchange) messages(o *object) {
	o.key("messages")
	o.put("[")
	system := "system"
	if x.d.Developer {
		system = "developer"
	}
	if x.req.System != "" {
		o.next("{")
		o.str("role", system)
		o.str("content", llm.Clean(x.req.System))
		o.put("}")
	}
	msgs := llm.Sanitize(x.req.Messages, llm.Profile{
		Provider: x.c.name(&x.d), API: API, Model: x.model,
		IDs: x.d.IDs, AssistantBetween: x.d.BetweenResults,
	})
	for i := range msgs {
		m := &msgs[i]
		switch m.Role {
		case llm.RoleSystem:
			o.next("{")
			o.str("role", system)
			o.str("content", m.Text())
			o.put("}")
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
	o.put("]")
}

func user(o *object, m *llm.Message) {
	o.next("{")
	o.str("role", "user")
	images := slices.ContainsFunc(m.Blocks, func(b llm.Block) bool { return b.Type == tool.ContentImage })
	if !images {
		o.str("content", m.Text())
		o.put("}")
		return
	}
	o.key("content")
	o.put("[")
	for i := range m.Blocks {
		switch b := &m.Blocks[i]; b.Type {
		case tool.ContentText:
			o.next("{")
			o.str("type", "text")
			o.str("text", b.Text)
			o.put("}")
		case tool.ContentImage:
			o.next(`{"type":"image_url","image_url":{`)
			o.key("url")
			o.put(`"data:` + mediaType(b.MIME) + `;base64,`)
			o.b = base64.StdEncoding.AppendEncode(o.b, b.Data)
			o.put(`"}}`)
		}
	}
	o.put("]}")
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

func (x *exchange) assistant(o *object, m *llm.Message) {
	o.next("{")
	o.str("role", "assistant")
	calls := m.Calls()
	if text := m.Text(); text != "" || calls == 0 {
		o.str("content", text)
	} else {
		o.raw("content", "null")
	}
	x.thinking(o, m, calls)
	if calls > 0 {
		o.key("tool_calls")
		o.put("[")
		for i := range m.Blocks {
			b := &m.Blocks[i]
			if b.Call == nil {
				continue
			}
			o.next("{")
			o.str("id", b.Call.ProviderID)
			o.put(`,"type":"function","function":{`)
			o.str("name", llm.WireName(b.Call.Tool))
			o.str("arguments", string(bytes.TrimSpace(b.Call.Args)))
			o.put("}")
			if b.Signature != "" {
				o.put(`,"extra_content":{"google":{`)
				o.str("thought_signature", b.Signature)
				o.put("}}")
			}
			o.put("}")
		}
		o.put("]")
	}
	o.put("}")
}

// thinking sends reasoning back where the server wants it. What came of others
// is no longer there.
func (x *exchange) thinking(o *object, m *llm.Message, calls int) {
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
			o.str("reasoning_content", text)
		}
	case EchoSame:
		if text != "" {
			o.str(field, text)
		}
	case EchoDetails:
		if len(details) > 0 {
			o.key("reasoning_details")
			o.put("[")
			for _, d := range details {
				o.next(string(d))
			}
			o.put("]")
		}
	}
}

func (x *exchange) result(o *object, r *tool.Result) {
	o.next("{")
	o.str("role", "tool")
	o.str("tool_call_id", r.ProviderID)
	if x.d.ResultName {
		o.str("name", llm.WireName(r.Tool))
	}
	o.str("content", llm.ResultText(r))
	o.put("}")
}
