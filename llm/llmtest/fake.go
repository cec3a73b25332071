package llmtest

import (
	"context"
	"iter"

	"github.com/toolpost/toolpost/llm"
)

// Fake is an llm.Provider made of a func, which hands each delta to say until
// that is false, and may end with an error.
type Fake func(ctx context.Context, req *llm.Request, say func(llm.Delta) bool) error

// Stream implements llm.Provider.
func (f Fake) Stream(ctx context.Context, req *llm.Request) iter.Seq2[llm.Delta, error] {
	return func(yield func(llm.Delta, error) bool) {
		gone := false
		err := f(ctx, req, func(d llm.Delta) bool {
			gone = gone || !yield(d, nil)
			return !gone
		})
		if err != nil && !gone {
			yield(llm.Delta{}, err)
		}
	}
}

// Ask asks p and joins what it answers. The message is as whole as what came
// before the error.
func Ask(ctx context.Context, p llm.Provider, req *llm.Request) (llm.Message, error) {
	var r llm.Reply
	for d, err := range p.Stream(ctx, req) {
		if err != nil {
			r.Fail(err)
			return r.Message(), err
		}
		r.Add(d)
	}
	return r.Message(), nil
}
