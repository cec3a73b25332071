package llm

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/toolpost/toolpost/tool"
)

// An Error is a request to a model that failed. It is a [tool.Error] too:
// errors.As finds one in it, with the same code and text.
//
// Codes: UNAUTHENTICATED for 401 and 403, UNAVAILABLE for network faults, 408,
// 409, 424, 429, 5xx and streams that break, LIMIT_EXCEEDED for a full context and an
// empty account, NOT_FOUND for 404, VALIDATION_ERROR for other 4xx.
type Error struct {
	Provider   string        // who was asked, by its name in the configuration
	Model      string        //
	Status     int           // of HTTP; 0 if there was no answer or the error came inside a stream
	Code       tool.Code     //
	Type       string        // the provider's own word for it, such as insufficient_quota
	Message    string        // one line, the provider's own where it is text
	RequestID  string        // by which the provider finds the request
	RetryAfter time.Duration // the provider's wish; 0 if it has none
	Retryable  bool          // the same request may succeed later
	Overflow   bool          // the context does not fit the model
	Attempts   int           // how often it was tried, if more than once
	Advice     string        // what to try; chosen by code if empty
	Err        error         // the cause, if it was not the provider
}

// Error names who failed, how, the request and what to try.
func (e *Error) Error() string {
	var b strings.Builder
	b.WriteString("model")
	if e.Provider != "" {
		b.WriteString(" " + e.Provider)
	}
	if e.Model != "" {
		b.WriteString("/" + e.Model)
	}
	b.WriteString(": ")
	if e.Status != 0 {
		fmt.Fprintf(&b, "HTTP %d", e.Status)
		if e.Type != "" {
			b.WriteString(" " + e.Type)
		}
		b.WriteString(": ")
	} else if e.Type != "" {
		b.WriteString(e.Type + ": ")
	}
	b.WriteString(e.Message)
	if e.Message == "" && e.Err != nil {
		b.WriteString(e.Err.Error())
	}
	if e.RequestID != "" {
		fmt.Fprintf(&b, " (request %s)", e.RequestID)
	}
	if e.Attempts > 1 {
		fmt.Fprintf(&b, " (after %d attempts)", e.Attempts)
	}
	if a := e.advice(); a != "" {
		b.WriteString("; " + a)
	}
	return b.String()
}

func (e *Error) advice() string {
	switch {
	case e.Advice != "":
		return e.Advice
	case e.Overflow:
		return "start a new session, let it compact, or use a model with a larger context"
	case e.RetryAfter > 0:
		return "try again in " + e.RetryAfter.Round(time.Millisecond).String()
	case e.Code == tool.CodeUnauthenticated:
		return "check the API key"
	case e.Status == 402 || e.Code == tool.CodeLimit:
		return "check the account's quota and billing, or use another model"
	case e.Code == tool.CodeNotFound:
		return "check the model's name and the base URL"
	case e.Retryable:
		return "try again later"
	}
	return ""
}

// Unwrap is the cause.
func (e *Error) Unwrap() error { return e.Err }

// As gives errors.As the tool.Error that e stands for.
func (e *Error) As(target any) bool {
	t, ok := target.(**tool.Error)
	if ok {
		*t = &tool.Error{Code: e.Code, Message: e.Error(), Retryable: e.Retryable}
	}
	return ok
}

// Is reports whether target is a tool.Error that asks for e's code.
func (e *Error) Is(target error) bool {
	t, ok := target.(*tool.Error)
	return ok && t.Message == "" && t.Code == e.Code
}

// AsError is err as an *Error: its own if it has one in its chain; a cancelled
// or expired context keeps its meaning; anything else is taken for a fault of
// the network, which may be retried. It is nil for nil.
func AsError(err error) *Error {
	var e *Error
	var t *tool.Error
	switch {
	case err == nil:
		return nil
	case errors.As(err, &e):
		return e
	case errors.As(err, &t):
		return &Error{Code: t.Code, Message: t.Message, Retryable: t.Retryable, Err: err}
	case errors.Is(err, context.Canceled):
		return &Error{Code: tool.CodeCancelled, Message: "cancelled", Err: err}
	case errors.Is(err, context.DeadlineExceeded):
		return &Error{Code: tool.CodeTimeout, Message: "not done by its deadline", Err: err}
	}
	return &Error{Code: tool.CodeUnavailable, Message: oneLine(err.Error(), 400), Retryable: true, Err: err,
		Advice: "check that the server runs and the base URL is right, then try again"}
}

// oneLine is s without line breaks and control characters, at most n bytes.
func oneLine(s string, n int) string {
	s = strings.Join(strings.FieldsFunc(strings.ToValidUTF8(s, "\uFFFD"), func(r rune) bool { return r <= ' ' || r == 0x7f }), " ")
	if len(s) > n {
		s = strings.ToValidUTF8(s[:n], "") + "…"
	}
	return s
}
