package gemini

import (
	"encoding/base64"
	"slices"

	"github.com/toolpost/toolpost/internal/jsonx"
	"github.com/toolpost/toolpost/internal/wire"
	"github.com/toolpost/toolpost/llm"
	"github.com/toolpost/toolpost/tool"
)

// history is the conversation made fit for the API, the system messages that it
// begins with, and which of its calls have an id that the server itself gave.
func (x *exchange) history() (system string, msgs []llm.Message, given map[string]bool) {
	given = map[string]bool{}
	for i := range x.req.Messages {
		m := &x.req.Messages[i]
		for j := range m.Blocks {
			if c := m.Blocks[j].Call; c != nil && c.ProviderID != "" && x.own(m) {
				given[c.ID+"\x00"+c.ProviderID] = true
				if c.ID != "" {
					given[c.ID] = true
				}
			}
		}
	}
	msgs = llm.Sanitize(x.req.Messages, llm.Profile{
		Provider: x.c.name(), API: x.c.api(), Model: x.model,
		IDs: llm.IDsStrict, MergeResults: true,
		ResultImages: x.f.ResultImages || x.c.api() == Interactions,
	})
	system = llm.Clean(x.req.System)
	for len(msgs) > 0 && msgs[0].Role == llm.RoleSystem {
		if system != "" {
			system += "\n\n"
		}
		system += msgs[0].Text()
		msgs = msgs[1:]
	}
	return system, msgs, given
}

// own reports whether the model that is asked said m.
func (x *exchange) own(m *llm.Message) bool {
	return m.Role == llm.RoleAssistant && m.Provider == x.c.name() && m.API == x.c.api() && m.Model == x.model
}

// contents is the conversation as generateContent has it: roles user and model,
// each a list of parts.
func (x *exchange) contents(o *wire.Object) {
	system, msgs, given := x.history()
	if system != "" && !x.has("cachedContent") { // which brings its own
		o.Key("systemInstruction")
		o.Put(`{"parts":[{`)
		o.Str("text", system)
		o.Put("}]}")
	}
	o.Key("contents")
	o.Put("[")
	w := writer{x: x, o: o, given: given}
	for i := range msgs {
		w.message(&msgs[i])
	}
	if x.corrected {
		if len(x.in.said) > 0 {
			w.role("model")
			w.text(string(x.in.said))
		}
		w.role("user")
		w.text(correction)
	}
	w.end()
	o.Put("]")
}

// A writer writes contents. Messages of one role in a row become one, but
// results stand alone: there are to be as many as there were calls.
type writer struct {
	x      *exchange
	o      *wire.Object
	given  map[string]bool
	now    string // the role of the content that is open
	closed bool   // nothing may be added to it
	calls  []bool // of the last reply: whether each had an id
}

func (w *writer) role(role string) {
	if w.now == role && !w.closed {
		return
	}
	if w.now == "" && role == "model" { // the first turn is to be the user's
		w.role("user")
		w.text("Continue.")
	}
	w.end()
	w.o.Next(`{"role":"` + role + `","parts":[`)
	w.now, w.closed = role, false
}

func (w *writer) end() {
	if w.now != "" {
		w.o.Put("]}")
	}
}

func (w *writer) text(s string) {
	w.o.Next("{")
	w.o.Str("text", s)
	w.o.Put("}")
}

func (w *writer) message(m *llm.Message) {
	switch m.Role {
	case llm.RoleAssistant:
		w.role("model")
		w.reply(m)
	case llm.RoleTool:
		w.closed = true
		w.role("user")
		for i := range m.Blocks {
			w.result(m.Blocks[i].Result, i)
		}
		w.closed = true
	default:
		w.role("user")
		for i := range m.Blocks {
			switch b := &m.Blocks[i]; b.Type {
			case tool.ContentText:
				w.text(b.Text)
			case tool.ContentImage:
				w.o.Next("{")
				w.image(&b.Content)
				w.o.Put("}")
			}
		}
	}
}

// image is a member of a part.
func (w *writer) image(c *tool.Content) {
	w.o.Key("inlineData")
	w.o.Put("{")
	w.o.Str("mimeType", mediaType(c.MIME))
	w.o.Key("data")
	w.o.Put(`"`)
	w.o.B = base64.StdEncoding.AppendEncode(w.o.B, c.Data)
	w.o.Put(`"}`)
}

// mediaTypes are the kinds of image that models take.
var mediaTypes = []string{"image/png", "image/jpeg", "image/webp", "image/heic", "image/heif", "image/gif"}

func mediaType(mime string) string {
	if slices.Contains(mediaTypes, mime) {
		return mime
	}
	return mediaTypes[0]
}

// unsigned stands where a call of another model has no signature: Google's word
// for that (ai.google.dev, thought signatures).
const unsigned = "skip_thought_signature_validator"

// reply writes the parts of a reply, each with the signature that it came with.
// Of parallel calls only the first has one.
func (w *writer) reply(m *llm.Message) {
	w.calls = w.calls[:0]
	for i := range m.Blocks {
		b := &m.Blocks[i]
		sign := b.Signature
		switch b.Type {
		case tool.ContentText:
			w.o.Next("{")
			w.o.Str("text", b.Text)
		case llm.BlockThinking:
			w.o.Next("{")
			w.o.Str("text", b.Thinking)
			w.o.Raw("thought", "true")
		case tool.ContentImage:
			w.o.Next("{")
			w.image(&b.Content)
		case llm.BlockOpaque:
			w.o.Next("")
			w.o.B = jsonx.AppendCompact(w.o.B, b.Opaque)
			continue
		case llm.BlockCall:
			if sign == "" && w.x.f.Signed && len(w.calls) == 0 {
				sign = unsigned
			}
			w.call(b.Call)
		default:
			continue
		}
		if sign != "" {
			w.o.Str("thoughtSignature", sign)
		}
		w.o.Put("}")
	}
}

// call begins the part of a call.
func (w *writer) call(c *tool.Call) {
	given := w.given[c.ID] || w.given[c.ID+"\x00"+c.ProviderID]
	w.calls = append(w.calls, given)
	w.o.Next(`{"functionCall":{`)
	if given {
		w.o.Str("id", c.ProviderID)
	}
	w.o.Str("name", llm.WireName(c.Tool))
	w.o.JSON("args", w.x.tools.Express(c.Tool, c.Args))
	w.o.Put("}")
}

// result is the answer to the call n of the reply before. It has an id where the
// call had one; else names and order tell.
func (w *writer) result(r *tool.Result, n int) {
	w.o.Next(`{"functionResponse":{`)
	if n < len(w.calls) && w.calls[n] {
		w.o.Str("id", r.ProviderID)
	}
	w.o.Str("name", llm.WireName(r.Tool))
	key := "output"
	if r.IsError() {
		key = "error"
	}
	w.o.Key("response")
	w.o.Put("{")
	w.o.Str(key, llm.ResultText(r))
	w.o.Put("}")
	if slices.ContainsFunc(r.Content, func(c tool.Content) bool { return c.Type == tool.ContentImage }) && w.x.f.ResultImages {
		w.o.Key("parts")
		w.o.Put("[")
		for i := range r.Content {
			if r.Content[i].Type == tool.ContentImage {
				w.o.Next("{")
				w.image(&r.Content[i])
				w.o.Put("}")
			}
		}
		w.o.Put("]")
	}
	w.o.Put("}}")
}
