package event_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/toolpost/toolpost/event"
	"github.com/toolpost/toolpost/tool"
)

// naps is a tool that takes as many seconds as its argument says.
func naps(ctx context.Context, c *tool.Call) (*tool.Result, error) {
	var n int
	if _, err := fmt.Sscanf(string(c.Args), `{"n":%d}`, &n); err != nil {
		return nil, err
	}
	t := time.NewTimer(time.Duration(10-n) * time.Second)
	defer t.Stop()
	select {
	case <-t.C:
		return tool.Text(string(c.Args)), nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// Law 6: calls start in source order, end as they end, and their results stand
// in source order.
func TestLaw6SourceOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := tools(tool.Tool{Spec: tool.Spec{Name: "t"}, Handler: naps}).Call
		results := make([]*tool.Result, 5)
		var started, ended []string
		begin := time.Now()
		for e := range batch(t.Context(), h, 5, results) {
			switch e.Type {
			case event.StepStarted:
				started = append(started, e.Call.ID)
			case event.StepFinished:
				ended = append(ended, e.Result.ID)
			}
		}
		if d := cmp.Diff([]string{strings.Join(started, " "), strings.Join(ended, " ")}, []string{"c0 c1 c2 c3 c4", "c4 c3 c2 c1 c0"}); d != "" {
			t.Errorf("(-got +want):\n%s", d)
		}
		for i, r := range results {
			if want := fmt.Sprintf(`{"n":%d}`, i); r.Content[0].Text != want {
				t.Errorf("result %d is %s", i, r.Content[0].Text)
			}
		}
		if took := time.Since(begin); took != 10*time.Second {
			t.Errorf("five calls side by side took %s, the longest takes 10s", took)
		}
	})
}

func TestGroupLimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var active, most atomic.Int32
		h := tools(tool.Tool{Spec: tool.Spec{Name: "t"}, Handler: func(context.Context, *tool.Call) (*tool.Result, error) {
			n := active.Add(1)
			defer active.Add(-1)
			if n > most.Load() {
				most.Store(n)
			}
			time.Sleep(time.Second)
			return tool.Text(""), nil
		}}).Call
		for _, limit := range []int{0, 1, 3} {
			most.Store(0)
			begin := time.Now()
			for _, err := range event.Go(t.Context(), "r", func(ctx context.Context, r *event.Run) error {
				g := r.Group()
				g.Limit = limit
				results := make([]*tool.Result, 32)
				for i := range results {
					g.Do(ctx, h, tool.NewCall("t", `{}`), &results[i])
				}
				g.Wait()
				return nil
			}) {
				if err != nil {
					t.Fatal(err)
				}
			}
			want := int32(limit)
			if limit == 0 {
				want = 16
			}
			rounds := (32 + int(want) - 1) / int(want)
			if most.Load() != want || time.Since(begin) != time.Duration(rounds)*time.Second {
				t.Errorf("limit %d: at most %d at once, %s", limit, most.Load(), time.Since(begin))
			}
		}
	})
}

// Calls that name the same resource run one after another, in source order; the
// others do not wait for them.
func TestGroupLocks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var order []string
		h := tools(tool.Tool{Spec: tool.Spec{Name: "edit", Locks: []string{"path"}}, Handler: func(_ context.Context, c *tool.Call) (*tool.Result, error) {
			time.Sleep(time.Second)
			return tool.Text(""), nil
		}}).Call
		begin := time.Now()
		for e := range event.Go(t.Context(), "r", func(ctx context.Context, r *event.Run) error {
			g := r.Group()
			for i, p := range []string{"a", "./a", "b", "x/../a", "b"} {
				g.Go(func(r *event.Run) {
					c := tool.NewCall("edit", fmt.Sprintf(`{"path":%q}`, p))
					c.ID = fmt.Sprint(p, i)
					r.Do(ctx, h, c)
				})
			}
			g.Wait()
			return nil
		}) {
			switch e.Type {
			case event.StepStarted:
				order = append(order, fmt.Sprintf("%s@%d", e.Call.ID, int(time.Since(begin).Seconds())))
			}
		}
		slices.Sort(order) // what starts at one time may do so in any order
		if got, want := strings.Join(order, " "), "./a1@1 a0@0 b2@0 b4@1 x/../a3@2"; got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	})
}

