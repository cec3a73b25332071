package peers_test

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/toolpost/toolpost/bench/scenario"

	"github.com/tmc/langchaingo/agents"
	"github.com/tmc/langchaingo/chains"
	"github.com/tmc/langchaingo/llms"
	"github.com/tmc/langchaingo/tools"
)

type lcModel struct{ s *scenario.Script }

func (m *lcModel) GenerateContent(ctx context.Context, msgs []llms.MessageContent, _ ...llms.CallOption) (*llms.ContentResponse, error) {
	ids := m.s.Next()
	if ids == nil {
		n := 0
		for _, msg := range msgs {
			for _, p := range msg.Parts {
				if _, ok := p.(llms.ToolCallResponse); ok {
					n++
				}
			}
		}
		m.s.Saw(n)
		return &llms.ContentResponse{Choices: []*llms.ContentChoice{{Content: scenario.Final, StopReason: "stop"}}}, nil
	}
	calls := make([]llms.ToolCall, len(ids))
	for i, id := range ids {
		calls[i] = llms.ToolCall{ID: id, Type: "function", FunctionCall: &llms.FunctionCall{Name: scenario.ToolName, Arguments: scenario.ToolArgs}}
	}
	return &llms.ContentResponse{Choices: []*llms.ContentChoice{{ToolCalls: calls, StopReason: "tool_calls"}}}, nil
}

func (m *lcModel) Call(ctx context.Context, prompt string, o ...llms.CallOption) (string, error) {
	return llms.GenerateFromSinglePrompt(ctx, m, prompt, o...)
}

// langchaingo tools take one string: decoding is the tool's own job.
type lcTool struct{ s *scenario.Script }

func (lcTool) Name() string        { return scenario.ToolName }
func (lcTool) Description() string { return scenario.ToolDesc }
func (t lcTool) Call(ctx context.Context, input string) (string, error) {
	var in scenario.LookupIn
	if err := json.Unmarshal([]byte(input), &in); err != nil {
		return "", err
	}
	out, err := t.s.Lookup(ctx, in)
	if err != nil {
		return "", err
	}
	b, err := json.Marshal(out)
	return string(b), err
}

func newLangchaingo(tb testing.TB, sc scenario.Scenario, s *scenario.Script) scenario.Runner {
	a := agents.NewOpenAIFunctionsAgent(&lcModel{s}, []tools.Tool{lcTool{s}}, agents.NewOpenAIOption().WithSystemMessage(scenario.System))
	ex := agents.NewExecutor(a, agents.WithMaxIterations(sc.Rounds+2))
	return scenario.Runner{Run: func(ctx context.Context) (string, error) {
		return chains.Run(ctx, ex, scenario.Prompt)
	}}
}
