package picoclaw_test

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/toolpost/toolpost/bench/scenario"

	"github.com/sipeed/picoclaw/pkg/logger"
	"github.com/sipeed/picoclaw/pkg/providers"
	"github.com/sipeed/picoclaw/pkg/tools"
)

type picoModel struct{ s *scenario.Script }

func (m *picoModel) GetDefaultModel() string { return "bench" }
func (m *picoModel) Chat(ctx context.Context, msgs []providers.Message, defs []providers.ToolDefinition, model string, opts map[string]any) (*providers.LLMResponse, error) {
	ids := m.s.Next()
	if ids == nil {
		n := 0
		for i := range msgs {
			if msgs[i].Role == "tool" {
				n++
			}
		}
		m.s.Saw(n)
		return &providers.LLMResponse{Content: scenario.Final, FinishReason: "stop"}, nil
	}
	calls := make([]providers.ToolCall, len(ids))
	for i, id := range ids {
		// Arguments is a decoded map: a real provider decodes here.
		args, err := decodeMap(scenario.ToolArgs)
		if err != nil {
			return nil, err
		}
		calls[i] = providers.ToolCall{ID: id, Type: "function", Name: scenario.ToolName, Arguments: args}
	}
	return &providers.LLMResponse{ToolCalls: calls, FinishReason: "tool_calls"}, nil
}

type picoTool struct {
	name   string
	schema map[string]any
	run    func(ctx context.Context, args map[string]any) (any, error)
}

func (t *picoTool) Name() string               { return t.name }
func (t *picoTool) Description() string        { return scenario.ToolDesc }
func (t *picoTool) Parameters() map[string]any { return t.schema }
func (t *picoTool) Execute(ctx context.Context, args map[string]any) *tools.ToolResult {
	out, err := t.run(ctx, args)
	if err != nil {
		return tools.ErrorResult(err.Error())
	}
	b, err := json.Marshal(out)
	if err != nil {
		return tools.ErrorResult(err.Error())
	}
	return tools.NewToolResult(string(b))
}

func newPicoclaw(tb testing.TB, sc scenario.Scenario, s *scenario.Script) scenario.Runner {
	logger.SetLevel(logger.FATAL)
	reg := tools.NewToolRegistry()
	reg.Register(&picoTool{name: scenario.ToolName,
		schema: must(decodeMap(`{"type":"object","properties":{"id":{"type":"string","description":"item id"}},"required":["id"]}`)),
		run: func(ctx context.Context, args map[string]any) (any, error) {
			id, _ := args["id"].(string)
			return s.Lookup(ctx, scenario.LookupIn{ID: id})
		}})
	cfg := tools.ToolLoopConfig{Provider: &picoModel{s}, Model: "bench", Tools: reg, MaxIterations: sc.Rounds + 2}
	return scenario.Runner{Run: func(ctx context.Context) (string, error) {
		res, err := tools.RunToolLoop(ctx, cfg, []providers.Message{{Role: "system", Content: scenario.System}, {Role: "user", Content: scenario.Prompt}}, "cli", "bench")
		if err != nil {
			return "", err
		}
		return res.Content, nil
	}}
}

// picoclawOrder has picoclaw's own validator; the tool decodes the map again.
func picoclawOrder(tb testing.TB) scenario.OrderCall {
	logger.SetLevel(logger.FATAL)
	reg := tools.NewToolRegistry()
	reg.Register(&picoTool{name: "order", schema: must(decodeMap(scenario.OrderSchema)), run: func(ctx context.Context, args map[string]any) (any, error) {
		b, err := json.Marshal(args)
		if err != nil {
			return nil, err
		}
		var o scenario.Order
		if err := json.Unmarshal(b, &o); err != nil {
			return nil, err
		}
		return scenario.Place(o), nil
	}})
	return func(ctx context.Context, args string) (scenario.Verdict, error) {
		m, err := decodeMap(args)
		if err != nil {
			return scenario.Refused, nil
		}
		return refusedIf(reg.ExecuteWithContext(ctx, "order", m, "cli", "bench", nil).IsError), nil
	}
}
