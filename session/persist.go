package session

import (
	"context"

	"github.com/toolpost/toolpost/llm"
)

// A Sink is where messages are kept: a Session or a Memory.
type Sink interface {
	Messages() []llm.Message
	Append(ctx context.Context, msgs ...llm.Message) error
}

// A Rewrite sees a message on its way into a session and returns what is to be
// kept. It works on a copy of its own and is not to keep it. The ids of calls
// and results stay as they are, whatever it does.
type Rewrite func(llm.Message) llm.Message

// Persist is s with rewrites in front of it, in order: each sees what the one
// before it made. One that panics is passed over.
func Persist(s Sink, rewrites ...Rewrite) Sink {
	if len(rewrites) == 0 {
		return s
	}
	return &persisted{s, rewrites}
}

type persisted struct {
	Sink
	rewrites []Rewrite
}

func (p *persisted) Append(ctx context.Context, msgs ...llm.Message) error {
	kept := make([]llm.Message, len(msgs))
	for i, m := range msgs {
		for _, fn := range p.rewrites {
			m = rewritten(m, fn)
		}
		kept[i] = m
	}
	return p.Sink.Append(ctx, kept...)
}

func rewritten(m llm.Message, fn Rewrite) (out llm.Message) {
	out = m
	defer func() {
		if recover() != nil {
			out = m
		}
	}()
	own := m
	own.Blocks = make([]llm.Block, len(m.Blocks))
	for i, b := range m.Blocks {
		if b.Result != nil {
			r := *b.Result
			b.Result = &r
		}
		if b.Call != nil {
			c := *b.Call
			b.Call = &c
		}
		own.Blocks[i] = b
	}
	got := fn(own)
	if !sameIDs(&m, &got) {
		return m
	}
	return got
}

// sameIDs reports whether got answers and asks what m does.
func sameIDs(m, got *llm.Message) bool {
	if m.Role != got.Role {
		return false
	}
	a, b := ids(m), ids(got)
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i] != b[i] {
			return false
		}
	}
	return true
}

func ids(m *llm.Message) []string {
	var out []string
	for _, b := range m.Blocks {
		switch {
		case b.Call != nil:
			out = append(out, b.Call.ID)
		case b.Result != nil:
			out = append(out, b.Result.ID)
		}
	}
	return out
}
