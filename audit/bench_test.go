package audit_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/toolpost/toolpost/audit"
	"github.com/toolpost/toolpost/event"
	"github.com/toolpost/toolpost/tool"
)

// calls is a driver that makes n calls of a tool that does nothing.
func calls(n int) func(context.Context, *event.Run) error {
	return func(ctx context.Context, r *event.Run) error {
		var tools tool.Registry
		if err := tools.Add(tool.Tool{Spec: tool.Spec{Name: "nothing", Risk: tool.RiskReads},
			Handler: func(context.Context, *tool.Call) (*tool.Result, error) { return tool.Text("done"), nil }}); err != nil {
			return err
		}
		r.Emit(event.Event{Type: event.RunStarted})
		for range n {
			r.Do(ctx, tools.Call, tool.NewCall("nothing", `{"path":"src/main.go","limit":100}`))
		}
		r.Emit(event.Event{Type: event.RunFinished})
		return nil
	}
}

func record(tb testing.TB, run *audit.Run, n int) {
	for _, err := range audit.Record(run, event.Go(context.Background(), run.ID(), calls(n))) {
		if err != nil {
			tb.Error(err)
			return
		}
	}
}

func newRun(tb testing.TB, k audit.Keeper) *audit.Run {
	run, err := k.Create(audit.Facts{})
	if err != nil {
		tb.Fatal(err)
	}
	return run
}

// BenchmarkStream is the driver and its calls without a record, to compare with.
func BenchmarkStream(b *testing.B) {
	b.ReportAllocs()
	for _, err := range event.Go(context.Background(), "bare", calls(b.N)) {
		if err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkCallInMemory(b *testing.B) {
	b.ReportAllocs()
	var m audit.Memory
	record(b, newRun(b, &m), b.N)
}

// A call is on disk when it starts and when it has ended: two syncs.
func BenchmarkDurableCallAlone(b *testing.B) {
	run := newRun(b, &audit.Store{Dir: b.TempDir()})
	b.ResetTimer()
	record(b, run, b.N)
	b.ReportMetric(2*float64(b.N)/b.Elapsed().Seconds(), "commits/s")
}

// benchRuns is how many runs there are at once.
const benchRuns = 64

func BenchmarkDurableCall64Runs(b *testing.B) {
	s := &audit.Store{Dir: b.TempDir()}
	var runs []*audit.Run
	for range benchRuns {
		runs = append(runs, newRun(b, s))
	}
	b.ResetTimer()
	var wg sync.WaitGroup
	for i, run := range runs {
		n := b.N / benchRuns
		if i < b.N%benchRuns {
			n++
		}
		wg.Go(func() { record(b, run, n) })
	}
	wg.Wait()
	b.StopTimer()
	if err := s.Close(); err != nil {
		b.Error(err)
	}
	b.ReportMetric(2*float64(b.N)/b.Elapsed().Seconds(), "commits/s")
}

// BenchmarkDisk is what the disk does on its own: a writer that syncs each of its
// lines, and 64 writers to one file whose lines share a sync.
func BenchmarkDisk(b *testing.B) {
	for _, writers := range []int{1, benchRuns} {
		b.Run(fmt.Sprintf("%d writers", writers), func(b *testing.B) {
			f, err := os.Create(filepath.Join(b.TempDir(), "f"))
			if err != nil {
				b.Fatal(err)
			}
			defer f.Close()
			g := grouped{f: f}
			var wg sync.WaitGroup
			for range writers {
				wg.Go(func() {
					line := make([]byte, 1100) // as a call's records are, for each of its two syncs
					for range b.N / writers {
						if err := g.commit(line); err != nil {
							b.Error(err)
							return
						}
					}
				})
			}
			wg.Wait()
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "commits/s")
		})
	}
}

// grouped is the least that a group commit can be.
type grouped struct {
	f    *os.File
	mu   sync.Mutex
	busy bool
	buf  []byte
	done chan error
	n    int
}

func (g *grouped) commit(line []byte) error {
	g.mu.Lock()
	g.buf = append(g.buf, line...)
	if g.done == nil {
		g.done = make(chan error, benchRuns)
	}
	mine := g.done
	g.n++
	if g.busy {
		g.mu.Unlock()
		if err := <-mine; !errors.Is(err, errLead) {
			return err
		}
		g.mu.Lock()
	}
	g.busy = true
	buf, n, done := g.buf, g.n, g.done
	g.buf, g.n, g.done = nil, 0, nil
	g.mu.Unlock()
	_, err := g.f.Write(buf)
	if err == nil {
		err = audit.Datasync(g.f)
	}
	g.mu.Lock()
	if g.n > 0 {
		g.done <- errLead
	} else {
		g.busy = false
	}
	g.mu.Unlock()
	for range n - 1 {
		done <- err
	}
	return err
}

var errLead = errors.New("it is your turn")
