package llm

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"strings"

	"github.com/toolpost/toolpost/tool"
)

// A Middleware wraps a Provider in another.
type Middleware func(Provider) Provider

// A Model is one model of a Pipeline.
type Model struct {
	Provider Provider
	Name     string // as the provider names it; that of the request if empty
	Label    string // for people, such as openai/gpt-x; Name if empty
	Context  int    // its window in tokens, if known
}

func (m *Model) label() string {
	if m.Label != "" {
		return m.Label
	}
	return m.Name
}

// A Pipeline is a Provider that runs name rather than a socket: a model with
// others to fall back to. The next one is asked when one is unavailable after
// its retries, overloaded, out of quota or not found, or when its context is too
// small, and, unless Retry.Discard is set, only while nothing of a reply has
// come. Credentials that are wrong and requests that are refused are not hidden
// by asking elsewhere. Its fields are not changed once it is in use; many
// goroutines may use it then.
type Pipeline struct {
	Name   string
	Models []Model      // at least one, best first
	Use    []Middleware // around the whole, the first outermost
	Retry  Retry        // how each model is retried; its Provider is not used

	Report func(context.Context, Notice) // told of each fallback; see also WithNotices
}

// Stream implements Provider.
func (p *Pipeline) Stream(ctx context.Context, req *Request) iter.Seq2[Delta, error] {
	var whole Provider = chain{p}
	for i := len(p.Use) - 1; i >= 0; i-- {
		whole = p.Use[i](whole)
	}
	return whole.Stream(ctx, req)
}

// A chain is the models of a pipeline without its middleware.
type chain struct{ p *Pipeline }

// Stream implements Provider.
func (c chain) Stream(ctx context.Context, req *Request) iter.Seq2[Delta, error] {
	return func(yield func(Delta, error) bool) {
		p := c.p
		if len(p.Models) == 0 {
			yield(Delta{}, tool.Errorf(tool.CodeInvalid, "pipeline %q has no models: name at least one", p.Name))
			return
		}
		var failed []error
		for i := 0; ; {
			m := &p.Models[i]
			shown, err := pass(p.ask(ctx, m, req), yield)
			if err == nil {
				return
			}
			failed = append(failed, err)
			e := AsError(err)
			next := p.next(i, e)
			if shown && !p.Retry.Discard || next < 0 || ctx.Err() != nil {
				yield(Delta{}, p.sum(failed))
				return
			}
			if shown && !yield(Delta{Kind: DeltaReset}, nil) {
				return
			}
			report(ctx, p.Report, Notice{Kind: NoticeFallback, From: m.label(), To: p.Models[next].label(), Err: e})
			i = next
		}
	}
}

func (p *Pipeline) ask(ctx context.Context, m *Model, req *Request) iter.Seq2[Delta, error] {
	r := *req
	if m.Name != "" {
		r.Model = m.Name
	}
	again := p.Retry
	again.Provider = m.Provider
	return again.Stream(ctx, &r)
}

// next is the model to ask after model i failed with e, or -1. For a context
// that is too small, models known to have no larger one are passed over.
func (p *Pipeline) next(i int, e *Error) int {
	switch {
	case e.Overflow, e.Code == tool.CodeUnavailable, e.Code == tool.CodeLimit, e.Code == tool.CodeNotFound:
	default:
		return -1
	}
	for n := i + 1; n < len(p.Models); n++ {
		if e.Overflow && p.Models[n].Context > 0 && p.Models[n].Context <= p.Models[i].Context {
			continue
		}
		return n
	}
	return -1
}

// sum is the error of all models that were asked, with the code of the last.
func (p *Pipeline) sum(failed []error) error {
	last := failed[len(failed)-1]
	if len(failed) == 1 {
		return last
	}
	texts := make([]string, len(failed))
	for i, err := range failed {
		texts[i] = err.Error()
	}
	e := *AsError(last)
	e.Provider, e.Model, e.Status, e.Type, e.RequestID, e.Attempts = "pipeline", p.Name, 0, "", "", 0
	e.Message = fmt.Sprintf("all %d models that were asked failed: %s", len(failed), strings.Join(texts, " | "))
	e.Advice = "check the models of the pipeline"
	e.Err = errors.Join(failed...)
	return &e
}
