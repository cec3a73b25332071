package audit

import (
	"context"
	"encoding/json"
	"slices"
	"sync"

	"github.com/toolpost/toolpost/event"
	"github.com/toolpost/toolpost/tool"
)

// A Replay has a driver run once more, with the answers that are on record, and
// tells where it does something else. It is the tool.Set that the driver is given,
// and Watch looks at what the driver does:
//
//	again := &audit.Replay{View: view, Tools: tools}
//	runner.Tools = again
//	for _, err := range again.Watch(runner.Run(ctx, p)) {
//		if d, ok := errors.AsType[*audit.Difference](err); ok { … }
//	}
//
// Calls are matched by step, element and attempt, those of agents by turn, tool
// and arguments. What differs are tools, arguments, statuses, error codes, data
// and effects; ids, times and prose do not count. Nothing is done to the world, but
// by the tools of Live. It is for one run.
type Replay struct {
	View  *View    // what is on record
	Tools tool.Set // what is on offer now
	Live  []string // tools that are called for real, by name
	Until string   // the call behind which the replay ends, by number or id; the last if empty

	once    sync.Once
	mu      sync.Mutex
	places  map[string][]*Call // by key, that were not made again yet
	matched map[string]*Call   // by the id of the new call
	specs   map[string]string  // hashes of what is on offer
	turn    int                // that goes on
	until   *Call
	same    int
	stopped bool // at Until, or where the record breaks off
	failure error
	first   *Difference
}

// Specs is what is on offer.
func (r *Replay) Specs() []tool.Spec { return r.Tools.Specs() }

// Same is how many calls were made as they are on record.
func (r *Replay) Same() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.same
}

func (r *Replay) prepare() {
	r.places, r.matched = map[string][]*Call{}, map[string]*Call{}
	turns := map[*Call]int{}
	n := 0
	for _, t := range r.View.Turns {
		if t.Replied.IsZero() {
			continue // it was asked once more when the run was resumed
		}
		n++
		for _, c := range t.Calls {
			turns[c] = n
		}
	}
	for _, c := range r.View.Calls {
		k := spotOf(c.Asked, turns[c])
		if list := r.places[k]; c.Asked.Step != "" && len(list) == 1 && list[0].Unknown {
			list[0] = c // it was made once more when the run was resumed
			continue
		}
		r.places[k] = append(r.places[k], c)
	}
	if len(r.View.Specs) > 0 {
		_, r.specs, r.failure = RegistryVersion(r.Tools.Specs())
	}
	if r.Until != "" && r.failure == nil {
		r.until, r.failure = r.View.Call(r.Until)
	}
}

// spotOf is where a call stands: of a plan by its step, of an agent by its turn.
func spotOf(c *tool.Call, turn int) string {
	type key struct {
		Step                string
		Item, Attempt, Turn int
	}
	k := key{Step: c.Step, Item: -1, Attempt: max(c.Attempt, 1)}
	if c.Item != nil {
		k.Item = c.Item.Index
	}
	if c.Step == "" {
		k.Turn = turn
	}
	b, _ := json.Marshal(k) // strings and numbers always have a form
	return string(b)
}

// open reports whether the record breaks off, so that what would have followed is
// not known.
func (r *Replay) open() bool {
	switch r.View.Status {
	case StatusInterrupted, StatusRunning, StatusCancelled:
		return true
	}
	return false
}

// match finds the call on record that c is, nil if the replay is over.
func (r *Replay) match(c *tool.Call) (*Call, *Difference) {
	if rec := r.matched[c.ID]; rec != nil {
		return rec, nil
	}
	k := spotOf(c, r.turn)
	list := r.places[k]
	if len(list) == 0 {
		if r.open() {
			return nil, nil
		}
		d := lonely(&Call{N: len(r.matched) + 1, Asked: c}, false)
		return nil, &d
	}
	i := slices.IndexFunc(list, func(rec *Call) bool { return len(asked(rec, c)) == 0 })
	if i < 0 {
		return nil, &asked(list[0], c)[0]
	}
	rec := list[i]
	r.places[k] = slices.Delete(slices.Clone(list), i, i+1)
	r.matched[c.ID] = rec
	if was, is := r.View.Specs[rec.Tool()], r.specs[rec.Tool()]; was != is && was != "" && is != "" && !r.live(rec.Tool()) {
		return nil, &Difference{N: rec.N, Tool: rec.Tool(), Step: c.Step, What: WhatSpec, Was: was, Is: is}
	}
	return rec, nil
}

