package openai

import (
	"bytes"

	"github.com/toolpost/toolpost/internal/jsonx"
	"github.com/toolpost/toolpost/llm"
)

// A chunk is what one event of the stream, or a whole reply, holds. Its slices
// are valid until the next is read.
type chunk struct {
	id, model []byte
	content   []byte
	refusal   []byte
	thinking  []byte
	details   []byte // reasoning_details, a list
	finish    []byte
	calls     []callPart
	usage     llm.Usage
	hasUsage  bool
	fault     []byte // the value of "error", if it says anything
	choices   bool   // there was one
	whole     bool   // it is a message, not a delta
}

// A callPart is a call or a fragment of one.
type callPart struct {
	index          int
	id, name, args []byte
	signature      []byte
}

// reader reads chunks and keeps their memory.
type reader struct {
	cur    cursor
	fields []string // where reasoning comes in, best first
	found  int      // which of them it came in, plus one
	chunk
}

// read reads b. It is false if b is not a JSON object.
func (r *reader) read(b []byte) bool {
	calls := r.calls[:0]
	r.chunk = chunk{calls: calls}
	r.cur = cursor{b: b, scratch: r.cur.scratch[:0]}
	r.found = 0
	c := &r.cur
	if c.peek() != '{' {
		return false
	}
	c.open('{')
	for first := true; ; {
		name, ok := c.member(&first)
		if !ok {
			break
		}
		switch string(name) {
		case "id":
			r.id = c.text()
		case "model":
			r.model = c.text()
		case "choices":
			r.list(r.choice)
		case "usage":
			r.readUsage()
		case "x_groq":
			r.each(func(name []byte) {
				if string(name) == "usage" {
					r.readUsage()
					return
				}
				c.skip()
			})
		case "error":
			r.readFault(b)
		case "object", "type":
			if t := c.text(); string(t) == "error" && r.fault == nil {
				r.fault = b
			}
		default:
			c.skip()
		}
	}
	return c.done()
}

// readFault takes an error that is more than null, false or empty.
func (r *reader) readFault(whole []byte) {
	switch v := r.cur.raw(); string(v) {
	case "", "null", "false", `""`, "{}":
	default:
		r.fault = whole
	}
}

// list calls fn at each element of an array.
func (r *reader) list(fn func()) {
	if !r.cur.open('[') {
		return
	}
	for first := true; r.cur.more(']', &first); {
		fn()
	}
}

// each calls fn at the value of each member of an object.
func (r *reader) each(fn func(name []byte)) {
	if !r.cur.open('{') {
		return
	}
	for first := true; ; {
		name, ok := r.cur.member(&first)
		if !ok {
			return
		}
		fn(name)
	}
}

// choice reads one alternative; those after the first are skipped.
func (r *reader) choice() {
	c := &r.cur
	if r.choices || c.peek() != '{' {
		c.skip()
		return
	}
	if !bytes.HasPrefix(c.b[c.i+1:], firstIndex) && r.otherChoice() || c.bad {
		return
	}
	r.choices = true
	r.each(func(name []byte) {
		switch string(name) {
		case "delta":
			r.each(r.delta)
		case "message":
			r.whole = true
			r.each(r.delta)
		case "finish_reason":
			if t := c.text(); len(t) > 0 {
				r.finish = t
			}
		case "usage":
			r.readUsage()
		default:
			c.skip()
		}
	})
}

// firstIndex is how choices of most servers begin.
var firstIndex = []byte(`"index":0,`)

// otherChoice reports whether the choice that comes is not the first, and is
// behind it then.
func (r *reader) otherChoice() bool {
	c := &r.cur
	start, depth, other := c.i, c.depth, false
	r.each(func(name []byte) {
		if string(name) == "index" {
			other = other || c.number() != 0
			return
		}
		c.skip()
	})
	if !other && !c.bad {
		c.i, c.depth = start, depth
	}
	return other
}

