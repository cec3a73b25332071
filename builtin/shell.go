package builtin

import (
	"cmp"
	"context"
	"fmt"
	"runtime"
	"time"

	"github.com/toolpost/toolpost/builtin/internal/filetool"
	"github.com/toolpost/toolpost/sandbox"
	"github.com/toolpost/toolpost/tool"
)

const (
	shellTimeout     = 120 * time.Second
	longestTimeout   = time.Hour
	shellYield       = 10 * time.Second
	longestYield     = 120 * time.Second
	progressInterval = 100 * time.Millisecond
)

// What exec_shell and process say of a command.
const (
	statusRunning   = "running"
	statusCompleted = "completed"
	statusFailed    = "failed"
	statusPlanned   = "planned" // of a dry run
)

type execIn struct {
	Command    string            `json:"command" desc:"Command line, run by the shell (sh -c)." min:"1"`
	Workdir    string            `json:"workdir,omitzero" desc:"Folder to run it in, relative to the workspace; the workspace itself if left out."`
	Env        map[string]string `json:"env,omitzero" desc:"Environment variables to set beside the usual ones."`
	Timeout    float64           `json:"timeout,omitzero" desc:"Seconds until it is ended; usually 120, in the background 3600." min:"0.001" max:"3600"`
	Background bool              `json:"background,omitzero" desc:"Return at once and let it run; process tells more."`
	YieldMS    int               `json:"yieldMs,omitzero" desc:"Milliseconds to wait before a command that still runs goes into the background; usually 10000." min:"10" max:"120000"`
	PTY        *ptySize          `json:"pty,omitzero" desc:"Give it a terminal of this size, for programs that need one."`
	Elevated   bool              `json:"elevated,omitzero" desc:"Run outside the sandbox. Refused here."`
	Stdin      string            `json:"stdin,omitzero" desc:"Text given to its standard input, which is closed otherwise."`
}

type ptySize struct {
	Rows int `json:"rows,omitzero" desc:"Lines." min:"1" max:"1000" default:"24"`
	Cols int `json:"cols,omitzero" desc:"Characters in a line." min:"1" max:"1000" default:"80"`
}

type execOut struct {
	Status     string `json:"status" enum:"completed,failed,running,planned"`
	ExitCode   int    `json:"exitCode"` // -1 while it runs; 128 + signal if a signal ended it
	Stdout     string `json:"stdout"`
	Stderr     string `json:"stderr"`
	Output     string `json:"output"` // both, in the order of arrival
	DurationMS int64  `json:"durationMs"`
	TimedOut   bool   `json:"timedOut"`
	SessionID  string `json:"sessionId,omitzero"` // of a command that runs on
	Truncated  bool   `json:"truncated"`          // some output was not kept
	PID        int    `json:"pid,omitzero"`
}

func (e *Exec) shellTool() tool.Tool {
	timeout := max(longestYield, e.Yield)
	if e.Foreground {
		timeout = longestTimeout
	}
	return tool.New(tool.Spec{
		Name:    "exec_shell",
		Aliases: []string{"exec", "bash"},
		Label:   "Run command",
		Description: "Run a shell command in the workspace and return its exit code and output. " +
			"A command that still runs after yieldMs goes on in the background as a session, which the tool process reads and ends. " +
			"Long output keeps its head and its newest part.",
		Output:      filetool.OutputOf[execOut](),
		Examples:    filetool.Examples(`{"command":"ls -la","timeout":30}`, `{"command":"tail -f build.log","background":true}`),
		Risk:        tool.RiskCommands,
		Category:    "exec",
		SideEffects: []string{"run-command"},
		Timeout:     timeout + 10*time.Second,
		Background:  !e.Foreground,
		PTY:         true,
		Previews:    true,
		Volatile:    []string{"durationMs", "pid", "sessionId"},
	}, e.shell)
}

func (e *Exec) shell(ctx context.Context, in execIn) (*tool.Result, error) {
	if err := e.judge(in); err != nil {
		return nil, err
	}
	if filetool.DryRun(ctx) {
		return planned(in), nil
	}
	s := newSession(sessionID(), e.scope(ctx), in)
	warning, err := e.launch(ctx, s, in)
	if err != nil {
		return nil, err
	}
	defer func() {
		tool.Observe(ctx, tool.Effects{
			Observed: []string{"run-command"},
			Commands: []tool.CommandRun{{Argv: shellArgv(in.Command), ExitCode: observedCode(s)}},
		})
	}()
	e.follow(ctx, s, in)
	return s.result(warning), nil
}

