package tool

import (
	"context"
	"time"
)

// A Crew is goroutines that run one handler after another, so that a driver that
// makes many calls does not pay for a new goroutine and its stack with each. It
// has as many goroutines as ever ran at once. Make one with NewCrew, and Dismiss
// it when its calls have ended.
type Crew struct {
	work   chan job
	timers chan *time.Timer // stopped, to be used again
}

type job interface{ run() }

// NewCrew is a crew without goroutines yet.
func NewCrew() *Crew { return &Crew{make(chan job), make(chan *time.Timer, 8)} }

// WithCrew has the handlers of calls made with the context it returns run by c.
func WithCrew(ctx context.Context, c *Crew) context.Context {
	return context.WithValue(ctx, crewKey{}, c)
}

// Go has fn run by a goroutine of the crew.
func (c *Crew) Go(fn func()) { c.start(funcJob(fn)) }

type funcJob func()

func (f funcJob) run() { f() }

// start gives j to one who is idle, or to a new one. A nil Crew has none.
func (c *Crew) start(j job) {
	if c == nil {
		go j.run()
		return
	}
	select {
	case c.work <- j:
	default:
		go func() {
			j.run()
			for next := range c.work {
				next.run()
			}
		}()
	}
}

// Dismiss lets the goroutines go as they become idle. Nothing is started after.
func (c *Crew) Dismiss() { close(c.work) }

// timer is a timer that fires after d.
func (c *Crew) timer(d time.Duration) *time.Timer {
	if c != nil {
		select {
		case t := <-c.timers:
			t.Reset(d)
			return t
		default:
		}
	}
	return time.NewTimer(d)
}

// back takes a timer that is no longer needed.
func (c *Crew) back(t *time.Timer) {
	t.Stop()
	if c != nil {
		select {
		case c.timers <- t:
		default:
		}
	}
}
