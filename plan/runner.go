package plan

import (
	"context"
	"encoding/json"
	"maps"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/toolpost/toolpost/event"
	"github.com/toolpost/toolpost/tool"
)

// DefaultConcurrency is how many calls of a plan run at once where nothing else
// is said.
const DefaultConcurrency = 4

// A Runner runs plans. Its fields are not changed while it runs; one Runner may
// run many plans at once, but a Confirmation is for one.
type Runner struct {
	Tools          tool.Set
	MaxConcurrency int    // calls at once: DefaultConcurrency if zero
	MaxAttempts    int    // holds over a step's own retry; MaxAttempts of this package if zero
	PolicyHash     string // of the policy in force, bound by a confirmation
	Confirm        Confirm
	Confirmation   *Confirmation // nil if nobody has confirmed
	Policy         *tool.Snapshot

	ID    string // of the run; a fresh one if empty
	Facts any    // payload of run.started

	// Done is what a run that was interrupted has finished: those steps are not
	// run again. InDoubt is what it had started: such a call is made again if its
	// tool is idempotent or read-only, else if Again says so.
	Done    map[Key]*tool.Result
	InDoubt map[Key]*tool.Call
	Again   func(context.Context, *tool.Call) bool
}

// Key names a call of a plan: a step, and the element of its foreach.
type Key struct {
	Step  string
	Index int // -1 if the step has no foreach
}

// Outcome is how a run ended: the payload of its last event, run.finished.
type Outcome struct {
	Status   Status        `json:"status"`
	Steps    int           `json:"steps"`
	OK       int           `json:"ok"`
	Failed   int           `json:"failed"`
	Skipped  int           `json:"skipped"`
	Denied   int           `json:"denied"` // calls that were blocked
	Calls    int           `json:"calls"`  // each attempt is one
	Effects  *tool.Effects `json:"effects,omitempty"`
	Millis   int64         `json:"durationMs"`
	Code     tool.Code     `json:"code,omitzero"`
	Error    string        `json:"error,omitzero"`
	Duration time.Duration `json:"-"`
}

// Status says how a run of a plan ended.
type Status string

// Ways to end.
const (
	StatusOK        Status = "ok"
	StatusFailed    Status = "tool_error" // a step failed
	StatusRefused   Status = "refused"    // a call was blocked
	StatusCancelled Status = "cancelled"
)

// Run is the events of one run of p, from run.started to run.finished. A plan
// that Lint finds errors in, and one that is not confirmed and needs to be,
// yields its error at once: nothing has run then. A run that failed yields its
// first failure after run.finished.
func (r *Runner) Run(ctx context.Context, p *Plan) event.Stream {
	id := r.ID
	if id == "" {
		id = tool.NewID()
	}
	return func(yield func(event.Event, error) bool) {
		c, err := r.prepare(p)
		if err != nil {
			yield(event.Event{}, err)
			return
		}
		event.Go(ctx, id, func(ctx context.Context, out *event.Run) error {
			return newRun(r, c, out).steps(ctx)
		})(yield)
	}
}

// prepare checks all that can be checked before anything runs.
func (r *Runner) prepare(p *Plan) (*program, error) {
	c, problems := check(p, r.Tools)
	if bad := Errors(problems); len(bad) > 0 {
		return nil, invalid(bad)
	}
	return c, r.confirmed(p)
}

// run is one run of a plan. Its fields belong to the goroutine that ranges, but
// for those that the steps in flight only read.
type run struct {
	*Runner
	program *program
	out     *event.Run
	slots   chan struct{} // one for each call in flight
	ended   chan ending
	states  []state
	queue   []int  // steps that can begin, by their place in the document
	orderly bool   // steps without needs wait for the one before them
	values  Values // all there is; a step in flight has its own
	stopped string // why no more steps are begun
	first   error  // the first failure
	outcome Outcome
	began   time.Time
}

// state is how far a step has come.
type state struct {
	open    int // steps it still waits for
	begun   bool
	ended   bool
	failed  bool
	skipped bool
}

