package plan

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/expr-lang/expr"
	"github.com/expr-lang/expr/vm"

	"github.com/toolpost/toolpost/schema"
)

// A Condition says whether a step is run. It has either a Ref with an Op, or an
// Expr. A step whose condition is false is skipped.
type Condition struct {
	Ref   string          `json:"ref,omitzero"`
	Op    Op              `json:"op,omitzero"` // OpTruthy if empty
	Value json.RawMessage `json:"value,omitempty"`
	Expr  string          `json:"expr,omitzero"` // in expr-lang, over steps, vars, item and index
}

// Op is what a Condition asks of the value that its Ref names.
type Op string

// Operators. A reference that names nothing is false for OpExists, and an error
// for the others.
const (
	OpExists    Op = "exists"
	OpEquals    Op = "equals"    // the same JSON value as Value
	OpNotEquals Op = "notEquals" //
	OpIn        Op = "in"        // an element of the list Value
	OpTruthy    Op = "truthy"    // not null, false, 0, "", [] or {}
	OpEmpty     Op = "empty"     // the opposite
)

// exprNodes bounds how much an expression may hold, and how much it may make of
// what it is given.
const (
	exprNodes  = 200
	exprMemory = 1 << 20
)

// condition is a Condition taken apart.
type condition struct {
	Condition
	ref     Reference
	program *vm.Program
}

func (c *Condition) compile(item, index string) (*condition, error) {
	out := &condition{Condition: *c}
	switch {
	case (c.Ref == "") == (c.Expr == ""):
		return nil, fmt.Errorf("a condition has either ref or expr")
	case c.Expr != "":
		env := map[string]any{"steps": map[string]any{}, "vars": map[string]any{}}
		if item != "" {
			env[item], env[index] = any(nil), 0
		}
		program, err := expr.Compile(c.Expr, expr.Env(env), expr.AsBool(), expr.MaxNodes(exprNodes))
		if err != nil {
			return nil, fmt.Errorf("expr: %w", err)
		}
		out.program = program
		return out, nil
	}
	if out.Op == "" {
		out.Op = OpTruthy
	}
	if needs := out.Op == OpEquals || out.Op == OpNotEquals || out.Op == OpIn; needs && len(c.Value) == 0 {
		return nil, fmt.Errorf("%s needs a value", out.Op)
	}
	if out.Op == OpIn && first(c.Value) != '[' {
		return nil, fmt.Errorf("in needs a list as its value")
	}
	ref, err := ParseReference(c.Ref, item, index)
	out.ref = ref
	return out, err
}

// holds reports whether the condition is true of v.
func (c *condition) holds(v *Values, item, index string) (bool, error) {
	if c.program != nil {
		return c.evaluate(v, item, index)
	}
	val, err := v.Resolve(c.ref)
	if c.Op == OpExists {
		return err == nil, nil
	}
	if err != nil {
		return false, err
	}
	switch c.Op {
	case OpEquals:
		return same(val, c.Value), nil
	case OpNotEquals:
		return !same(val, c.Value), nil
	case OpEmpty:
		return !truthy(val), nil
	case OpIn:
		var list []json.RawMessage
		if err := json.Unmarshal(c.Value, &list); err != nil {
			return false, err
		}
		for _, e := range list {
			if same(val, e) {
				return true, nil
			}
		}
		return false, nil
	}
	return truthy(val), nil
}

func (c *condition) evaluate(v *Values, item, index string) (bool, error) {
	env := map[string]any{"steps": decoded(v.Steps), "vars": decoded(v.Vars)}
	if item != "" {
		var val any
		_ = json.Unmarshal(v.Item, &val) // it has been read before
		env[item], env[index] = val, v.Index
	}
	machine := vm.VM{MemoryBudget: exprMemory}
	out, err := machine.Run(c.program, env)
	if err != nil {
		return false, fmt.Errorf("expr %q: %w", c.Expr, err)
	}
	b, ok := out.(bool)
	if !ok {
		return false, fmt.Errorf("expr %q is %v, which is neither true nor false", c.Expr, out)
	}
	return b, nil
}

func decoded(m map[string]json.RawMessage) map[string]any {
	out := make(map[string]any, len(m))
	for k, raw := range m {
		var v any
		_ = json.Unmarshal(raw, &v)
		out[k] = v
	}
	return out
}

// same reports whether a and b are the same JSON value.
func same(a, b json.RawMessage) bool {
	ca, errA := schema.Canonical(a)
	cb, errB := schema.Canonical(b)
	return errA == nil && errB == nil && bytes.Equal(ca, cb)
}

func truthy(v json.RawMessage) bool {
	c, err := schema.Canonical(v)
	if err != nil {
		return false
	}
	switch string(c) {
	case "null", "false", "0", `""`, "[]", "{}":
		return false
	}
	return true
}
