package scripted

import (
	"context"
	"strconv"
	"time"
	"unicode/utf8"

	"github.com/toolpost/toolpost/llm"
	"github.com/toolpost/toolpost/tool"
)

// A speech is one turn being said.
type speech struct {
	m     *Model
	ctx   context.Context
	req   *llm.Request
	yield func(llm.Delta, error) bool
	gone  bool // nobody listens any more
	begun bool
}

// say says t, the reply after n others. It returns early, without an error, when
// nobody listens.
func (s *speech) say(t *Turn, n int) error {
	if err := s.wait(t.Delay); err != nil {
		return err
	}
	if t.Fail != nil {
		e := *t.Fail
		return &e
	}
	name := s.m.Name
	if name == "" {
		name = "scripted"
	}
	if err := s.send(llm.Delta{Kind: llm.DeltaStart, Provider: "script", API: "scripted", Model: name}); err != nil || s.gone {
		return err
	}
	if err := s.chunks(llm.Delta{Kind: llm.DeltaThinking}, t.Thinking); err != nil || s.gone {
		return err
	}
	if err := s.chunks(llm.Delta{Kind: llm.DeltaText}, t.Text); err != nil || s.gone {
		return err
	}
	for i := range t.Calls {
		if err := s.call(t, n, i); err != nil || s.gone {
			return err
		}
	}
	return s.close(t)
}

func (s *speech) close(t *Turn) error {
	if t.Usage != nil {
		if err := s.send(llm.Delta{Kind: llm.DeltaUsage, Usage: t.Usage}); err != nil || s.gone {
			return err
		}
	}
	if t.Cut {
		return &llm.Error{Provider: "script", Code: tool.CodeUnavailable, Retryable: true, Message: "the stream was cut, as the script says"}
	}
	stop := t.Stop
	if stop == "" {
		stop = llm.StopEnd
		if len(t.Calls) > 0 {
			stop = llm.StopCalls
		}
	}
	return s.send(llm.Delta{Kind: llm.DeltaStop, Stop: stop, Text: string(stop)})
}

func (s *speech) call(t *Turn, n, i int) error {
	c := &t.Calls[i]
	text := c.Raw
	if text == "" {
		args := c.Args
		if c.refs {
			var err error
			if args, err = s.m.resolve(t, c, s.req); err != nil {
				return err
			}
		}
		if text = string(args); text == "" {
			text = "{}"
		}
	}
	d := llm.Delta{Kind: llm.DeltaCall, Index: i, ID: c.ID, Name: c.Tool}
	if d.ID == "" {
		d.ID = "call_" + strconv.Itoa(n+1) + "_" + strconv.Itoa(i+1)
	}
	return s.chunks(d, text)
}

// chunks sends text in deltas like d; all of a call but its arguments goes with
// the first.
func (s *speech) chunks(d llm.Delta, text string) error {
	for text != "" {
		n := len(text)
		if s.m.Chunk > 0 {
			n = 0
			for range s.m.Chunk {
				_, w := utf8.DecodeRuneInString(text[n:])
				n += w
			}
		}
		d.Text, text = text[:n], text[n:]
		if err := s.send(d); err != nil || s.gone {
			return err
		}
		d.ID, d.Name = "", ""
	}
	return nil
}

func (s *speech) send(d llm.Delta) error {
	if s.begun {
		if err := s.wait(s.m.Pace); err != nil {
			return err
		}
	} else if err := s.ctx.Err(); err != nil {
		return err
	}
	s.begun = true
	s.gone = !s.yield(d, nil)
	return nil
}

// wait lets d go by unless the context ends first.
func (s *speech) wait(d time.Duration) error {
	if d <= 0 {
		return s.ctx.Err()
	}
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-s.ctx.Done():
		return s.ctx.Err()
	}
}
