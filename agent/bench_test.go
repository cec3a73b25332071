package agent_test

import (
	"context"
	"fmt"
	"iter"
	"testing"

	"github.com/toolpost/toolpost/agent"
	"github.com/toolpost/toolpost/llm"
	"github.com/toolpost/toolpost/session"
	"github.com/toolpost/toolpost/tool"
)

// scripted asks for fan calls in each of rounds turns, then answers.
type scripted struct {
	rounds, fan int
	n           int
	ids         []string
}

func (m *scripted) Stream(context.Context, *llm.Request) iter.Seq2[llm.Delta, error] {
	return m.stream
}

func (m *scripted) stream(yield func(llm.Delta, error) bool) {
	if m.n++; m.n > m.rounds {
		_ = yield(llm.Delta{Kind: llm.DeltaText, Text: "done"}, nil) && yield(llm.Delta{Kind: llm.DeltaStop, Stop: llm.StopEnd}, nil)
		return
	}
	for i := range m.fan {
		if !yield(llm.Delta{Kind: llm.DeltaCall, Index: i, ID: m.ids[i], Name: "lookup_item", Text: `{"id":"item-42"}`}, nil) {
			return
		}
	}
	yield(llm.Delta{Kind: llm.DeltaStop, Stop: llm.StopCalls}, nil)
}

func BenchmarkLoop(b *testing.B) {
	type in struct {
		ID string `json:"id" desc:"item id"`
	}
	type out struct {
		OK bool   `json:"ok"`
		ID string `json:"id"`
		N  int    `json:"n"`
	}
	tools := registry(b, tool.New(tool.Spec{Name: "lookup_item", Description: "Look up an item by its id.", Risk: tool.RiskReads},
		func(_ context.Context, a in) (out, error) { return out{true, a.ID, 7}, nil }))
	for _, c := range []struct {
		name        string
		rounds, fan int
	}{{"1call", 1, 1}, {"8par", 1, 8}, {"64par", 1, 64}, {"100turns", 100, 1}} {
		b.Run(c.name, func(b *testing.B) {
			m := &scripted{rounds: c.rounds, fan: c.fan}
			for i := range c.fan {
				m.ids = append(m.ids, fmt.Sprintf("call_%d", i))
			}
			b.ReportAllocs()
			for b.Loop() {
				m.n = 0
				l := agent.Loop{Provider: m, Tools: tools, MaxTurns: c.rounds + 1}
				for _, err := range l.Run(context.Background(), session.NewMemory(llm.User("Look the item up."))) {
					if err != nil {
						b.Fatal(err)
					}
				}
			}
		})
	}
}
