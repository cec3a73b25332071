package plan

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/toolpost/toolpost/event"
	"github.com/toolpost/toolpost/schema"
	"github.com/toolpost/toolpost/tool"
)

// perform runs a step to its end. It may be called beside other steps.
func (x *run) perform(ctx context.Context, r *event.Run, n *node, v Values) ending {
	if why := x.blocked(n); why != "" {
		return x.skip(ctx, r, n, why)
	}
	item, index := n.names()
	if n.when != nil && n.Foreach == nil {
		ok, err := n.when.holds(&v, item, index)
		if err != nil {
			return x.refuse(ctx, r, n, err)
		}
		if !ok {
			return x.skip(ctx, r, n, "its condition is false")
		}
	}
	if n.Foreach != nil {
		return x.foreach(ctx, r, n, v)
	}
	args, err := n.args.resolve(&v)
	if err != nil {
		return x.refuse(ctx, r, n, err)
	}
	res, all := x.attempts(ctx, r, n, args, nil, "")
	return ending{n: n, res: res, all: all}
}

// skip ends a step without running it.
func (x *run) skip(ctx context.Context, r *event.Run, n *node, why string) ending {
	res := r.Do(ctx, answer(tool.Skip(why), nil), x.call(n, n.Args, 1, nil, ""))
	return ending{n: n, res: res}
}

// refuse ends a step whose references or condition cannot be resolved.
func (x *run) refuse(ctx context.Context, r *event.Run, n *node, err error) ending {
	res := r.Do(ctx, answer(nil, tool.Errorf(tool.CodeInvalid, "step %s was not run: %w", n.ID, err)), x.call(n, n.Args, 1, nil, ""))
	return ending{n: n, res: res, all: []*tool.Result{res}, fatal: true}
}

func answer(res *tool.Result, err error) tool.Handler {
	return func(context.Context, *tool.Call) (*tool.Result, error) { return res, err }
}

// call is the call that a step makes.
func (x *run) call(n *node, args json.RawMessage, attempt int, item *tool.Item, loop string) *tool.Call {
	c := &tool.Call{Ref: tool.Ref{ID: tool.NewID(), Tool: n.Tool, Step: n.ID, Attempt: attempt}, Args: args,
		Created: time.Now(), Preview: n.Preview, Item: item, Loop: loop, Timeout: x.timeout(n)}
	c.Policy = x.Policy
	if x.Confirmation != nil {
		c.Confirmation = x.Confirmation.ID
	}
	return c
}

func (x *run) timeout(n *node) time.Duration {
	ms := n.TimeoutMS
	if ms == 0 && x.program.plan.Defaults != nil {
		ms = x.program.plan.Defaults.TimeoutMS
	}
	return time.Duration(ms) * time.Millisecond
}

// attempts makes a call, again and again while that may help, and returns its
// last result and all of them.
func (x *run) attempts(ctx context.Context, r *event.Run, n *node, args json.RawMessage, item *tool.Item, loop string) (last *tool.Result, all []*tool.Result) {
	key := keyOf(n, item)
	if done := x.Done[key]; done != nil {
		return done, nil
	}
	for attempt := 1; ; attempt++ {
		c := x.call(n, args, attempt, item, loop)
		select {
		case x.slots <- struct{}{}:
		case <-ctx.Done():
		}
		last = r.Do(ctx, x.gate(ctx, n, key, c), c)
		select {
		case <-x.slots:
		default: // cancelled before there was a slot
		}
		all = append(all, last)
		if !x.again(n, args, last, attempt) {
			return last, all
		}
		wait := backoff(x.retry(n), attempt)
		r.Emit(event.Event{Type: event.StepWaiting, Call: c, Message: fmt.Sprintf("%s failed (%s); attempt %d follows in %s", n.ID, last.Err.Code, attempt+1, wait.Round(time.Millisecond))})
		if !sleep(ctx, wait) {
			return last, all
		}
	}
}

// sleep waits for d; it reports false if ctx ends first.
func sleep(ctx context.Context, d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return true
	case <-ctx.Done():
		return false
	}
}

func keyOf(n *node, item *tool.Item) Key {
	if item == nil {
		return Key{n.ID, -1}
	}
	return Key{n.ID, item.Index}
}

