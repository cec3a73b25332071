package agent

import (
	"context"
	"log/slog"
	"time"

	"github.com/toolpost/toolpost/event"
	"github.com/toolpost/toolpost/llm"
	"github.com/toolpost/toolpost/tool"
)

// DefaultMaxTurns is how often a model is asked in one run where nothing else is
// said (seed 001's max_tool_iterations).
const DefaultMaxTurns = 20

// A Loop drives a model and its tools. Its fields are not changed while it runs;
// one Loop may drive many runs at once, each with a session of its own, if its
// channels are nil.
type Loop struct {
	Provider llm.Provider
	Tools    tool.Set    // nil if there are none
	Request  llm.Request // what each request starts from; Messages and Tools are filled in

	MaxTurns int // requests to the model in one run: DefaultMaxTurns if zero
	Parallel int // calls of one message that run at once: 16 if zero
	Limits   Limits

	// Inbox is what people say while the run goes on; it is put in before the
	// next request, by Drain. FollowUps is put in when the run would end. Neither
	// is read to its end; both may be nil.
	Inbox     <-chan llm.Message
	FollowUps <-chan llm.Message
	Drain     Drain

	// Window is the model's context in tokens; zero turns the budget off. Above
	// three quarters of it old results are replaced by a line, above nine tenths
	// Summarise makes one message of the older ones, or the run ends.
	Window    int
	Summarise func(ctx context.Context, older []llm.Message) (llm.Message, error)

	ID    string       // of the run; a fresh one if empty
	Agent string       // stands in every call
	Facts any          // payload of run.started
	Log   *slog.Logger // seed 001's messages at Debug; none if nil
}

// Limits ends a run that goes on for too long. Zero fields are no limits.
type Limits struct {
	Calls  int           // tool calls
	Tokens int64         // as the provider counts them
	Money  float64       // as Price counts it
	Wall   time.Duration // from the start of the run

	// Price is what a request cost, in the unit of Money; nil costs nothing.
	Price func(llm.Usage) float64
}

// Drain says how much of the inbox is put in at a time.
type Drain int

// Ways to drain an inbox.
const (
	DrainOne Drain = iota // one message before each request
	DrainAll              // all that have arrived
)

// A Session is what the loop needs of a conversation. The loop persists through
// it and nowhere else. Messages is asked for before every request, so it is to
// be cheap; the slice it returns stays as it is when more is appended.
type Session interface {
	Messages() []llm.Message
	Append(ctx context.Context, msgs ...llm.Message) error
}

// An Outcome is how a run ended: the payload of its last event, run.finished.
type Outcome struct {
	Status Status    `json:"status"`
	Text   string    `json:"text"` // of the last message of the model
	Turns  int       `json:"turns"`
	Calls  int       `json:"calls"`
	OK     int       `json:"ok"`
	Failed int       `json:"failed"` // errors, timeouts, cancelled and skipped calls
	Denied int       `json:"denied"` // blocked by a rule, a hook or a person
	Open   int       `json:"open"`   // failures that no later call made good
	Usage  llm.Usage `json:"usage"`  //
	Money  float64   `json:"money"`  //
	Millis int64     `json:"durationMs"`
	Code   tool.Code `json:"code,omitzero"`  // of the error that ended it
	Error  string    `json:"error,omitzero"` // and its text
}

// Status says how a run ended.
type Status string

// Ways to end. A run that is refused or has a failure left open has an answer
// all the same.
const (
	StatusOK        Status = "ok"
	StatusOpen      Status = "tool_error" // a failed call was not made good
	StatusRefused   Status = "refused"    // a call was blocked
	StatusPending   Status = "pending"    // calls are for somebody else to run
	StatusLimit     Status = "limit"
	StatusCancelled Status = "cancelled"
	StatusFailed    Status = "failed"
)

// Run is the events of one run over s, from run.started to run.finished. The
// last message of s is the question; if there is none the model is asked all the
// same. A run that fails yields its error after run.finished: a *tool.Error or
// *llm.Error with a code.
func (l *Loop) Run(ctx context.Context, s Session) event.Stream {
	id := l.ID
	if id == "" {
		id = tool.NewID()
	}
	return event.Go(ctx, id, func(ctx context.Context, r *event.Run) error {
		x := &run{Loop: l, session: s, out: r, began: time.Now()}
		x.outcome.Status, x.keep = StatusOK, context.WithoutCancel(ctx)
		if l.Tools != nil {
			x.tools = l.Tools.Call
		}
		if l.Limits.Wall > 0 {
			var cancel context.CancelFunc
			ctx, cancel = context.WithTimeoutCause(ctx, l.Limits.Wall,
				tool.Errorf(tool.CodeLimit, "the run took longer than its limit of %s", l.Limits.Wall))
			defer cancel()
		}
		x.take = x.taker(ctx)
		r.Emit(event.Event{Type: event.RunStarted, Payload: l.Facts})
		return x.finish(ctx, x.turns(ctx))
	})
}
