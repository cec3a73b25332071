package main

import (
	"context"
	"errors"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/toolpost/toolpost/tool"
)

// errInterrupt is why a run was cancelled by the person at the keyboard.
var errInterrupt = errors.New("interrupted")

// interruptible is a context that the first Ctrl-C (or SIGTERM) cancels. The
// second ends the program at once, after kill has had a moment. Stop undoes it.
//
// A closed stdout does not kill the program while it is in force: writing fails,
// and the run is cancelled like any other.
func (p *program) interruptible(kill func()) (ctx context.Context, stop func()) {
	ctx, cancel := context.WithCancelCause(context.Background())
	sigs := make(chan os.Signal, 2)
	pipe := make(chan os.Signal, 1)
	signal.Notify(sigs, os.Interrupt, syscall.SIGTERM)
	signal.Notify(pipe, syscall.SIGPIPE)
	done := make(chan struct{})
	over := make(chan struct{})
	go func() {
		defer close(over)
		select {
		case <-sigs:
		case <-done:
			return
		}
		cancel(tool.Errorf(tool.CodeCancelled, "%w by a signal", errInterrupt))
		p.out.note("\nstopping; once more to stop at once\n")
		select {
		case <-sigs:
		case <-done:
			return
		}
		killed := make(chan struct{})
		go func() {
			defer close(killed)
			kill()
		}()
		select {
		case <-killed:
		case <-time.After(300 * time.Millisecond):
		}
		os.Exit(exitInterrupted)
	}()
	return ctx, func() {
		signal.Stop(sigs)
		signal.Stop(pipe)
		close(done)
		<-over
		cancel(nil)
	}
}
