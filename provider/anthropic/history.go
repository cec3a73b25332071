package anthropic

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"strings"

	"github.com/toolpost/toolpost/internal/jsonx"
	"github.com/toolpost/toolpost/internal/wire"
	"github.com/toolpost/toolpost/llm"
	"github.com/toolpost/toolpost/tool"
)

// A history is the messages of a request in the form of this API: system text
// apart, users and assistant in turn.
type history struct {
	x     *exchange
	texts []string // of the system
	turns []turn
	past  []string // the tools that it calls
}

// A turn is a message: its blocks, as JSON without the closing bracket.
type turn struct {
	role   llm.Role // user or assistant
	blocks [][]byte
	goesOn bool // of the assistant: it is to go on where it stands
	think  bool // of the assistant: it began with thinking
	calls  bool // it called tools
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
	for i := range msgs {
		m := &msgs[i]
		switch {
		case m.Role == llm.RoleAssistant:
			h.assistant(m)
		case m.Role == llm.RoleSystem && len(h.turns) == 0:
			if s := m.Text(); strings.TrimSpace(s) != "" {
				h.texts = append(h.texts, s)
			}
		default: // results, users, and what the system says later
			h.user(m)
		}
	}
	h.past = wire.Called(msgs)
	h.bounds()
	return h
}

// bounds has the user begin and end: models refuse to finish a message that
// stands last, unless they paused in it.
func (h *history) bounds() {
	const more = `{"type":"text","text":"Continue."`
	if len(h.turns) > 0 && h.turns[0].role == llm.RoleAssistant {
		h.turns = append([]turn{{role: llm.RoleUser, blocks: [][]byte{[]byte(more)}}}, h.turns...)
	}
	if n := len(h.turns); n > 0 && h.turns[n-1].role == llm.RoleAssistant && !h.turns[n-1].goesOn {
		h.turns = append(h.turns, turn{role: llm.RoleUser, blocks: [][]byte{[]byte(more)}})
	}
}

// unthought reports whether the model is in the midst of calls that it began
// without thinking, which excludes that it thinks now.
func (h *history) unthought() bool {
	n := len(h.turns)
	return n >= 2 && h.turns[n-1].role == llm.RoleUser && h.turns[n-2].calls && !h.turns[n-2].think &&
		bytes.HasPrefix(h.turns[n-1].blocks[0], []byte(`{"type":"tool_result"`))
}

// last is the turn of a role to add to: users who speak in a row share one.
func (h *history) last(role llm.Role) *turn {
	n := len(h.turns)
	if n == 0 || h.turns[n-1].role != role {
		h.turns = append(h.turns, turn{role: role})
		n++
	}
	return &h.turns[n-1]
}

func (t *turn) add(o *wire.Object) { t.blocks = append(t.blocks, o.B) }

func (h *history) user(m *llm.Message) {
	for i := range m.Blocks {
		var o wire.Object
		switch b := &m.Blocks[i]; b.Type {
		case tool.ContentText, tool.ContentImage:
			if !content(&o, &b.Content) {
				continue
			}
		case llm.BlockResult:
			result(&o, b.Result)
		default:
			continue
		}
		h.last(llm.RoleUser).add(&o)
	}
}

// content is a block of text or an image without its closing bracket. It is
// false for white space alone, which the API refuses.
func content(o *wire.Object, c *tool.Content) bool {
	switch c.Type {
	case tool.ContentText:
		if strings.TrimSpace(c.Text) == "" {
			return false
		}
		o.Put(`{"type":"text"`)
		o.Str("text", c.Text)
		return true
	case tool.ContentImage:
		o.Put(`{"type":"image","source":{"type":"base64"`)
		o.Str("media_type", mediaType(c.MIME))
		o.Key("data")
		o.Put(`"`)
		o.B = base64.StdEncoding.AppendEncode(o.B, c.Data)
		o.Put(`"}`)
		return true
	}
	return false
}

// mediaType is mime if it is one of the few that the API takes.
func mediaType(mime string) string {
	switch mime {
	case "image/jpeg", "image/gif", "image/webp":
		return mime
	}
	return "image/png"
}