// asked is in what c is not the call that was asked for.
func asked(rec *Call, c *tool.Call) []Difference {
	cmp := comparing{n: rec.N, tool: rec.Tool(), step: rec.Asked.Step}
	cmp.words(WhatTool, rec.Asked.Tool, c.Tool)
	cmp.json(WhatArgs, rec.Asked.Args, c.Args)
	return cmp.found
}

func (r *Replay) live(name string) bool { return slices.Contains(r.Live, name) }

// Call answers with what is on record.
func (r *Replay) Call(ctx context.Context, c *tool.Call) (*tool.Result, error) {
	r.once.Do(r.prepare)
	r.mu.Lock()
	rec, d := r.match(c)
	if d == nil {
		d = r.first
	} else if r.first == nil {
		r.first = d
	}
	failure := r.failure
	r.mu.Unlock()
	switch {
	case failure != nil:
		return nil, failure
	case d != nil:
		return nil, tool.Errorf(tool.CodePrecondition, "the replay is not the run on record: %w", d)
	case rec == nil || rec.Unknown:
		return nil, tool.Errorf(tool.CodeCancelled, "the record breaks off before this call ended")
	case r.live(rec.Tool()):
		return r.Tools.Call(ctx, c)
	}
	c.Spec = r.spec(rec.Tool())
	if rec.Ran != nil {
		c.Args, c.Changes, c.Grant, c.Timeout = rec.Ran.Args, rec.Ran.Changes, rec.Ran.Grant, rec.Ran.Timeout
		tool.Notify(ctx, tool.Note{Kind: tool.NoteStarted, Call: c})
	}
	res := *rec.Result
	return &res, nil
}

// spec is that of the tool now, or one with its name if it is not on offer.
func (r *Replay) spec(name string) *tool.Spec {
	specs := r.Tools.Specs()
	for i := range specs {
		if specs[i].Name == name {
			return &specs[i]
		}
	}
	return &tool.Spec{Name: name}
}

// Watch is s, up to the first difference: a *Difference is then the last thing
// yielded. It ends without an error at Until, and where the record breaks off. An
// error with which the run on record ended, too, is passed on.
func (r *Replay) Watch(s event.Stream) event.Stream {
	return func(yield func(event.Event, error) bool) {
		r.once.Do(r.prepare)
		if r.failure != nil {
			yield(event.Event{}, r.failure)
			return
		}
		var failed error
		left := false
		for e, err := range s {
			if err != nil {
				failed = err
				continue
			}
			d, over := r.see(&e)
			if d == nil && !over {
				left = !yield(e, nil)
			}
			if d != nil || over || left {
				break
			}
		}
		switch d := r.verdict(); {
		case left:
		case d != nil:
			yield(event.Event{}, d)
		case failed != nil && !r.stopped:
			yield(event.Event{}, failed)
		}
	}
}

// see holds one event to the record. Over says that the replay ends with it.
func (r *Replay) see(e *event.Event) (d *Difference, over bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.first != nil {
		return r.first, true
	}
	switch e.Type {
	case event.TurnStarted:
		r.turn++
	case event.StepScheduled:
		rec, d := r.match(e.Call)
		if d == nil && (rec == nil || rec.Unknown) {
			r.stopped = true
		}
		r.first = d
		return d, d != nil || r.stopped
	case event.StepFinished, event.StepFailed:
		return r.settle(e)
	}
	return nil, false
}

// settle compares a result.
func (r *Replay) settle(e *event.Event) (*Difference, bool) {
	rec := r.matched[e.Result.ID]
	if rec == nil {
		return nil, false
	}
	cmp := comparing{n: rec.N, tool: rec.Tool(), step: rec.Asked.Step}
	if rec.Ran != nil && e.Call != nil && e.Call.Spec != nil {
		cmp.json(WhatArgs, rec.Ran.Args, e.Call.Args)
	}
	cmp.results(rec.Result, e.Result)
	if len(cmp.found) > 0 {
		r.first = &cmp.found[0]
		return r.first, true
	}
	r.same++
	if rec == r.until {
		r.stopped = true
		return nil, true
	}
	return nil, false
}

// verdict is the difference that the end of the replay shows: a call on record
// that was not made.
func (r *Replay) verdict() *Difference {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.first != nil || r.stopped || r.open() {
		return r.first
	}
	made := make(map[*Call]bool, len(r.matched))
	for _, rec := range r.matched {
		made[rec] = true
	}
	for _, list := range r.places {
		for _, rec := range list {
			if !made[rec] && (r.first == nil || rec.N < r.first.N) {
				d := lonely(rec, true)
				r.first = &d
			}
		}
	}
	return r.first
}
