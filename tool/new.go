package tool

import (
	"context"
	"errors"
	"fmt"
	"reflect"

	"github.com/toolpost/toolpost/schema"
)

// New makes a tool of a Go function; schemas that s leaves out are inferred
// from In and Out by [schema.For], with its struct tags. The arguments are
// decoded into an In of each call's own. An Out of type *Result is passed on as
// it is; any other becomes the data of the result and, as JSON, its content.
// New panics if In or Out has no schema, which no test can miss.
func New[In, Out any](s Spec, fn func(context.Context, In) (Out, error)) Tool {
	if s.Input == nil {
		s.Input = mustSchema[In](s.Name, "input")
	}
	_, whole := any((*Out)(nil)).(**Result)
	if s.Output == nil && !whole {
		s.Output = mustSchema[Out](s.Name, "output")
	}
	h := Handler(func(ctx context.Context, c *Call) (*Result, error) {
		t := &typed[In, Out]{fn: fn, whole: whole}
		if err := schema.Decode(c.Args, &t.in); err != nil {
			return nil, Errorf(CodeInvalid, "the arguments fit the schema of %s but not its Go type: %w", s.Name, err)
		}
		return guard(ctx, &running{call: c, work: t})
	})
	return Tool{Spec: s, Handler: h, made: codeOf(h)}
}

// codeOf names the code of a handler, whatever it has closed over.
func codeOf(h Handler) uintptr { return reflect.ValueOf(h).Pointer() }

// guardsItself reports whether the handler is one that New made. It is asked of
// the handler that is there: somebody may have put another in its place.
func (t *Tool) guardsItself() bool { return t.made != 0 && t.made == codeOf(t.Handler) }

// typed is a call of a Go function. Only the function runs on the goroutine that
// may have to be given up; to decode and to encode is done by who waits.
type typed[In, Out any] struct {
	fn    func(context.Context, In) (Out, error)
	whole bool
	in    In
	out   Out
}

func (t *typed[In, Out]) do(x *running) error {
	var err error
	t.out, err = t.fn(x, t.in)
	return err
}

func (t *typed[In, Out]) result() *Result {
	if t.whole {
		res, _ := any(t.out).(*Result)
		return res
	}
	res := JSON(t.out)
	res.owned = true
	return res
}

func mustSchema[T any](name, side string) *schema.Schema {
	s, err := schema.For[T]()
	if err != nil {
		panic(fmt.Sprintf("tool.New: %s of %s has no schema: %v", side, name, err))
	}
	return s
}

func encode(v any) ([]byte, error) { return schema.Encode(v) }

func asInvalid(err error, target **schema.Invalid) bool { return errors.As(err, target) }

// Current is the call that ctx belongs to, inside a handler; nil elsewhere. It
// is not to be changed.
func Current(ctx context.Context) *Call {
	if x, ok := ctx.Value(callKey{}).(*running); ok {
		return x.call
	}
	return nil
}