// judge refuses what is never run.
func (e *Exec) judge(in execIn) error {
	if in.Elevated {
		return tool.Errorf(tool.CodeDenied, "elevated commands are not available: every command runs in the sandbox; leave elevated out")
	}
	if pattern, denied := sandbox.Denied(in.Command); denied {
		return tool.Errorf(tool.CodeDenied, "the command %q is never run, because it has %s; find a way without it, or ask the person to run it", filetool.Clip(in.Command, 200), pattern)
	}
	if err := sandbox.CheckEnv(in.Env); err != nil {
		return filetool.Fault(err)
	}
	if in.Background && e.Foreground {
		return tool.Errorf(tool.CodePrecondition, "commands cannot run in the background here, because the program ends with this call; leave background out")
	}
	if in.Background {
		return e.room()
	}
	return nil
}

// launch starts the command. Where no terminal can be had it runs without one,
// and a warning says so.
func (e *Exec) launch(ctx context.Context, s *session, in execIn) (warning string, err error) {
	cmd := sandbox.Cmd{Line: in.Command, Dir: in.Workdir, Env: in.Env, Stdin: []byte(in.Stdin)}
	switch {
	case in.Timeout > 0:
		cmd.Limits.Wall = time.Duration(in.Timeout * float64(time.Second))
	case in.Background:
		cmd.Limits.Wall = longestTimeout
	default:
		cmd.Limits.Wall = cmp.Or(e.Timeout, shellTimeout)
	}
	if in.PTY == nil {
		return "", e.start(ctx, s, cmd)
	}
	cmd.TTY, s.tty = &sandbox.Size{Rows: uint16(in.PTY.Rows), Cols: uint16(in.PTY.Cols)}, true
	err = e.start(ctx, s, cmd)
	if err == nil || sandbox.KindOf(err) != sandbox.KindIO {
		return "", err
	}
	cmd.TTY, s.tty = nil, false
	if again := e.start(ctx, s, cmd); again != nil {
		return "", again
	}
	return fmt.Sprintf("no terminal could be opened (%v); the command ran without one", err), nil
}

// follow stays with a command until it ends, goes into the background, or the
// call is over; meanwhile its output is told as progress.
func (e *Exec) follow(ctx context.Context, s *session, in execIn) {
	if in.Background {
		e.keep(s)
		return
	}
	var yield <-chan time.Time
	if !e.Foreground {
		t := time.NewTimer(cmp.Or(time.Duration(in.YieldMS)*time.Millisecond, e.Yield, shellYield))
		defer t.Stop()
		yield = t.C
	}
	tell := time.NewTimer(0)
	defer tell.Stop()
	<-tell.C
	var fresh <-chan struct{} = s.fresh
	for {
		select {
		case <-s.done:
			return
		case <-fresh:
			fresh = nil
			tool.Progress(ctx, s.tail(tailShown))
			tell.Reset(progressInterval)
		case <-tell.C:
			fresh = s.fresh
		case <-yield:
			if yield = nil; e.room() != nil {
				continue // then it is waited for
			}
			if e.keep(s) {
				return
			}
		case <-ctx.Done():
			s.interrupted = ctx.Err()
			s.cancel()
			<-s.done
			return
		}
	}
}

// planned is the answer to a dry run.
func planned(in execIn) *tool.Result {
	text := fmt.Sprintf("would run in %s: %s", cmp.Or(in.Workdir, "the workspace"), in.Command)
	r := filetool.Answer(text, execOut{Status: statusPlanned, ExitCode: -1})
	r.User = text
	return r
}

// observedCode is the exit code for the record: -1 if a signal ended it.
func observedCode(s *session) int {
	if !s.running() && s.exit.Signal != "" {
		return -1
	}
	return s.exitCode()
}

// shellArgv is what a command line is run as; see [sandbox.Cmd].
func shellArgv(line string) []string {
	if runtime.GOOS == "windows" {
		return []string{"cmd", "/c", line}
	}
	return []string{"sh", "-c", line}
}

// sessionID is short enough to be copied by a model and not used twice.
func sessionID() string {
	id := tool.NewID()
	return id[len(id)-8:]
}
