package tooltest_test

import (
	"context"
	"testing"

	"github.com/toolpost/toolpost/tool"
	"github.com/toolpost/toolpost/tool/tooltest"
)

type addArgs struct {
	A float64 `json:"a" desc:"First number."`
	B float64 `json:"b" desc:"Second number."`
}

type addOut struct {
	Sum float64 `json:"sum"`
}

func TestTypedTool(t *testing.T) {
	add := tool.New(tool.Spec{Name: "add", Description: "Add two numbers.", Risk: tool.RiskReads},
		func(_ context.Context, in addArgs) (addOut, error) { return addOut{in.A + in.B}, nil })
	tooltest.Run(t, add, `{"a":1,"b":2}`)
}

func TestRegistry(t *testing.T) {
	tooltest.Set(t, func(t *testing.T, tools ...tool.Tool) tool.Set {
		var r tool.Registry
		if err := r.Add(tools...); err != nil {
			t.Fatal(err)
		}
		return &r
	})
}