// A call that waits for a person does not hold up those after it.
func TestGroupWaitingCallLetsOthersBegin(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var reg tool.Registry
		reg.Use(func(next tool.Handler) tool.Handler {
			return func(ctx context.Context, c *tool.Call) (*tool.Result, error) {
				if c.ID == "c0" {
					tool.Notify(ctx, tool.Note{Kind: tool.NoteWaiting, Call: c, Message: "for a person"})
					time.Sleep(time.Hour)
				}
				return next(ctx, c)
			}
		})
		if err := reg.Add(tool.Tool{Spec: tool.Spec{Name: "t"}, Handler: func(context.Context, *tool.Call) (*tool.Result, error) { return tool.Text(""), nil }}); err != nil {
			t.Fatal(err)
		}
		var got []string
		results := make([]*tool.Result, 2)
		for e := range batch(t.Context(), reg.Call, 2, results) {
			if e.Call != nil {
				got = append(got, e.Call.ID+" "+string(e.Type))
			}
		}
		want := []string{"c0 step.scheduled", "c0 step.waiting", "c1 step.scheduled", "c1 step.started", "c1 step.finished", "c0 step.started", "c0 step.finished"}
		if d := cmp.Diff(got, want); d != "" {
			t.Errorf("(-got +want):\n%s", d)
		}
	})
}

// Preparation goes one by one, so a policy sees the calls in source order.
func TestGroupPreparesInOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var seen []string
		var reg tool.Registry
		reg.Use(func(next tool.Handler) tool.Handler {
			return func(ctx context.Context, c *tool.Call) (*tool.Result, error) {
				time.Sleep(time.Second)
				seen = append(seen, c.ID) // the race detector sees to it that it is one by one
				if c.ID == "c2" {
					return nil, tool.Errorf(tool.CodeDenied, "no")
				}
				return next(ctx, c)
			}
		})
		if err := reg.Add(tool.Tool{Spec: tool.Spec{Name: "t"}, Handler: naps}); err != nil {
			t.Fatal(err)
		}
		results := make([]*tool.Result, 5)
		for range batch(t.Context(), reg.Call, 5, results) {
		}
		if got := strings.Join(seen, " "); got != "c0 c1 c2 c3 c4" {
			t.Errorf("got %s", got)
		}
	})
}

// Events that come together are marked More, but for the last of them; so a
// journal can write them with one sync.
func TestMoreMarksEventsThatComeTogether(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := tools(tool.Tool{Spec: tool.Spec{Name: "t"}, Handler: func(context.Context, *tool.Call) (*tool.Result, error) {
			time.Sleep(time.Minute) // so all end at once
			return tool.Text(""), nil
		}}).Call
		results := make([]*tool.Result, 8)
		groups, more := 0, false
		for e := range batch(t.Context(), h, 8, results) {
			if e.Type == event.StepFinished {
				time.Sleep(time.Second) // a sync of the disk: the others arrive meanwhile
				if !e.More {
					groups++
				}
			}
			more = e.More
		}
		if more {
			t.Error("the last event promises one more")
		}
		if groups > 2 {
			t.Errorf("eight calls that ended at once were written in %d groups, want 2 at most", groups)
		}
	})
}

func TestGroupIsEmptyAfterWait(t *testing.T) {
	h := tools(tool.Tool{Spec: tool.Spec{Name: "t"}, Handler: func(context.Context, *tool.Call) (*tool.Result, error) { return tool.Text(""), nil }}).Call
	n := 0
	for e := range event.Go(t.Context(), "r", func(ctx context.Context, r *event.Run) error {
		g := r.Group()
		g.Wait()
		for range 3 {
			var res *tool.Result
			g.Do(ctx, h, tool.NewCall("t", `{}`), &res)
			g.Wait()
			if res == nil {
				t.Error("there is no result after Wait")
			}
		}
		return nil
	}) {
		if e.Type == event.StepFinished {
			n++
		}
	}
	if n != 3 {
		t.Errorf("%d calls", n)
	}
}
