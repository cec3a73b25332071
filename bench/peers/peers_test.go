package peers_test

import (
	"encoding/json"
	"testing"

	"github.com/toolpost/toolpost/bench/ours"
	"github.com/toolpost/toolpost/bench/scenario"
)

// turns is who plays the scenarios, and whether the calls of one turn overlap.
var turns = []struct {
	name    string
	new     scenario.NewRunner
	overlap scenario.Overlap
}{
	{"floor", scenario.Floor, scenario.Parallel},
	{"toolpost", ours.Loop, scenario.Parallel},
	{"toolpost-everything", ours.Pipeline, scenario.Parallel},
	{"eino-toolsnode", newEinoToolsNode, scenario.Parallel},
	{"eino-react", newEinoReact, scenario.Parallel},
	{"eino-adk", newEinoADK, scenario.Parallel},
	{"fantasy", newFantasy, scenario.Serial},
	{"fantasy-stream", newFantasyStream, scenario.Capped},
	{"adk-go", newADK, scenario.Parallel},
	{"langchaingo", newLangchaingo, scenario.Serial},
	{"trpc-agent-go", newTRPC, scenario.Parallel},
	{"genkit", newGenkit, scenario.Parallel},
}

// orders is who takes typed arguments.
var orders = []struct {
	name string
	new  scenario.NewOrder
}{
	{"floor", scenario.FloorOrder},
	{"toolpost", ours.Check},
	{"toolpost-call", ours.Order},
	{"eino", einoOrder},
	{"fantasy", fantasyOrder},
	{"adk-go", adkOrder(nil)},
	{"adk-go-schema", adkOrderWithSchema},
	{"trpc-agent-go", trpcOrder},
	{"genkit", genkitOrder},
	{"genkit-schema", genkitOrderWithSchema},
	{"santhosh-tekuri", validatorOrder(santhosh)},
	{"google-jsonschema", validatorOrder(google)},
	{"xeipuuv", validatorOrder(xeipuuv)},
	{"kaptinlin", validatorOrder(kaptinlin)},
}

func TestTurns(t *testing.T) {
	for _, p := range turns {
		t.Run(p.name, func(t *testing.T) { scenario.CheckTurns(t, p.new, p.overlap) })
	}
}

func TestOrders(t *testing.T) {
	for _, p := range orders {
		t.Run(p.name, func(t *testing.T) {
			refused, repaired := scenario.Judge(t, p.new)
			t.Logf("%d refused, %d repaired", refused, repaired)
		})
	}
}

func BenchmarkTurn(b *testing.B) {
	for _, p := range turns {
		b.Run(p.name, func(b *testing.B) { scenario.BenchTurns(b, p.new) })
	}
}

func BenchmarkOrder(b *testing.B) {
	for _, p := range orders {
		b.Run(p.name, func(b *testing.B) { scenario.BenchOrder(b, p.new) })
	}
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
