package peers_test

// The validators the peers build on, alone: decode the JSON arguments to a
// map, validate against scenario.OrderSchema, decode into the struct.

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/toolpost/toolpost/bench/scenario"

	gjs "github.com/google/jsonschema-go/jsonschema"
	kap "github.com/kaptinlin/jsonschema"
	san "github.com/santhosh-tekuri/jsonschema/v6"
	xei "github.com/xeipuuv/gojsonschema"
)

// validatorOrder decodes to a map, validates, and decodes to the struct.
func validatorOrder(check func(tb testing.TB) func(m map[string]any) bool) scenario.NewOrder {
	return func(tb testing.TB) scenario.OrderCall {
		ok := check(tb)
		return func(_ context.Context, args string) (scenario.Verdict, error) {
			m, err := decodeMap(args)
			if err != nil || !ok(m) {
				return scenario.Refused, nil
			}
			var o scenario.Order
			if err := json.Unmarshal([]byte(args), &o); err != nil {
				return scenario.Refused, nil
			}
			_, err = json.Marshal(scenario.Place(o))
			return scenario.Ran, err
		}
	}
}

func google(tb testing.TB) func(map[string]any) bool {
	var s gjs.Schema
	if err := json.Unmarshal([]byte(scenario.OrderSchema), &s); err != nil {
		tb.Fatal(err)
	}
	r := must(s.Resolve(nil))
	return func(m map[string]any) bool { return r.Validate(m) == nil }
}

func santhosh(tb testing.TB) func(map[string]any) bool {
	c := san.NewCompiler()
	doc := must(san.UnmarshalJSON(strings.NewReader(scenario.OrderSchema)))
	if err := c.AddResource("order.json", doc); err != nil {
		tb.Fatal(err)
	}
	s := must(c.Compile("order.json"))
	return func(m map[string]any) bool { return s.Validate(m) == nil }
}

func kaptinlin(testing.TB) func(map[string]any) bool {
	s := must(kap.NewCompiler().Compile([]byte(scenario.OrderSchema)))
	return func(m map[string]any) bool { return s.Validate(m).IsValid() }
}

func xeipuuv(testing.TB) func(map[string]any) bool {
	s := must(xei.NewSchema(xei.NewStringLoader(scenario.OrderSchema)))
	return func(m map[string]any) bool {
		r, err := s.Validate(xei.NewGoLoader(m))
		return err == nil && r.Valid()
	}
}
