package event

import (
	"context"
	"encoding/json"
	"path"
	"sync"
	"time"

	"github.com/toolpost/toolpost/tool"
)

// A Group runs functions and calls beside each other and brings their events
// home to the run that made it. Their preparation goes in order, one by one: a
// task is begun when the call of the one before it has started or has to wait,
// or when that one has ended. Calls that name the same resource (tool.Spec.Locks) run
// one after another, in that order. A Group belongs to the goroutine of its Run.
type Group struct {
	Limit int // how many run at once; 16 if zero

	run   *Run
	queue []task
	in    chan message
	gone  chan struct{} // closed when nobody receives any more
	held  []message     // started and finished calls that are told of together
	timer *time.Timer

	mu    sync.Mutex
	locks map[string]*Run // the last to use a resource
}

// task is one thing that a group runs: a function, or a call.
type task struct {
	fn   func(*Run)
	ctx  context.Context
	h    tool.Handler
	call *tool.Call
	res  **tool.Result
}

// message is what a task's goroutine tells the group.
type message struct {
	from     *Run
	event    Event
	has      bool // there is an event
	waits    bool // and its emitter waits until it is dealt with
	prepared bool // the next task may begin
	done     bool
}

// patience is how long events are held for those of a call that is still being
// prepared, so that a slow hook does not keep others from starting.
const patience = 2 * time.Millisecond

// Group makes a group whose events become events of r.
func (r *Run) Group() *Group { return &Group{run: r} }

// Go adds a function. It does not begin before Wait is called.
func (g *Group) Go(fn func(*Run)) { g.queue = append(g.queue, task{fn: fn}) }

// Do adds a call, as Run.Do would make it; res is set when Wait has returned. It
// is nil if the listener has left before the call began.
func (g *Group) Do(ctx context.Context, h tool.Handler, c *tool.Call, res **tool.Result) {
	g.queue = append(g.queue, task{ctx: ctx, h: h, call: c, res: res})
}

// Wait runs the tasks, hands on what they emit, and returns when all have
// ended.
func (g *Group) Wait() {
	limit := g.Limit
	if limit <= 0 {
		limit = 16
	}
	g.in, g.gone = make(chan message, limit), make(chan struct{})
	active := 0
	defer func() { // when the listener has left its goroutine, some are still active
		close(g.gone)
		for active > 0 {
			if m := <-g.in; m.done {
				active--
			}
		}
	}()
	var preparing *Run
	for active > 0 || len(g.queue) > 0 {
		if preparing == nil && active < limit && len(g.queue) > 0 {
			preparing = g.begin()
			active++
		}
		m, ok := g.next(preparing != nil)
		if !ok {
			g.flush()
			continue
		}
		if m.from == preparing && (m.prepared || m.done) {
			preparing = nil
		}
		if m.done {
			active--
		}
		switch {
		case m.has && m.prepared:
			g.held = append(g.held, m)
		case m.has:
			g.run.Emit(m.event)
			m.from.ack <- struct{}{}
		}
	}
	g.flush()
}

// begin starts the next task of the queue.
func (g *Group) begin() *Run {
	t := g.queue[0]
	g.queue[0] = task{}
	g.queue = g.queue[1:]
	r := &Run{id: g.run.id, crew: g.run.crew, owner: g, ack: make(chan struct{}, 1), over: make(chan struct{})}
	if t.fn != nil {
		g.run.crew.Go(func() {
			defer func() {
				close(r.over)
				g.in <- message{from: r, done: true}
			}()
			t.fn(r)
		})
		return r
	}
	own := g.run.schedule(t.call)
	g.run.crew.Go(func() {
		m := message{from: r, done: true, prepared: true}
		defer func() {
			close(r.over)
			g.in <- m
		}()
		*t.res = r.do(t.ctx, t.h, own)
		m.event, m.has = finished(own, *t.res), true
	})
	return r
}

// next is the next message, or none when the held events should not wait for it.
func (g *Group) next(preparing bool) (message, bool) {
	switch {
	case len(g.held) == 0:
		return <-g.in, true
	case preparing:
		select {
		case m := <-g.in:
			return m, true
		default:
		}
		if g.timer == nil {
			g.timer = time.NewTimer(patience)
		} else {
			g.timer.Reset(patience)
		}
		defer g.timer.Stop()
		select {
		case m := <-g.in:
			return m, true
		case <-g.timer.C:
			return message{}, false
		}
	}
	select {
	case m := <-g.in:
		return m, true
	default:
		return message{}, false
	}
}

// flush has the listener deal with the held events, and lets their emitters go
// on together.
func (g *Group) flush() {
	for i, m := range g.held {
		m.event.More = i < len(g.held)-1
		g.run.Emit(m.event)
	}
	for _, m := range g.held {
		if m.waits {
			m.from.ack <- struct{}{}
		}
	}
	clear(g.held)
	g.held = g.held[:0]
}

// hand gives an event to the goroutine in Wait, and waits until it is dealt with.
func (g *Group) hand(r *Run, e Event, prepared bool) {
	select {
	case g.in <- message{from: r, event: e, has: true, waits: true, prepared: prepared}:
	case <-g.gone:
		return
	}
	select {
	case <-r.ack:
	case <-g.gone:
	}
}

// ready lets the next function begin, and holds this one while a call before it
// uses one of its resources.
func (g *Group) ready(r *Run, c *tool.Call) {
	var before []*Run
	g.mu.Lock()
	for _, key := range resources(c) {
		if last := g.locks[key]; last != nil && last != r {
			before = append(before, last)
		}
		if g.locks == nil {
			g.locks = map[string]*Run{}
		}
		g.locks[key] = r
	}
	g.mu.Unlock()
	select {
	case g.in <- message{from: r, prepared: true}:
	case <-g.gone:
		return
	}
	for _, b := range before {
		<-b.over
	}
}

// resources is what the call names by the arguments that its tool locks.
func resources(c *tool.Call) []string {
	var args map[string]json.RawMessage
	if json.Unmarshal(c.Args, &args) != nil {
		return nil
	}
	var keys []string
	for _, name := range c.Spec.Locks {
		var s string
		if json.Unmarshal(args[name], &s) == nil && s != "" {
			keys = append(keys, path.Clean(s))
		}
	}
	return keys
}
