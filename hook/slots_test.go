package hook_test

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/toolpost/toolpost/hook"
	"github.com/toolpost/toolpost/tool"
)

func ExampleSlots() {
	slots := &hook.Slots{N: 4}
	res := tool.Do(context.Background(), echo(slots.Middleware).Call, tool.NewCall("echo", `{}`))
	fmt.Println(res.Status)
	// Output: ok
}

func TestSlots(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var active, most, waited atomic.Int32
		h := (&hook.Slots{N: 3}).Middleware(func(context.Context, *tool.Call) (*tool.Result, error) {
			most.Store(max(most.Load(), active.Add(1)))
			defer active.Add(-1)
			time.Sleep(time.Second)
			panic("a slot is given back after a panic too")
		})
		ctx := tool.WithNotes(t.Context(), func(n tool.Note) {
			if n.Kind == tool.NoteWaiting {
				waited.Add(1)
			}
		})
		begin := time.Now()
		var wg sync.WaitGroup
		for range 9 {
			wg.Go(func() { tool.Do(ctx, h, tool.NewCall("t", "")) })
		}
		wg.Wait()
		if took := time.Since(begin); took != 3*time.Second || most.Load() > 3 || waited.Load() != 6 {
			t.Errorf("nine calls took %s, %d at once, %d waited", took, most.Load(), waited.Load())
		}
	})
}

func TestSlotsCancelledWhileWaiting(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := (&hook.Slots{N: 1}).Middleware(func(ctx context.Context, _ *tool.Call) (*tool.Result, error) {
			time.Sleep(time.Hour)
			return tool.Text(""), nil
		})
		var wg sync.WaitGroup
		defer wg.Wait()
		wg.Go(func() { tool.Do(t.Context(), h, tool.NewCall("t", "")) })
		synctest.Wait()
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if res := tool.Do(ctx, h, tool.NewCall("t", "")); res.Status != tool.StatusTimeout {
			t.Errorf("got %s %v", res.Status, res.Err)
		}
	})
}
