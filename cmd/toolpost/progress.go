package main

import (
	"fmt"
	"strings"
	"time"

	"github.com/toolpost/toolpost/event"
	"github.com/toolpost/toolpost/tool"
)

// A teller shows a run as it goes on: text on stdout, a line for each call on
// stderr. It belongs to the goroutine that ranges over the run.
type teller struct {
	out    *output
	stream bool // show what running calls print

	calls  map[string]*shown
	order  []*shown
	column int  // of stdout: where the next text begins
	said   bool // the turn has had text
}

// shown is a call as the teller knows it.
type shown struct {
	n        int
	call     *tool.Call
	result   *tool.Result
	began    time.Time
	tail     []string // the last lines that it printed
	lines    int
	half     string // a line without its end yet
	streamed bool
}

func newTeller(o *output) *teller {
	return &teller{out: o, calls: map[string]*shown{}, stream: o.verbose > 0}
}

// hear takes the next event of the run.
func (t *teller) hear(e event.Event) {
	switch e.Type {
	case event.TextDelta:
		t.say(e.Text)
	case event.MessageDone:
		t.endLine()
	case event.StepScheduled:
		t.scheduled(e)
	case event.StepStarted:
		if s := t.calls[e.Call.ID]; s != nil {
			s.call, s.began = e.Call, e.Time
		}
	case event.StepProgress:
		t.progress(e)
	case event.StepFinished, event.StepFailed:
		t.finished(e)
	case event.Retry, event.Fallback:
		t.aside(t.out.errStyle.yellow(clean(e.Message)) + "\n")
	default:
	}
}

// say writes the model's text to stdout at once.
func (t *teller) say(text string) {
	if text == "" || t.out.json() {
		return
	}
	text = clean(text)
	t.out.styled(text)
	if i := strings.LastIndexByte(text, '\n'); i >= 0 {
		t.column = len(text) - i - 1
	} else {
		t.column += len(text)
	}
	_ = t.out.flush() // the run is told of a broken stdout by p.out.broken
}

// endLine begins a new line of stdout, if there is text on this one.
func (t *teller) endLine() {
	if t.column > 0 {
		t.out.styled("\n")
		t.column = 0
		_ = t.out.flush()
	}
}

// aside writes a line to stderr, on a line of its own where both are one
// terminal.
func (t *teller) aside(s string) {
	if t.column > 0 && terminal(t.out.outFile) {
		t.endLine()
	}
	t.out.note(s)
}

func (t *teller) scheduled(e event.Event) {
	s := &shown{n: len(t.order) + 1, call: e.Call, began: e.Time}
	t.calls[e.Call.ID] = s
	t.order = append(t.order, s)
}

func (t *teller) progress(e event.Event) {
	s := t.calls[e.Call.ID]
	if s == nil || e.Text == "" {
		return
	}
	lines := strings.Split(s.half+e.Text, "\n")
	s.half = lines[len(lines)-1]
	for _, l := range lines[:len(lines)-1] {
		s.lines++
		s.tail = append(s.tail, l)
		if len(s.tail) > 2 {
			s.tail = s.tail[1:]
		}
		if t.stream {
			s.streamed = true
			t.aside(t.out.errStyle.faint("     │ "+clean(clip(l, 160))) + "\n")
		}
	}
}

// finished writes the line of a call: number, tool, arguments, status, time.
func (t *teller) finished(e event.Event) {
	s := t.calls[e.Result.ID]
	if s == nil {
		return
	}
	s.result = e.Result
	t.aside(t.line(s))
	if s.half != "" && s.lines > 0 {
		s.lines++
		s.tail = append(s.tail, s.half)
	}
	if s.lines > 1 && !s.streamed && e.Result.Tool == "exec_shell" {
		t.aside(t.out.errStyle.faint(fmt.Sprintf("   ╰ %d lines, showing last %d · all: toolpost runs show %s %d --output", s.lines, min(len(s.tail), 2), shortID(e.Run), s.n)) + "\n")
		for _, l := range s.tail[max(len(s.tail)-2, 0):] {
			t.aside(t.out.errStyle.faint("     "+clean(clip(l, 100))) + "\n")
		}
	}
	if e.Result.IsError() && e.Result.Err != nil {
		t.aside("   ╰ " + clean(clip(e.Result.Err.Message, 160)) + "\n")
	}
}

func (t *teller) line(s *shown) string {
	st := t.out.errStyle
	args := shortArgs(s.call.Args)
	if c := change(s.result); c != "" {
		args += "  " + c
	}
	width := max(min(t.out.width(t.out.errFile), 100)-44, 16)
	word := statusWord(s.result)
	padded := fmt.Sprintf("%-10s", word)
	switch {
	case s.result.OK():
		padded = st.green(padded)
	case s.result.Status == tool.StatusBlocked:
		padded = st.yellow(padded)
	case s.result.IsError():
		padded = st.red(padded)
	}
	took := "—"
	if !s.result.Started.IsZero() && s.result.Duration() >= 0 {
		took = duration(s.result.Duration())
	}
	return fmt.Sprintf("%2d %-15s %-*s %s %s\n", s.n, clean(clip(s.result.Tool, 24)), width, clean(clip(args, width)), padded, took)
}
