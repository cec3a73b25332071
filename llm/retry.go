package llm

import (
	"context"
	"iter"
	"math/rand/v2"
	"time"
)

// Defaults of a Retry.
const (
	DefaultRetries   = 5
	DefaultRetryBase = 500 * time.Millisecond
	DefaultRetryCap  = 30 * time.Second
	DefaultRetryWait = 2 * time.Minute
)

// A Retry is a Provider that asks another one again when that may help: after an
// [Error] that is Retryable, and, unless Discard is set, only while nothing but
// the start of the reply has come, so nothing is said twice. It waits as long as the server wishes,
// else a random time up to Base, doubled with each attempt and bounded by Cap
// (exponential backoff with full jitter). The zero values of its fields mean the
// defaults. Its fields are not changed once it is in use; many goroutines may
// use it then.
type Retry struct {
	Provider Provider
	Max      int           // retries after the first attempt; DefaultRetries if zero, none if negative
	Base     time.Duration //
	Cap      time.Duration //
	MaxWait  time.Duration // a server that wishes for more is not waited for

	// Discard has a reply that broke in the middle asked for again, too. A
	// DeltaReset then says that what came before it is void; it is for listeners
	// that heed it, as a [Reply] does.
	Discard bool

	Report func(context.Context, Notice) // told before each wait; see also WithNotices
	Rand   func() float64                // in [0,1); math/rand if nil
}

// Stream implements Provider.
func (r *Retry) Stream(ctx context.Context, req *Request) iter.Seq2[Delta, error] {
	return func(yield func(Delta, error) bool) {
		for attempt := 1; ; attempt++ {
			shown, err := pass(r.Provider.Stream(ctx, req), yield)
			if err == nil {
				return
			}
			e := AsError(err)
			wait, again := r.again(e, attempt)
			if shown && !r.Discard || !again || ctx.Err() != nil {
				yield(Delta{}, counted(err, e, attempt))
				return
			}
			if shown && !yield(Delta{Kind: DeltaReset}, nil) {
				return
			}
			report(ctx, r.Report, Notice{Kind: NoticeRetry, Attempt: attempt + 1, Wait: wait, Err: e})
			if err := sleep(ctx, wait); err != nil {
				yield(Delta{}, err)
				return
			}
		}
	}
}

// pass hands a stream on up to its error, which is nil at its end and when nobody
// listens any more, and tells whether anything of the reply was shown.
func pass(s iter.Seq2[Delta, error], yield func(Delta, error) bool) (shown bool, err error) {
	for d, e := range s {
		if e != nil {
			err = e
			break
		}
		shown = d.Kind != DeltaReset && (shown || d.Kind != DeltaStart && d.Kind != DeltaUsage)
		if !yield(d, nil) {
			return true, nil
		}
	}
	return shown, err
}

// again is whether and after which wait to ask once more.
func (r *Retry) again(e *Error, attempt int) (time.Duration, bool) {
	most := orDefault(r.Max, DefaultRetries)
	if e.Type == ToolUseFailed {
		most = min(most, 1)
	}
	if !e.Retryable || attempt > most {
		return 0, false
	}
	if e.RetryAfter > 0 {
		return e.RetryAfter, e.RetryAfter <= orDefault(r.MaxWait, DefaultRetryWait)
	}
	ceiling := orDefault(r.Cap, DefaultRetryCap)
	if d := orDefault(r.Base, DefaultRetryBase) << min(attempt-1, 20); d > 0 && d < ceiling {
		ceiling = d
	}
	random := r.Rand
	if random == nil {
		random = rand.Float64
	}
	return time.Duration(random() * float64(ceiling)), true
}

func orDefault[T ~int | ~int64](v, def T) T {
	if v == 0 {
		return def
	}
	return v
}

// counted is err with the number of attempts, if there were several.
func counted(err error, e *Error, attempts int) error {
	if attempts == 1 {
		return err
	}
	d := *e
	d.Attempts = attempts
	return &d
}

func sleep(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
