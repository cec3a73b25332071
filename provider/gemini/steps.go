package gemini

import (
	"encoding/base64"
	"slices"
	"strconv"
	"strings"

	"github.com/toolpost/toolpost/internal/jsonx"
	"github.com/toolpost/toolpost/internal/wire"
	"github.com/toolpost/toolpost/llm"
	"github.com/toolpost/toolpost/tool"
)

// steps is the conversation as Interactions has it: a list of steps. The server
// keeps nothing unless the request's Extra says so.
func (x *exchange) steps(o *wire.Object) {
	system, msgs, _ := x.history()
	o.Str("model", x.model)
	if system != "" {
		o.Str("system_instruction", system)
	}
	if x.keeps() && x.in.hop.owner != "" { // the server knows what came before
		o.Str("previous_interaction_id", x.in.hop.owner)
	} else {
		o.Key("input")
		o.Put("[")
		for i := range msgs {
			x.step(o, &msgs[i])
		}
		o.Put("]")
	}
	if !x.c.Whole {
		o.Raw("stream", "true")
	}
	if !x.has("store") {
		o.Raw("store", "false")
	}
	if t := x.in.hop.from; t != "" {
		o.Str("continuation_token", t)
	}
}

// keeps reports whether the server is told to keep the interaction.
func (x *exchange) keeps() bool { return string(x.extra["store"]) == "true" }

func (x *exchange) step(o *wire.Object, m *llm.Message) {
	switch m.Role {
	case llm.RoleAssistant:
		x.said(o, m)
	case llm.RoleTool:
		for i := range m.Blocks {
			x.result(o, m.Blocks[i].Result)
		}
	default:
		o.Next(`{"type":"user_input","content":[`)
		for i := range m.Blocks {
			block(o, &m.Blocks[i].Content)
		}
		o.Put("]}")
	}
}

// said is a reply.
func (x *exchange) said(o *wire.Object, m *llm.Message) {
	for i := range m.Blocks {
		switch b := &m.Blocks[i]; b.Type {
		case tool.ContentText, tool.ContentImage:
			if b.Text == "" && b.Type == tool.ContentText {
				continue
			}
			o.Next(`{"type":"model_output","content":[`)
			block(o, &b.Content)
			o.Put("]}")
		case llm.BlockThinking:
			if b.Signature == "" {
				continue
			}
			o.Next(`{"type":"thought"`)
			o.Str("signature", b.Signature)
			if b.Thinking != "" {
				o.Key("summary")
				o.Put("[")
				block(o, &tool.Content{Type: tool.ContentText, Text: b.Thinking})
				o.Put("]")
			}
			o.Put("}")
		case llm.BlockOpaque:
			o.Next("")
			o.B = jsonx.AppendCompact(o.B, b.Opaque)
		case llm.BlockCall:
			o.Next(`{"type":"function_call"`)
			o.Str("id", b.Call.ProviderID)
			o.Str("name", llm.WireName(b.Call.Tool))
			o.JSON("arguments", x.tools.Express(b.Call.Tool, b.Call.Args))
			if b.Signature != "" {
				o.Str("signature", b.Signature)
			}
			o.Put("}")
		}
	}
}

func (x *exchange) result(o *wire.Object, r *tool.Result) {
	o.Next(`{"type":"function_result"`)
	o.Str("call_id", r.ProviderID)
	o.Str("name", llm.WireName(r.Tool))
	if r.IsError() {
		o.Raw("is_error", "true")
	}
	if !slices.ContainsFunc(r.Content, func(c tool.Content) bool { return c.Type == tool.ContentImage }) {
		o.Str("result", llm.ResultText(r))
		o.Put("}")
		return
	}
	o.Key("result")
	o.Put("[")
	if text := llm.ResultText(r); text != "" {
		block(o, &tool.Content{Type: tool.ContentText, Text: text})
	}
	for i := range r.Content {
		if r.Content[i].Type == tool.ContentImage {
			block(o, &r.Content[i])
		}
	}
	o.Put("]}")
}

// block is a block of content.
func block(o *wire.Object, c *tool.Content) {
	switch c.Type {
	case tool.ContentText:
		o.Next(`{"type":"text"`)
		o.Str("text", c.Text)
		o.Put("}")
	case tool.ContentImage:
		o.Next(`{"type":"image"`)
		o.Str("mime_type", mediaType(c.MIME))
		o.Key("data")
		o.Put(`"`)
		o.B = base64.StdEncoding.AppendEncode(o.B, c.Data)
		o.Put(`"}`)
	}
}

// generationSteps is what Interactions is told beside the conversation.
func (x *exchange) generationSteps(o *wire.Object) error {
	var s []setting
	if len(x.tools.Offers()) > 0 {
		x.functions(o)
		choice, err := x.toolChoice()
		if err != nil {
			return err
		}
		if choice != "" {
			s = append(s, setting{"tool_choice", choice})
		}
	}
	if x.req.MaxTokens > 0 {
		s = append(s, setting{"max_output_tokens", strconv.Itoa(x.req.MaxTokens)})
	}
	if x.req.Temp != nil {
		s = append(s, setting{"temperature", strconv.FormatFloat(*x.req.Temp, 'g', -1, 64)})
	}
	if e := x.req.Effort; e != "" && x.f.Thinking != "" {
		f := x.f
		if len(f.Levels) == 0 {
			f.Levels = allLevels
		}
		level, ok := f.level(e)
		if !ok {
			return unknownEffort(e)
		}
		s = append(s, setting{"thinking_level", `"` + strings.ToLower(level) + `"`})
		if e != "none" {
			s = append(s, setting{"thinking_summaries", `"auto"`})
		}
	}
	return x.configure(o, "generation_config", s)
}

func (x *exchange) functions(o *wire.Object) {
	o.Key("tools")
	o.Put("[")
	for _, t := range x.tools.Offers() {
		o.Next(`{"type":"function"`)
		o.Str("name", t.Name)
		if t.Description != "" {
			o.Str("description", t.Description)
		}
		o.JSON("parameters", t.View.Schema)
		o.Put("}")
	}
	o.Put("]")
}

func (x *exchange) toolChoice() (string, error) {
	switch c := x.req.Choice; c.Mode {
	case llm.ChoiceAuto:
		return "", nil
	case llm.ChoiceNone:
		return `"none"`, nil
	case llm.ChoiceRequired:
		return `"any"`, nil
	case llm.ChoiceTool:
		return `{"allowed_tools":{"mode":"any","tools":["` + llm.WireName(c.Name) + `"]}}`, nil
	default:
		return "", unknownChoice(c.Mode)
	}
}
