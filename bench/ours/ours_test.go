package ours_test

import (
	"testing"
	"testing/synctest"

	"github.com/toolpost/toolpost/bench/ours"
	"github.com/toolpost/toolpost/bench/scenario"
)

func TestWeDoTheWork(t *testing.T) {
	synctest.Test(t, func(t *testing.T) { scenario.CheckTurns(t, ours.Loop, scenario.Parallel) })
	synctest.Test(t, func(t *testing.T) { scenario.CheckTurns(t, ours.Pipeline, scenario.Parallel) })
}

func TestNoBadOrderReachesTheTool(t *testing.T) {
	if refused, repaired := scenario.Judge(t, ours.Order); refused+repaired != 13 {
		t.Errorf("%d of 13 bad orders are refused and %d repaired: the rest runs with them", refused, repaired)
	}
	if refused, _ := scenario.Judge(t, ours.Check); refused != 13 {
		t.Errorf("%d of 13 bad orders do not fit, want all", refused)
	}
}

// The names are those of the table that the command in bench prints. Where the
// peers cannot be built, it runs these alone.
func BenchmarkTurn(b *testing.B) {
	b.Run("floor", func(b *testing.B) { scenario.BenchTurns(b, scenario.Floor) })
	b.Run("toolpost", func(b *testing.B) { scenario.BenchTurns(b, ours.Loop) })
	b.Run("toolpost-everything", func(b *testing.B) { scenario.BenchTurns(b, ours.Pipeline) })
}

func BenchmarkOrder(b *testing.B) {
	b.Run("floor", func(b *testing.B) { scenario.BenchOrder(b, scenario.FloorOrder) })
	b.Run("toolpost", func(b *testing.B) { scenario.BenchOrder(b, ours.Check) })
	b.Run("toolpost-call", func(b *testing.B) { scenario.BenchOrder(b, ours.Order) })
}
