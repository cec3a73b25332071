package picoclaw_test

import (
	"encoding/json"
	"testing"

	"github.com/toolpost/toolpost/bench/scenario"
)

func TestTurns(t *testing.T) { scenario.CheckTurns(t, newPicoclaw, scenario.Parallel) }

func TestOrders(t *testing.T) {
	refused, repaired := scenario.Judge(t, picoclawOrder)
	t.Logf("%d refused, %d repaired", refused, repaired)
}

// The floor of this process stands under a name of its own: it tells how far the
// two processes can be compared.
func BenchmarkTurn(b *testing.B) {
	b.Run("floor-picoclaw", func(b *testing.B) { scenario.BenchTurns(b, scenario.Floor) })
	b.Run("picoclaw", func(b *testing.B) { scenario.BenchTurns(b, newPicoclaw) })
}

func BenchmarkOrder(b *testing.B) {
	b.Run("picoclaw", func(b *testing.B) { scenario.BenchOrder(b, picoclawOrder) })
}

func refusedIf(yes bool) scenario.Verdict {
	if yes {
		return scenario.Refused
	}
	return scenario.Ran
}

func decodeMap(args string) (map[string]any, error) {
	var m map[string]any
	err := json.Unmarshal([]byte(args), &m)
	return m, err
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}
