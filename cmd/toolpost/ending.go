package main

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/toolpost/toolpost/agent"
	"github.com/toolpost/toolpost/llm"
	"github.com/toolpost/toolpost/tool"
)

// header tells which run begins.
func (x *errand) header() {
	st := x.program.out.errStyle
	words := []string{"run " + shortID(x.record.ID()), clean(x.model.name), "workspace " + clean(x.program.shortPath(x.shop.root.Name()))}
	if x.shop.cell.Level() == "none" {
		words = append(words, "commands not sandboxed")
	}
	if x.began {
		words = append(words, "session "+clean(x.chat.ID)+" continued")
	}
	x.program.out.note(st.faint(strings.Join(words, " · ")) + "\n\n")
}

// end tells how the run ended and is the error for its exit code.
func (x *errand) end(failed error) error {
	x.tell.endLine()
	code, pr := x.verdict(failed)
	if err := x.record.Exit(code); err != nil && failed == nil {
		failed, pr = err, asProblem(err)
		code = pr.exit
	}
	if x.program.out.form == "json" {
		if err := x.program.out.document(x.document(code)); err != nil {
			return err
		}
	}
	x.summary(code)
	switch {
	case x.program.out.broken != nil:
		return x.program.out.broken
	case pr != nil && (failed != nil || x.program.out.json()):
		return pr
	case code != exitOK:
		return exitCode(code)
	}
	return nil
}

// verdict is the exit code of the run, and the problem if it is not 0.
func (x *errand) verdict(failed error) (int, *problem) {
	if failed != nil {
		pr := x.failure(failed)
		return pr.exit, pr
	}
	if x.outcome == nil {
		return exitOK, nil
	}
	var pr *problem
	switch o := x.outcome; {
	case o.Denied > 0 && !x.command.AllowDenied:
		pr = &problem{code: codeRefusals, exit: exitRefused, message: fmt.Sprintf("%s refused", were(o.Denied)), try: []string{x.showCommand()}}
	case o.Open > 0:
		pr = &problem{code: codeToolFailures, exit: exitTool, message: fmt.Sprintf("%s failed, and no later call made it good", plural(o.Open, "call")), try: []string{x.showCommand()}}
	default:
		return exitOK, nil
	}
	pr.run = x.record.ID()
	return pr.exit, pr
}

func were(n int) string {
	if n == 1 {
		return "1 call was"
	}
	return plural(n, "call") + " were"
}

// failure is the problem for a run that could not go on.
func (x *errand) failure(err error) *problem {
	pr, ok := errors.AsType[*problem](err)
	if !ok {
		e := tool.AsError(err)
		pr = &problem{code: string(e.Code), exit: e.Code.RunExit(), message: e.Message, cause: err}
		if diskFault(err) {
			pr.code, pr.exit, pr.advice = codeStore, exitInternal, "What cannot be recorded is not done. Make room, then go on:"
		}
		if m, ok := errors.AsType[*llm.Error](err); ok {
			pr.facts = x.model.facts(m)
		}
		if e.Code == tool.CodeCancelled && errors.Is(err, errInterrupt) {
			pr.code, pr.exit, pr.message = codeInterrupted, exitInterrupted, "the run was interrupted; what was done is on record"
		}
	}
	pr.run = x.record.ID()
	if len(pr.try) == 0 {
		if pr.advice == "" {
			pr.advice = "Look at it, or go on:"
		}
		pr.try = []string{x.showCommand(), x.continueCommand()}
	}
	return pr
}

func (x *errand) showCommand() string { return "toolpost runs show " + shortID(x.record.ID()) }

// continueCommand is how to go on with the session.
func (x *errand) continueCommand() string {
	cmd := "toolpost run --session " + shellWord(x.chat.ID)
	if x.command.Model != "" {
		cmd += " --model " + shellWord(x.command.Model)
	}
	for _, kv := range x.program.globals.Set {
		cmd += " -c " + shellWord(kv)
	}
	if dir := x.program.globals.Store; dir != "" {
		cmd += " --store " + shellWord(dir)
	}
	return cmd + ` "go on"`
}

// summary is the lines under a run: what it did and what to look at next.
func (x *errand) summary(code int) {
	o := x.outcome
	if o == nil || o.Calls == 0 && code != exitOK {
		return
	}
	st, out := x.program.out.errStyle, x.program.out
	words := []string{plural(o.Calls, "call")}
	if o.OK > 0 {
		words = append(words, fmt.Sprintf("%d ok", o.OK))
	}
	if o.Failed > 0 {
		words = append(words, st.red(fmt.Sprintf("%d failed", o.Failed)))
	}
	if o.Denied > 0 {
		words = append(words, st.yellow(fmt.Sprintf("%d denied", o.Denied)))
	}
	words = append(words, duration(time.Duration(o.Millis)*time.Millisecond))
	if o.Usage.Total() > 0 {
		words = append(words, fmt.Sprintf("↑%s ↓%s", count(o.Usage.Input+o.Usage.CacheRead+o.Usage.CacheWrite), count(o.Usage.Output)))
	}
	if o.Money > 0 {
		words = append(words, fmt.Sprintf("$%.4f", o.Money))
	}
	out.note("\n" + strings.Join(words, " · ") + "\n")
	for _, s := range x.tell.order {
		if s.result != nil && s.result.Status == tool.StatusBlocked && s.result.Err != nil {
			out.note(st.yellow("denied") + ": " + clean(fmt.Sprintf("%d %s %s — %s", s.n, s.result.Tool, clip(shortArgs(s.call.Args), 60), clip(s.result.Err.Message, 160))) + "\n")
		}
	}
	line := "show  " + x.showCommand() + "     go on  toolpost run --session " + shellWord(x.chat.ID) + ` "…"`
	if code != exitOK {
		line += fmt.Sprintf("     exit %d", code)
	}
	out.note(st.faint(line) + "\n")
}

// callLine is one call of a run for programs.
type callLine struct {
	N      int         `json:"n"`
	ID     string      `json:"callId"`
	Tool   string      `json:"tool"`
	Args   any         `json:"args,omitempty"`
	Status tool.Status `json:"status"`
	Code   tool.Code   `json:"code,omitempty"`
	Millis int64       `json:"durationMs"`
}

// runDocument is a run for programs.
type runDocument struct {
	V       int        `json:"v"`
	Run     string     `json:"runId"`
	Session string     `json:"sessionId"`
	Model   string     `json:"model"`
	Exit    int        `json:"exitCode"`
	Calls   []callLine `json:"callList"`
	agent.Outcome
}

func (x *errand) document(code int) runDocument {
	d := runDocument{V: 1, Run: x.record.ID(), Session: x.chat.ID, Model: x.model.name, Exit: code, Calls: []callLine{}}
	if x.outcome != nil {
		d.Outcome = *x.outcome
	}
	for _, s := range x.tell.order {
		line := callLine{N: s.n, ID: s.call.ID, Tool: s.call.Tool, Args: s.call.Args}
		if r := s.result; r != nil {
			line.Tool, line.Status, line.Millis = r.Tool, r.Status, r.Duration().Milliseconds()
			if r.Err != nil {
				line.Code = r.Err.Code
			}
		}
		d.Calls = append(d.Calls, line)
	}
	return d
}
