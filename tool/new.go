package tool

import (
	"context"
	"errors"
	"fmt"

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
	return Tool{Spec: s, Handler: func(ctx context.Context, c *Call) (*Result, error) {
		var in In
		if err := schema.Decode(c.Args, &in); err != nil {
			return nil, Errorf(CodeInvalid, "the arguments fit the schema of %s but not its Go type: %w", s.Name, err)
		}
		out, err := fn(ctx, in)
		if err != nil {
			return nil, err
		}
		if whole {
			res, _ := any(out).(*Result)
			return res, nil
		}
		res := JSON(out)
		res.owned = true
		return res, nil
	}}
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
