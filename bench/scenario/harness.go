package scenario

import (
	"context"
	"runtime"
	"testing"
	"time"
)

// A Runner plays one scenario with one script; Run is what is timed.
type Runner struct {
	Run   func(ctx context.Context) (answer string, err error)
	Close func() // nil if there is nothing to close
	Blind bool   // the runtime's model cannot count the results it is shown
}

// A NewRunner builds what can be built before the first run.
type NewRunner func(tb testing.TB, sc Scenario, s *Script) Runner

// BenchTurns measures a runtime in every scenario, as sub-benchmarks.
func BenchTurns(b *testing.B, mk NewRunner) {
	for _, sc := range All() {
		b.Run(sc.Name, func(b *testing.B) {
			s := NewScript(sc)
			r := mk(b, sc, s)
			if r.Close != nil {
				defer r.Close()
			}
			check(b, sc, s, r)
			ctx := context.Background()
			timed(b, func() {
				s.Reset()
				if answer, err := r.Run(ctx); err != nil || answer != Final {
					b.Fatalf("answer %q, error %v", answer, err)
				}
			})
		})
	}
}

// CheckTurns fails the test unless the runtime does all the work of every
// scenario, and its calls overlap or not, as overlaps says.
func CheckTurns(t *testing.T, mk NewRunner, overlap Overlap) {
	t.Helper()
	for _, sc := range All() {
		s := NewScript(sc)
		r := mk(t, sc, s)
		check(t, sc, s, r)
		if r.Close != nil {
			r.Close()
		}
	}
	var got Overlap
	for range 5 { // a busy machine makes them look slower than they are, and at times only
		if got = overlapOf(t, mk); got == overlap {
			return
		}
	}
	t.Errorf("the calls of one turn run %s, the table says %s", got, overlap)
}

// Overlap says whether the calls of one turn run side by side.
type Overlap string

// Ways to run the calls of one turn.
const (
	Parallel Overlap = "parallel"
	Capped   Overlap = "capped" // a few at a time
	Serial   Overlap = "serial"
)

// overlapOf plays one turn of eight calls that each take a while.
func overlapOf(t *testing.T, mk NewRunner) Overlap {
	const delay = 40 * time.Millisecond
	sc := Scenario{"overlap", 1, 8}
	s := NewScript(sc)
	s.delay = delay
	r := mk(t, sc, s)
	if r.Close != nil {
		defer r.Close()
	}
	s.Reset()
	began := time.Now()
	if _, err := r.Run(context.Background()); err != nil {
		t.Fatalf("eight calls at once: %v", err)
	}
	switch took := time.Since(began); {
	case took < delay*7/4:
		return Parallel
	case took < delay*6:
		return Capped
	}
	return Serial
}

// check plays the scenario once and looks whether the work was done.
func check(tb testing.TB, sc Scenario, s *Script, r Runner) {
	tb.Helper()
	s.executed.Store(0)
	s.Reset()
	answer, err := r.Run(context.Background())
	switch n := s.executed.Load(); {
	case err != nil:
		tb.Fatalf("%s: %v", sc.Name, err)
	case answer != Final:
		tb.Fatalf("%s: the answer is %q", sc.Name, answer)
	case n != int64(sc.Calls()):
		tb.Fatalf("%s: the tool ran %d times, not %d", sc.Name, n, sc.Calls())
	case !r.Blind && s.seen != sc.Calls():
		tb.Fatalf("%s: on its last turn the model was shown %d results, not %d", sc.Name, s.seen, sc.Calls())
	}
}

// An OrderCall takes the arguments as the model wrote them, checks and decodes
// them the way its runtime does, runs the tool, and says what came of it.
type OrderCall func(ctx context.Context, args string) (Verdict, error)

// Verdict is what a runtime made of arguments.
type Verdict int

// Verdicts.
const (
	Ran      Verdict = iota // the tool ran with them
	Refused                 // it did not
	Repaired                // it ran with arguments that fit the schema, made of those without loss
)

// A NewOrder builds what can be built before the first call.
type NewOrder func(tb testing.TB) OrderCall

// BenchOrder measures one call with good arguments, and reports how many of
// BadOrders are refused and how many repaired.
func BenchOrder(b *testing.B, mk NewOrder) {
	call := mk(b)
	ctx := context.Background()
	refused, repaired := Judge(b, mk)
	timed(b, func() {
		if v, err := call(ctx, OrderArgs); v != Ran || err != nil {
			b.Fatalf("good arguments: verdict %d, error %v", v, err)
		}
	})
	b.ReportMetric(float64(refused), "refused")
	b.ReportMetric(float64(repaired), "repaired")
}

// Judge is what a runtime makes of BadOrders. An error counts as a refusal. It
// fails the test when good arguments do not run.
func Judge(tb testing.TB, mk NewOrder) (refused, repaired int) {
	tb.Helper()
	call := mk(tb)
	if v, err := call(context.Background(), OrderArgs); v != Ran || err != nil {
		tb.Fatalf("good arguments: verdict %d, error %v", v, err)
	}
	for _, bad := range BadOrders() {
		switch v, err := call(context.Background(), bad.Args); {
		case v == Refused || err != nil:
			refused++
		case v == Repaired:
			repaired++
		}
	}
	return refused, repaired
}

// timed runs f b.N times. On systems that tell, it also reports the processor
// time of this process, which other work on the machine disturbs less.
func timed(b *testing.B, f func()) {
	b.ReportAllocs()
	runtime.GC()
	b.ResetTimer()
	began := cpuTime()
	for range b.N {
		f()
	}
	used := cpuTime() - began
	b.StopTimer()
	b.ReportMetric(float64(used.Nanoseconds())/float64(b.N), "cpu-ns/op")
}
