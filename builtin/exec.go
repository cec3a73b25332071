package builtin

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/toolpost/toolpost/builtin/internal/filetool"
	"github.com/toolpost/toolpost/sandbox"
	"github.com/toolpost/toolpost/tool"
)

// Exec is the tools that run commands: exec_shell, and process for those in the
// background. They share one table of sessions. It is safe for concurrent use,
// its fields are not to be changed after Tools, and it must be closed.
type Exec struct {
	// Cell is where commands are started. It stays the caller's, who closes it
	// after the Exec.
	Cell *sandbox.Cell

	// OnEnd, if set, is told of each background session that has ended, but
	// not of those that Close ends. It is called on the session's own
	// goroutine; it must return, and must not call Close.
	OnEnd func(Session)

	// Scope says to which conversation a call belongs; a session is listed and
	// reached only from its own. Nil is one scope for all.
	Scope func(context.Context) string

	// Timeout is how long a command may run that names no timeout itself;
	// 120 seconds if zero. In the background it is an hour.
	Timeout time.Duration

	// Yield is how long a command is waited for before it goes on in the
	// background, if the call does not say; 10 seconds if zero.
	Yield time.Duration

	// Cleanup is how long a session that has ended is kept; 30 minutes if zero.
	Cleanup time.Duration

	// MaxSessions is how many may run in the background; 16 if zero.
	MaxSessions int

	// Foreground has every command waited for until it ends or its timeout is
	// over. It is for programs that end after one call, and with them the
	// commands: then exec_shell puts nothing into the background.
	Foreground bool

	now func() time.Time // time.Now if nil

	mu       sync.Mutex // guards what follows
	closed   bool
	live     map[*session]bool   // started and not ended
	sessions map[string]*session // in the background, ended ones too
	watchers sync.WaitGroup
}

const (
	defaultCleanup     = 30 * time.Minute
	defaultMaxSessions = 16
	mostEnded          = 64 // sessions that are kept after their end
)

// Tools returns exec_shell and process; with Foreground only exec_shell.
func (e *Exec) Tools() []tool.Tool {
	if e.Foreground {
		return []tool.Tool{e.shellTool()}
	}
	return []tool.Tool{e.shellTool(), e.processTool()}
}

// Close ends every command, waits until it is gone, and refuses new ones.
// Closing twice is harmless.
func (e *Exec) Close() error {
	e.mu.Lock()
	e.closed = true
	for s := range e.live {
		s.cancel()
	}
	e.mu.Unlock()
	e.watchers.Wait()
	return nil
}

// start starts the command of a session and watches it.
func (e *Exec) start(ctx context.Context, s *session, cmd sandbox.Cmd) error {
	// The command may outlive the call, so it does not end with its context.
	ctx, s.cancel = context.WithCancel(context.WithoutCancel(ctx))
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.closed {
		s.cancel()
		return tool.Errorf(tool.CodeUnavailable, "the session is over; no more commands can be started")
	}
	p, err := e.Cell.Start(ctx, cmd, s.sink)
	if err != nil {
		s.cancel()
		return filetool.Fault(err)
	}
	s.proc = p
	if e.live == nil {
		e.live, e.sessions = map[*session]bool{}, map[string]*session{}
	}
	e.live[s] = true
	e.watchers.Go(func() { e.watch(s) })
	return nil
}

// watch waits for the end of a command.
func (e *Exec) watch(s *session) {
	defer s.cancel()
	exit, _ := s.proc.Wait(context.Background())
	background := s.end(exit, e.clock())
	e.mu.Lock()
	delete(e.live, s)
	quiet := e.closed || !background
	e.mu.Unlock()
	if !quiet && e.OnEnd != nil {
		e.OnEnd(s.report())
	}
}

// keep puts a session into the table; false if it has ended meanwhile.
func (e *Exec) keep(s *session) bool {
	if !s.toBackground() {
		return false
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	e.sweep()
	e.sessions[s.id] = s
	return true
}

// room says whether one more command may go into the background.
func (e *Exec) room() error {
	e.mu.Lock()
	defer e.mu.Unlock()
	running := 0
	for _, s := range e.sessions {
		if s.running() {
			running++
		}
	}
	if most := cmp.Or(e.MaxSessions, defaultMaxSessions); running >= most {
		return tool.Errorf(tool.CodeLimit, "%d commands run in the background, and no more may; wait for one with process poll, or end one with process kill", running)
	}
	return nil
}

// sweep forgets sessions whose time is over, and the oldest when many have
// ended. The caller holds e.mu.
func (e *Exec) sweep() {
	var ended []*session
	for id, s := range e.sessions {
		switch {
		case s.running():
		case e.clock().Sub(s.ended) >= cmp.Or(e.Cleanup, defaultCleanup):
			delete(e.sessions, id)
		default:
			ended = append(ended, s)
		}
	}
	if len(ended) <= mostEnded {
		return
	}
	slices.SortFunc(ended, func(a, b *session) int { return a.ended.Compare(b.ended) })
	for _, s := range ended[:len(ended)-mostEnded] {
		delete(e.sessions, s.id)
	}
}

// list is the sessions of a scope, oldest first.
func (e *Exec) list(scope string) []*session {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.sweep()
	var out []*session
	for _, s := range e.sessions {
		if s.scope == scope {
			out = append(out, s)
		}
	}
	slices.SortFunc(out, func(a, b *session) int {
		return cmp.Or(a.started.Compare(b.started), strings.Compare(a.id, b.id))
	})
	return out
}

func (e *Exec) forget(s *session) {
	e.mu.Lock()
	defer e.mu.Unlock()
	delete(e.sessions, s.id)
}

func (e *Exec) scope(ctx context.Context) string {
	if e.Scope == nil {
		return ""
	}
	return e.Scope(ctx)
}

func (e *Exec) clock() time.Time {
	if e.now == nil {
		return time.Now()
	}
	return e.now()
}
