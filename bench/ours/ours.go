// Package ours is toolpost in the scenarios of package scenario: the bare loop,
// the loop with everything put between that a deployment would have, and a typed
// tool. It is built as a program that embeds toolpost would build it, with a
// model in memory that costs what the other runtimes' models cost.
package ours

import (
	"context"
	"errors"
	"iter"
	"log/slog"
	"testing"

	"github.com/toolpost/toolpost/agent"
	"github.com/toolpost/toolpost/audit"
	"github.com/toolpost/toolpost/bench/scenario"
	"github.com/toolpost/toolpost/event"
	"github.com/toolpost/toolpost/hook"
	"github.com/toolpost/toolpost/llm"
	"github.com/toolpost/toolpost/schema"
	"github.com/toolpost/toolpost/session"
	"github.com/toolpost/toolpost/tool"
)

// model is an llm.Provider that says what the script wants.
type model struct{ script *scenario.Script }

func (m model) Stream(_ context.Context, req *llm.Request) iter.Seq2[llm.Delta, error] {
	return func(yield func(llm.Delta, error) bool) {
		ids := m.script.Next()
		if ids == nil {
			m.script.Saw(results(req.Messages))
			_ = yield(llm.Delta{Kind: llm.DeltaText, Text: scenario.Final}, nil) &&
				yield(llm.Delta{Kind: llm.DeltaStop, Stop: llm.StopEnd}, nil)
			return
		}
		for i, id := range ids {
			if !yield(llm.Delta{Kind: llm.DeltaCall, Index: i, ID: id, Name: scenario.ToolName, Text: scenario.ToolArgs}, nil) {
				return
			}
		}
		yield(llm.Delta{Kind: llm.DeltaStop, Stop: llm.StopCalls}, nil)
	}
}

func results(msgs []llm.Message) int {
	n := 0
	for i := range msgs {
		for j := range msgs[i].Blocks {
			if msgs[i].Blocks[j].Result != nil {
				n++
			}
		}
	}
	return n
}

func lookup(s *scenario.Script) tool.Tool {
	return tool.New(tool.Spec{Name: scenario.ToolName, Description: scenario.ToolDesc, Risk: tool.RiskReads}, s.Lookup)
}

// Loop is the agent loop with one tool and nothing between.
func Loop(tb testing.TB, sc scenario.Scenario, s *scenario.Script) scenario.Runner {
	var tools tool.Registry
	add(tb, &tools, lookup(s))
	return scenario.Runner{Run: func(ctx context.Context) (string, error) {
		loop := newLoop(s, sc, &tools)
		return answer(loop.Run(ctx, session.NewMemory(llm.User(scenario.Prompt))))
	}}
}

// Pipeline is the loop with everything on: log, loop guard, before and after
// hooks, truncation with artifacts, redaction, and a journal in memory.
func Pipeline(tb testing.TB, sc scenario.Scenario, s *scenario.Script) scenario.Runner {
	guard := hook.Loop{NoteAt: never, RefuseAt: never, EndAt: never} // the scenario repeats one call on purpose
	var tools tool.Registry
	tools.Use(everything(&guard)...)
	add(tb, &tools, lookup(s))
	return scenario.Runner{Run: func(ctx context.Context) (string, error) {
		var journal audit.Memory
		loop := newLoop(s, sc, &tools)
		loop.ID = tool.NewID()
		record, err := journal.Create(audit.Facts{ID: loop.ID})
		if err != nil {
			return "", err
		}
		text, err := answer(audit.Record(record, loop.Run(ctx, session.NewMemory(llm.User(scenario.Prompt)))))
		guard.End(loop.ID)
		return text, err
	}}
}

// never is more often than any scenario calls.
const never = 1 << 20

// everything is middleware in the order in which a deployment has it.
func everything(guard *hook.Loop) []tool.Middleware {
	before := hook.Before{Hooks: []hook.Hook{{Name: "allow", Fn: func(context.Context, *tool.Call) (hook.Verdict, error) {
		return hook.Verdict{}, nil
	}}}}
	after := hook.After{Observers: []hook.Observer{{Name: "watch", Fn: func(context.Context, *tool.Call, *tool.Result) {}}}}
	limit := hook.Limit{Spill: func(context.Context, *tool.Call, []byte, string) (tool.Artifact, error) {
		return tool.Artifact{}, errors.New("the scenarios have no long results")
	}}
	var secrets hook.Redact
	return []tool.Middleware{
		hook.Log(slog.New(slog.DiscardHandler)),
		secrets.Middleware,
		limit.Middleware,
		after.Middleware,
		guard.Middleware,
		before.Middleware,
	}
}

func newLoop(s *scenario.Script, sc scenario.Scenario, tools tool.Set) *agent.Loop {
	return &agent.Loop{Provider: model{s}, Tools: tools, Request: llm.Request{System: scenario.System}, MaxTurns: sc.Rounds + 1}
}

// answer is the last thing that the model said.
func answer(run event.Stream) (string, error) {
	text := ""
	for e, err := range run {
		if err != nil {
			return "", err
		}
		if e.Type == event.TextDelta {
			text += e.Text
		}
	}
	return text, nil
}

func add(tb testing.TB, tools *tool.Registry, t tool.Tool) {
	if err := tools.Add(t); err != nil {
		tb.Fatal(err)
	}
}

// Order is a typed tool in a registry, with the schema of its author.
func Order(tb testing.TB) scenario.OrderCall {
	var tools tool.Registry
	add(tb, &tools, tool.New(tool.Spec{Name: "order", Description: "Place an order.", Risk: tool.RiskWrites, Input: schema.MustParse(scenario.OrderSchema)},
		func(_ context.Context, o scenario.Order) (scenario.OrderReply, error) { return scenario.Place(o), nil }))
	return func(ctx context.Context, args string) (scenario.Verdict, error) {
		c := tool.NewCall("order", args)
		switch res := tool.Do(ctx, tools.Call, c); {
		case res.IsError():
			return scenario.Refused, nil
		case len(c.Changes) > 0:
			return scenario.Repaired, nil
		}
		return scenario.Ran, nil
	}
}

// Check is the part of Order that looks at arguments: full validation and the
// decoding into the Go type, without a call around it and without repair.
func Check(testing.TB) scenario.OrderCall {
	s := schema.MustParse(scenario.OrderSchema)
	return func(_ context.Context, args string) (scenario.Verdict, error) {
		if err := s.Check([]byte(args)); err != nil {
			return scenario.Refused, nil
		}
		var o scenario.Order
		if err := schema.Decode([]byte(args), &o); err != nil {
			return scenario.Refused, nil
		}
		_, err := schema.Encode(scenario.Place(o))
		return scenario.Ran, err
	}
}
