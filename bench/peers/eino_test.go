package peers_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/toolpost/toolpost/bench/scenario"

	"github.com/cloudwego/eino/adk"
	"github.com/cloudwego/eino/components/model"
	"github.com/cloudwego/eino/components/tool"
	"github.com/cloudwego/eino/components/tool/utils"
	"github.com/cloudwego/eino/compose"
	"github.com/cloudwego/eino/flow/agent/react"
	"github.com/cloudwego/eino/schema"
)

type einoModel struct{ s *scenario.Script }

func (m *einoModel) Generate(ctx context.Context, in []*schema.Message, _ ...model.Option) (*schema.Message, error) {
	ids := m.s.Next()
	if ids == nil {
		n := 0
		for _, x := range in {
			if x.Role == schema.Tool {
				n++
			}
		}
		m.s.Saw(n)
		return schema.AssistantMessage(scenario.Final, nil), nil
	}
	return einoCalls(ids), nil
}

func (m *einoModel) Stream(ctx context.Context, in []*schema.Message, o ...model.Option) (*schema.StreamReader[*schema.Message], error) {
	msg, err := m.Generate(ctx, in, o...)
	if err != nil {
		return nil, err
	}
	return schema.StreamReaderFromArray([]*schema.Message{msg}), nil
}

func (m *einoModel) WithTools([]*schema.ToolInfo) (model.ToolCallingChatModel, error) { return m, nil }

func einoCalls(ids []string) *schema.Message {
	calls := make([]schema.ToolCall, len(ids))
	for i, id := range ids {
		calls[i] = schema.ToolCall{ID: id, Type: "function", Function: schema.FunctionCall{Name: scenario.ToolName, Arguments: scenario.ToolArgs}}
	}
	return schema.AssistantMessage("", calls)
}

func einoTool(s *scenario.Script) tool.InvokableTool {
	return must(utils.InferTool(scenario.ToolName, scenario.ToolDesc, func(ctx context.Context, in scenario.LookupIn) (scenario.LookupOut, error) {
		return s.Lookup(ctx, in)
	}))
}

func einoInput() []*schema.Message {
	return []*schema.Message{schema.SystemMessage(scenario.System), schema.UserMessage(scenario.Prompt)}
}

// eino-toolsnode: ToolsNode called directly in a hand-written loop: dispatch
// only, no graph.
func newEinoToolsNode(tb testing.TB, sc scenario.Scenario, s *scenario.Script) scenario.Runner {
	ctx := context.Background()
	tn := must(compose.NewToolNode(ctx, &compose.ToolsNodeConfig{Tools: []tool.BaseTool{einoTool(s)}}))
	m := &einoModel{s}
	return scenario.Runner{Run: func(ctx context.Context) (string, error) {
		msgs := einoInput()
		for {
			out, err := m.Generate(ctx, msgs)
			if err != nil {
				return "", err
			}
			msgs = append(msgs, out)
			if len(out.ToolCalls) == 0 {
				return out.Content, nil
			}
			res, err := tn.Invoke(ctx, out)
			if err != nil {
				return "", err
			}
			msgs = append(msgs, res...)
		}
	}}
}

// eino-react: flow/agent/react, the compiled graph, Generate.
func newEinoReact(tb testing.TB, sc scenario.Scenario, s *scenario.Script) scenario.Runner {
	a := must(react.NewAgent(context.Background(), &react.AgentConfig{
		ToolCallingModel: &einoModel{s},
		ToolsConfig:      compose.ToolsNodeConfig{Tools: []tool.BaseTool{einoTool(s)}},
		MaxStep:          2*sc.Rounds + 10,
	}))
	return scenario.Runner{Run: func(ctx context.Context) (string, error) {
		out, err := a.Generate(ctx, einoInput())
		if err != nil {
			return "", err
		}
		return out.Content, nil
	}}
}

// eino-adk: adk.ChatModelAgent under adk.Runner (events, the newer API).
func newEinoADK(tb testing.TB, sc scenario.Scenario, s *scenario.Script) scenario.Runner {
	ctx := context.Background()
	a := must(adk.NewChatModelAgent(ctx, &adk.ChatModelAgentConfig{
		Name: "bench", Description: "bench", Instruction: scenario.System, Model: &einoModel{s},
		ToolsConfig:   adk.ToolsConfig{ToolsNodeConfig: compose.ToolsNodeConfig{Tools: []tool.BaseTool{einoTool(s)}}},
		MaxIterations: sc.Rounds + 2,
	}))
	r := adk.NewRunner(ctx, adk.RunnerConfig{Agent: a})
	return scenario.Runner{Run: func(ctx context.Context) (string, error) {
		it := r.Query(ctx, scenario.Prompt)
		last := ""
		for {
			ev, ok := it.Next()
			if !ok {
				return last, nil
			}
			if ev.Err != nil {
				return "", ev.Err
			}
			if ev.Output != nil && ev.Output.MessageOutput != nil {
				msg, err := ev.Output.MessageOutput.GetMessage()
				if err != nil {
					return "", err
				}
				if msg.Role == schema.Assistant {
					last = msg.Content
				}
			}
		}
	}}
}

// einoOrder is InvokableRun, which validates nothing.
func einoOrder(tb testing.TB) scenario.OrderCall {
	t := must(utils.InferTool("order", "place an order", func(ctx context.Context, o scenario.Order) (scenario.OrderReply, error) {
		return scenario.Place(o), nil
	}))
	return func(ctx context.Context, args string) (scenario.Verdict, error) {
		out, err := t.InvokableRun(ctx, args)
		if err != nil {
			return scenario.Refused, err
		}
		if out == "" {
			return scenario.Ran, fmt.Errorf("empty")
		}
		return scenario.Ran, nil
	}
}
