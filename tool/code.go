package tool

import (
	"errors"
	"fmt"
	"time"
)

// ErrUnknownTool is the cause of the NOT_FOUND error for a call that names no
// tool, and tells it from the NOT_FOUND that a tool answers with. It is known
// only in the process that made the error: what came over a wire has no cause.
var ErrUnknownTool = errors.New("unknown tool")

// form is one code in the words of the systems that the seeds come from.
type form struct {
	code     Code
	clawft   string // kind of clawft's ToolError
	utp      string // error code of UTP
	openclaw Status // status of OpenClaw's envelope
	rpc      int    // JSON-RPC code of a request that fails by it; 0: a result with isError
	http     int
	call     int // exit code of `toolpost tools call`
	run      int // exit code of `toolpost run`
}

// forms is the one table from which all the mappings are read. Where several
// codes share a foreign word, the first row that has it is the way back.
var forms = [...]form{
	{CodeInvalid, "InvalidArgs", "bad_request", StatusError, -32602, 400, 9, 9},
	{CodeDenied, "PermissionDenied", "auth_failed", StatusBlocked, 0, 403, 6, 6},
	{CodeApprovalDenied, "PermissionDenied", "auth_failed", StatusBlocked, 0, 403, 6, 6},
	{CodeApprovalExpired, "PermissionDenied", "auth_failed", StatusBlocked, 0, 403, 6, 6},
	{CodeNotFound, "FileNotFound", "not_found", StatusError, -32002, 404, 5, 5},
	{CodeConflict, "ExecutionFailed", "conflict", StatusError, 0, 409, 5, 5},
	{CodePrecondition, "ExecutionFailed", "conflict", StatusError, 0, 412, 5, 5},
	{CodePath, "InvalidPath", "bad_request", StatusError, 0, 400, 5, 5},
	{CodeTimeout, "Timeout", "tool_timeout", StatusError, -32001, 504, 5, 5},
	{CodeCancelled, "ExecutionFailed", "internal_error", StatusError, -32800, 499, 130, 130},
	{CodeLoop, "PermissionDenied", "conflict", StatusBlocked, 0, 508, 6, 8},
	{CodeLimit, "ExecutionFailed", "bad_request", StatusError, 0, 429, 5, 8},
	{CodeTruncated, "InvalidArgs", "bad_request", StatusError, 0, 400, 9, 9},
	{CodeUnauthenticated, "PermissionDenied", "auth_failed", StatusError, 0, 401, 5, 3},
	{CodeUnavailable, "ExecutionFailed", "upstream_unavailable", StatusError, -32000, 503, 5, 4},
	{CodeFailed, "ExecutionFailed", "internal_error", StatusError, 0, 422, 5, 5},
	{CodeInternal, "ExecutionFailed", "internal_error", StatusError, -32603, 500, 5, 1},
}

// back is the ways back that differ from the first row of forms with the word,
// and the foreign words that no code of ours is told by.
var back = struct {
	clawft, utp map[string]Code
	rpc, http   map[int]Code
}{
	clawft: map[string]Code{"NotFound": CodeNotFound, "ExecutionFailed": CodeFailed},
	utp:    map[string]Code{"internal_error": CodeInternal, "timeout": CodeTimeout},
	rpc:    map[int]Code{-32700: CodeInvalid, -32600: CodeInvalid, -32601: CodeNotFound},
	http:   map[int]Code{408: CodeTimeout, 410: CodeNotFound, 413: CodeLimit, 428: CodePrecondition, 500: CodeInternal, 502: CodeUnavailable},
}

// Codes is all codes, in the order in which they are documented.
func Codes() []Code {
	cs := make([]Code, len(forms))
	for i := range forms {
		cs[i] = forms[i].code
	}
	return cs
}

// form is the row of c; a code from elsewhere is judged as a failed tool.
func (c Code) form() *form {
	other := &forms[0]
	for i := range forms {
		if forms[i].code == c {
			return &forms[i]
		}
		if forms[i].code == CodeFailed {
			other = &forms[i]
		}
	}
	return other
}

// Known reports whether c is one of Codes.
func (c Code) Known() bool { return c.form().code == c }

// Clawft is the kind of clawft's ToolError (seed 001) for c. [Error.Clawft]
// tells an unknown tool from a missing file.
func (c Code) Clawft() string { return c.form().clawft }

// UTP is the error code of seed 004 for c.
func (c Code) UTP() string { return c.form().utp }

// OpenClaw is the status of OpenClaw's error envelope for c: StatusError or
// StatusBlocked.
func (c Code) OpenClaw() Status { return c.form().openclaw }

// RPC is the JSON-RPC code for a request that fails with c before a tool has it.
// It is 0 for what MCP tells by a result with isError set. An unknown tool is
// -32602 there (MCP 2025-06-18, "Error Handling").
func (c Code) RPC() int { return c.form().rpc }