// gate is what answers a call: the tools, unless the call must not be made.
func (x *run) gate(ctx context.Context, n *node, key Key, c *tool.Call) tool.Handler {
	if err := x.Confirmation.allows(key, n, c); err != nil {
		return answer(nil, err)
	}
	if before := x.InDoubt[key]; before != nil && c.Attempt == 1 && !repeatable(n.spec, c.Args) && (x.Again == nil || !x.Again(ctx, before)) {
		return answer(nil, tool.Errorf(tool.CodePrecondition, "step %s was started before the run was interrupted, and whether it did its work is not known; it is not made twice", n.ID))
	}
	return x.Tools.Call
}

// repeatable reports whether a call that may have been made can be made again: its
// tool says so or only reads, or the call itself writes only over what it has seen
// (expectedEtag) or where there is nothing (ifNotExists), so that a second one is
// refused. With create-unique a second one would make another file.
func repeatable(s *tool.Spec, args json.RawMessage) bool {
	if s.Idempotent || s.Risk == tool.RiskReads {
		return true
	}
	var bound struct {
		ExpectedEtag string `json:"expectedEtag"`
		IfNotExists  bool   `json:"ifNotExists"`
		Collision    string `json:"collisionStrategy"`
	}
	if s.Risk != tool.RiskWrites || json.Unmarshal(args, &bound) != nil {
		return false
	}
	return bound.ExpectedEtag != "" || bound.IfNotExists && bound.Collision != "create-unique"
}

// again reports whether a step that ended so is to be tried once more.
func (x *run) again(n *node, args json.RawMessage, res *tool.Result, attempt int) bool {
	if res.Err == nil || res.Status == tool.StatusSkipped {
		return false
	}
	limit := MaxAttempts
	if x.MaxAttempts > 0 {
		limit = min(limit, x.MaxAttempts)
	}
	retry := x.retry(n)
	switch {
	case retry != nil:
		limit = min(limit, retry.MaxAttempts)
	case x.onErrorOf(n) == OnErrorRetry || res.Err.Retryable:
		limit = min(limit, 3)
	}
	if attempt >= limit || retry == nil && x.onErrorOf(n) != OnErrorRetry && !res.Err.Retryable {
		return false
	}
	if retry != nil && x.onErrorOf(n) != OnErrorRetry && !res.Err.Retryable {
		return false
	}
	switch res.Err.Code {
	case tool.CodeInvalid, tool.CodeDenied, tool.CodeApprovalDenied, tool.CodeApprovalExpired, tool.CodeCancelled, tool.CodePrecondition, tool.CodeLoop:
		return false
	case tool.CodeTimeout:
		return repeatable(n.spec, args)
	}
	return true
}

func (x *run) retry(n *node) *Retry {
	if n.Retry == nil && x.program.plan.Defaults != nil {
		return x.program.plan.Defaults.Retry
	}
	return n.Retry
}

// onErrorOf is what the document says of a step, "" if nothing.
func (x *run) onErrorOf(n *node) OnError {
	if n.OnError == "" && x.program.plan.Defaults != nil {
		return x.program.plan.Defaults.OnError
	}
	return n.OnError
}

// onError is what follows when a step fails for good: stop, unless it says skip
// or reads in a foreach.
func (x *run) onError(n *node) OnError {
	switch o := x.onErrorOf(n); {
	case o == OnErrorSkip:
		return OnErrorSkip
	case o == "" && n.Foreach != nil && n.spec.Risk == tool.RiskReads:
		return OnErrorSkip
	}
	return OnErrorStop
}

// foreach runs a step for each element. Its data holds what came of them, in
// their order.
func (x *run) foreach(ctx context.Context, r *event.Run, n *node, v Values) ending {
	list, err := x.elements(n, &v)
	if err != nil {
		return x.refuse(ctx, r, n, err)
	}
	loop := tool.NewID()
	results := make([]*tool.Result, len(list))
	tries := make([][]*tool.Result, len(list))
	one := func(r *event.Run, i int) {
		own := v
		own.Item, own.Index = list[i], i
		results[i], tries[i] = x.element(ctx, r, n, loop, &own)
	}
	limit := min(max(n.Foreach.Concurrency, 1), x.concurrency())
	if limit == 1 {
		for i := range list {
			if one(r, i); x.halts(n, results[i]) {
				break
			}
		}
	} else {
		g := r.Group()
		g.Limit = limit
		halted := make(chan struct{}, len(list))
		for i := range list {
			g.Go(func(r *event.Run) {
				if len(halted) > 0 {
					return
				}
				if one(r, i); x.halts(n, results[i]) {
					halted <- struct{}{}
				}
			})
		}
		g.Wait()
	}
	return x.gather(n, results, tries)
}

