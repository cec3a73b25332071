package hook_test

import (
	"context"
	"encoding/json"
	"fmt"
	"testing"

	"github.com/toolpost/toolpost/hook"
	"github.com/toolpost/toolpost/schema"
	"github.com/toolpost/toolpost/tool"
)

// everything is the pipeline of the package doc around one tool.
func everything(h tool.Handler) *tool.Registry {
	var r tool.Registry
	r.Use(
		hook.Log(nil),
		new(hook.Loop).Middleware,
		(&hook.Artifacts{Load: func(context.Context, string) ([]byte, error) { return nil, nil }}).Middleware,
		new(hook.Before).Middleware,
		new(hook.Limit).Middleware,
		(&hook.Redact{Values: []string{secret, "another secret value"}}).Middleware,
		hook.Sanitize,
		new(hook.After).Middleware,
		new(hook.Images).Middleware,
	)
	err := r.Add(tool.Tool{Spec: tool.Spec{Name: "read", Input: schema.MustParse(
		`{"type":"object","properties":{"path":{"type":"string"},"n":{"type":"integer"}},"required":["path"],"additionalProperties":false}`)}, Handler: h})
	if err != nil {
		panic(err)
	}
	return &r
}

// What changes nothing copies nothing: the result of a tool passes as it is.
func TestLaw8CleanResultsAreNotCopied(t *testing.T) {
	res := tool.JSON(map[string]any{"path": "a.txt", "content": "clean\n"})
	h := (&hook.Redact{Values: []string{secret}}).Middleware(hook.Sanitize(new(hook.Limit).Middleware(new(hook.Images).Middleware(
		func(context.Context, *tool.Call) (*tool.Result, error) { return res, nil }))))
	if got, err := h(t.Context(), tool.NewCall("x", "")); got != res || err != nil {
		t.Errorf("got a copy: %+v %v", got, err)
	}
}

func BenchmarkPipeline(b *testing.B) {
	res := tool.JSON(map[string]any{"path": "a.txt", "content": "the text of a small file\n", "bytes": 25})
	tools := everything(func(context.Context, *tool.Call) (*tool.Result, error) { return res, nil })
	var args []json.RawMessage
	for i := range 64 {
		args = append(args, json.RawMessage(fmt.Sprintf(`{"path":"src/main.go","n":%d}`, i)))
	}
	i := 0
	b.ReportAllocs()
	for b.Loop() {
		i++
		c := tool.Call{Ref: tool.Ref{ID: "c", Tool: "read", Run: "r"}, Args: args[i%64]}
		tool.Do(context.Background(), tools.Call, &c)
	}
}
