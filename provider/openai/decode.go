package openai

import (
	"io"
	"iter"

	"github.com/toolpost/toolpost/internal/wire"
	"github.com/toolpost/toolpost/llm"
)

// Decode reads the body of one answer of Chat Completions, a stream or in one
// piece, as a Chat reads what a server sends; names of tools are left as they
// are. It is for recordings. Errors are *llm.Error.
func Decode(r io.Reader) iter.Seq2[llm.Delta, error] {
	return func(yield func(llm.Delta, error) bool) {
		d, _ := DialectFor("openrouter", "", "")
		x := &exchange{c: &Chat{Name: API}, d: d, req: &llm.Request{}, yield: yield}
		x.in.x = x
		b := wire.Body{R: r}
		if err := b.Read(&x.in); err != nil && !x.gone {
			yield(llm.Delta{}, llm.AsError(err))
		}
	}
}