func result(o *wire.Object, r *tool.Result) {
	o.Put(`{"type":"tool_result"`)
	o.Str("tool_use_id", r.ProviderID)
	var list wire.Object
	list.Put("[")
	add := func(c *tool.Content) {
		var b wire.Object
		if content(&b, c) {
			list.Next(string(b.B) + "}")
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
	if len(list.B) > 1 {
		o.Raw("content", string(list.B)+"]")
	}
	if r.IsError() {
		o.Raw("is_error", "true")
	}
}

func (h *history) assistant(m *llm.Message) {
	t := turn{role: llm.RoleAssistant, goesOn: m.Stop == llm.StopContinue}
	for i := range m.Blocks {
		var o wire.Object
		thought := false
		switch b := &m.Blocks[i]; b.Type {
		case tool.ContentText:
			if !content(&o, &b.Content) {
				continue
			}
		case llm.BlockThinking:
			if b.Signature == "" && (h.x.kind.signed || b.Thinking == "") {
				continue // it was cut off; the model would not take it back
			}
			o.Put(`{"type":"thinking"`)
			o.Str("thinking", b.Thinking)
			if b.Signature != "" {
				o.Str("signature", b.Signature)
			}
			thought = true
		case llm.BlockOpaque:
			raw := bytes.TrimSpace(b.Opaque)
			if len(raw) < 2 || raw[0] != '{' || raw[len(raw)-1] != '}' {
				continue
			}
			o.B = append(o.B, raw[:len(raw)-1]...)
			thought = true
		case llm.BlockCall:
			h.call(&o, b)
			t.calls = true
		default:
			continue
		}
		t.think = t.think || thought && !t.calls
		t.add(&o)
	}
	if len(t.blocks) == 0 {
		return
	}
	if n := len(h.turns); n > 0 && h.turns[n-1].role == llm.RoleAssistant { // a reply that went on
		was := &h.turns[n-1]
		was.blocks = append(was.blocks, t.blocks...)
		was.goesOn, was.think, was.calls = t.goesOn, was.think || t.think, was.calls || t.calls
		return
	}
	h.turns = append(h.turns, t)
}

func (h *history) call(o *wire.Object, b *llm.Block) {
	o.Put(`{"type":"tool_use"`)
	o.Str("id", b.Call.ProviderID)
	o.Str("name", llm.WireName(b.Call.Tool))
	o.JSON("input", b.Call.Args)
	var proof map[string]json.RawMessage
	if b.Signature == "" || jsonx.Unmarshal([]byte(b.Signature), &proof) != nil {
		return
	}
	for _, k := range []string{"caller", "toolset_name"} {
		if v := proof[k]; len(v) > 0 {
			o.JSON(k, v)
		}
	}
}

func (h *history) system(o *wire.Object) {
	if len(h.texts) == 0 {
		return
	}
	o.Key("system")
	o.Put("[")
	for i, s := range h.texts {
		o.Next(`{"type":"text"`)
		o.Str("text", s)
		if i == len(h.texts)-1 {
			h.x.cacheControl(o)
		}
		o.Put("}")
	}
	o.Put("]")
}

// messages sets breakpoints behind the last two messages of the user: the later
// one is what this request adds, the earlier what the last one added and the
// cache may have.
func (h *history) messages(o *wire.Object) {
	o.Key("messages")
	o.Put("[")
	users := 0
	for _, t := range h.turns {
		if t.role == llm.RoleUser {
			users++
		}
	}
	for _, t := range h.turns {
		o.Next("{")
		o.Str("role", string(t.role))
		o.Key("content")
		o.Put("[")
		for i, b := range t.blocks {
			o.Next(string(b))
			if t.role == llm.RoleUser && users <= 2 && i == len(t.blocks)-1 {
				h.x.cacheControl(o)
			}
			o.Put("}")
		}
		o.Put("]}")
		if t.role == llm.RoleUser {
			users--
		}
	}
	o.Put("]")
}
