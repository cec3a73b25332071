package builtin

import (
	"context"
	"sync"
	"time"

	"github.com/toolpost/toolpost/sandbox"
)

const (
	outputKept  = 200_000 // characters of each stream that are kept
	outputHead  = 20_000  // of these, from the beginning
	pendingKept = 30_000  // characters kept between two polls
	tailShown   = 2_000   // characters shown of a command that runs
)

// A Session is a command in the background, as it ended.
type Session struct {
	ID       string
	Scope    string // as [Exec.Scope] gave it
	Command  string
	Status   string // completed or failed
	ExitCode int    // -1 if there is none
	TimedOut bool
	Duration time.Duration
	Tail     string // the newest of its output
}

// session is a command that was started, in the foreground or not.
type session struct {
	id, scope   string
	command     string
	workdir     string
	tty         bool
	started     time.Time
	proc        *sandbox.Process
	cancel      context.CancelFunc
	done        chan struct{} // closed when exit is set
	fresh       chan struct{} // has a token when output came that nobody was told of
	interrupted error         // why the call that started it gave it up; set before done is waited for

	mu         sync.Mutex // guards what follows
	stdout     transcript
	stderr     transcript
	merged     transcript
	pending    transcript // not yet polled
	idle       int        // polls in a row without anything new
	background bool
	ended      time.Time
	exit       sandbox.Exit
}

func newSession(id, scope string, in execIn) *session {
	kept := transcript{keep: outputKept, head: outputHead}
	return &session{
		id: id, scope: scope, command: in.Command, workdir: in.Workdir,
		started: time.Now(), done: make(chan struct{}), fresh: make(chan struct{}, 1),
		stdout: kept, stderr: kept, merged: kept, pending: transcript{keep: pendingKept},
	}
}

// sink takes the output of the command.
func (s *session) sink(from sandbox.Stream, chunk []byte) {
	s.mu.Lock()
	if from == sandbox.Stderr {
		s.stderr.write(chunk)
	} else {
		s.stdout.write(chunk)
	}
	s.merged.write(chunk)
	s.pending.write(chunk)
	s.mu.Unlock()
	select {
	case s.fresh <- struct{}{}:
	default:
	}
}

// end records how it ended and reports whether it was in the background.
func (s *session) end(exit sandbox.Exit, at time.Time) (background bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.exit, s.ended = exit, at
	close(s.done)
	return s.background
}

// toBackground lets the command go on by itself; false if it has ended.
func (s *session) toBackground() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.ended.IsZero() {
		return false
	}
	s.background = true
	return true
}

func (s *session) running() bool {
	select {
	case <-s.done:
		return false
	default:
		return true
	}
}

// status is running, completed or failed: a command that ran to its end is
// completed whatever its exit code, but for the two by which a shell says that
// it could not run it.
func (s *session) status() string {
	switch {
	case s.running():
		return statusRunning
	case s.exit.Reason == sandbox.ReasonExited:
		return statusCompleted
	}
	return statusFailed
}

func (s *session) timedOut() bool {
	return !s.running() && s.exit.Reason == sandbox.ReasonTimeout
}

// exitCode is -1 while it runs.
func (s *session) exitCode() int {
	if s.running() {
		return -1
	}
	return s.exit.Code
}

func (s *session) duration() time.Duration {
	if s.running() {
		return time.Since(s.started)
	}
	return s.exit.Duration
}

// tail is the newest of the output.
func (s *session) tail(n int) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.merged.tail(n)
}

// report is the session as [Exec.OnEnd] hears of it.
func (s *session) report() Session {
	return Session{
		ID: s.id, Scope: s.scope, Command: s.command, Status: s.status(), ExitCode: s.exitCode(),
		TimedOut: s.timedOut(), Duration: s.duration(), Tail: s.tail(tailShown),
	}
}
