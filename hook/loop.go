package hook

import (
	"cmp"
	"context"
	"crypto/sha256"
	"fmt"
	"slices"
	"sync"

	"github.com/toolpost/toolpost/internal/jsonx"
	"github.com/toolpost/toolpost/tool"
)

// What a Loop does when a field is zero.
const (
	LoopNote    = 3  // the result of the third equal call bears a note
	LoopRefuse  = 5  // the fifth is refused
	LoopEnd     = 8  // the eighth ends the run
	LoopHistory = 30 // calls of a run that are remembered
)

// A Loop keeps a model from making the same call again and again. Two calls are
// the same when tool and canonical arguments are, and a call that is made again
// counts only as long as its outcome stays the same; members that differ without
// meaning (durations, process ids, times, and those of Spec.Volatile) are left
// out. What other calls stand between does not matter, so two calls that take
// turns are found as well; a tool that is polled counts only while nothing
// moves. Counting starts again after a call that was not made before and was
// observed to change a file: to run the tests once more after an edit is work,
// not a loop.
//
// The model is told: from the third time on the result bears a note, from the
// fifth on the call is not made but answered LOOP_DETECTED, and the eighth ends
// the run ([tool.EndsRun]). A call that is refused for a reason for which one of
// the same tool was refused before ends the turn ([tool.EndsTurn]); two refusals
// in one turn (Ref.Turn) are one, for the model had no chance to learn.
//
// State is kept by run; a call without a run is not watched. The zero Loop is
// ready; it is safe for concurrent use.
type Loop struct {
	NoteAt   int // LoopNote if zero
	RefuseAt int // LoopRefuse if zero; at least NoteAt
	EndAt    int // LoopEnd if zero; at least RefuseAt
	History  int // LoopHistory if zero
	Runs     int // how many runs are remembered: 1,024 if zero, the one idle longest is forgotten first

	mu   sync.Mutex
	runs map[string]*watched
	tick uint64
}

// watched is what a Loop knows of one run.
type watched struct {
	used     uint64
	past     []*seen // oldest first
	refusals []refusal
}

// seen is a call that was made or refused.
type seen struct {
	tool    string
	key     [sha256.Size]byte
	outcome [sha256.Size]byte
	done    bool // there is an outcome
	moved   bool // it changed files, and no call like it stands before it
	refused bool // by the guard; it counts as one more of the same
}

// refusal is why a call was blocked.
type refusal struct {
	tool   string
	code   tool.Code
	reason string
	turn   string
}

// Middleware guards the calls of every tool behind it.
func (l *Loop) Middleware(next tool.Handler) tool.Handler {
	return func(ctx context.Context, c *tool.Call) (*tool.Result, error) {
		if c.Run == "" {
			return next(ctx, c)
		}
		s, err := l.enter(c)
		if err != nil {
			return nil, err
		}
		res := tool.Do(ctx, next, c)
		l.leave(c, s, res)
		return res, nil
	}
}

// End forgets a run.
func (l *Loop) End(run string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.runs, run)
}

// limits is NoteAt, RefuseAt and EndAt as they hold.
func (l *Loop) limits() (note, refuse, end int) {
	note = cmp.Or(max(l.NoteAt, 0), LoopNote)
	refuse = max(cmp.Or(max(l.RefuseAt, 0), LoopRefuse), note)
	end = max(cmp.Or(max(l.EndAt, 0), LoopEnd), refuse)
	return note, refuse, end
}

// enter notes that c is about to be made, or refuses it.
func (l *Loop) enter(c *tool.Call) (*seen, error) {
	s := &seen{tool: c.Tool, key: callKey(c)}
	_, refuse, end := l.limits()
	l.mu.Lock()
	defer l.mu.Unlock()
	w := l.run(c.Run)
	n := w.streak(s.key) + 1
	if n >= refuse {
		s.refused = true
	}
	if w.past = append(w.past, s); len(w.past) > cmp.Or(max(l.History, 0), LoopHistory) {
		w.past = slices.Delete(w.past, 0, 1)
	}
	if !s.refused {
		return s, nil
	}
	other := w.partner(s)
	e := &tool.Error{Code: tool.CodeLoop, Message: fmt.Sprintf("this is call %d of %s with the same arguments, and the outcome was the same each time%s; the call was not made. Do something else: change the arguments, use another tool, or say what is in the way", n, c.Tool, takingTurns(other))}
	if n >= end {
		e.Ends = tool.EndsRun
		e.Message = fmt.Sprintf("call %d of %s with the same arguments and the same outcome%s: the run ends here", n, c.Tool, takingTurns(other))
	}
	return nil, e
}

