package peers_test

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/toolpost/toolpost/bench/scenario"

	"trpc.group/trpc-go/trpc-agent-go/agent/llmagent"
	"trpc.group/trpc-go/trpc-agent-go/log"
	"trpc.group/trpc-go/trpc-agent-go/model"
	"trpc.group/trpc-go/trpc-agent-go/runner"
	"trpc.group/trpc-go/trpc-agent-go/session"
	"trpc.group/trpc-go/trpc-agent-go/session/inmemory"
	"trpc.group/trpc-go/trpc-agent-go/tool"
	"trpc.group/trpc-go/trpc-agent-go/tool/function"
)

type trpcModel struct{ s *scenario.Script }

func (m *trpcModel) Info() model.Info { return model.Info{Name: "bench"} }

func (m *trpcModel) next(req *model.Request) *model.Response {
	ids := m.s.Next()
	if ids == nil {
		n := 0
		for i := range req.Messages {
			if req.Messages[i].Role == model.RoleTool {
				n++
			}
		}
		m.s.Saw(n)
		return &model.Response{ID: "r", Object: model.ObjectTypeChatCompletion, Done: true,
			Choices: []model.Choice{{Message: model.NewAssistantMessage(scenario.Final)}}}
	}
	calls := make([]model.ToolCall, len(ids))
	for i, id := range ids {
		calls[i] = model.ToolCall{Type: "function", ID: id, Function: model.FunctionDefinitionParam{Name: scenario.ToolName, Arguments: []byte(scenario.ToolArgs)}}
	}
	return &model.Response{ID: "r", Object: model.ObjectTypeChatCompletion, Done: true,
		Choices: []model.Choice{{Message: model.Message{Role: model.RoleAssistant, ToolCalls: calls}}}}
}

func (m *trpcModel) GenerateContent(ctx context.Context, req *model.Request) (<-chan *model.Response, error) {
	ch := make(chan *model.Response, 1)
	ch <- m.next(req)
	close(ch)
	return ch, nil
}

// The faster of the two model interfaces; flows prefer it when present.
func (m *trpcModel) GenerateContentIter(ctx context.Context, req *model.Request) (model.Seq[*model.Response], error) {
	return func(yield func(*model.Response) bool) { yield(m.next(req)) }, nil
}

func newTRPC(tb testing.TB, sc scenario.Scenario, s *scenario.Script) scenario.Runner {
	log.SetLevel(log.LevelFatal)
	t := function.NewFunctionTool(func(ctx context.Context, in scenario.LookupIn) (scenario.LookupOut, error) {
		return s.Lookup(ctx, in)
	}, function.WithName(scenario.ToolName), function.WithDescription(scenario.ToolDesc))
	a := llmagent.New("bench",
		llmagent.WithModel(&trpcModel{s}),
		llmagent.WithInstruction(scenario.System),
		llmagent.WithTools([]tool.Tool{t}),
		llmagent.WithEnableParallelTools(true), // off by default
	)
	svc := inmemory.NewSessionService()
	r := runner.NewRunner("bench", a, runner.WithSessionService(svc))
	return scenario.Runner{
		Run: func(ctx context.Context) (string, error) {
			ch, err := r.Run(ctx, "u", "s", model.NewUserMessage(scenario.Prompt))
			if err != nil {
				return "", err
			}
			last := ""
			for ev := range ch {
				if ev.Error != nil {
					return "", ev.Error
				}
				if len(ev.Choices) > 0 && ev.Choices[0].Message.Role == model.RoleAssistant && ev.Choices[0].Message.Content != "" {
					last = ev.Choices[0].Message.Content
				}
			}
			// A fresh session every run, so that history does not grow with b.N.
			return last, svc.DeleteSession(ctx, session.Key{AppName: "bench", UserID: "u", SessionID: "s"})
		},
		Close: func() { r.Close(); svc.Close() },
	}
}

// trpcOrder is FunctionTool.Call, which validates nothing.
func trpcOrder(tb testing.TB) scenario.OrderCall {
	t := function.NewFunctionTool(func(ctx context.Context, o scenario.Order) (scenario.OrderReply, error) {
		return scenario.Place(o), nil
	}, function.WithName("order"), function.WithDescription("place an order"))
	return func(ctx context.Context, args string) (scenario.Verdict, error) {
		out, err := t.Call(ctx, []byte(args))
		if err != nil {
			return scenario.Refused, nil
		}
		_, err = json.Marshal(out)
		return scenario.Ran, err
	}
}
