package llm_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/toolpost/toolpost/llm"
	"github.com/toolpost/toolpost/llm/llmtest"
	"github.com/toolpost/toolpost/tool"
)

// failing fails with each of errs in turn, then says "fine".
func failing(errs ...error) llmtest.Fake {
	return func(_ context.Context, req *llm.Request, say func(llm.Delta) bool) error {
		say(llm.Delta{Kind: llm.DeltaStart, Model: req.Model})
		if len(errs) > 0 {
			err := errs[0]
			errs = errs[1:]
			return err
		}
		say(llm.Delta{Kind: llm.DeltaText, Text: "fine"})
		say(llm.Delta{Kind: llm.DeltaStop, Stop: llm.StopEnd})
		return nil
	}
}

func busy() error { return &llm.Error{Code: tool.CodeUnavailable, Retryable: true, Message: "busy"} }

func ExampleRetry() {
	p := &llm.Retry{Provider: failing(busy()), Base: time.Millisecond, Report: func(_ context.Context, n llm.Notice) {
		fmt.Println(n.Kind, n.Attempt, n.Err)
	}}
	msg, err := llmtest.Ask(context.Background(), p, &llm.Request{})
	fmt.Println(msg.Text(), err)
	// Output:
	// retry 2 model: busy; try again later
	// fine <nil>
}

func TestRetryWaitsAsItShould(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		hint := &llm.Error{Code: tool.CodeUnavailable, Retryable: true, RetryAfter: 7 * time.Second}
		var waits []time.Duration
		p := &llm.Retry{Provider: failing(busy(), hint, busy(), busy(), busy()), Rand: func() float64 { return 0.5 }, Report: func(_ context.Context, n llm.Notice) {
			waits = append(waits, n.Wait)
		}}
		start := time.Now()
		if _, err := llmtest.Ask(context.Background(), p, &llm.Request{}); err != nil {
			t.Fatal(err)
		}
		want := []time.Duration{250 * time.Millisecond, 7 * time.Second, time.Second, 2 * time.Second, 4 * time.Second}
		if diff := cmp.Diff(want, waits); diff != "" {
			t.Error(diff)
		}
		if d := time.Since(start); d != 14250*time.Millisecond {
			t.Errorf("took %v", d)
		}
	})
}

func TestANoticeTellsItsReasonInJSON(t *testing.T) {
	b, err := json.Marshal(llm.Notice{Kind: llm.NoticeRetry, Attempt: 2, Wait: 1500 * time.Millisecond, Err: llm.AsError(busy())})
	if want := `{"kind":"retry","attempt":2,"waitMs":1500,"code":"UNAVAILABLE","error":"model: busy; try again later"}`; err != nil || string(b) != want {
		t.Errorf("got %s, %v", b, err)
	}
}

func TestRetryGivesUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		badCall := &llm.Error{Code: tool.CodeInvalid, Type: llm.ToolUseFailed, Retryable: true}
		for name, tc := range map[string]struct {
			errs     []error
			attempts int
		}{
			"after six attempts":              {[]error{busy(), busy(), busy(), busy(), busy(), busy(), busy()}, 6},
			"at once when it cannot help":     {[]error{&llm.Error{Code: tool.CodeUnauthenticated}}, 0},
			"when the wait would be too long": {[]error{&llm.Error{Code: tool.CodeUnavailable, Retryable: true, RetryAfter: time.Hour}}, 0},
			"after one retry of a bad call":   {[]error{badCall, badCall, badCall}, 2},
		} {
			_, err := llmtest.Ask(context.Background(), &llm.Retry{Provider: failing(tc.errs...)}, &llm.Request{})
			var e *llm.Error
			if !errors.As(err, &e) || e.Attempts != tc.attempts {
				t.Errorf("%s: got %v", name, err)
			}
		}
	})
}

func TestRetryNeverSaysAnythingTwice(t *testing.T) {
	for _, d := range []llm.Delta{{Kind: llm.DeltaText, Text: "x"}, {Kind: llm.DeltaThinking, Text: "x"}, {Kind: llm.DeltaCall, Name: "f"}, {Kind: llm.DeltaOpaque}} {
		asked := 0
		p := &llm.Retry{Provider: llmtest.Fake(func(_ context.Context, _ *llm.Request, say func(llm.Delta) bool) error {
			asked++
			say(d)
			return busy()
		})}
		if _, err := llmtest.Ask(context.Background(), p, &llm.Request{}); err == nil || asked != 1 {
			t.Errorf("%v: asked %d times, %v", d.Kind, asked, err)
		}
	}
}

