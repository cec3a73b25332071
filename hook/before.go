package hook

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/toolpost/toolpost/internal/jsonx"
	"github.com/toolpost/toolpost/tool"
)

// Before runs hooks before a call: one after another, the higher priority
// first, equals in the order of Hooks. Each sees the arguments as those before
// it left them. The fields are not changed once a call was made; the method may
// be called from many goroutines.
type Before struct {
	Hooks []Hook
	// Asker puts a question to a person and waits for the answer, for which it
	// has until its context ends. Without one, a call that a hook wants to ask
	// about is blocked.
	Asker func(context.Context, *tool.Call, Question) (Answer, error)

	once    sync.Once
	ordered []Hook
}

// A Hook is a function that is heard before a call is made. If it returns an
// error, panics or is not done in time, the call is blocked.
type Hook struct {
	Name     string
	Priority int
	Timeout  time.Duration // DefaultTimeout if zero, at most MaxTimeout
	Fn       func(context.Context, *tool.Call) (Verdict, error)
}

// A Verdict is what a hook wants of a call. The zero Verdict is no opinion: it
// does not undo another hook's.
type Verdict struct {
	Args   json.RawMessage // an object whose members replace those of the arguments
	Block  bool            // the call is not made, and no further hook is asked
	Reason string          // for the model, when Block is set
	Ask    *Question       // the first of all hooks' is put to a person when all were heard
}

// A Question is what a person is asked before a call is made.
type Question struct {
	Title       string
	Description string
	Severity    Severity      // SeverityInfo if empty
	Timeout     time.Duration // DefaultQuestion if zero, at most MaxTimeout
	OnTimeout   Answer        // Allowed lets the call through when nobody answers; anything else does not
	Hook        string        // who asks; filled in by Before
}

// Severity says how much a question matters.
type Severity string

// Severities.
const (
	SeverityInfo     Severity = "info"
	SeverityWarning  Severity = "warning"
	SeverityCritical Severity = "critical"
)

// An Answer is what came of a question. Any that is not one of the constants
// blocks the call.
type Answer string

// Answers.
const (
	Allowed   Answer = "allowed"
	Denied    Answer = "denied"
	Expired   Answer = "expired"
	Cancelled Answer = "cancelled"
)

// Middleware hears the hooks, then asks, then passes the call on with the
// arguments that the hooks made. A block is a POLICY_DENIED error; a person's no
// is APPROVAL_DENIED, silence APPROVAL_EXPIRED, a withdrawn question CANCELLED.
func (b *Before) Middleware(next tool.Handler) tool.Handler {
	b.once.Do(func() {
		b.ordered = slices.Clone(b.Hooks)
		slices.SortStableFunc(b.ordered, func(x, y Hook) int { return cmp.Compare(y.Priority, x.Priority) })
	})
	if len(b.ordered) == 0 {
		return next
	}
	return func(ctx context.Context, c *tool.Call) (*tool.Result, error) {
		question, err := b.hear(ctx, c)
		if err != nil {
			return nil, err
		}
		if question != nil {
			if err := b.ask(ctx, c, *question); err != nil {
				return nil, err
			}
		}
		return next(ctx, c)
	}
}

// hear asks every hook for its verdict, until one blocks.
func (b *Before) hear(ctx context.Context, c *tool.Call) (*Question, error) {
	var question *Question
	changed := ""
	for i := range b.ordered {
		h := &b.ordered[i]
		v, err := h.verdict(ctx, c)
		switch {
		case err != nil:
			return nil, err
		case v.Block:
			return nil, tool.Errorf(tool.CodeDenied, "%s", cmp.Or(v.Reason, fmt.Sprintf("blocked by the hook %q", h.Name)))
		}
		if len(v.Args) > 0 {
			args, err := merge(c.Args, v.Args)
			if err != nil {
				return nil, tool.Errorf(tool.CodeDenied, "the hook %q returned arguments that cannot be merged, so the call is blocked: %w", h.Name, err)
			}
			c.Args, changed = args, h.Name
		}
		if v.Ask != nil && question == nil {
			q := *v.Ask
			q.Hook = h.Name
			question = &q
		}
	}
	if changed != "" {
		return question, refit(c, changed)
	}
	return question, nil
}

