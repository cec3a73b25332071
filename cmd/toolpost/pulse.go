package main

import (
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/toolpost/toolpost/event"
)

// A pulse is the last line of a terminal while a run waits: what for, since
// when, and how to end it. It is drawn anew each second and wiped before
// anything else is written. A nil pulse does nothing.
type pulse struct {
	w     io.Writer
	style style
	done  chan struct{}
	over  chan struct{}

	mu      sync.Mutex
	waits   []wait
	drawn   bool
	patient time.Duration // no line is drawn before
}

// wait is one thing that is waited for.
type wait struct {
	id    string
	text  string
	since time.Time
}

// newPulse begins to beat on a terminal that may be drawn on; it is nil for any
// other output.
func newPulse(o *output) *pulse {
	if !bool(o.errStyle) || !terminal(o.errFile) || o.json() || o.quiet {
		return nil
	}
	p := &pulse{w: o.err, style: o.errStyle, done: make(chan struct{}), over: make(chan struct{}), patient: 2 * time.Second}
	go p.beat()
	return p
}

func (p *pulse) beat() {
	defer close(p.over)
	t := time.NewTicker(time.Second)
	defer t.Stop()
	for {
		select {
		case now := <-t.C:
			p.draw(now)
		case <-p.done:
			p.clear()
			return
		}
	}
}

// stop wipes the line for good.
func (p *pulse) stop() {
	if p == nil {
		return
	}
	close(p.done)
	<-p.over
}

// hear notes what begins and what ends.
func (p *pulse) hear(e event.Event, who string) {
	if p == nil {
		return
	}
	switch e.Type {
	case event.TurnStarted:
		p.begin(wait{"model", who, e.Time})
	case event.TextDelta, event.ThinkingDelta, event.ToolCallStarted, event.MessageDone:
		p.end("model")
	case event.StepStarted:
		p.begin(wait{e.Call.ID, e.Call.Tool + " " + shortArgs(e.Call.Args), e.Time})
	case event.StepWaiting:
		p.begin(wait{e.Call.ID, e.Call.Tool + ": " + e.Message, e.Time})
	case event.StepFinished, event.StepFailed:
		p.end(e.Result.ID)
	default:
	}
}

func (p *pulse) begin(w wait) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.drop(w.id)
	p.waits = append(p.waits, w)
}

func (p *pulse) end(id string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.drop(id)
}

func (p *pulse) drop(id string) {
	for i := range p.waits {
		if p.waits[i].id == id {
			p.waits = append(p.waits[:i], p.waits[i+1:]...)
			return
		}
	}
}

func (p *pulse) draw(now time.Time) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.waits) == 0 || now.Sub(p.waits[0].since) < p.patient {
		return
	}
	w := p.waits[0]
	line := fmt.Sprintf("… %s  %s", clean(clip(w.text, 50)), now.Sub(w.since).Round(time.Second))
	if n := len(p.waits) - 1; n > 0 {
		line += fmt.Sprintf("  and %d more", n)
	}
	_, _ = io.WriteString(p.w, "\r\x1b[K"+p.style.faint(line+"  ctrl+c stops"))
	p.drawn = true
}

// clear wipes the line, so that something else can be written.
func (p *pulse) clear() {
	if p == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.drawn {
		_, _ = io.WriteString(p.w, "\r\x1b[K")
		p.drawn = false
	}
}
