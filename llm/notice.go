package llm

import (
	"context"
	"encoding/json"
	"time"

	"github.com/toolpost/toolpost/tool"
)

// A Notice tells that a request is made once more, to the same model or to
// another, or without one of its tools.
type Notice struct {
	Kind    NoticeKind    `json:"kind"`
	Tool    string        `json:"tool,omitzero"`    // of a tool that is left out
	Attempt int           `json:"attempt,omitzero"` // of a retry: the one that follows, from 2
	Wait    time.Duration `json:"-"`                // of a retry: before it is made; "waitMs" in JSON
	From    string        `json:"from,omitzero"`    // of a fallback: the model that failed
	To      string        `json:"to,omitzero"`      // and the one that is asked next
	Err     *Error        `json:"-"`                // why
}

// MarshalJSON writes the wait as "waitMs" and the error as its code and text.
func (n Notice) MarshalJSON() ([]byte, error) {
	type plain Notice
	j := struct {
		plain
		WaitMS int64     `json:"waitMs,omitzero"`
		Code   tool.Code `json:"code,omitzero"`
		Error  string    `json:"error,omitzero"`
	}{plain: plain(n), WaitMS: n.Wait.Milliseconds()}
	if n.Err != nil {
		j.Code, j.Error = n.Err.Code, n.Err.Error()
	}
	return json.Marshal(j)
}

// NoticeKind is a kind of Notice.
type NoticeKind string

// Kinds of notice.
const (
	NoticeRetry    NoticeKind = "retry"
	NoticeFallback NoticeKind = "fallback"
	NoticeLeftOut  NoticeKind = "tool_left_out" // the provider cannot be told of it; Err says why
)

type noticeKey struct{}

// WithNotices has fn told of retries and fallbacks of the requests made with the
// context. A provider is often shared by many runs; by this a run hears of its
// own. It is told on the goroutine that ranges over the stream.
func WithNotices(ctx context.Context, fn func(Notice)) context.Context {
	return context.WithValue(ctx, noticeKey{}, fn)
}

// Tell has those who listen by the context hear of n. It is for providers.
func Tell(ctx context.Context, n Notice) { report(ctx, nil, n) }

// report tells both, who is set in a field and who listens by the context.
func report(ctx context.Context, field func(context.Context, Notice), n Notice) {
	if field != nil {
		field(ctx, n)
	}
	if fn, ok := ctx.Value(noticeKey{}).(func(Notice)); ok {
		fn(n)
	}
}
