package tool

import (
	"context"
	"sync"
	"time"
)

// running is a call whose handler has been started, and the context of that
// handler: with the call's deadline, ended by the goroutine that waits for the
// handler. It is a context of its own because the timers, maps and goroutines of
// package context would cost more than the rest of a call.
type running struct {
	parent  context.Context
	work    work
	call    *Call
	listen  *listening // nil if nobody listens
	in      chan message
	effects effectLog

	mu    sync.Mutex
	err   error
	done  chan struct{} // made when asked for; closed when err is set
	over  chan struct{} // made when asked for; closed when nobody waits any more
	left  bool
	after map[int]func() // of AfterFunc
	next  int
}

// Deadline is that of the call, or of what surrounds it if that is earlier.
func (x *running) Deadline() (time.Time, bool) {
	if d, ok := x.parent.Deadline(); ok && d.Before(x.call.Deadline) {
		return d, true
	}
	return x.call.Deadline, true
}

func (x *running) Done() <-chan struct{} {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.done == nil {
		x.done = make(chan struct{})
		if x.err != nil {
			close(x.done)
		}
	}
	return x.done
}

func (x *running) Err() error {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.err
}

func (x *running) Value(key any) any {
	switch key.(type) {
	case callKey:
		return x
	case noteKey:
		if x.listen == nil {
			return nil
		}
		return x
	}
	return x.parent.Value(key)
}

// end ends the context; it reports false if it had ended before.
func (x *running) end(err error) bool {
	x.mu.Lock()
	if x.err != nil {
		x.mu.Unlock()
		return false
	}
	x.err = err
	if x.done != nil {
		close(x.done)
	}
	after := x.after
	x.after = nil
	x.mu.Unlock()
	for _, f := range after {
		go f()
	}
	return true
}

// AfterFunc lets package context watch for the end without a goroutine.
func (x *running) AfterFunc(f func()) (stop func() bool) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.err != nil {
		go f()
		return func() bool { return false }
	}
	if x.after == nil {
		x.after = map[int]func(){}
	}
	id := x.next
	x.next++
	x.after[id] = f
	return func() bool {
		x.mu.Lock()
		defer x.mu.Unlock()
		_, there := x.after[id]
		delete(x.after, id)
		return there
	}
}

// gone is closed when nobody waits for the handler any more.
func (x *running) gone() <-chan struct{} {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.over == nil {
		x.over = make(chan struct{})
		if x.left {
			close(x.over)
		}
	}
	return x.over
}

func (x *running) leave() {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.left = true
	if x.over != nil {
		close(x.over)
	}
}
