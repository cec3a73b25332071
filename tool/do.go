package tool

import (
	"context"
	"errors"
	"strings"
	"time"
	"unicode/utf8"
)

// A Handler answers a call with a result or an error, never both. It ends soon
// after its context has, as every handler of a Registry does; Guard makes any
// handler so. Handlers with state are method values.
type Handler func(ctx context.Context, c *Call) (*Result, error)

// Middleware wraps a Handler in another. It may change the call before it
// passes it on, answer it itself, and replace the result.
type Middleware func(next Handler) Handler

// Do has h answer c. It is the one place where errors, panics and deadlines
// become results: every call made through Do has exactly one Result, with the
// Ref of the call, a status, at least one block of content, and an Error where
// it did not succeed.
func Do(ctx context.Context, h Handler, c *Call) *Result {
	if c.ID == "" {
		c.ID = NewID()
	}
	if c.Attempt == 0 {
		c.Attempt = 1
	}
	begin := time.Now()
	if c.Created.IsZero() {
		c.Created = begin
	}
	asked := c.Ref
	res, err := call(ctx, h, c)
	r := settle(ctx, res, err)
	r.Ref, r.ProviderID = asked, c.ProviderID
	if c.Spec != nil {
		r.Tool = c.Spec.Name
	}
	if r.After == "" {
		r.After = c.After
	}
	if r.Ended.IsZero() {
		r.Ended = time.Now()
	}
	if r.Started.IsZero() {
		r.Started = begin
	}
	complete(r)
	r.owned = false
	return r
}

// call is h's answer, a panic included.
func call(ctx context.Context, h Handler, c *Call) (res *Result, err error) {
	returned := false
	defer func() {
		if !returned {
			if v := recover(); v != nil {
				res, err = nil, crash(v)
			}
		}
	}()
	res, err = h(ctx, c)
	returned = true
	return res, err
}

// settle makes one result of what a handler returned.
func settle(ctx context.Context, res *Result, err error) *Result {
	switch {
	case err != nil:
		r := Fail(err)
		if ctx.Err() != nil && errors.Is(err, ctx.Err()) {
			r = Fail(Errorf(CodeCancelled, "cancelled"))
			if errors.Is(ctx.Err(), context.DeadlineExceeded) {
				r = Fail(Errorf(CodeTimeout, "not done by its deadline"))
			}
		}
		if res != nil {
			r.Effects = res.Effects
		}
		return r
	case res == nil:
		return failed(&Error{Code: CodeInternal, Message: "the tool returned neither a result nor an error"})
	}
	return res.own()
}

// complete makes status, error and content of r agree (rule C2).
func complete(r *Result) {
	switch {
	case r.Status == "" && r.Err == nil:
		r.Status = StatusOK
	case r.Status == "":
		r.Status = r.Err.Code.Status()
	}
	switch r.Status {
	case StatusOK:
		r.Err = nil
	case StatusPending, StatusSkipped, StatusPartial:
	default:
		if r.Err == nil {
			r.Err = &Error{Code: defaultCode(r.Status), Message: "the tool reported " + string(r.Status) + " and said no more"}
		}
	}
	if r.Err != nil && !utf8.ValidString(r.Err.Message) {
		e := *r.Err
		e.Message = strings.ToValidUTF8(e.Message, "\uFFFD")
		r.Err = &e
	}
	tell(r)
}

// tell sees to it that the content says what happened: a failure comes first,
// and what the call had produced follows.
func tell(r *Result) {
	env := string(r.Envelope())
	switch {
	case env == "" && len(r.Content) == 0:
		r.Content = []Content{{Type: ContentText, Text: string(r.Data)}}
	case env != "" && (len(r.Content) == 0 || r.Content[0].Text != env):
		r.Content = append([]Content{{Type: ContentText, Text: env}}, r.Content...)
	}
}

// defaultCode is the code of a result that has a status but no error.
func defaultCode(s Status) Code {
	switch s {
	case StatusBlocked:
		return CodeDenied
	case StatusTimeout:
		return CodeTimeout
	case StatusCancelled:
		return CodeCancelled
	}
	return CodeFailed
}
