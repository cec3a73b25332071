package scenario_test

import (
	"testing"
	"testing/synctest"

	"github.com/toolpost/toolpost/bench/scenario"
)

func TestTheFloorDoesTheWork(t *testing.T) {
	synctest.Test(t, func(t *testing.T) { scenario.CheckTurns(t, scenario.Floor, scenario.Parallel) })
	if refused, repaired := scenario.Judge(t, scenario.FloorOrder); refused != 6 || repaired != 0 {
		t.Errorf("encoding/json refuses %d and repairs %d of the bad orders, want 6 and 0", refused, repaired)
	}
}

func TestThereAreThirteenBadOrders(t *testing.T) {
	seen := map[string]bool{scenario.OrderArgs: true}
	for _, bad := range scenario.BadOrders() {
		if seen[bad.Args] {
			t.Errorf("%s: these arguments occur twice", bad.Name)
		}
		seen[bad.Args] = true
	}
	if len(seen) != 14 {
		t.Errorf("%d bad orders, want 13", len(seen)-1)
	}
}
