package tool

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
)

// A Code says what kind of failure an Error is. The set is closed: a new code
// needs a use that no existing one serves.
type Code string

// All codes.
const (
	CodeInvalid         Code = "VALIDATION_ERROR"    // the arguments do not fit
	CodeDenied          Code = "POLICY_DENIED"       // a rule forbids it
	CodeApprovalDenied  Code = "APPROVAL_DENIED"     // a person said no
	CodeApprovalExpired Code = "APPROVAL_EXPIRED"    // nobody answered
	CodeNotFound        Code = "NOT_FOUND"           // no such tool, file or command
	CodeConflict        Code = "CONFLICT"            // it changed meanwhile, or exists already
	CodePrecondition    Code = "PRECONDITION_FAILED" // something must be so first
	CodePath            Code = "INVALID_PATH"        // a path that leaves its root or is malformed
	CodeTimeout         Code = "TIMEOUT"             // not done by its deadline
	CodeCancelled       Code = "CANCELLED"           // given up by who asked
	CodeLoop            Code = "LOOP_DETECTED"       // the same call again and again
	CodeLimit           Code = "LIMIT_EXCEEDED"      // turns, calls, tokens, money, time, bytes
	CodeTruncated       Code = "TRUNCATED_CALL"      // the model's reply was cut off inside the call
	CodeUnauthenticated Code = "UNAUTHENTICATED"     // credentials are missing or wrong
	CodeUnavailable     Code = "UNAVAILABLE"         // a model, server or worker cannot be reached
	CodeFailed          Code = "TOOL_FAILED"         // the tool itself says no
	CodeInternal        Code = "INTERNAL_ERROR"      // a bug, ours or the tool's
)

// An Error is a failure with a Code. Its Message is shown to the model and to
// people: it holds no stack, no secret and no path of the host.
type Error struct {
	Code      Code            `json:"code"`
	Message   string          `json:"message"`
	Details   json.RawMessage `json:"details,omitempty"` // for programs
	Retryable bool            `json:"retryable,omitzero"`
	Ends      Scope           `json:"ends,omitzero"` // what should be given up because of it, beside the call
	cause     error
}

// Scope is what a failure ends beside its call; the zero Scope is nothing.
type Scope string

// Scopes.
const (
	EndsTurn Scope = "turn" // the model is not asked again
	EndsRun  Scope = "run"  // and the run has failed
)

// Errorf is an Error with the given code; a %w in format is its cause.
func Errorf(code Code, format string, args ...any) error {
	err := fmt.Errorf(format, args...)
	return &Error{Code: code, Message: err.Error(), cause: errors.Unwrap(err)}
}

// Error is the code and the message.
func (e *Error) Error() string { return string(e.Code) + ": " + e.Message }

// Unwrap is the cause, for errors.Is and errors.As.
func (e *Error) Unwrap() error { return e.cause }

// Is reports whether target is an Error with the same code and no message, so
// that errors.Is(err, &tool.Error{Code: tool.CodeTimeout}) asks for the code.
func (e *Error) Is(target error) bool {
	t, ok := target.(*Error)
	return ok && t.Code == e.Code && t.Message == ""
}

// AsError is err as an *Error: its own if it has one in its chain, else one
// with the code of the well-known error it wraps (fs.ErrNotExist and the like,
// context errors) and a text without host paths, else CodeFailed with the text
// of err: a tool that returns a plain error says no by it. It is nil for nil.
func AsError(err error) *Error {
	if err == nil {
		return nil
	}
	var e *Error
	if errors.As(err, &e) {
		return e
	}
	for _, k := range knownErrors {
		if errors.Is(err, k.is) {
			return &Error{Code: k.code, Message: k.text, cause: err}
		}
	}
	return &Error{Code: CodeFailed, Message: err.Error(), cause: err}
}

var knownErrors = [...]struct {
	is   error
	code Code
	text string
}{
	{context.DeadlineExceeded, CodeTimeout, "not done by its deadline"},
	{context.Canceled, CodeCancelled, "cancelled"},
	{fs.ErrNotExist, CodeNotFound, "no such file or folder"},
	{fs.ErrExist, CodeConflict, "exists already"},
	{fs.ErrPermission, CodeDenied, "permission denied"},
}
