package peers_test

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/toolpost/toolpost/bench/scenario"

	"github.com/firebase/genkit/go/ai"
	"github.com/firebase/genkit/go/genkit"
)

func newGenkit(tb testing.TB, sc scenario.Scenario, s *scenario.Script) scenario.Runner {
	ctx := context.Background()
	g := genkit.Init(ctx)
	t := genkit.DefineTool(g, scenario.ToolName, scenario.ToolDesc, func(ctx *ai.ToolContext, in scenario.LookupIn) (scenario.LookupOut, error) {
		return s.Lookup(ctx, in)
	})
	m := genkit.DefineModel(g, "bench/script", &ai.ModelOptions{
		Supports: &ai.ModelSupports{Tools: true, Multiturn: true, SystemRole: true},
	}, func(ctx context.Context, req *ai.ModelRequest, _ ai.ModelStreamCallback) (*ai.ModelResponse, error) {
		ids := s.Next()
		if ids == nil {
			n := 0
			for _, msg := range req.Messages {
				for _, p := range msg.Content {
					if p.IsToolResponse() {
						n++
					}
				}
			}
			s.Saw(n)
			return &ai.ModelResponse{Request: req, Message: ai.NewModelTextMessage(scenario.Final), FinishReason: ai.FinishReasonStop}, nil
		}
		parts := make([]*ai.Part, len(ids))
		for i, id := range ids {
			// ToolRequest.Input is a decoded value: a real plugin decodes here.
			args, err := decodeMap(scenario.ToolArgs)
			if err != nil {
				return nil, err
			}
			parts[i] = ai.NewToolRequestPart(&ai.ToolRequest{Name: scenario.ToolName, Ref: id, Input: args})
		}
		return &ai.ModelResponse{Request: req, Message: ai.NewModelMessage(parts...), FinishReason: ai.FinishReasonStop}, nil
	})
	return scenario.Runner{Run: func(ctx context.Context) (string, error) {
		res, err := genkit.Generate(ctx, g, ai.WithModel(m), ai.WithSystem(scenario.System), ai.WithPrompt(scenario.Prompt), ai.WithTools(t), ai.WithMaxTurns(sc.Rounds+2))
		if err != nil {
			return "", err
		}
		return res.Text(), nil
	}}
}

// genkitOrder has the schema that genkit infers.
func genkitOrder(tb testing.TB) scenario.OrderCall {
	g := genkit.Init(context.Background())
	t := genkit.DefineTool(g, "order", "place an order", func(ctx *ai.ToolContext, o scenario.Order) (scenario.OrderReply, error) {
		return scenario.Place(o), nil
	})
	return func(ctx context.Context, args string) (scenario.Verdict, error) {
		m, err := decodeMap(args)
		if err != nil {
			return scenario.Refused, nil
		}
		_, err = t.RunRaw(ctx, m)
		return refusedIf(err != nil), nil
	}
}

// genkitOrderWithSchema has the bounds of OrderSchema.
func genkitOrderWithSchema(tb testing.TB) scenario.OrderCall {
	g := genkit.Init(context.Background())
	schema := must(decodeMap(scenario.OrderSchema))
	t := genkit.DefineToolWithInputSchema(g, "order", "place an order", schema, func(ctx *ai.ToolContext, in any) (scenario.OrderReply, error) {
		b, err := json.Marshal(in)
		if err != nil {
			return scenario.OrderReply{}, err
		}
		var o scenario.Order
		if err := json.Unmarshal(b, &o); err != nil {
			return scenario.OrderReply{}, err
		}
		return scenario.Place(o), nil
	})
	return func(ctx context.Context, args string) (scenario.Verdict, error) {
		m, err := decodeMap(args)
		if err != nil {
			return scenario.Refused, nil
		}
		_, err = t.RunRaw(ctx, m)
		return refusedIf(err != nil), nil
	}
}
