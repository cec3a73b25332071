package builtin

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/toolpost/toolpost/builtin/internal/filetool"
	"github.com/toolpost/toolpost/sandbox"
	"github.com/toolpost/toolpost/tool"
)

// result is what exec_shell answers: the output, then a line on how it ended.
// A command that could not be run, was ended or broke a limit is an error that
// keeps what there was of its output.
func (s *session) result(warning string) *tool.Result {
	out := s.snapshot()
	body := out.Output
	if out.Status == statusRunning {
		body = s.tail(tailShown)
	}
	note := s.note()
	if warning != "" {
		note = warning + "; " + note
	}
	r := filetool.Answer(joinNote(body, note), out)
	r.User = note
	err := s.failure()
	if err == nil {
		return r
	}
	r.Err = tool.AsError(err)
	r.Status = r.Err.Code.Status()
	if r.Content = nil; body != "" { // the error itself is told to the model by tool.Do
		r.Content = []tool.Content{{Type: tool.ContentText, Text: body}}
	}
	return r
}

// snapshot is the data of a session.
func (s *session) snapshot() execOut {
	out := execOut{Status: s.status(), ExitCode: s.exitCode(), DurationMS: s.duration().Milliseconds(), TimedOut: s.timedOut(), PID: s.proc.PID()}
	if out.Status == statusRunning {
		out.SessionID = s.id
	}
	if errors.Is(s.interrupted, context.DeadlineExceeded) {
		out.TimedOut = true
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	out.Stdout, out.Stderr, out.Output = s.stdout.text(), s.stderr.text(), s.merged.text()
	out.Truncated = s.stdout.dropped+s.stderr.dropped+s.merged.dropped > 0 || s.exit.Reason == sandbox.ReasonOutputLimit
	return out
}

// note says in one line how it stands with a command.
func (s *session) note() string {
	took := s.duration().Round(time.Millisecond)
	switch s.status() {
	case statusRunning:
		return fmt.Sprintf("still running as session %s after %s; use process with action poll to read on, kill to end it", s.id, took)
	case statusCompleted:
		text := fmt.Sprintf("exit code %d after %s", s.exit.Code, took)
		if s.exit.Detached {
			text += "; something that it started runs on"
		}
		return text
	}
	if err := s.failure(); err != nil {
		return tool.AsError(err).Message
	}
	return fmt.Sprintf("%s after %s", s.exit.Reason, took)
}

// failure is the error for a command that did not run to its end, nil for one
// that did or still runs.
func (s *session) failure() error {
	if s.running() {
		return nil
	}
	took := s.exit.Duration.Round(time.Millisecond)
	name := filetool.Clip(s.command, 80)
	switch s.exit.Reason {
	case sandbox.ReasonExited:
		return nil
	case sandbox.ReasonNotFound:
		return tool.Errorf(tool.CodeNotFound, "exit code 127: the shell found no such program in %q; its output says which", name)
	case sandbox.ReasonNotExecutable:
		return tool.Errorf(tool.CodeFailed, "exit code 126: a program in %q is there and cannot be executed; its output says which", name)
	case sandbox.ReasonTimeout:
		return tool.Errorf(tool.CodeTimeout, "%q did not end within %s and was stopped with all that it started; give a longer timeout, or background", name, took)
	case sandbox.ReasonCancelled:
		if errors.Is(s.interrupted, context.DeadlineExceeded) {
			return tool.Errorf(tool.CodeTimeout, "%q did not end before the deadline of the call, after %s, and was stopped with all that it started", name, took)
		}
		return tool.Errorf(tool.CodeCancelled, "%q was cancelled after %s and stopped with all that it started", name, took)
	case sandbox.ReasonOutputLimit:
		return tool.Errorf(tool.CodeLimit, "%q wrote more output than allowed and was stopped after %d bytes; send its output to a file, or filter it", name, s.exit.Output)
	case sandbox.ReasonMemoryLimit:
		return tool.Errorf(tool.CodeLimit, "%q took more memory than allowed and was stopped after %s", name, took)
	case sandbox.ReasonProcessLimit:
		return tool.Errorf(tool.CodeLimit, "%q started more processes than allowed and was stopped after %s", name, took)
	case sandbox.ReasonSignaled, sandbox.ReasonKilled:
	}
	return tool.Errorf(tool.CodeFailed, "%q was ended by %s after %s", name, strings.TrimSpace("signal "+s.exit.Signal), took)
}

// joinNote puts a note in brackets below a text.
func joinNote(body, note string) string {
	if body != "" && !strings.HasSuffix(body, "\n") {
		body += "\n"
	}
	return body + "[" + note + "]"
}