// ending is a step that has ended.
type ending struct {
	n     *node
	res   *tool.Result
	all   []*tool.Result // every call of it
	fatal bool           // nothing is begun after it, whatever onError says (rule P1)
}

func newRun(r *Runner, c *program, out *event.Run) *run {
	x := &run{Runner: r, program: c, out: out, began: time.Now()}
	x.slots = make(chan struct{}, x.concurrency())
	x.ended = make(chan ending, x.concurrency())
	x.states = make([]state, len(c.steps))
	x.orderly = c.plan.Risk.Level() > tool.RiskReads.Level()
	for i, n := range c.steps {
		if x.states[i].open = len(n.needs); x.orderly && len(n.needs) == 0 && i > 0 {
			x.states[i].open = 1
		}
		if x.states[i].open == 0 {
			x.queue = append(x.queue, i)
		}
	}
	x.values = Values{Steps: map[string]json.RawMessage{}, Vars: map[string]json.RawMessage{}}
	for k, v := range c.plan.Vars {
		x.values.Vars[k] = v
	}
	x.outcome.Steps = len(c.steps)
	return x
}

func (r *Runner) concurrency() int {
	if r.MaxConcurrency <= 0 {
		return DefaultConcurrency
	}
	return r.MaxConcurrency
}

// steps runs the plan: whoever can begin does, in the order of the document.
func (x *run) steps(ctx context.Context) error {
	x.out.Emit(event.Event{Type: event.RunStarted, Message: x.program.plan.Goal, Payload: x.Facts})
	if c := x.Confirmation; c != nil {
		x.out.Emit(event.Event{Type: event.Confirmed, Message: "confirmed by " + c.Who, Payload: c})
	}
	active := 0
	for left := len(x.program.steps); left > 0; {
		if ctx.Err() != nil && x.stopped == "" {
			x.stopped = "the run was cancelled"
		}
		ready := x.ready(x.concurrency() - active)
		if len(ready) == 1 && active == 0 {
			x.settle(x.perform(ctx, x.out, ready[0], x.known(ready[0])))
			left--
			continue
		}
		for _, n := range ready {
			active++
			values := x.known(n)
			x.out.Go(func(r *event.Run) { x.ended <- x.perform(ctx, r, n, values) })
		}
		if active == 0 {
			left -= x.skipRest()
			continue
		}
		x.settle(<-x.ended)
		active--
		left--
	}
	return x.finish(ctx)
}

// ready is the steps that can begin now, at most n, marked as begun.
func (x *run) ready(n int) []*node {
	if x.stopped != "" {
		return nil
	}
	n = min(n, len(x.queue))
	out := make([]*node, n)
	for i, at := range x.queue[:n] {
		x.states[at].begun = true
		out[i] = x.program.steps[at]
	}
	x.queue = x.queue[n:]
	return out
}

// release lets those begin that waited for n alone.
func (x *run) release(n *node) {
	x.states[n.at].ended = true
	for _, f := range n.feeds {
		x.less(f.at)
	}
	if next := n.at + 1; x.orderly && next < len(x.states) && len(x.program.steps[next].needs) == 0 {
		x.less(next)
	}
}

// less has a step wait for one step less.
func (x *run) less(at int) {
	st := &x.states[at]
	if st.open--; st.open == 0 && !st.begun {
		i, _ := slices.BinarySearch(x.queue, at)
		x.queue = slices.Insert(x.queue, i, at)
	}
}

// settle takes the end of a step into account.
func (x *run) settle(e ending) {
	st := &x.states[e.n.at]
	x.tally(e)
	switch {
	case e.res.Status == tool.StatusSkipped:
		st.skipped = true
	case e.res.OK():
		x.values.Steps[e.n.ID] = e.res.Data
		if e.n.CaptureAs != "" {
			x.values.Vars[e.n.CaptureAs] = e.res.Data
		}
	default:
		st.failed = true
		if x.first == nil {
			x.first = e.res.Err
		}
		if (e.fatal || x.onError(e.n) != OnErrorSkip) && x.stopped == "" {
			x.stopped = "step " + e.n.ID + " failed"
		}
	}
	x.release(e.n)
}

