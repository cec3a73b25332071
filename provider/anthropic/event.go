package anthropic

import (
	"github.com/toolpost/toolpost/internal/wire"
	"github.com/toolpost/toolpost/llm"
)

// An event is what one event of the stream, or a whole reply, holds. Its slices
// are valid until the next is read.
type event struct {
	kind      []byte
	index     int
	block     []byte // content_block
	content   []byte // of a whole reply, a list of blocks
	deltaKind []byte
	text      []byte
	thinking  []byte
	args      []byte
	signature []byte
	id, model []byte
	stop      []byte
	fault     bool // "error" says something
}

// A reader reads events and keeps their memory, and the token counts, which
// come in pieces.
type reader struct {
	cur wire.Cursor
	event
	usage llm.Usage
	has   bool // usage
}

// read reads b. It is false if b is not a JSON object.
func (r *reader) read(b []byte) bool {
	r.cur.Reset(b)
	r.event = event{index: -1}
	if r.cur.Peek() != '{' {
		return false
	}
	r.cur.Each(r.top)
	return r.cur.Done()
}

func (r *reader) top(name []byte) {
	c := &r.cur
	switch string(name) {
	case "type":
		r.kind = c.Text()
	case "index":
		if ch := c.Peek(); ch >= '0' && ch <= '9' {
			r.index = int(min(c.Number(), 1<<20))
			return
		}
		c.Skip()
	case "delta":
		c.Each(r.delta)
	case "content_block":
		r.block = c.Raw()
	case "message":
		c.Each(r.message)
	case "error":
		switch v := c.Raw(); string(v) {
		case "", "null", "false", `""`, "{}":
		default:
			r.fault = true
		}
	default:
		r.message(name)
	}
}

// message reads a member of a message.
func (r *reader) message(name []byte) {
	c := &r.cur
	switch string(name) {
	case "id":
		r.id = c.Text()
	case "model":
		r.model = c.Text()
	case "content":
		r.content = c.Raw()
	case "stop_reason":
		r.stop = c.Text()
	case "usage":
		c.Each(r.count)
	default:
		c.Skip()
	}
}

func (r *reader) delta(name []byte) {
	c := &r.cur
	switch string(name) {
	case "type":
		r.deltaKind = c.Text()
	case "text":
		r.text = c.Text()
	case "thinking":
		r.thinking = c.Text()
	case "partial_json":
		r.args = c.Text()
	case "signature":
		r.signature = c.Text()
	case "stop_reason":
		r.stop = c.Text()
	default:
		c.Skip()
	}
}

// count reads token counts. They are totals so far, so each replaces the one
// before; servers that know none of them at the end send zero.
func (r *reader) count(name []byte) {
	var to *int64
	switch string(name) {
	case "input_tokens":
		to = &r.usage.Input
	case "output_tokens":
		to = &r.usage.Output
	case "cache_read_input_tokens":
		to = &r.usage.CacheRead
	case "cache_creation_input_tokens":
		to = &r.usage.CacheWrite
	case "output_tokens_details":
		r.cur.Each(func(name []byte) {
			if n := r.cur.Number(); string(name) == "thinking_tokens" && n > 0 {
				r.usage.Reasoning = n
			}
		})
		return
	default:
		r.cur.Skip()
		return
	}
	if n := r.cur.Number(); n > 0 {
		*to = n
	}
	r.has = true
}
