package bedrock

import (
	"github.com/toolpost/toolpost/internal/wire"
	"github.com/toolpost/toolpost/llm"
)

// An event is what one event of the stream, a block, or a whole reply holds. Its
// slices are valid until the next is read.
type event struct {
	index     int
	text      []byte
	thinking  []byte
	signature []byte
	redacted  []byte // base64
	id, name  []byte // of a call
	args      []byte // of a call: a fragment
	input     []byte // of a call: the whole, as JSON
	stop      []byte
	content   []byte // of a whole reply, a list of blocks
}

// A reader reads events and keeps their memory.
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

// readBlock reads a block of a whole reply.
func (r *reader) readBlock(b []byte) bool {
	r.cur.Reset(b)
	r.event = event{index: -1}
	r.cur.Each(r.part)
	return r.cur.Done()
}

func (r *reader) top(name []byte) {
	c := &r.cur
	switch string(name) {
	case "contentBlockIndex":
		if ch := c.Peek(); ch >= '0' && ch <= '9' {
			r.index = int(min(c.Number(), 1<<20))
			return
		}
		c.Skip()
	case "start", "delta":
		c.Each(r.part)
	case "stopReason":
		r.stop = c.Text()
	case "usage":
		r.has = true
		c.Each(r.count)
	case "output", "message":
		c.Each(r.top)
	case "content":
		r.content = c.Raw()
	default:
		c.Skip()
	}
}

// part reads a member of a block, or of what begins or adds to one.
func (r *reader) part(name []byte) {
	c := &r.cur
	switch string(name) {
	case "text":
		r.text = c.Text()
	case "toolUse":
		c.Each(r.call)
	case "reasoningContent":
		c.Each(r.reasoning)
	default:
		c.Skip()
	}
}

func (r *reader) call(name []byte) {
	c := &r.cur
	switch string(name) {
	case "toolUseId":
		r.id = c.Text()
	case "name":
		r.name = c.Text()
	case "input":
		if c.Peek() == '"' {
			r.args = c.Text()
			return
		}
		r.input = c.Raw()
	default:
		c.Skip()
	}
}

func (r *reader) reasoning(name []byte) {
	c := &r.cur
	switch string(name) {
	case "text":
		r.thinking = c.Text()
	case "signature":
		r.signature = c.Text()
	case "redactedContent":
		r.redacted = c.Text()
	case "reasoningText":
		c.Each(r.reasoning)
	default:
		c.Skip()
	}
}

func (r *reader) count(name []byte) {
	switch n := &r.cur; string(name) {
	case "inputTokens":
		r.usage.Input = n.Number()
	case "outputTokens":
		r.usage.Output = n.Number()
	case "cacheReadInputTokens":
		r.usage.CacheRead = n.Number()
	case "cacheWriteInputTokens":
		r.usage.CacheWrite = n.Number()
	default:
		n.Skip()
	}
}
