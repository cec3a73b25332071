package event

import (
	"context"
	"encoding/json"
	"path"
	"sync"

	"github.com/toolpost/toolpost/tool"
)

// A Group runs functions and calls beside each other, as part of the run that
// made it. Their preparation goes in order, one by one: a task is begun when the
// call of the one before it has started or has to wait, or when that one has
// ended. Calls that name the same resource (tool.Spec.Locks) run one after
// another, in that order. A Group belongs to the goroutine of its Run.
type Group struct {
	Limit int // how many run at once; 16 if zero

	run   *Run
	ended chan struct{}

	mu        sync.Mutex
	tasks     []*task
	next      int // the task to begin next
	active    int
	left      int // tasks that have not ended
	preparing bool
	locks     map[string]*task // the last to use a resource
}

// task is one thing that a group runs.
type task struct {
	group    *Group
	fn       func(*Run)
	prepared bool
	over     chan struct{} // made for those who wait for its resources; closed when it has ended
}

// Group makes a group whose events become events of r.
func (r *Run) Group() *Group { return &Group{run: r} }

// Go adds a function. It does not begin before Wait is called.
func (g *Group) Go(fn func(*Run)) {
	g.tasks = append(g.tasks, &task{group: g, fn: fn})
}

// Do adds a call, made as Run.Do makes it; res is set when Wait has returned,
// unless the listener left by runtime.Goexit in the middle of the call.
func (g *Group) Do(ctx context.Context, h tool.Handler, c *tool.Call, res **tool.Result) {
	g.Go(func(r *Run) { *res = r.Do(ctx, h, c) })
}

// Wait runs the tasks and returns when all have ended. The group is empty then
// and can be used again.
func (g *Group) Wait() {
	if len(g.tasks) == 0 {
		return
	}
	if g.Limit <= 0 {
		g.Limit = 16
	}
	g.ended, g.next, g.left = make(chan struct{}), 0, len(g.tasks)
	g.start(g.begin())
	<-g.ended
	g.mu.Lock()
	defer g.mu.Unlock()
	g.tasks, g.next = nil, 0
}

// begin is the next task if it may begin now, else nil.
func (g *Group) begin() *task {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.preparing || g.active >= g.Limit || g.next == len(g.tasks) {
		return nil
	}
	t := g.tasks[g.next]
	g.next++
	g.active++
	g.preparing = true
	return t
}

// start has the crew work on t, and on what may begin when it has ended.
func (g *Group) start(t *task) {
	if t == nil {
		return
	}
	g.run.crew.Go(func() {
		returned := false
		defer func() {
			if !returned { // the listener left this goroutine: another goes on with the rest
				g.start(g.begin())
			}
		}()
		for ; t != nil; t = g.begin() {
			t.run()
		}
		returned = true
	})
}

func (t *task) run() {
	defer t.end()
	t.fn(&Run{stream: t.group.run.stream, crew: t.group.run.crew, task: t})
}

// pass lets the next task begin.
func (t *task) pass() {
	t.prepared = true
	g := t.group
	g.mu.Lock()
	g.preparing = false
	g.mu.Unlock()
	g.start(g.begin())
}

func (t *task) end() {
	g := t.group
	g.mu.Lock()
	defer g.mu.Unlock()
	g.active--
	if !t.prepared {
		g.preparing = false
	}
	if t.over != nil {
		close(t.over)
	}
	for key, last := range g.locks {
		if last == t {
			delete(g.locks, key)
		}
	}
	if g.left--; g.left == 0 {
		close(g.ended)
	}
}

// lock waits while a call before this one uses one of its resources. The next
// task may begin meanwhile.
func (t *task) lock(c *tool.Call) {
	g := t.group
	var before []chan struct{}
	g.mu.Lock()
	for _, key := range resources(c) {
		if last := g.locks[key]; last != nil && last != t {
			if last.over == nil {
				last.over = make(chan struct{})
			}
			before = append(before, last.over)
		}
		if g.locks == nil {
			g.locks = map[string]*task{}
		}
		g.locks[key] = t
	}
	g.mu.Unlock()
	if len(before) == 0 {
		return
	}
	if !t.prepared {
		t.pass()
	}
	for _, over := range before {
		<-over
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