// verdict is what h says of c; an error says that the call is blocked.
func (h *Hook) verdict(ctx context.Context, c *tool.Call) (Verdict, error) {
	if h.Fn == nil {
		return Verdict{}, tool.Errorf(tool.CodeDenied, "the hook %q has no function, so the call is blocked", h.Name)
	}
	d := period(h.Timeout, DefaultTimeout)
	var v Verdict
	err := bounded(ctx, c, d, func(ctx context.Context, own *tool.Call) error {
		own.Args = slices.Clone(own.Args)
		got, err := h.Fn(ctx, own)
		if err == nil {
			v = got
		}
		return err
	})
	switch {
	case err == nil:
		return v, nil
	case ctx.Err() != nil:
		return Verdict{}, ctx.Err()
	case overran(err):
		return Verdict{}, tool.Errorf(tool.CodeDenied, "the hook %q was not done within %s, so the call is blocked", h.Name, d)
	}
	return Verdict{}, tool.Errorf(tool.CodeDenied, "the hook %q failed, so the call is blocked: %s", h.Name, tool.AsError(err).Message)
}

// merge is the members of args with those of patch in their place.
func merge(args, patch json.RawMessage) (json.RawMessage, error) {
	var into, from map[string]json.RawMessage
	if err := jsonx.Unmarshal(patch, &from); err != nil {
		return nil, fmt.Errorf("read the hook's arguments: %w", err)
	}
	if from == nil {
		return nil, fmt.Errorf("the hook's arguments are not an object")
	}
	if len(args) > 0 {
		if err := jsonx.Unmarshal(args, &into); err != nil {
			return nil, fmt.Errorf("read the call's arguments: %w", err)
		}
	}
	if into == nil {
		into = make(map[string]json.RawMessage, len(from))
	}
	for k, v := range from {
		into[k] = v
	}
	return jsonx.Marshal(into)
}

// refit holds arguments that a hook changed to the tool's schema, so that nobody
// is asked about a call that cannot run.
func refit(c *tool.Call, hook string) error {
	if c.Spec == nil {
		return nil
	}
	f, err := c.Spec.Input.Fit(c.Args)
	if err != nil {
		return tool.Errorf(tool.CodeInvalid, "the hook %q made the arguments of %s invalid: %w", hook, c.Tool, err)
	}
	c.Args = f.Doc
	return nil
}

// ask puts q to a person; nil lets the call through.
func (b *Before) ask(ctx context.Context, c *tool.Call, q Question) error {
	what := strings.TrimSpace(q.Title)
	if b.Asker == nil {
		return tool.Errorf(tool.CodeDenied, "the hook %q wants a person to approve this call, and there is nobody to ask: %s", q.Hook, what)
	}
	q.Severity = cmp.Or(q.Severity, SeverityInfo)
	q.Timeout = period(q.Timeout, DefaultQuestion)
	tool.Notify(ctx, tool.Note{Kind: tool.NoteWaiting, Call: c, Message: "waiting for approval: " + what})
	var given Answer
	err := bounded(ctx, c, q.Timeout, func(ctx context.Context, own *tool.Call) error {
		a, err := b.Asker(ctx, own, q)
		if err == nil {
			given = a
		}
		return err
	})
	answer := Expired
	switch {
	case err == nil:
		answer = given
	case ctx.Err() != nil:
		return ctx.Err()
	case !overran(err):
		return tool.Errorf(tool.CodeDenied, "nobody could be asked to approve this call, so it is blocked: %s", tool.AsError(err).Message)
	}
	if answer == Expired && q.OnTimeout == Allowed {
		answer = Allowed
	}
	switch answer {
	case Allowed:
		return nil
	case Expired:
		return tool.Errorf(tool.CodeApprovalExpired, "nobody answered within %s: %s", q.Timeout, what)
	case Cancelled:
		return tool.Errorf(tool.CodeCancelled, "the question was withdrawn: %s", what)
	}
	return tool.Errorf(tool.CodeApprovalDenied, "a person denied this call: %s", what)
}
