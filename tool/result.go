package tool

import (
	"encoding/json"
	"time"
)

// A Result is the one answer to a Call. It is not changed once [Do] has
// returned it.
type Result struct {
	Ref
	ProviderID string          `json:"providerCallId,omitzero"`
	Status     Status          `json:"status"`
	Content    []Content       `json:"content,omitempty"` // for the model: at least one block once Do has returned
	Data       json.RawMessage `json:"data,omitempty"`    // for programs; fits Spec.Output
	Err        *Error          `json:"error,omitempty"`   // set when the call did not succeed
	Effects    *Effects        `json:"effects,omitempty"` // as observed, not as intended
	After      After           `json:"afterExecution,omitzero"`
	Started    time.Time       `json:"startedAt,omitzero"`
	Ended      time.Time       `json:"endedAt,omitzero"`
	User       string          `json:"userMessage,omitzero"`  // short, safe to show
	Debug      string          `json:"debugMessage,omitzero"` // for logs
	Artifact   *Artifact       `json:"artifact,omitempty"`    // where the whole of a cut content is kept

	// Extra holds members of a decoded result that this package does not know.
	// They are written back as they came.
	Extra map[string]json.RawMessage `json:"-"`

	owned bool  // by the pipeline alone, which may change it
	told  *told // nil unless it was decoded with a duration that its times do not give
}

// told is a duration as it was written beside times of less precision: those of
// the sample of seed 003 are whole seconds, and its call took 240 ms.
type told struct {
	started, ended time.Time
	took           time.Duration
}

// Status says how a call ended.
type Status string

// All statuses. Only StatusPending is not an end: its result comes from
// elsewhere, later.
const (
	StatusOK        Status = "ok"
	StatusError     Status = "error"
	StatusBlocked   Status = "blocked" // by a rule, a hook or a person
	StatusPending   Status = "pending" // somebody else runs it, such as the client
	StatusTimeout   Status = "timeout"
	StatusCancelled Status = "cancelled"
	StatusSkipped   Status = "skipped" // never started; Result.User says why
	StatusPartial   Status = "partial" // a first part; the whole follows
)

// OK reports whether the call succeeded.
func (r *Result) OK() bool { return r.Status == StatusOK }

// Duration is how long the call ran, zero if it never started. A result that was
// decoded has the duration that was written, as long as its times are the same.
func (r *Result) Duration() time.Duration {
	if t := r.told; t != nil && t.started.Equal(r.Started) && t.ended.Equal(r.Ended) {
		return t.took
	}
	if r.Started.IsZero() || r.Ended.IsZero() {
		return 0
	}
	return max(r.Ended.Sub(r.Started), 0)
}

// A Content is one block of what the model reads: a text or an image.
type Content struct {
	Type ContentType `json:"type"`
	Text string      `json:"text,omitzero"`
	Data []byte      `json:"data,omitempty"`    // of an image; base64 in JSON
	MIME string      `json:"mimeType,omitzero"` // of an image
}

// ContentType says what a Content holds.
type ContentType string

// Kinds of content.
const (
	ContentText  ContentType = "text"
	ContentImage ContentType = "image"
)

// An Artifact is a place where something too large to show is kept whole.
type Artifact struct {
	ID     string `json:"id"`
	Bytes  int64  `json:"bytes"`
	SHA256 string `json:"sha256"` // hex
	MIME   string `json:"mimeType"`
}

// Text is a successful result with one block of text.
func Text(s string) *Result {
	r := &struct {
		Result
		block [1]Content
	}{Result: Result{Status: StatusOK}, block: [1]Content{{Type: ContentText, Text: s}}}
	r.Content = r.block[:]
	return &r.Result
}

// JSON is a successful result whose data is v and whose content is the same as
// text. A value that has no JSON form yields an INTERNAL_ERROR result.
func JSON(v any) *Result {
	b, err := encode(v)
	if err != nil {
		return failed(&Error{Code: CodeInternal, Message: "the tool's data has no JSON form: " + err.Error()})
	}
	r := Text(string(b))
	r.Data = b
	return r
}

// Image is a successful result with a picture and a text beside it; data is the
// encoded file, mime its media type.
func Image(data []byte, mime, text string) *Result {
	r := &Result{Status: StatusOK}
	if text != "" {
		r.Content = append(r.Content, Content{Type: ContentText, Text: text})
	}
	r.Content = append(r.Content, Content{Type: ContentImage, Data: data, MIME: mime})
	return r
}

// File is a successful result that points at a file by OpenClaw's MEDIA
// convention. The path is one that the caller may see, such as one relative to
// the workspace.
func File(path string) *Result {
	r := Text("MEDIA:" + path)
	r.Data, _ = encode(struct {
		Path string `json:"path"`
	}{path})
	return r
}

// Delegate is the result of a call that somebody else runs, such as the client
// of a server: it is pending, and message tells the model so.
func Delegate(message string) *Result {
	return &Result{Status: StatusPending, User: message}
}

// Skip is the result of a call that was never started, with the reason.
func Skip(reason string) *Result {
	return &Result{Status: StatusSkipped, User: reason}
}

// own is r, or a copy of it if someone else may have it.
func (r *Result) own() *Result {
	if r.owned {
		return r
	}
	c := *r
	c.owned = true
	return &c
}

// Fail is the result that err stands for.
func Fail(err error) *Result { return failed(AsError(err)) }

func failed(e *Error) *Result {
	return &Result{Status: e.Code.Status(), Err: e}
}

// Status is the status of a result that failed with this code.
func (c Code) Status() Status {
	switch c {
	case CodeDenied, CodeApprovalDenied, CodeApprovalExpired, CodeLoop:
		return StatusBlocked
	case CodeTimeout:
		return StatusTimeout
	case CodeCancelled:
		return StatusCancelled
	}
	return StatusError
}

// Envelope is the JSON by which a result that is not ok is told to a model, in
// OpenClaw's form: {"status":"error","tool":…,"code":…,"error":…}, for a block
// "reason" and for a pending call "message" instead of the last. It is nil for
// a result that is ok or partial.
func (r *Result) Envelope() []byte {
	e := envelope{Status: r.Status, Tool: r.Tool}
	switch r.Status {
	case StatusOK, StatusPartial:
		return nil
	case StatusPending:
		e.Message = r.User
	case StatusSkipped:
		e.Reason = r.User
	case StatusBlocked:
		e.Code, e.Reason = r.Err.Code, r.Err.Message
	default:
		e.Status, e.Code, e.Error = StatusError, r.Err.Code, r.Err.Message
	}
	b, err := encode(e)
	if err != nil { // only text that is not UTF-8 gets here, and Do has cleaned it
		b = []byte(`{"status":"error","error":"the result has no JSON form"}`)
	}
	return b
}

type envelope struct {
	Status  Status `json:"status"`
	Tool    string `json:"tool"`
	Code    Code   `json:"code,omitzero"`
	Error   string `json:"error,omitzero"`
	Reason  string `json:"reason,omitzero"`
	Message string `json:"message,omitzero"`
}

// IsError reports whether the model should be told, by the flag that its API
// has for it, that the call failed.
func (r *Result) IsError() bool {
	switch r.Status {
	case StatusOK, StatusPartial, StatusPending, StatusSkipped:
		return false
	}
	return true
}