// halts reports whether no further elements are begun after this result.
func (x *run) halts(n *node, res *tool.Result) bool {
	return !res.OK() && res.Status != tool.StatusSkipped && x.onError(n) != OnErrorSkip
}

// elements is the list that a foreach goes through.
func (x *run) elements(n *node, v *Values) ([]json.RawMessage, error) {
	val, err := v.Resolve(n.from)
	if err != nil {
		return nil, err
	}
	var list []json.RawMessage
	if first(val) != '[' || json.Unmarshal(val, &list) != nil {
		return nil, fmt.Errorf("foreach: %s is no list but %s", n.from, clip(string(val)))
	}
	if len(list) > MaxElements {
		return nil, fmt.Errorf("foreach: %s has %d elements, more than the %d that one step may go through", n.from, len(list), MaxElements)
	}
	return list, nil
}

// element runs a step for one element.
func (x *run) element(ctx context.Context, r *event.Run, n *node, loop string, v *Values) (*tool.Result, []*tool.Result) {
	item := &tool.Item{Index: v.Index, Name: n.Foreach.Item, Value: v.Item}
	ok, err := true, error(nil)
	if n.when != nil {
		ok, err = n.when.holds(v, n.Foreach.Item, n.Foreach.IndexName())
	}
	var args json.RawMessage
	if err == nil && ok {
		args, err = n.args.resolve(v)
	}
	switch {
	case err != nil:
		h := answer(nil, tool.Errorf(tool.CodeInvalid, "element %d of step %s was not run: %w", v.Index, n.ID, err))
		res := r.Do(ctx, h, x.call(n, n.Args, 1, item, loop))
		return res, []*tool.Result{res}
	case !ok:
		return r.Do(ctx, answer(tool.Skip("its condition is false"), nil), x.call(n, n.Args, 1, item, loop)), nil
	}
	return x.attempts(ctx, r, n, args, item, loop)
}

// loopData is the data of a foreach.
type loopData struct {
	Items   []json.RawMessage `json:"items"` // null for an element that has no data
	Count   int               `json:"count"`
	Failed  int               `json:"failed"`
	Skipped int               `json:"skipped"`
	Errors  []loopError       `json:"errors,omitempty"`
}

type loopError struct {
	Index int         `json:"index"`
	Error *tool.Error `json:"error"`
}

// gather is the end of a foreach. It failed if an element did and failures are
// not skipped.
func (x *run) gather(n *node, results []*tool.Result, tries [][]*tool.Result) ending {
	d := loopData{Items: make([]json.RawMessage, len(results)), Count: len(results)}
	var failed *tool.Result
	e := ending{n: n}
	for i, r := range results {
		d.Items[i] = json.RawMessage("null")
		e.all = append(e.all, tries[i]...)
		switch {
		case r == nil || r.Status == tool.StatusSkipped:
			d.Skipped++
		case r.OK():
			if len(r.Data) > 0 {
				d.Items[i] = r.Data
			}
		default:
			d.Failed++
			d.Errors = append(d.Errors, loopError{i, r.Err})
			if failed == nil {
				failed = r
			}
		}
	}
	b, err := schema.Encode(d)
	e.res = &tool.Result{Ref: tool.Ref{Step: n.ID, Tool: n.Tool}, Status: tool.StatusOK, Data: b}
	switch {
	case err != nil:
		e.res = tool.Fail(tool.Errorf(tool.CodeInternal, "the data of step %s has no JSON form: %w", n.ID, err))
	case failed != nil && x.onError(n) != OnErrorSkip:
		e.res.Status, e.res.Err = failed.Status, failed.Err
	}
	return e
}
