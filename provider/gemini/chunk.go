package gemini

import (
	"github.com/toolpost/toolpost/internal/wire"
	"github.com/toolpost/toolpost/llm"
)

// A chunk is what one event of generateContent, or a whole reply, holds. Its
// slices are valid until the next is read.
type chunk struct {
	id, model []byte
	parts     []part
	finish    []byte
	token     []byte // to continue by
	blocked   []byte // why the prompt was refused
	usage     llm.Usage
	hasUsage  bool
	fault     bool // it is an error
	known     bool // it is a piece of a reply
}

// A part is one part of the content.
type part struct {
	kind      partKind
	text      []byte
	signature []byte
	raw       []byte // of partOther, all of it
	id, name  []byte // of a call
	args      []byte // of a call, as they are written
	pieces    []byte // of a call that comes in pieces: the list of them
	more      bool   // of a call: further pieces follow
}

type partKind int

const (
	partText partKind = iota
	partThought
	partCall
	partOther
)

// reader reads chunks and keeps their memory.
type reader struct {
	cur wire.Cursor
	chunk
}

// read reads b. It is false if b is not a JSON object.
func (r *reader) read(b []byte) bool {
	r.chunk = chunk{parts: r.parts[:0]}
	c := &r.cur
	c.Reset(b)
	if c.Peek() != '{' {
		return false
	}
	c.Each(func(name []byte) {
		switch string(name) {
		case "candidates":
			r.known = true
			c.List(r.candidate)
		case "promptFeedback":
			r.known = true
			r.feedback()
		case "usageMetadata":
			r.known = true
			r.readUsage()
		case "modelVersion":
			r.model = c.Text()
		case "responseId":
			r.id = c.Text()
		case "error":
			v := c.Raw()
			r.fault = string(v) != "null" && string(v) != "{}"
		default:
			c.Skip()
		}
	})
	return c.Done()
}

// candidate reads one alternative of the reply. Those but the first are left
// out.
func (r *reader) candidate() {
	c := &r.cur
	before := r.chunk
	other := false
	c.Each(func(name []byte) {
		switch string(name) {
		case "content":
			c.Each(func(name []byte) {
				if string(name) == "parts" {
					c.List(r.part)
					return
				}
				c.Skip()
			})
		case "finishReason":
			if t := c.Text(); len(t) > 0 && string(t) != "FINISH_REASON_UNSPECIFIED" {
				r.finish = t
			}
		case "continuationToken":
			r.token = c.Text()
		case "index":
			other = c.Number() != 0
		default:
			c.Skip()
		}
	})
	if other {
		r.chunk = before
	}
}

// part reads one part.
func (r *reader) part() {
	c := &r.cur
	var p part
	at, thought := c.Mark(), false
	c.Each(func(name []byte) {
		switch string(name) {
		case "text":
			p.text = c.Text()
		case "thought":
			thought = string(c.Raw()) == "true"
		case "thoughtSignature", "thought_signature":
			p.signature = c.Text()
		case "functionCall":
			p.kind = partCall
			r.call(&p)
		case "partMetadata":
			c.Skip()
		default:
			if p.kind == partText {
				p.kind = partOther
			}
			c.Skip()
		}
	})
	switch {
	case p.kind == partOther:
		c.Back(at)
		p.raw = c.Raw()
	case p.kind == partText && thought:
		p.kind = partThought
	}
	if !c.Bad() {
		r.parts = append(r.parts, p)
	}
}

func (r *reader) call(p *part) {
	c := &r.cur
	c.Each(func(name []byte) {
		switch string(name) {
		case "id":
			p.id = c.Text()
		case "name":
			p.name = c.Text()
		case "args":
			if c.Peek() == '"' { // some proxies write them as text
				p.args = c.Text()
				return
			}
			p.args = c.Raw()
		case "partialArgs":
			p.pieces = c.Raw()
		case "willContinue":
			p.more = string(c.Raw()) == "true"
		default:
			c.Skip()
		}
	})
}

func (r *reader) feedback() {
	c := &r.cur
	c.Each(func(name []byte) {
		if string(name) == "blockReason" {
			r.blocked = c.Text()
			return
		}
		c.Skip()
	})
}

// readUsage reads token counts: the prompt has what came from a cache, the
// candidates have no thoughts.
func (r *reader) readUsage() {
	c := &r.cur
	var prompt, cached, answer, thoughts, tools int64
	c.Each(func(name []byte) {
		switch string(name) {
		case "promptTokenCount":
			prompt = c.Number()
		case "cachedContentTokenCount":
			cached = c.Number()
		case "candidatesTokenCount":
			answer = c.Number()
		case "thoughtsTokenCount":
			thoughts = c.Number()
		case "toolUsePromptTokenCount":
			tools = c.Number()
		default:
			c.Skip()
		}
	})
	r.usage = llm.Usage{Input: max(prompt-cached, 0), CacheRead: cached, Output: answer + thoughts, Reasoning: thoughts, ToolInput: tools}
	r.hasUsage = true
}
