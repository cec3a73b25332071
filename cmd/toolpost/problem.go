package main

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"strings"
	"syscall"

	"github.com/toolpost/toolpost/tool"
)

// Codes of the command line, beside those of package tool. Each has a page for
// `toolpost explain`.
const (
	codeUsage          = "USAGE"
	codeUnknownCommand = "UNKNOWN_COMMAND"
	codeUnknownFlag    = "UNKNOWN_FLAG"
	codeUnknownTool    = "UNKNOWN_TOOL"
	codeConfigSyntax   = "CONFIG_SYNTAX"
	codeConfigKey      = "CONFIG_UNKNOWN_KEY"
	codeConfigType     = "CONFIG_WRONG_TYPE"
	codeConfigValue    = "CONFIG_INVALID_VALUE"
	codeConfigFile     = "CONFIG_UNREADABLE"
	codeScript         = "SCRIPT_INVALID"
	codeModelUnknown   = "MODEL_UNKNOWN"
	codeKeyMissing     = "KEY_MISSING"
	codeAmbiguous      = "AMBIGUOUS_NAME"
	codeStore          = "STORE_UNAVAILABLE"
	codeDemo           = "DEMO_FAILED"
	codeToolFailures   = "UNRECOVERED_FAILURE"
	codeRefusals       = "CALL_REFUSED"
	codeInterrupted    = "INTERRUPTED"
	codePlan           = "PLAN_INVALID"
	codePlanConflict   = "PLAN_CONFLICT"
	codeConfirm        = "CONFIRMATION_NEEDED"
	codeDiffers        = "DIFFERS"

	codeNotFound = string(tool.CodeNotFound)
	codeInvalid  = string(tool.CodeInvalid)
	codeInternal = string(tool.CodeInternal)
)

// cliCodes is every code that only the command line has.
func cliCodes() []string {
	return []string{
		codeUsage, codeUnknownCommand, codeUnknownFlag, codeUnknownTool, codeConfigSyntax, codeConfigKey, codeConfigType,
		codeConfigValue, codeConfigFile, codeScript, codeModelUnknown, codeKeyMissing, codeAmbiguous, codeStore,
		codeDemo, codeToolFailures, codeRefusals, codeInterrupted,
		codePlan, codePlanConflict, codeConfirm, codeDiffers,
	}
}

// A problem is an error as a person is told of it: what happened, the facts, and
// what to do.
type problem struct {
	code    string
	exit    int
	message string
	facts   []string // who, value, limit, place; one a line
	near    string   // what may have been meant, where the facts show it in a picture
	advice  string   // a sentence before the commands
	try     []string // commands to type, without more than is needed
	run     string
	call    string
	cause   error
	more    []*problem // others of the same kind, shown after it
}

func (p *problem) Error() string { return p.code + ": " + p.message }
func (p *problem) Unwrap() error { return p.cause }

// hint is what to do, as one line.
func (p *problem) hint() string {
	parts := make([]string, 0, len(p.facts)+3)
	if p.near != "" {
		parts = append(parts, p.near)
	}
	for _, f := range p.facts {
		if f = strings.TrimSpace(f); f != "" && !strings.ContainsAny(f, "|") {
			parts = append(parts, f)
		}
	}
	if p.advice != "" {
		parts = append(parts, p.advice)
	}
	if len(p.try) > 0 {
		parts = append(parts, "try: "+p.try[0])
	}
	return strings.Join(parts, "; ")
}

// toldProblem is a problem for programs.
type toldProblem struct {
	Code    string        `json:"code"`
	Exit    int           `json:"exit"`
	Message string        `json:"message"`
	Hint    string        `json:"hint,omitempty"`
	Run     string        `json:"runId,omitempty"`
	Call    string        `json:"callId,omitempty"`
	Docs    string        `json:"docs"`
	More    []toldProblem `json:"more,omitempty"`
}

func (p *problem) told() toldProblem {
	t := toldProblem{p.code, p.exit, p.message, p.hint(), p.run, p.call, "toolpost explain " + p.code, nil}
	for _, m := range p.more {
		t.More = append(t.More, m.told())
	}
	return t
}

// MarshalJSON writes the problem as the program tells of it with -o json.
func (p *problem) MarshalJSON() ([]byte, error) {
	return json.Marshal(struct {
		Error toldProblem `json:"error"`
	}{p.told()})
}

// asProblem is err as a problem: its own, or one with the code it bears.
func asProblem(err error) *problem {
	if p, ok := errors.AsType[*problem](err); ok {
		return p
	}
	if e, ok := errors.AsType[*tool.Error](err); ok {
		return &problem{code: string(e.Code), exit: e.Code.RunExit(), message: e.Message, cause: err}
	}
	switch {
	case errors.Is(err, context.Canceled):
		return &problem{code: codeInterrupted, exit: exitInterrupted, message: "interrupted", cause: err}
	case diskFault(err):
		return &problem{code: codeStore, exit: exitInternal, message: err.Error(), cause: err}
	}
	return &problem{code: codeInternal, exit: exitInternal, message: err.Error(), cause: err,
		advice: "This should not happen; please report it with the command you typed."}
}

// diskFault reports an error of a disk that is full, read-only or not ours.
func diskFault(err error) bool {
	return errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EROFS) || errors.Is(err, fs.ErrPermission)
}

// clip is s on one line, cut to n characters.
func clip(s string, n int) string {
	s = strings.Join(strings.Fields(s), " ")
	if r := []rune(s); len(r) > n {
		return string(r[:max(n-1, 1)]) + "…"
	}
	return s
}