func takingTurns(other string) string {
	if other == "" {
		return ""
	}
	return ", in turn with " + other
}

// leave notes how the call ended, and adds to res what the model should know.
func (l *Loop) leave(c *tool.Call, s *seen, res *tool.Result) {
	outcome := outcomeKey(c.Spec, res)
	note, refuse, end := l.limits()
	l.mu.Lock()
	defer l.mu.Unlock()
	w := l.run(c.Run)
	s.outcome, s.done = outcome, true
	s.moved = changedFiles(res.Effects) && w.first(s)
	if n := w.streak(s.key); n >= note {
		res.Content = append(slices.Clip(res.Content), tool.Content{Type: tool.ContentText, Text: fmt.Sprintf(
			"[note: this was call %d of %s with the same arguments and the same outcome%s. It is refused from the %s time on, and the %s ends the run. Do something else.]",
			n, c.Tool, takingTurns(w.partner(s)), ordinal(refuse), ordinal(end))})
	}
	if res.Status == tool.StatusBlocked && res.Err != nil && res.Err.Code != tool.CodeLoop && res.Err.Ends == "" && w.again(refusal{c.Tool, res.Err.Code, res.Err.Message, c.Turn}) {
		e := *res.Err
		e.Ends = tool.EndsTurn
		res.Err = &e
	}
}

// run is the state of a run. The caller holds mu.
func (l *Loop) run(id string) *watched {
	if l.runs == nil {
		l.runs = map[string]*watched{}
	}
	l.tick++
	w := l.runs[id]
	if w == nil {
		if len(l.runs) >= cmp.Or(max(l.Runs, 0), 1024) {
			l.forget()
		}
		w = &watched{}
		l.runs[id] = w
	}
	w.used = l.tick
	return w
}

// forget drops the run that has been idle longest.
func (l *Loop) forget() {
	oldest, at := "", l.tick+1
	for id, w := range l.runs {
		if w.used < at {
			oldest, at = id, w.used
		}
	}
	delete(l.runs, oldest)
}

// streak is how many of the last calls with this key had one outcome. A call
// that is not done yet has none and does not count.
func (w *watched) streak(key [sha256.Size]byte) int {
	n := 0
	var outcome *[sha256.Size]byte
	for _, s := range slices.Backward(w.past) {
		switch {
		case s.key != key && s.moved:
			return n
		case s.key != key:
		case s.refused:
			n++
		case !s.done:
		case outcome == nil:
			outcome = &s.outcome
			n++
		case *outcome == s.outcome:
			n++
		default:
			return n
		}
	}
	return n
}

// partner is the tool of the one other call that stands between s and the last
// with its key, "" if they are neighbours or there are several.
func (w *watched) partner(s *seen) string {
	var between *seen
	at := slices.Index(w.past, s)
	for i := at - 1; i >= 0; i-- {
		p := w.past[i]
		switch {
		case p.key == s.key && between != nil:
			return between.tool
		case p.key == s.key, between != nil && between.key != p.key:
			return ""
		}
		between = p
	}
	return ""
}

// first reports whether no call like s stands before it.
func (w *watched) first(s *seen) bool {
	return !slices.ContainsFunc(w.past, func(p *seen) bool { return p != s && p.key == s.key })
}

func changedFiles(e *tool.Effects) bool {
	return e != nil && len(e.Created)+len(e.Modified)+len(e.Deleted)+len(e.Renamed) > 0
}

// again notes a refusal and reports whether it was known from an earlier turn.
func (w *watched) again(r refusal) bool {
	for _, old := range w.refusals {
		if old.tool == r.tool && old.code == r.code && old.reason == r.reason {
			return r.turn == "" || old.turn != r.turn
		}
	}
	if w.refusals = append(w.refusals, r); len(w.refusals) > LoopHistory {
		w.refusals = slices.Delete(w.refusals, 0, 1)
	}
	return false
}

// callKey is the SHA-256 of a call's tool and the hash of its canonical
// arguments, which keeps large integers apart.
func callKey(c *tool.Call) [sha256.Size]byte {
	b := append(append(make([]byte, 0, 128), c.Tool...), 0)
	if sum, err := jsonx.Hash(c.Args); err == nil {
		return sha256.Sum256(append(b, sum...))
	}
	return sha256.Sum256(append(b, c.Args...))
}

func ordinal(n int) string {
	end := "th"
	switch {
	case n%100 >= 11 && n%100 <= 13:
	case n%10 == 1:
		end = "st"
	case n%10 == 2:
		end = "nd"
	case n%10 == 3:
		end = "rd"
	}
	return fmt.Sprint(n, end)
}