func TestAReplyThatBrokeIsDiscardedWhereThatIsAllowed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		asked := 0
		breaks := llmtest.Fake(func(_ context.Context, _ *llm.Request, say func(llm.Delta) bool) error {
			say(llm.Delta{Kind: llm.DeltaStart})
			say(llm.Delta{Kind: llm.DeltaText, Text: fmt.Sprint("try ", asked)})
			say(llm.Delta{Kind: llm.DeltaCall, Name: "f", Text: "{}"})
			if asked++; asked%3 != 0 {
				return busy()
			}
			say(llm.Delta{Kind: llm.DeltaStop, Stop: llm.StopCalls})
			return nil
		})
		msg, err := llmtest.Ask(context.Background(), &llm.Retry{Provider: breaks, Discard: true}, &llm.Request{})
		if err != nil || msg.Text() != "try 2" || msg.Calls() != 1 || msg.Stop != llm.StopCalls {
			t.Errorf("got %q, %d calls, %v", msg.Text(), msg.Calls(), err)
		}
		p := &llm.Pipeline{Retry: llm.Retry{Max: -1, Discard: true}, Models: []llm.Model{{Provider: breaks}, {Provider: breaks}, {Provider: breaks}}}
		if msg, err = llmtest.Ask(context.Background(), p, &llm.Request{}); err != nil || msg.Text() != "try 5" {
			t.Errorf("got %q, %v", msg.Text(), err)
		}
	})
}

func TestRetryEndsWithItsContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(context.Background(), time.Second)
		defer cancel()
		p := &llm.Retry{Provider: failing(busy(), busy()), Base: time.Hour, Cap: time.Hour, Rand: func() float64 { return 1 }}
		if _, err := llmtest.Ask(ctx, p, &llm.Request{}); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("got %v", err)
		}
	})
}

func ExamplePipeline() {
	p := &llm.Pipeline{
		Name: "default",
		Models: []llm.Model{
			{Provider: failing(&llm.Error{Provider: "big", Code: tool.CodeUnavailable, Message: "down"}), Name: "big"},
			{Provider: failing(), Name: "small"},
		},
	}
	ctx := llm.WithNotices(context.Background(), func(n llm.Notice) { fmt.Println(n.Kind, "from", n.From, "to", n.To) })
	msg, err := llmtest.Ask(ctx, p, &llm.Request{})
	fmt.Println(msg.Model, msg.Text(), err)
	// Output:
	// fallback from big to small
	// small fine <nil>
}

func TestPipelineFallsBackOnlyWhereItHelps(t *testing.T) {
	full := &llm.Error{Code: tool.CodeLimit, Overflow: true, Message: "too long"}
	for _, tc := range []struct {
		name string
		err  error
		to   string
	}{
		{"unavailable", &llm.Error{Code: tool.CodeUnavailable}, "second"},
		{"a full context goes to a larger one", full, "third"},
		{"wrong credentials are not hidden", &llm.Error{Code: tool.CodeUnauthenticated}, ""},
		{"a refused request is not hidden", &llm.Error{Code: tool.CodeInvalid}, ""},
		{"cancelling ends it", context.Canceled, ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			p := &llm.Pipeline{Models: []llm.Model{
				{Provider: failing(tc.err), Name: "first", Context: 100}, {Provider: failing(), Name: "second", Context: 50}, {Provider: failing(), Name: "third", Context: 1000}}}
			msg, err := llmtest.Ask(context.Background(), p, &llm.Request{Model: "asked"})
			if tc.to == "" && !errors.Is(err, tc.err) || tc.to != "" && (err != nil || msg.Model != tc.to) {
				t.Errorf("got %s, %v", msg.Model, err)
			}
		})
	}
}

func TestAPipelineThatFailsNamesAllModels(t *testing.T) {
	p := &llm.Pipeline{Name: "p", Models: []llm.Model{
		{Provider: failing(&llm.Error{Provider: "a", Code: tool.CodeUnavailable, Message: "down"})},
		{Provider: failing(&llm.Error{Provider: "b", Code: tool.CodeLimit, Overflow: true, Message: "full"})},
	}}
	_, err := llmtest.Ask(context.Background(), p, &llm.Request{})
	if e := llm.AsError(err); e.Code != tool.CodeLimit || !strings.Contains(err.Error(), "model a: down") || !strings.Contains(err.Error(), "model b: full") {
		t.Errorf("got %v", err)
	}
	if _, err := llmtest.Ask(context.Background(), &llm.Pipeline{Name: "none"}, &llm.Request{}); tool.AsError(err).Code != tool.CodeInvalid {
		t.Errorf("got %v", err)
	}
}

func TestMiddlewareStandsAroundThePipeline(t *testing.T) {
	var seen []string
	mw := func(name string) llm.Middleware {
		return func(next llm.Provider) llm.Provider {
			return streamFunc(func(ctx context.Context, req *llm.Request) iter.Seq2[llm.Delta, error] {
				seen = append(seen, name)
				return next.Stream(ctx, req)
			})
		}
	}
	p := &llm.Pipeline{Models: []llm.Model{{Provider: failing()}}, Use: []llm.Middleware{mw("outer"), mw("inner")}}
	if _, err := llmtest.Ask(context.Background(), p, &llm.Request{}); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"outer", "inner"}, seen); diff != "" {
		t.Error(diff)
	}
}

type streamFunc func(context.Context, *llm.Request) iter.Seq2[llm.Delta, error]

func (f streamFunc) Stream(ctx context.Context, req *llm.Request) iter.Seq2[llm.Delta, error] {
	return f(ctx, req)
}
