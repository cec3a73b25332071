package peers_test

import (
	"context"
	"encoding/json"
	"errors"
	"testing"

	"github.com/toolpost/toolpost/bench/scenario"

	"charm.land/fantasy"
)

type fantasyModel struct{ s *scenario.Script }

func (m *fantasyModel) Generate(ctx context.Context, c fantasy.Call) (*fantasy.Response, error) {
	ids := m.next(c)
	if ids == nil {
		return &fantasy.Response{Content: fantasy.ResponseContent{fantasy.TextContent{Text: scenario.Final}}, FinishReason: fantasy.FinishReasonStop}, nil
	}
	content := make(fantasy.ResponseContent, len(ids))
	for i, id := range ids {
		content[i] = fantasy.ToolCallContent{ToolCallID: id, ToolName: scenario.ToolName, Input: scenario.ToolArgs}
	}
	return &fantasy.Response{Content: content, FinishReason: fantasy.FinishReasonToolCalls}, nil
}

func (m *fantasyModel) Stream(ctx context.Context, c fantasy.Call) (fantasy.StreamResponse, error) {
	ids := m.next(c)
	return func(yield func(fantasy.StreamPart) bool) {
		if ids == nil {
			_ = yield(fantasy.StreamPart{Type: fantasy.StreamPartTypeTextStart, ID: "t"}) &&
				yield(fantasy.StreamPart{Type: fantasy.StreamPartTypeTextDelta, ID: "t", Delta: scenario.Final}) &&
				yield(fantasy.StreamPart{Type: fantasy.StreamPartTypeTextEnd, ID: "t"}) &&
				yield(fantasy.StreamPart{Type: fantasy.StreamPartTypeFinish, FinishReason: fantasy.FinishReasonStop})
			return
		}
		for _, id := range ids {
			if !yield(fantasy.StreamPart{Type: fantasy.StreamPartTypeToolCall, ID: id, ToolCallName: scenario.ToolName, ToolCallInput: scenario.ToolArgs}) {
				return
			}
		}
		yield(fantasy.StreamPart{Type: fantasy.StreamPartTypeFinish, FinishReason: fantasy.FinishReasonToolCalls})
	}, nil
}

func (m *fantasyModel) next(c fantasy.Call) []string {
	ids := m.s.Next()
	if ids == nil {
		n := 0
		for _, msg := range c.Prompt {
			for _, p := range msg.Content {
				if p.GetType() == fantasy.ContentTypeToolResult {
					n++
				}
			}
		}
		m.s.Saw(n)
	}
	return ids
}

func (m *fantasyModel) GenerateObject(context.Context, fantasy.ObjectCall) (*fantasy.ObjectResponse, error) {
	return nil, errors.New("no objects")
}
func (m *fantasyModel) StreamObject(context.Context, fantasy.ObjectCall) (fantasy.ObjectStreamResponse, error) {
	return nil, errors.New("no objects")
}
func (m *fantasyModel) Provider() string { return "bench" }
func (m *fantasyModel) Model() string    { return "bench" }

func fantasyTool(s *scenario.Script) fantasy.AgentTool {
	return fantasy.NewParallelAgentTool(scenario.ToolName, scenario.ToolDesc, func(ctx context.Context, in scenario.LookupIn, _ fantasy.ToolCall) (fantasy.ToolResponse, error) {
		out, err := s.Lookup(ctx, in)
		if err != nil {
			return fantasy.ToolResponse{}, err
		}
		b, err := json.Marshal(out)
		if err != nil {
			return fantasy.ToolResponse{}, err
		}
		return fantasy.NewTextResponse(string(b)), nil
	})
}

func fantasyAgent(s *scenario.Script) fantasy.Agent {
	return fantasy.NewAgent(&fantasyModel{s}, fantasy.WithSystemPrompt(scenario.System), fantasy.WithTools(fantasyTool(s)))
}

// fantasy: Generate (runs the calls of a turn one by one).
func newFantasy(tb testing.TB, sc scenario.Scenario, s *scenario.Script) scenario.Runner {
	a := fantasyAgent(s)
	return scenario.Runner{Run: func(ctx context.Context) (string, error) {
		res, err := a.Generate(ctx, fantasy.AgentCall{Prompt: scenario.Prompt})
		if err != nil {
			return "", err
		}
		return res.Response.Content.Text(), nil
	}}
}

// fantasy-stream: Stream (what crush uses; parallel for tools marked so).
func newFantasyStream(tb testing.TB, sc scenario.Scenario, s *scenario.Script) scenario.Runner {
	a := fantasyAgent(s)
	return scenario.Runner{Run: func(ctx context.Context) (string, error) {
		res, err := a.Stream(ctx, fantasy.AgentStreamCall{Prompt: scenario.Prompt})
		if err != nil {
			return "", err
		}
		return res.Response.Content.Text(), nil
	}}
}

// fantasyOrder goes through a whole turn: the agent, not the tool, checks that
// the arguments are JSON and have the required members.
func fantasyOrder(tb testing.TB) scenario.OrderCall {
	m := &fantasyOrderModel{}
	ran := false
	t := fantasy.NewAgentTool("order", "place an order", func(ctx context.Context, o scenario.Order, _ fantasy.ToolCall) (fantasy.ToolResponse, error) {
		ran = true
		b, err := json.Marshal(scenario.Place(o))
		return fantasy.NewTextResponse(string(b)), err
	})
	a := fantasy.NewAgent(m, fantasy.WithTools(t))
	return func(ctx context.Context, args string) (scenario.Verdict, error) {
		m.args, m.step, ran = args, 0, false
		_, err := a.Generate(ctx, fantasy.AgentCall{Prompt: scenario.Prompt})
		return refusedIf(!ran), err
	}
}

type fantasyOrderModel struct {
	fantasyModel
	args string
	step int
}

func (m *fantasyOrderModel) Generate(ctx context.Context, c fantasy.Call) (*fantasy.Response, error) {
	m.step++
	if m.step > 1 {
		return &fantasy.Response{Content: fantasy.ResponseContent{fantasy.TextContent{Text: scenario.Final}}, FinishReason: fantasy.FinishReasonStop}, nil
	}
	return &fantasy.Response{Content: fantasy.ResponseContent{fantasy.ToolCallContent{ToolCallID: "1", ToolName: "order", Input: m.args}}, FinishReason: fantasy.FinishReasonToolCalls}, nil
}
