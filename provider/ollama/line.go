package ollama

import (
	"github.com/toolpost/toolpost/internal/wire"
	"github.com/toolpost/toolpost/llm"
)

// A line is what one line of the stream, or a whole reply, holds. Its slices are
// valid until the next is read.
type line struct {
	model    []byte
	text     []byte
	thinking []byte
	calls    []call
	done     bool
	reason   []byte
	usage    llm.Usage
	hasUsage bool
	fault    bool // it is an error
	known    bool // it is a piece of a reply
}

// A call is a call; they come whole.
type call struct {
	id, name []byte
	args     []byte // as they are written
}

// reader reads lines and keeps their memory.
type reader struct {
	cur wire.Cursor
	line
}

// read reads b. It is false if b is not a JSON object.
func (r *reader) read(b []byte) bool {
	r.line = line{calls: r.calls[:0]}
	c := &r.cur
	c.Reset(b)
	if c.Peek() != '{' {
		return false
	}
	c.Each(func(name []byte) {
		switch string(name) {
		case "model":
			r.model = c.Text()
		case "message":
			r.known = true
			c.Each(r.message)
		case "done":
			r.done = string(c.Raw()) == "true"
			r.known = r.known || r.done
		case "done_reason":
			r.reason = c.Text()
		case "prompt_eval_count":
			r.usage.Input, r.hasUsage = c.Number(), true
		case "eval_count":
			r.usage.Output, r.hasUsage = c.Number(), true
		case "error":
			v := string(c.Raw())
			r.fault = v != "null" && v != `""` && v != "{}"
		default:
			c.Skip()
		}
	})
	return c.Done()
}

// message reads a member of the message.
func (r *reader) message(name []byte) {
	c := &r.cur
	switch string(name) {
	case "content":
		r.text = c.Text()
	case "thinking":
		r.thinking = c.Text()
	case "tool_calls":
		c.List(r.call)
	default:
		c.Skip()
	}
}

func (r *reader) call() {
	c := &r.cur
	var p call
	c.Each(func(name []byte) {
		switch string(name) {
		case "id":
			p.id = c.Text()
		case "function":
			c.Each(func(name []byte) {
				switch string(name) {
				case "name":
					p.name = c.Text()
				case "arguments":
					if c.Peek() == '"' { // some proxies write them as text
						p.args = c.Text()
						return
					}
					p.args = c.Raw()
				default:
					c.Skip()
				}
			})
		default:
			c.Skip()
		}
	})
	if len(p.name) > 0 || len(p.args) > 0 {
		r.calls = append(r.calls, p)
	}
}
