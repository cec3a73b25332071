package builtin

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/toolpost/toolpost/builtin/internal/filetool"
	"github.com/toolpost/toolpost/tool"
)

const longestPoll = 120 * time.Second

type processIn struct {
	Action    string   `json:"action" desc:"list: all sessions. poll: new output, waiting up to timeoutMs for some. log: lines of the output. write, submit, paste, send_keys: input. resize: its terminal. kill: end it. clear: forget ended ones. remove: end and forget." enum:"list,poll,log,write,send_keys,submit,paste,resize,kill,clear,remove"`
	SessionID string   `json:"sessionId,omitzero" desc:"The session, as exec_shell named it. Not needed for list and clear."`
	TimeoutMS int      `json:"timeoutMs,omitzero" desc:"poll: how long to wait for something new." min:"0" max:"120000"`
	Offset    int      `json:"offset,omitzero" desc:"log: first line, from 1; the last lines if left out." min:"1"`
	Limit     int      `json:"limit,omitzero" desc:"log: most lines." min:"1" max:"5000" default:"200"`
	Data      string   `json:"data,omitzero" desc:"write: the text to write. submit: a line to enter. paste: the text to paste."`
	EOF       bool     `json:"eof,omitzero" desc:"write: close its input afterwards."`
	Keys      []string `json:"keys,omitzero" desc:"send_keys: key names such as Enter, Up, C-c, M-x, F5, or single characters."`
	Hex       []string `json:"hex,omitzero" desc:"send_keys: bytes in hexadecimal, such as 1b5b41."`
	Literal   string   `json:"literal,omitzero" desc:"send_keys: characters to type as they are, after keys and hex."`
	Bracketed *bool    `json:"bracketed,omitzero" desc:"paste: mark it as pasted, as terminals do. Default true."`
	Rows      int      `json:"rows,omitzero" desc:"resize: lines." min:"1" max:"1000"`
	Cols      int      `json:"cols,omitzero" desc:"resize: characters in a line." min:"1" max:"1000"`
}

type processOut struct {
	Action     string        `json:"action"`
	SessionID  string        `json:"sessionId,omitzero"`
	Status     string        `json:"status,omitzero" enum:"completed,failed,running"`
	ExitCode   *int          `json:"exitCode,omitzero"` // once it has ended
	Output     string        `json:"output,omitzero"`   // new since the last poll, or the lines asked for
	StartLine  int           `json:"startLine,omitzero"`
	TotalLines int           `json:"totalLines,omitzero"`
	DurationMS int64         `json:"durationMs,omitzero"`
	TimedOut   bool          `json:"timedOut,omitzero"`
	Truncated  bool          `json:"truncated,omitzero"`
	RetryInMS  int           `json:"retryInMs,omitzero"` // when it is worth asking again
	Written    int           `json:"written,omitzero"`   // bytes of input taken
	Sessions   []sessionData `json:"sessions,omitempty"`
	Cleared    int           `json:"cleared,omitzero"` // sessions forgotten
}

type sessionData struct {
	SessionID  string `json:"sessionId"`
	Command    string `json:"command"`
	Workdir    string `json:"workdir,omitzero"`
	Status     string `json:"status" enum:"completed,failed,running"`
	ExitCode   int    `json:"exitCode"` // -1 while it runs
	PID        int    `json:"pid"`
	DurationMS int64  `json:"durationMs"`
	TimedOut   bool   `json:"timedOut"`
	Terminal   bool   `json:"terminal"`
}

func (e *Exec) processTool() tool.Tool {
	return tool.New(tool.Spec{
		Name:  "process",
		Label: "Background commands",
		Description: "Work with commands that exec_shell left in the background: list them, poll for new output, " +
			"read their log, type into them, resize their terminal, kill, clear or remove them. " +
			"A poll may wait for something new; its answer says when to ask again.",
		Output:      filetool.OutputOf[processOut](),
		Examples:    filetool.Examples(`{"action":"list"}`, `{"action":"clear"}`),
		Risk:        tool.RiskCommands,
		Category:    "exec",
		SideEffects: []string{"end-command", "input-to-command"},
		Timeout:     longestPoll + 10*time.Second,
		PTY:         true,
		Polling:     true,
		Previews:    true,
		Volatile:    []string{"durationMs", "retryInMs", "pid"},
	}, e.process)
}

