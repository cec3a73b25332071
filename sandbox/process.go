package sandbox

import (
	"context"
	"errors"
	"os"
	"sync"
	"time"
)

const (
	// Grace is the time between telling a command to terminate and killing it.
	Grace = 2 * time.Second

	leftoverGrace = 500 * time.Millisecond // the same at Close, for what ended commands left
	drainTime     = 250 * time.Millisecond // for output still in the pipes after the end
	checkEvery    = 20 * time.Millisecond  // while waiting for a tree to end
	sampleEvery   = 50 * time.Millisecond  // for limits on memory and processes
)

// Process is a running command. Its methods may be called at any time and from
// any goroutine.
type Process struct {
	cell    *Cell
	first   child
	tree    *tree
	limits  Limits
	sink    Sink
	started time.Time
	stop    chan Reason
	done    chan struct{}
	exit    Exit // valid once done is closed

	child   []*os.File // the child's descriptors 0, 1, 2
	outputs []output   // our ends
	tty     *os.File   // our end of the terminal

	inMu  sync.Mutex    // guards stdin and shut
	stdin *os.File      // our end, nil when closed; the terminal when there is one
	shut  bool          // close the input once Cmd.Stdin is written
	fed   chan struct{} // closed once Cmd.Stdin is written

	outMu  sync.Mutex // guards the sink, spent and muted
	spent  int64
	muted  bool
	noRead sync.WaitGroup // readers and the writer of Cmd.Stdin
}

type output struct {
	stream Stream
	file   *os.File
}

// PID returns the process id of the first process.
func (p *Process) PID() int { return p.first.pid() }

// Done is closed when the command is over, its output delivered, and, unless
// it ended by itself, everything it started gone.
func (p *Process) Done() <-chan struct{} { return p.done }

// Wait waits until the command is over. When ctx ends first it returns the
// error of ctx and the command goes on.
func (p *Process) Wait(ctx context.Context) (Exit, error) {
	select {
	case <-p.done:
		return p.exit, nil
	default:
	}
	select {
	case <-p.done:
		return p.exit, nil
	case <-ctx.Done():
		return Exit{}, ctx.Err()
	}
}

// Kill kills the command and everything it started, and returns when all is
// gone. On a command that is over it kills what that left running.
func (p *Process) Kill() error {
	p.request(ReasonKilled)
	<-p.done
	p.tree.end(0)
	return nil
}

// request asks for the end; the first reason counts.
func (p *Process) request(why Reason) {
	select {
	case p.stop <- why:
	default:
	}
}

// run owns the process from start to end.
func (p *Process) run(ctx context.Context, cmd Cmd) {
	p.startReaders()
	p.feed(cmd.Stdin, cmd)
	exited := make(chan status, 1)
	go func() { exited <- p.first.wait() }()
	why, end := p.watch(ctx, exited)
	if why != "" {
		grace := Grace
		if why != ReasonTimeout && why != ReasonCancelled {
			grace = 0
		}
		p.tree.endUnless(grace, p.stop)
		end = <-exited
	}
	p.exit.Duration = time.Since(p.started)
	p.exit.Detached = p.drain()
	p.closeInput()
	if p.tty != nil {
		p.tty.Close()
	}
	p.noRead.Wait()
	if why == "" && p.cut() {
		why = ReasonOutputLimit // it ended while its last output was read
		p.tree.end(0)
	}
	p.exit.fill(why, end)
	p.exit.Output = p.spent
	p.cell.forget(p)
	close(p.done)
}

// watch waits for the first of: the end, a reason to end it.
func (p *Process) watch(ctx context.Context, exited <-chan status) (Reason, status) {
	var wall, sample <-chan time.Time
	if p.limits.Wall > 0 {
		t := time.NewTimer(p.limits.Wall)
		defer t.Stop()
		wall = t.C
	}
	if p.limits.Memory > 0 || p.limits.Processes > 0 {
		t := time.NewTicker(sampleEvery)
		defer t.Stop()
		sample = t.C
	}
	for {
		select {
		case end := <-exited:
			return "", end
		case <-ctx.Done():
			if errors.Is(ctx.Err(), context.DeadlineExceeded) {
				return ReasonTimeout, status{}
			}
			return ReasonCancelled, status{}
		case <-wall:
			return ReasonTimeout, status{}
		case why := <-p.stop:
			return why, status{}
		case <-sample:
			if why := p.tree.over(p.limits); why != "" {
				return why, status{}
			}
		}
	}
}

// fill sets how it ended. A reason of ours stands before what the process says.
func (e *Exit) fill(why Reason, end status) {
	e.Reason, e.Code, e.Signal = ReasonExited, end.code, end.signal
	switch {
	case why != "":
		e.Reason = why
	case e.Signal != "":
		e.Reason = ReasonSignaled
	case e.Code == 127:
		e.Reason = ReasonNotFound
	case e.Code == 126:
		e.Reason = ReasonNotExecutable
	}
}