// HTTP is the status for a request whose only outcome is c.
func (c Code) HTTP() int { return c.form().http }

// CallExit is the exit code of a command that makes one call and fails with c;
// [Result.Exit] knows success and the unknown tool too.
func (c Code) CallExit() int { return c.form().call }

// RunExit is the exit code of a run that ends because of c: 3 for credentials,
// 4 unreachable, 6 refused, 8 for a limit or a loop, 9 invalid, 130 cancelled, 1
// for a bug, 5 for anything else.
func (c Code) RunExit() int { return c.form().run }

// CodeOfClawft is the code for a kind of clawft's ToolError; CodeFailed if it
// is not one.
func CodeOfClawft(kind string) Code {
	return way(back.clawft, kind, func(f *form) string { return f.clawft })
}

// CodeOfUTP is the code for an error code of seed 004; the set is extensible
// there, and what we do not know is CodeFailed.
func CodeOfUTP(code string) Code {
	return way(back.utp, code, func(f *form) string { return f.utp })
}

// CodeOfRPC is the code for a JSON-RPC error; CodeFailed if it is none we know.
func CodeOfRPC(code int) Code {
	if code == 0 {
		return CodeFailed
	}
	return way(back.rpc, code, func(f *form) int { return f.rpc })
}

// CodeOfHTTP is the code for the status of a failed request: of its class if it
// is none we know, CodeUnavailable for 5xx and CodeFailed for the rest.
func CodeOfHTTP(status int) Code {
	c := way(back.http, status, func(f *form) int { return f.http })
	if c == CodeFailed && status >= 500 {
		return CodeUnavailable
	}
	return c
}

// way is the code that the foreign word stands for.
func way[T comparable](exceptions map[T]Code, word T, of func(*form) T) Code {
	if c, ok := exceptions[word]; ok {
		return c
	}
	for i := range forms {
		if of(&forms[i]) == word {
			return forms[i].code
		}
	}
	return CodeFailed
}

// Clawft is the error as clawft's ToolError: its kind and its display text. A
// Timeout is told by its limit in whole seconds, which the caller knows.
func (e *Error) Clawft(limit time.Duration) (kind, text string) {
	kind = e.Code.Clawft()
	if errors.Is(e, ErrUnknownTool) {
		kind = "NotFound"
	}
	switch kind {
	case "NotFound":
		return kind, "tool not found: " + e.Message
	case "InvalidArgs":
		return kind, "invalid arguments: " + e.Message
	case "PermissionDenied":
		return kind, "permission denied: " + e.Message
	case "FileNotFound":
		return kind, "not found: " + e.Message
	case "InvalidPath":
		return kind, "invalid path: " + e.Message
	case "Timeout":
		return kind, fmt.Sprintf("timeout after %ds", int64(limit.Round(time.Second)/time.Second))
	}
	return kind, "execution failed: " + e.Message
}

// Exit is the exit code of a command that made this one call: 0 ok (also
// pending, skipped and partial), 2 for an unknown tool, 9 for arguments that do
// not fit, 6 for a refusal, 130 if cancelled, and 5 for anything else.
func (r *Result) Exit() int {
	switch {
	case !r.IsError():
		return 0
	case r.Err == nil:
		return CodeFailed.CallExit()
	case errors.Is(r.Err, ErrUnknownTool):
		return 2
	}
	return r.Err.Code.CallExit()
}

// statuses is our statuses in the words of seed 004 and of seed 003.
var statuses = [...]struct {
	ours      Status
	utp, seed string
}{
	{StatusOK, "success", "ok"},
	{StatusError, "failed", "error"},
	{StatusBlocked, "failed", "error"},
	{StatusPending, "", "ok"},
	{StatusTimeout, "timeout", "timeout"},
	{StatusCancelled, "canceled", "cancelled"},
	{StatusSkipped, "canceled", "skipped"},
	{StatusPartial, "partial", "ok"},
}

// UTP is the status of seed 004 for s; "" for StatusPending, of which nothing is
// reported yet.
func (s Status) UTP() string {
	for i := range statuses {
		if statuses[i].ours == s {
			return statuses[i].utp
		}
	}
	return "failed"
}

// Seed is the status in the closed set of seed 003: ok, error, timeout,
// cancelled, skipped.
func (s Status) Seed() string {
	for i := range statuses {
		if statuses[i].ours == s {
			return statuses[i].seed
		}
	}
	return "error"
}

// StatusOfUTP is the status for one of seed 004, in either spelling of
// cancelled; StatusError if it is none.
func StatusOfUTP(s string) Status {
	if s == "cancelled" {
		return StatusCancelled
	}
	for i := range statuses {
		if statuses[i].utp == s && s != "" {
			return statuses[i].ours
		}
	}
	return StatusError
}