func (e *Exec) process(ctx context.Context, in processIn) (*tool.Result, error) {
	scope := e.scope(ctx)
	switch {
	case in.Action == "list":
		return e.listSessions(scope), nil
	case in.Action == "clear" && in.SessionID == "":
		return e.clear(scope, filetool.DryRun(ctx)), nil
	}
	s, err := e.session(scope, in)
	if err != nil {
		return nil, err
	}
	if filetool.DryRun(ctx) && in.Action != "log" && in.Action != "poll" {
		return filetool.Answer(fmt.Sprintf("would %s session %s (%s)", strings.ReplaceAll(in.Action, "_", " "), s.id, filetool.Clip(s.command, 80)), s.data(in.Action)), nil
	}
	switch in.Action {
	case "poll":
		return s.poll(ctx, in.TimeoutMS, filetool.DryRun(ctx))
	case "log":
		return s.log(in)
	case "kill", "remove":
		return e.kill(ctx, s, in.Action)
	case "clear":
		if s.running() {
			return nil, tool.Errorf(tool.CodePrecondition, "session %s still runs; clear forgets ended sessions only, use remove to end and forget it", s.id)
		}
		e.forget(s)
		out := s.data(in.Action)
		out.Cleared = 1
		return filetool.Answer("session "+s.id+" is forgotten", out), nil
	}
	return s.input(ctx, in)
}

// session finds the session that a call is about.
func (e *Exec) session(scope string, in processIn) (*session, error) {
	if in.SessionID == "" {
		return nil, tool.Errorf(tool.CodeInvalid, `"sessionId" required for action %s; action list shows the sessions`, in.Action)
	}
	known := e.list(scope)
	var ids []string
	for _, s := range known {
		if s.id == in.SessionID {
			return s, nil
		}
		ids = append(ids, s.id)
	}
	if len(ids) == 0 {
		return nil, tool.Errorf(tool.CodeNotFound, "no session %q: no command runs in the background, and none has ended lately", filetool.Clip(in.SessionID, 80))
	}
	return nil, tool.Errorf(tool.CodeNotFound, "no session %q; there are: %s", filetool.Clip(in.SessionID, 80), strings.Join(ids, ", "))
}

func (e *Exec) listSessions(scope string) *tool.Result {
	out := processOut{Action: "list", Sessions: []sessionData{}}
	var b strings.Builder
	for _, s := range e.list(scope) {
		d := sessionData{
			SessionID: s.id, Command: s.command, Workdir: s.workdir, Status: s.status(), ExitCode: s.exitCode(),
			PID: s.proc.PID(), DurationMS: s.duration().Milliseconds(), TimedOut: s.timedOut(), Terminal: s.tty,
		}
		out.Sessions = append(out.Sessions, d)
		fmt.Fprintf(&b, "%s %s", d.SessionID, d.Status)
		if d.Status != statusRunning {
			fmt.Fprintf(&b, " (exit code %d)", d.ExitCode)
		}
		fmt.Fprintf(&b, " %s: %s\n", s.duration().Round(time.Second), filetool.Clip(s.command, 200))
	}
	if len(out.Sessions) == 0 {
		b.WriteString("[no background sessions]")
	}
	return filetool.Answer(strings.TrimSuffix(b.String(), "\n"), out)
}

// clear forgets all sessions of a scope that have ended.
func (e *Exec) clear(scope string, dry bool) *tool.Result {
	n := 0
	for _, s := range e.list(scope) {
		if s.running() {
			continue
		}
		n++
		if !dry {
			e.forget(s)
		}
	}
	text := filetool.Plural(n, "ended session") + " forgotten"
	if dry {
		text = "would forget " + filetool.Plural(n, "ended session")
	}
	return filetool.Answer(text, processOut{Action: "clear", Cleared: n})
}

// kill ends a session with all that it started.
func (e *Exec) kill(ctx context.Context, s *session, action string) (*tool.Result, error) {
	was := s.running()
	if err := s.proc.Kill(); err != nil {
		return nil, filetool.Fault(err)
	}
	<-s.done
	text := "session " + s.id + " was over already: " + s.note()
	if was {
		text = "session " + s.id + " was ended with all that it started"
		tool.Observe(ctx, tool.Effects{Observed: []string{"end-command"}})
	}
	if action == "remove" {
		e.forget(s)
		text += ", and is forgotten"
	}
	return filetool.Answer(text, s.data(action)), nil
}

// data is how it stands with a session.
func (s *session) data(action string) processOut {
	out := processOut{Action: action, SessionID: s.id, Status: s.status(), DurationMS: s.duration().Milliseconds(), TimedOut: s.timedOut()}
	if out.Status != statusRunning {
		code := s.exitCode()
		out.ExitCode = &code
	}
	return out
}
