package llmtest

import (
	"context"
	"encoding/json"
	"errors"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/toolpost/toolpost/llm"
	"github.com/toolpost/toolpost/tool"
)

// A Wire is what [Run] needs to know of an adapter: how to make one for a
// server, and how its API tells a reply and a refusal.
type Wire struct {
	New    func(baseURL string) llm.Provider
	Reply  func(Turn) Answer                             // at least four chunks for a Turn with a text and two calls
	Refuse func(status int, kind, message string) Answer // an error in the API's own form
}

// Run is the suite that every adapter passes: replies are joined whole and in
// order, the stop is last, failures are *llm.Error with the right code and
// nothing after them, cuts are told from ends, and to break or to cancel is to
// give the request up.
func Run(t *testing.T, w Wire) {
	turn := Turn{Text: "I read both files: ünï 🎉.", Usage: true, Calls: []Call{
		{ID: "AbCdEfGh1", Name: "read_file", Args: `{"path":"a.txt","n":[1,{"x":"}"}]}`},
		{ID: "AbCdEfGh2", Name: "read_file", Args: `{"path":"b.txt"}`},
	}}
	k := kit{w: w, turn: turn}
	t.Run("a reply is joined whole and in order", k.whole)
	t.Run("the start is first and the stop is last", k.order)
	t.Run("the request is left as it was", k.untouched)
	t.Run("failures have codes", k.codes)
	t.Run("a cut is not an end", k.cut)
	t.Run("to break is to give up", k.breaks)
	t.Run("to cancel is to give up", k.cancels)
	t.Run("many ask at once", k.many)
}

type kit struct {
	w    Wire
	turn Turn
}

func (k kit) serve(t *testing.T, answers ...Answer) (llm.Provider, *Server) {
	t.Helper()
	s := NewServer(answers...)
	ts := httptest.NewServer(s)
	t.Cleanup(ts.Close)
	return k.w.New(ts.URL), s
}

func request() *llm.Request {
	return &llm.Request{
		Model: "test-model", System: "Be brief.",
		Messages: []llm.Message{llm.User("Read both files.")},
		Tools:    []tool.Spec{{Name: "read_file", Description: "Read a file."}, {Name: "a.dotted/name", Description: "Odd."}},
	}
}

func (k kit) check(t *testing.T, m *llm.Message) {
	t.Helper()
	if m.Text() != k.turn.Text || m.Stop != llm.StopCalls || m.Calls() != len(k.turn.Calls) {
		t.Errorf("got %q, stop %s, %d calls", m.Text(), m.Stop, m.Calls())
		return
	}
	n := 0
	for i := range m.Blocks {
		c := m.Blocks[i].Call
		if c == nil {
			continue
		}
		want := k.turn.Calls[n]
		if c.Tool != want.Name || string(c.Args) != want.Args || c.ID == "" || m.Blocks[i].Broken != nil {
			t.Errorf("call %d: got %s(%s), broken %v", n, c.Tool, c.Args, m.Blocks[i].Broken)
		}
		n++
	}
	if u := m.Usage; u == nil || u.Total() != 120 {
		t.Errorf("got usage %+v, want 120 tokens in all", u)
	}
}

func (k kit) whole(t *testing.T) {
	p, _ := k.serve(t, k.w.Reply(k.turn))
	m, err := Ask(context.Background(), p, request())
	if err != nil {
		t.Fatal(err)
	}
	k.check(t, &m)
}

func (k kit) order(t *testing.T) {
	p, _ := k.serve(t, k.w.Reply(k.turn))
	var kinds []llm.DeltaKind
	for d, err := range p.Stream(context.Background(), request()) {
		if err != nil {
			t.Fatal(err)
		}
		kinds = append(kinds, d.Kind)
	}
	for i, kind := range kinds {
		if (kind == llm.DeltaStart) != (i == 0) || (kind == llm.DeltaStop) != (i == len(kinds)-1) {
			t.Errorf("delta %d of %d is of kind %d", i, len(kinds), kind)
		}
	}
}

func (k kit) untouched(t *testing.T) {
	p, _ := k.serve(t, k.w.Reply(k.turn))
	req := request()
	before, err := json.Marshal(req)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Ask(context.Background(), p, req); err != nil {
		t.Fatal(err)
	}
	if after, err := json.Marshal(req); err != nil || string(after) != string(before) {
		t.Errorf("the request became %s, %v", after, err)
	}
}

func (k kit) codes(t *testing.T) {
	for _, tc := range []struct {
		answer Answer
		code   tool.Code
		retry  bool
	}{
		{k.w.Refuse(401, "authentication_error", "bad key"), tool.CodeUnauthenticated, false},
		{k.w.Refuse(429, "rate_limit_error", "slow down"), tool.CodeUnavailable, true},
		{k.w.Refuse(400, "invalid_request_error", "no such field"), tool.CodeInvalid, false},
		{k.w.Refuse(500, "api_error", "oops"), tool.CodeUnavailable, true},
		{HTML(503), tool.CodeUnavailable, true},
	} {
		p, _ := k.serve(t, tc.answer)
		m, err := Ask(context.Background(), p, request())
		var e *llm.Error
		if !errors.As(err, &e) || e.Code != tc.code || e.Retryable != tc.retry || e.Status != tc.answer.Status {
			t.Errorf("status %d: got %v", tc.answer.Status, err)
		}
		if len(m.Blocks) != 0 || strings.Contains(err.Error(), "<h1>") {
			t.Errorf("status %d: got %v and %v", tc.answer.Status, m.Blocks, err)
		}
	}
}

// cut cuts a reply after each of its chunks but the last.
func (k kit) cut(t *testing.T) {
	whole := k.w.Reply(k.turn)
	for n := range len(whole.Chunks) - 1 {
		p, _ := k.serve(t, whole.Broken(n))
		m, err := Ask(context.Background(), p, request())
		if err == nil { // the rest held nothing that matters
			if m.Stop != llm.StopCalls {
				t.Errorf("cut after %d chunks: stop %s and no error", n, m.Stop)
			}
			continue
		}
		if e := llm.AsError(err); e.Code != tool.CodeUnavailable || !e.Retryable || !m.Broken() {
			t.Errorf("cut after %d chunks: got %v", n, err)
		}
		for i := range m.Blocks {
			if m.Blocks[i].Call != nil && m.Blocks[i].Broken == nil {
				t.Errorf("cut after %d chunks: a call may be run", n)
			}
		}
	}
}

func (k kit) breaks(t *testing.T) {
	p, _ := k.serve(t, k.w.Reply(k.turn).Hanging(3))
	for d := range p.Stream(context.Background(), request()) {
		if d.Kind == llm.DeltaText {
			break
		}
	} // the server hangs: to come out is the proof
}

func (k kit) cancels(t *testing.T) {
	p, _ := k.serve(t, k.w.Reply(k.turn).Hanging(2))
	ctx, cancel := context.WithTimeout(context.Background(), 100*time.Millisecond)
	defer cancel()
	_, err := Ask(ctx, p, request())
	if !errors.Is(err, context.DeadlineExceeded) || llm.AsError(err).Retryable {
		t.Errorf("got %v", err)
	}
}

func (k kit) many(t *testing.T) {
	a := k.w.Reply(k.turn)
	a.Repeat = 100
	p, _ := k.serve(t, a)
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			m, err := Ask(context.Background(), p, request())
			if err != nil {
				t.Error(err)
				return
			}
			k.check(t, &m)
		})
	}
	wg.Wait()
}
