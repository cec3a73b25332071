package peers_test

import (
	"context"
	"encoding/json"
	"iter"
	"testing"

	"github.com/toolpost/toolpost/bench/scenario"

	"github.com/google/jsonschema-go/jsonschema"
	"google.golang.org/adk/v2/agent"
	"google.golang.org/adk/v2/agent/llmagent"
	"google.golang.org/adk/v2/model"
	"google.golang.org/adk/v2/runner"
	"google.golang.org/adk/v2/session"
	"google.golang.org/adk/v2/tool"
	"google.golang.org/adk/v2/tool/functiontool"
	"google.golang.org/genai"
)

type adkModel struct {
	s    *scenario.Script
	name string
	args map[string]any
	step int
}

func (m *adkModel) Name() string { return "bench" }

func (m *adkModel) GenerateContent(ctx context.Context, req *model.LLMRequest, stream bool) iter.Seq2[*model.LLMResponse, error] {
	return func(yield func(*model.LLMResponse, error) bool) {
		ids := m.s.Next()
		if ids == nil {
			n := 0
			for _, c := range req.Contents {
				for _, p := range c.Parts {
					if p.FunctionResponse != nil {
						n++
					}
				}
			}
			m.s.Saw(n)
			yield(&model.LLMResponse{Content: genai.NewContentFromText(scenario.Final, genai.RoleModel), TurnComplete: true}, nil)
			return
		}
		// genai carries arguments as a decoded map, so a real adapter pays for
		// this decode too.
		parts := make([]*genai.Part, len(ids))
		for i, id := range ids {
			args, err := decodeMap(scenario.ToolArgs)
			if err != nil {
				yield(nil, err)
				return
			}
			parts[i] = &genai.Part{FunctionCall: &genai.FunctionCall{ID: id, Name: scenario.ToolName, Args: args}}
		}
		yield(&model.LLMResponse{Content: &genai.Content{Role: genai.RoleModel, Parts: parts}}, nil)
	}
}

func newADK(tb testing.TB, sc scenario.Scenario, s *scenario.Script) scenario.Runner {
	t := must(functiontool.New(functiontool.Config{Name: scenario.ToolName, Description: scenario.ToolDesc}, func(ctx agent.Context, in scenario.LookupIn) (scenario.LookupOut, error) {
		return s.Lookup(ctx, in)
	}))
	a := must(llmagent.New(llmagent.Config{Name: "bench", Model: &adkModel{s: s}, Instruction: scenario.System, Tools: []tool.Tool{t}}))
	svc := session.InMemoryService()
	r := must(runner.New(runner.Config{AppName: "bench", Agent: a, SessionService: svc, AutoCreateSession: true}))
	return scenario.Runner{Run: func(ctx context.Context) (string, error) {
		last := ""
		for ev, err := range r.Run(ctx, "u", "s", genai.NewContentFromText(scenario.Prompt, genai.RoleUser), agent.RunConfig{}) {
			if err != nil {
				return "", err
			}
			if ev.Content != nil && len(ev.Content.Parts) > 0 {
				last = ev.Content.Parts[0].Text
			}
		}
		// A fresh session every run, so that history does not grow with b.N.
		return last, svc.Delete(ctx, &session.DeleteRequest{AppName: "bench", UserID: "u", SessionID: "s"})
	}}
}

// adkOrderWithSchema has the bounds of OrderSchema, which the tags cannot say.
func adkOrderWithSchema(tb testing.TB) scenario.OrderCall {
	var s jsonschema.Schema
	if err := json.Unmarshal([]byte(scenario.OrderSchema), &s); err != nil {
		tb.Fatal(err)
	}
	return adkOrder(&s)(tb)
}

func adkOrder(schema *jsonschema.Schema) scenario.NewOrder {
	return func(tb testing.TB) scenario.OrderCall {
		t := must(functiontool.New(functiontool.Config{Name: "order", Description: "place an order", InputSchema: schema}, func(ctx agent.Context, o scenario.Order) (scenario.OrderReply, error) {
			return scenario.Place(o), nil
		}))
		run := t.(interface {
			Run(ctx agent.Context, args any) (map[string]any, error)
		})
		tc := adkToolContext(tb)
		return func(ctx context.Context, args string) (scenario.Verdict, error) {
			m, err := decodeMap(args)
			if err != nil {
				return scenario.Refused, nil
			}
			_, err = run.Run(tc, m)
			return refusedIf(err != nil), nil
		}
	}
}

// adkToolContext captures a live tool context by running one agent turn.
func adkToolContext(tb testing.TB) agent.Context {
	var got agent.Context
	sc := scenario.All()[0]
	s := scenario.NewScript(sc)
	t := must(functiontool.New(functiontool.Config{Name: scenario.ToolName, Description: scenario.ToolDesc}, func(ctx agent.Context, in scenario.LookupIn) (scenario.LookupOut, error) {
		got = ctx
		return s.Lookup(ctx, in)
	}))
	a := must(llmagent.New(llmagent.Config{Name: "ctx", Model: &adkModel{s: s}, Tools: []tool.Tool{t}}))
	r := must(runner.NewInMemory("ctx", a))
	for _, err := range r.Run(context.Background(), "u", "s", genai.NewContentFromText(scenario.Prompt, genai.RoleUser), agent.RunConfig{}) {
		if err != nil {
			tb.Fatal(err)
		}
	}
	return got
}