// blocked says why a step whose needs have ended must not be run.
func (x *run) blocked(n *node) string {
	for _, dep := range n.needs {
		st := &x.states[dep.at]
		switch {
		case st.skipped:
			return "step " + dep.ID + " was skipped"
		case st.failed && (n.refers[dep] || x.onError(dep) != OnErrorSkip):
			return "step " + dep.ID + " failed"
		}
	}
	return ""
}

// skipRest ends all steps that were not begun, and returns how many.
func (x *run) skipRest() int {
	count := 0
	for i, n := range x.program.steps {
		if x.states[i].begun {
			continue
		}
		x.states[i].begun = true
		x.settle(x.skip(context.Background(), x.out, n, x.stopped))
		count++
	}
	return count
}

func (x *run) tally(e ending) {
	o := &x.outcome
	switch {
	case e.res.OK():
		o.OK++
	case e.res.Status == tool.StatusSkipped:
		o.Skipped++
	default:
		o.Failed++
	}
	for _, r := range e.all {
		o.Calls++
		if r.Status == tool.StatusBlocked {
			o.Denied++
		}
		if r.Effects != nil {
			if o.Effects == nil {
				o.Effects = new(tool.Effects)
			}
			o.Effects.Add(*r.Effects)
		}
	}
}

// finish emits the last events.
func (x *run) finish(ctx context.Context) error {
	o := &x.outcome
	o.Duration = time.Since(x.began)
	o.Millis = o.Duration.Milliseconds()
	err := x.first
	if ctx.Err() != nil {
		err = tool.Errorf(tool.CodeCancelled, "the run was cancelled: %w", context.Cause(ctx))
	}
	switch {
	case ctx.Err() != nil:
		o.Status = StatusCancelled
		x.out.Emit(event.Event{Type: event.RunCancelled, Level: event.LevelWarn, Message: "cancelled"})
	case x.stopped == "" || err == nil:
		o.Status, err = StatusOK, nil
		if o.Failed > 0 {
			o.Status = StatusFailed
		}
	case o.Denied > 0:
		o.Status = StatusRefused
	default:
		o.Status = StatusFailed
	}
	level := event.Level("")
	if err != nil {
		e := tool.AsError(err)
		o.Code, o.Error, level = e.Code, e.Message, event.LevelError
	}
	x.out.Emit(event.Event{Type: event.RunFinished, Level: level, Message: string(o.Status), Payload: o})
	return err
}

// known is what n may refer to.
func (x *run) known(n *node) Values {
	v := Values{Steps: make(map[string]json.RawMessage, len(n.needs))}
	for _, dep := range n.needs {
		if d, ok := x.values.Steps[dep.ID]; ok {
			v.Steps[dep.ID] = d
		}
	}
	if n.when != nil && n.when.program != nil {
		v.Vars = maps.Clone(x.values.Vars)
		return v
	}
	for _, r := range n.references {
		if d, ok := x.values.Vars[r.Name]; ok && r.Source == SourceVars {
			if v.Vars == nil {
				v.Vars = map[string]json.RawMessage{}
			}
			v.Vars[r.Name] = d
		}
	}
	return v
}

// backoff is how long to wait before the attempt after this one: twice as long
// each time, and with jitter a random part of that.
func backoff(r *Retry, attempt int) time.Duration {
	base := 250 * time.Millisecond
	if r != nil && r.BackoffMS != nil {
		base = time.Duration(*r.BackoffMS) * time.Millisecond
	}
	d := min(base<<(attempt-1), 10*time.Minute)
	if d > 0 && (r == nil || r.Jitter == nil || *r.Jitter) {
		d = rand.N(d)
	}
	return d
}
