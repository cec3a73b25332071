package gemini

import (
	"github.com/toolpost/toolpost/internal/wire"
	"github.com/toolpost/toolpost/llm"
)

// An event is one event of Interactions. Its slices are valid until the next is
// read.
type event struct {
	kind        []byte // event_type, which often stands last
	index       int
	step        []byte // as they are written
	delta       []byte
	interaction []byte
	status      []byte
	token       []byte // to continue by
	owner       []byte // interaction_id
	usage       []byte
	fault       bool
}

// eventReader reads events and what is in them, and keeps their memory.
type eventReader struct {
	cur   wire.Cursor // over the event
	inner wire.Cursor // over a value in it
	all   []byte      // the event as it is written
	event
}

// read reads b. It is false if b is not a JSON object.
func (r *eventReader) read(b []byte) bool {
	r.event, r.all = event{}, b
	c := &r.cur
	c.Reset(b)
	if c.Peek() != '{' {
		return false
	}
	c.Each(func(name []byte) {
		switch string(name) {
		case "event_type":
			r.kind = c.Text()
		case "index":
			r.index = int(c.Number())
		case "step":
			r.step = c.Raw()
		case "delta":
			r.delta = c.Raw()
		case "interaction":
			r.interaction = c.Raw()
		case "interaction_id":
			r.owner = c.Text()
		case "status":
			r.status = c.Text()
		case "continuation_token":
			r.token = c.Text()
		case "usage":
			r.usage = c.Raw()
		case "metadata":
			c.Each(func(name []byte) {
				if string(name) == "total_usage" {
					r.usage = c.Raw()
					return
				}
				c.Skip()
			})
		case "error":
			v := c.Raw()
			r.fault = string(v) != "null" && string(v) != "{}"
		default:
			c.Skip()
		}
	})
	return c.Done()
}

// A step is what a step or a piece of one holds.
type step struct {
	kind      []byte
	id, name  []byte // of a call
	args      []byte // of a call: an object as it is written
	fragment  []byte // of a call: a piece of the text of its arguments
	text      []byte // of an answer
	thinking  []byte
	signature []byte
	media     [][]byte // of an answer: what is no text, as it is written
}

// readStep reads a step or a delta.
func (r *eventReader) readStep(b []byte) (s step, ok bool) {
	c := &r.inner
	c.Reset(b)
	c.Each(func(name []byte) {
		switch string(name) {
		case "type":
			s.kind = c.Text()
		case "id":
			s.id = c.Text()
		case "name":
			s.name = c.Text()
		case "arguments":
			if c.Peek() == '"' {
				s.fragment = c.Text()
				return
			}
			s.args = c.Raw()
		case "text":
			s.text = c.Text()
		case "signature", "thought_signature":
			s.signature = c.Text()
		case "summary":
			c.List(func() { r.content(&s.thinking, nil) })
		case "content":
			if c.Peek() == '{' { // of a thought_summary
				r.content(&s.thinking, nil)
				return
			}
			c.List(func() { r.content(&s.text, &s.media) })
		default:
			c.Skip()
		}
	})
	return s, c.Done()
}

// content reads a block of content: its text is added to text, and any other
// block to media.
func (r *eventReader) content(text *[]byte, media *[][]byte) {
	c := &r.inner
	at, isText := c.Mark(), false
	c.Each(func(name []byte) {
		if string(name) == "text" {
			*text = append(*text, c.Text()...)
			isText = true
			return
		}
		c.Skip()
	})
	if !isText && media != nil {
		c.Back(at)
		*media = append(*media, c.Raw())
	}
}

// An interaction is what is told of the whole.
type interaction struct {
	id, model, status, token []byte
	usage                    []byte
	steps                    [][]byte
}

func (r *eventReader) readInteraction(b []byte) (i interaction, ok bool) {
	c := &r.inner
	c.Reset(b)
	c.Each(func(name []byte) {
		switch string(name) {
		case "id":
			i.id = c.Text()
		case "model":
			i.model = c.Text()
		case "status":
			i.status = c.Text()
		case "continuation_token":
			i.token = c.Text()
		case "usage":
			i.usage = c.Raw()
		case "steps", "outputs":
			c.List(func() { i.steps = append(i.steps, c.Raw()) })
		default:
			c.Skip()
		}
	})
	return i, c.Done()
}

// readUsage reads token counts. The input has what came from a cache; the output
// has no thoughts.
func (r *eventReader) readUsage(b []byte) (llm.Usage, bool) {
	c := &r.inner
	c.Reset(b)
	var in, cached, out, thoughts, tools int64
	any := false
	c.Each(func(name []byte) {
		any = true
		switch string(name) {
		case "total_input_tokens":
			in = c.Number()
		case "total_cached_tokens":
			cached = c.Number()
		case "total_output_tokens":
			out = c.Number()
		case "total_thought_tokens":
			thoughts = c.Number()
		case "total_tool_use_tokens":
			tools = c.Number()
		default:
			c.Skip()
		}
	})
	return llm.Usage{Input: max(in-cached, 0), CacheRead: cached, Output: out + thoughts, Reasoning: thoughts, ToolInput: tools}, any && !c.Bad()
}
