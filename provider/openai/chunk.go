package openai

import (
	"bytes"

	"github.com/toolpost/toolpost/internal/jsonx"
	"github.com/toolpost/toolpost/internal/wire"
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
	cur    wire.Cursor
	fields []string // where reasoning comes in, best first
	found  int      // which of them it came in, plus one
	chunk
}

// read reads b. It is false if b is not a JSON object.
func (r *reader) read(b []byte) bool {
	calls := r.calls[:0]
	r.chunk = chunk{calls: calls}
	r.cur.Reset(b)
	r.found = 0
	c := &r.cur
	if c.Peek() != '{' {
		return false
	}
	c.Open('{')
	for first := true; ; {
		name, ok := c.Member(&first)
		if !ok {
			break
		}
		switch string(name) {
		case "id":
			r.id = c.Text()
		case "model":
			r.model = c.Text()
		case "choices":
			r.cur.List(r.choice)
		case "usage":
			r.readUsage()
		case "x_groq":
			r.cur.Each(func(name []byte) {
				if string(name) == "usage" {
					r.readUsage()
					return
				}
				c.Skip()
			})
		case "error":
			r.readFault(b)
		case "object", "type":
			if t := c.Text(); string(t) == "error" && r.fault == nil {
				r.fault = b
			}
		default:
			c.Skip()
		}
	}
	return c.Done()
}

// readFault takes an error that is more than null, false or empty.
func (r *reader) readFault(whole []byte) {
	switch v := r.cur.Raw(); string(v) {
	case "", "null", "false", `""`, "{}":
	default:
		r.fault = whole
	}
}

// choice reads one alternative; those after the first are skipped.
func (r *reader) choice() {
	c := &r.cur
	if r.choices || c.Peek() != '{' {
		c.Skip()
		return
	}
	if !bytes.HasPrefix(c.Ahead(), firstIndex) && r.otherChoice() || c.Bad() {
		return
	}
	r.choices = true
	r.cur.Each(func(name []byte) {
		switch string(name) {
		case "delta":
			r.cur.Each(r.delta)
		case "message":
			r.whole = true
			r.cur.Each(r.delta)
		case "finish_reason":
			if t := c.Text(); len(t) > 0 {
				r.finish = t
			}
		case "usage":
			r.readUsage()
		default:
			c.Skip()
		}
	})
}

// firstIndex is how choices of most servers begin.
var firstIndex = []byte(`{"index":0,`)

// otherChoice reports whether the choice that comes is not the first, and is
// behind it then.
func (r *reader) otherChoice() bool {
	c := &r.cur
	start, other := c.Mark(), false
	r.cur.Each(func(name []byte) {
		if string(name) == "index" {
			other = other || c.Number() != 0
			return
		}
		c.Skip()
	})
	if !other {
		c.Back(start)
	}
	return other
}

// delta reads one member of a delta or of a whole message.
func (r *reader) delta(name []byte) {
	c := &r.cur
	switch string(name) {
	case "content":
		if c.Peek() == '[' {
			r.cur.List(r.part)
			return
		}
		r.content = c.Text()
	case "refusal":
		r.refusal = c.Text()
	case "tool_calls":
		if c.Peek() == '{' { // a lone call
			r.call()
			return
		}
		r.cur.List(r.call)
	case "function_call":
		r.calls = append(r.calls, callPart{index: 0})
		r.cur.Each(r.function)
		if p := &r.calls[len(r.calls)-1]; p.name == nil && p.args == nil {
			r.calls = r.calls[:len(r.calls)-1]
		}
	case "reasoning_details":
		if c.Peek() == '[' {
			r.details = c.Raw()
			return
		}
		c.Skip()
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
		if t := c.Text(); len(t) > 0 && (r.found == 0 || i < r.found-1) {
			r.thinking, r.found = t, i+1
		}
		return
	}
	c.Skip()
}

// part reads one part of a content that is a list: text or thinking.
func (r *reader) part() {
	c := &r.cur
	r.cur.Each(func(name []byte) {
		switch string(name) {
		case "text":
			r.content = append(r.content, c.Text()...)
		case "thinking":
			if c.Peek() != '[' {
				r.thinking = append(r.thinking, c.Text()...)
				return
			}
			r.cur.List(func() {
				r.cur.Each(func(name []byte) {
					if string(name) == "text" {
						r.thinking = append(r.thinking, c.Text()...)
						return
					}
					c.Skip()
				})
			})
		default:
			c.Skip()
		}
	})
}

// call reads a call.
func (r *reader) call() {
	c := &r.cur
	if c.Peek() != '{' {
		c.Skip()
		return
	}
	p := callPart{index: -1}
	if r.whole {
		p.index = len(r.calls)
	}
	r.calls = append(r.calls, p)
	r.cur.Each(func(name []byte) {
		p := &r.calls[len(r.calls)-1]
		switch string(name) {
		case "index":
			if ch := c.Peek(); ch >= '0' && ch <= '9' {
				p.index = int(c.Number())
				return
			}
			c.Skip()
		case "id":
			p.id = c.Text()
		case "function", "custom":
			r.cur.Each(r.function)
		case "extra_content":
			r.extra()
		default:
			c.Skip()
		}
	})
}

// function reads a member of the function of the last call.
func (r *reader) function(name []byte) {
	c := &r.cur
	p := &r.calls[len(r.calls)-1]
	switch string(name) {
	case "name":
		p.name = c.Text()
	case "arguments", "input":
		if ch := c.Peek(); ch == '{' || ch == '[' { // an object where its text should stand
			p.args = jsonx.AppendCompact(nil, c.Raw())
			return
		}
		p.args = c.Text()
	default:
		c.Skip()
	}
}

// extra finds Gemini's signature of a call: extra_content.google.thought_signature.
func (r *reader) extra() {
	c := &r.cur
	r.cur.Each(func(name []byte) {
		if string(name) != "google" {
			c.Skip()
			return
		}
		r.cur.Each(func(name []byte) {
			if string(name) != "thought_signature" {
				c.Skip()
				return
			}
			r.calls[len(r.calls)-1].signature = c.Text()
		})
	})
}

// readUsage reads token counts; null and what is empty leave those that came
// before.
func (r *reader) readUsage() {
	c := &r.cur
	if c.Peek() != '{' {
		c.Skip()
		return
	}
	var prompt, output, cached, written, reasoning, hits int64
	any := false
	r.cur.Each(func(name []byte) {
		switch string(name) {
		case "prompt_tokens":
			prompt, any = c.Number(), true
		case "completion_tokens":
			output, any = c.Number(), true
		case "prompt_cache_hit_tokens":
			hits = c.Number()
		case "prompt_tokens_details":
			r.cur.Each(func(name []byte) {
				switch string(name) {
				case "cached_tokens":
					cached = c.Number()
				case "cache_write_tokens":
					written = c.Number()
				default:
					c.Skip()
				}
			})
		case "completion_tokens_details":
			r.cur.Each(func(name []byte) {
				if string(name) == "reasoning_tokens" {
					reasoning = c.Number()
					return
				}
				c.Skip()
			})
		default:
			c.Skip()
		}
	})
	if !any {
		return
	}
	cached = max(cached, hits)
	r.usage = llm.Usage{Input: max(prompt-cached-written, 0), CacheRead: cached, CacheWrite: written, Output: output, Reasoning: reasoning}
	r.hasUsage = true
}
