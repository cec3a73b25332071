package bedrock

import (
	"bytes"
	"encoding/base64"
	"strings"

	"github.com/toolpost/toolpost/internal/wire"
	"github.com/toolpost/toolpost/llm"
	"github.com/toolpost/toolpost/tool"
)

// A history is the messages of a request in the form of this API: system text
// apart, users and assistant in turn, the user first and last.
type history struct {
	x     *exchange
	texts []string // of the system
	turns []turn
	past  []string // the tools that it calls
}

// A turn is a message: its blocks, as JSON.
type turn struct {
	role   llm.Role // user or assistant
	blocks []string
}

func (x *exchange) history() *history {
	h := &history{x: x}
	if s := llm.Clean(x.req.System); strings.TrimSpace(s) != "" {
		h.texts = append(h.texts, s)
	}
	msgs := llm.Sanitize(x.tools.Expressed(x.req.Messages), llm.Profile{
		Provider: x.c.name(), API: API, Model: x.model,
		IDs: llm.IDsAnthropic, ResultImages: true, MergeResults: true,
	})
	h.past = wire.Called(msgs)
	for i := range msgs {
		m := &msgs[i]
		role := llm.RoleUser
		switch {
		case m.Role == llm.RoleAssistant:
			role = llm.RoleAssistant
		case m.Role == llm.RoleSystem && len(h.turns) == 0:
			if s := m.Text(); strings.TrimSpace(s) != "" {
				h.texts = append(h.texts, s)
			}
			continue
		}
		for j := range m.Blocks {
			if b := h.block(&m.Blocks[j]); b != "" {
				h.add(role, b)
			}
		}
	}
	const more = `{"text":"Continue."}`
	if len(h.turns) > 0 && h.turns[0].role == llm.RoleAssistant {
		h.turns = append([]turn{{llm.RoleUser, []string{more}}}, h.turns...)
	}
	if n := len(h.turns); n > 0 && h.turns[n-1].role == llm.RoleAssistant {
		h.add(llm.RoleUser, more)
	}
	return h
}

// add puts a block to the turn of its role: users who speak in a row share one.
func (h *history) add(role llm.Role, block string) {
	n := len(h.turns)
	if n == 0 || h.turns[n-1].role != role {
		h.turns = append(h.turns, turn{role: role})
		n++
	}
	h.turns[n-1].blocks = append(h.turns[n-1].blocks, block)
}

// block is b as JSON, "" if it is left out.
func (h *history) block(b *llm.Block) string {
	o := wire.Object{B: []byte("{")}
	switch b.Type {
	case tool.ContentText, tool.ContentImage:
		return content(&b.Content)
	case llm.BlockThinking:
		if b.Signature == "" && strings.Contains(strings.ToLower(h.x.model), "claude") {
			return "" // it was cut off; the model would not take it back
		}
		o.Put(`"reasoningContent":{"reasoningText":{`)
		o.Str("text", b.Thinking)
		if b.Signature != "" {
			o.Str("signature", b.Signature)
		}
		o.Put("}}}")
	case llm.BlockOpaque:
		return string(bytes.TrimSpace(b.Opaque))
	case llm.BlockCall:
		o.Put(`"toolUse":{`)
		o.Str("toolUseId", b.Call.ProviderID)
		o.Str("name", llm.WireName(b.Call.Tool))
		o.JSON("input", b.Call.Args)
		o.Put("}}")
	case llm.BlockResult:
		h.result(&o, b.Result)
	default:
		return ""
	}
	return string(o.B)
}

// content is a text or an image. Blank text is refused by the API.
func content(c *tool.Content) string {
	o := wire.Object{B: []byte("{")}
	switch {
	case c.Type == tool.ContentText && strings.TrimSpace(c.Text) != "":
		o.Str("text", c.Text)
	case c.Type == tool.ContentImage:
		o.Put(`"image":{`)
		o.Str("format", format(c.MIME))
		o.Put(`,"source":{"bytes":"`)
		o.B = base64.StdEncoding.AppendEncode(o.B, c.Data)
		o.Put(`"}}`)
	default:
		return ""
	}
	return string(o.B) + "}"
}

// format is the API's word for one of the few kinds of image that it takes.
func format(mime string) string {
	switch mime {
	case "image/jpeg", "image/gif", "image/webp":
		return strings.TrimPrefix(mime, "image/")
	}
	return "png"
}

func (h *history) result(o *wire.Object, r *tool.Result) {
	o.Put(`"toolResult":{`)
	o.Str("toolUseId", r.ProviderID)
	o.Key("content")
	o.Put("[")
	none := true
	add := func(c *tool.Content) {
		if s := content(c); s != "" {
			o.Next(s)
			none = false
		}
	}
	if e := r.Envelope(); e != nil {
		add(&tool.Content{Type: tool.ContentText, Text: string(e)})
	}
	for i := range r.Content {
		if c := &r.Content[i]; r.OK() || r.Status == tool.StatusPartial || c.Type == tool.ContentImage {
			add(c)
		}
	}
	if none {
		add(&tool.Content{Type: tool.ContentText, Text: "(no output)"})
	}
	o.Put("]")
	if r.IsError() && h.x.flags() {
		o.Str("status", "error")
	}
	o.Put("}}")
}

func (h *history) system(o *wire.Object) {
	if len(h.texts) == 0 {
		return
	}
	o.Key("system")
	o.Put("[")
	for _, s := range h.texts {
		o.Next("{")
		o.Str("text", s)
		o.Put("}")
	}
	if h.x.c.Cache {
		o.Next(cachePoint)
	}
	o.Put("]")
}

func (h *history) messages(o *wire.Object) {
	o.Key("messages")
	o.Put("[")
	for i, t := range h.turns {
		o.Next("{")
		o.Str("role", string(t.role))
		o.Key("content")
		o.Put("[")
		for _, b := range t.blocks {
			o.Next(b)
		}
		if h.x.c.Cache && i == len(h.turns)-1 {
			o.Next(cachePoint)
		}
		o.Put("]}")
	}
	o.Put("]")
}