// delta reads one member of a delta or of a whole message.
func (r *reader) delta(name []byte) {
	c := &r.cur
	switch string(name) {
	case "content":
		if c.peek() == '[' {
			r.list(r.part)
			return
		}
		r.content = c.text()
	case "refusal":
		r.refusal = c.text()
	case "tool_calls":
		if c.peek() == '{' { // a lone call
			r.call()
			return
		}
		r.list(r.call)
	case "function_call":
		r.calls = append(r.calls, callPart{index: 0})
		r.each(r.function)
		if p := &r.calls[len(r.calls)-1]; p.name == nil && p.args == nil {
			r.calls = r.calls[:len(r.calls)-1]
		}
	case "reasoning_details":
		if c.peek() == '[' {
			r.details = c.raw()
			return
		}
		c.skip()
	default:
		r.reasoning(name)
	}
}

// reasoning reads a field that reasoning may be in. Some servers send the same
// text in two of them: the best one counts.
func (r *reader) reasoning(name []byte) {
	c := &r.cur
	for i, f := range r.fields {
		if string(name) != f {
			continue
		}
		if t := c.text(); len(t) > 0 && (r.found == 0 || i < r.found-1) {
			r.thinking, r.found = t, i+1
		}
		return
	}
	c.skip()
}

// part reads one part of a content that is a list: text or thinking.
func (r *reader) part() {
	c := &r.cur
	r.each(func(name []byte) {
		switch string(name) {
		case "text":
			r.content = append(r.content, c.text()...)
		case "thinking":
			if c.peek() != '[' {
				r.thinking = append(r.thinking, c.text()...)
				return
			}
			r.list(func() {
				r.each(func(name []byte) {
					if string(name) == "text" {
						r.thinking = append(r.thinking, c.text()...)
						return
					}
					c.skip()
				})
			})
		default:
			c.skip()
		}
	})
}

// call reads a call.
func (r *reader) call() {
	c := &r.cur
	if c.peek() != '{' {
		c.skip()
		return
	}
	p := callPart{index: -1}
	if r.whole {
		p.index = len(r.calls)
	}
	r.calls = append(r.calls, p)
	r.each(func(name []byte) {
		p := &r.calls[len(r.calls)-1]
		switch string(name) {
		case "index":
			if ch := c.peek(); ch >= '0' && ch <= '9' {
				p.index = int(c.number())
				return
			}
			c.skip()
		case "id":
			p.id = c.text()
		case "function", "custom":
			r.each(r.function)
		case "extra_content":
			r.extra()
		default:
			c.skip()
		}
	})
}

// function reads a member of the function of the last call.
func (r *reader) function(name []byte) {
	c := &r.cur
	p := &r.calls[len(r.calls)-1]
	switch string(name) {
	case "name":
		p.name = c.text()
	case "arguments", "input":
		if ch := c.peek(); ch == '{' || ch == '[' { // an object where its text should stand
			p.args = jsonx.AppendCompact(nil, c.raw())
			return
		}
		p.args = c.text()
	default:
		c.skip()
	}
}

// extra finds Gemini's signature of a call: extra_content.google.thought_signature.
func (r *reader) extra() {
	c := &r.cur
	r.each(func(name []byte) {
		if string(name) != "google" {
			c.skip()
			return
		}
		r.each(func(name []byte) {
			if string(name) != "thought_signature" {
				c.skip()
				return
			}
			r.calls[len(r.calls)-1].signature = c.text()
		})
	})
}

// readUsage reads token counts; null and what is empty leave those that came
// before.
func (r *reader) readUsage() {
	c := &r.cur
	if c.peek() != '{' {
		c.skip()
		return
	}
	var prompt, output, cached, written, reasoning, hits int64
	any := false
	r.each(func(name []byte) {
		switch string(name) {
		case "prompt_tokens":
			prompt, any = c.number(), true
		case "completion_tokens":
			output, any = c.number(), true
		case "prompt_cache_hit_tokens":
			hits = c.number()
		case "prompt_tokens_details":
			r.each(func(name []byte) {
				switch string(name) {
				case "cached_tokens":
					cached = c.number()
				case "cache_write_tokens":
					written = c.number()
				default:
					c.skip()
				}
			})
		case "completion_tokens_details":
			r.each(func(name []byte) {
				if string(name) == "reasoning_tokens" {
					reasoning = c.number()
					return
				}
				c.skip()
			})
		default:
			c.skip()
		}
	})
	if !any {
		return
	}
	cached = max(cached, hits)
	r.usage = llm.Usage{Input: max(prompt-cached-written, 0), CacheRead: cached, CacheWrite: written, Output: output, Reasoning: reasoning}
	r.hasUsage = true
}
