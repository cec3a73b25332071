package tooltest_test

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/toolpost/toolpost/schema"
	"github.com/toolpost/toolpost/tool"
	"github.com/toolpost/toolpost/tool/tooltest"
)

// passes reports whether fn passes as a test of its own.
func passes(fn func(t *testing.T)) bool {
	all := func(string, string) (bool, error) { return true, nil }
	return testing.RunTests(all, []testing.InternalTest{{Name: "kit", F: fn}})
}

func TestRunFailsForToolsThatBreakTheirPromise(t *testing.T) {
	spec := tool.Spec{
		Name: "probe", Description: "Does what the test wants.", Risk: tool.RiskReads, Previews: true,
		Input:    schema.MustParse(`{"type":"object","properties":{"n":{"type":"integer","description":"Any."}},"additionalProperties":false}`),
		Output:   schema.MustParse(`{"type":"object","properties":{"n":{"type":"integer"}},"required":["n"],"additionalProperties":false}`),
		Examples: []json.RawMessage{[]byte(`{"n":1}`)},
	}
	good := func(context.Context, *tool.Call) (*tool.Result, error) { return tool.JSON(map[string]int{"n": 1}), nil }
	touch := tool.Effects{Created: []tool.FileEffect{{Path: "a", Kind: "file"}}}
	if !passes(func(t *testing.T) { tooltest.Run(t, tool.Tool{Spec: spec, Handler: good}) }) {
		t.Fatal("a good tool does not pass")
	}
	for name, bad := range map[string]tool.Tool{
		"it fails": {Spec: spec, Handler: func(context.Context, *tool.Call) (*tool.Result, error) {
			return nil, tool.Errorf(tool.CodeFailed, "no")
		}},
		"its data is of another form": {Spec: spec, Handler: func(context.Context, *tool.Call) (*tool.Result, error) {
			return tool.JSON("text"), nil
		}},
		"it writes and says that it reads": {Spec: spec, Handler: func(ctx context.Context, c *tool.Call) (*tool.Result, error) {
			if !c.DryRun {
				tool.Observe(ctx, touch)
			}
			return good(ctx, c)
		}},
		"its preview is the real thing": {Spec: func() tool.Spec { s := spec; s.Risk = tool.RiskWrites; return s }(), Handler: func(ctx context.Context, c *tool.Call) (*tool.Result, error) {
			tool.Observe(ctx, touch)
			return good(ctx, c)
		}},
		"it writes into its arguments": {Spec: spec, Handler: func(ctx context.Context, c *tool.Call) (*tool.Result, error) {
			if !c.DryRun {
				c.Args[len(c.Args)-2] = '7'
			}
			return good(ctx, c)
		}},
		"its spec has no description": {Spec: func() tool.Spec { s := spec; s.Description = ""; return s }(), Handler: good},
	} {
		if passes(func(t *testing.T) { tooltest.Run(t, bad) }) {
			t.Errorf("%s, and passes", name)
		}
	}
}

func TestSetFailsForSetsThatBreakTheLaws(t *testing.T) {
	for name, around := range map[string]func(tool.Set) tool.Handler{
		"it swallows errors": func(s tool.Set) tool.Handler {
			return func(ctx context.Context, c *tool.Call) (*tool.Result, error) {
				res, err := s.Call(ctx, c)
				if err != nil {
					return tool.Text("all is well"), nil
				}
				return res, nil
			}
		},
		"it forgets effects": func(s tool.Set) tool.Handler {
			return func(ctx context.Context, c *tool.Call) (*tool.Result, error) {
				res, err := s.Call(ctx, c)
				if res != nil {
					r := *res
					r.Effects = nil
					res = &r
				}
				return res, err
			}
		},
		"it makes every call twice": func(s tool.Set) tool.Handler {
			return func(ctx context.Context, c *tool.Call) (*tool.Result, error) {
				_, _ = s.Call(ctx, c)
				return s.Call(ctx, c)
			}
		},
	} {
		if passes(func(t *testing.T) {
			tooltest.Set(t, func(t *testing.T, tools ...tool.Tool) tool.Set {
				r := new(tool.Registry)
				if err := r.Add(tools...); err != nil {
					t.Fatal(err)
				}
				return wrapped{r, around(r)}
			})
		}) {
			t.Errorf("%s, and passes", name)
		}
	}
}

// wrapped is a registry with another way to call it.
type wrapped struct {
	*tool.Registry
	call tool.Handler
}

func (w wrapped) Call(ctx context.Context, c *tool.Call) (*tool.Result, error) { return w.call(ctx, c) }
