// Package scenario is the work that runtimes are compared by: a model scripted
// in memory that asks for calls of a tool that does nothing, so that what is
// measured is the runtime and nothing else.
//
// A runtime takes part by two functions, a [NewRunner] that plays a [Scenario]
// and a [NewOrder] that takes arguments with ten fields; [BenchTurns] and
// [BenchOrder] measure them, after they have shown that the work was done.
// [Floor] is the same work by hand: the bound below, not a competitor.
//
// The package knows no runtime, ours included.
package scenario

import (
	"context"
	"fmt"
	"sync/atomic"
	"time"
)

// The one tool of all scenarios, and what is said around it.
const (
	ToolName = "lookup_item"
	ToolDesc = "Look up an item by its id."
	ToolArgs = `{"id":"item-42"}`
	Prompt   = "Look the item up."
	System   = "You look items up."
	Final    = "done"
)

// LookupIn is the tool's input, with the tags of all runtimes.
type LookupIn struct {
	ID string `json:"id" jsonschema:"item id" jsonschema_description:"item id" description:"item id" desc:"item id"`
}

// LookupOut is the tool's output: 30 bytes of JSON.
type LookupOut struct {
	OK bool   `json:"ok"`
	ID string `json:"id"`
	N  int    `json:"n"`
}

// A Scenario is Rounds turns of the model that each ask for Fan calls, then one
// turn that answers Final.
type Scenario struct {
	Name   string
	Rounds int
	Fan    int
}

// All is the scenarios, in the order of the table.
func All() []Scenario {
	return []Scenario{
		{"1call", 1, 1},
		{"8par", 1, 8},
		{"64par", 1, 64},
		{"100turns", 100, 1},
	}
}

// Calls is how many calls one run of the scenario makes.
func (s Scenario) Calls() int { return s.Rounds * s.Fan }

// A Script is the model and the tool of one scenario. It is reset before every
// run; the tool may be called from many goroutines.
type Script struct {
	ids  [][]string
	step int
	seen int

	executed atomic.Int64
	delay    time.Duration
}

// NewScript makes the script of a scenario.
func NewScript(s Scenario) *Script {
	x := &Script{ids: make([][]string, s.Rounds)}
	for r := range x.ids {
		x.ids[r] = make([]string, s.Fan)
		for i := range x.ids[r] {
			x.ids[r][i] = fmt.Sprintf("call_%d_%d", r, i)
		}
	}
	return x
}

// Reset begins the script again.
func (x *Script) Reset() { x.step, x.seen = 0, 0 }

// Next is the ids of the calls that the model asks for now, or nil when it is
// time to answer Final.
func (x *Script) Next() []string {
	if x.step >= len(x.ids) {
		return nil
	}
	ids := x.ids[x.step]
	x.step++
	return ids
}

// Saw says how many results the model was shown on its last turn, by which the
// harness knows that history really reached it.
func (x *Script) Saw(results int) { x.seen = results }

// Lookup is the body of the tool.
func (x *Script) Lookup(ctx context.Context, in LookupIn) (LookupOut, error) {
	x.executed.Add(1)
	if x.delay > 0 {
		t := time.NewTimer(x.delay)
		defer t.Stop()
		select {
		case <-t.C:
		case <-ctx.Done():
			return LookupOut{}, ctx.Err()
		}
	}
	return LookupOut{OK: true, ID: in.ID, N: 7}, nil
}
