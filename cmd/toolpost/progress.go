package main

import (
	"encoding/json"
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
	note   func(string) // where the lines go: stderr
	style  style        // of these lines
	stream bool         // show what running calls print
	diffs  bool         // show what edits change
	pulse  *pulse       // the line of what is waited for; nil if there is none

	calls  map[string]*shown
	order  []*shown
	column int      // of stdout: where the next text begins
	held   []string // text of a reply that may still be discarded, where stdout is no terminal
}

// shown is a call as the teller knows it.
type shown struct {
	n        int
	call     *tool.Call
	result   *tool.Result
	began    time.Time
	seen     string // what it had printed when it told of its progress last
	half     string // of a line that is not whole yet
	streamed bool
}

func newTeller(o *output) *teller {
	return &teller{out: o, note: o.note, style: o.errStyle, calls: map[string]*shown{}, stream: o.verbose > 0, diffs: o.verbose > 0}
}

// hear takes the next event of the run.
func (t *teller) hear(e event.Event) {
	switch e.Type {
	case event.TextDelta:
		t.say(e.Text)
	case event.MessageDone:
		t.release()
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
	case event.ToolLeftOut:
		t.aside(t.style.yellow(clean(e.Message)) + "\n")
	case event.Retry, event.Fallback:
		t.held = nil
		t.aside(t.style.yellow(clean(e.Message)) + "\n")
	default:
	}
}

// say writes the model's text to stdout: at once to a terminal; elsewhere when
// the reply is whole, since one that breaks off is asked for again.
func (t *teller) say(text string) {
	if text == "" || t.out.json() {
		return
	}
	if !terminal(t.out.outFile) {
		t.held = append(t.held, text)
		return
	}
	t.write(text)
}

// release writes the text of a reply that is whole.
func (t *teller) release() {
	t.write(strings.Join(t.held, ""))
	t.held = nil
}

func (t *teller) write(text string) {
	if text == "" {
		return
	}
	text = clean(text)
	t.pulse.clear()
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
	t.pulse.clear()
	if t.column > 0 && terminal(t.out.outFile) {
		t.endLine()
	}
	t.note(s)
}

func (t *teller) scheduled(e event.Event) {
	s := &shown{n: len(t.order) + 1, call: e.Call, began: e.Time}
	t.calls[e.Call.ID] = s
	t.order = append(t.order, s)
}

// progress shows the lines that a running call has printed since it told last.
// It tells the end of what it printed, each time anew.
func (t *teller) progress(e event.Event) {
	s := t.calls[e.Call.ID]
	if s == nil || e.Text == "" {
		return
	}
	fresh := since(s.seen, e.Text)
	s.seen = e.Text
	if !t.stream {
		return
	}
	lines := strings.Split(s.half+fresh, "\n")
	s.half = lines[len(lines)-1]
	for _, l := range lines[:len(lines)-1] {
		s.streamed = true
		t.aside(t.style.faint("     │ "+clean(clip(l, 160))) + "\n")
	}
}

// since is what text has behind the part that was seen: the end of what was
// seen may be its beginning.
func since(seen, text string) string {
	for i := range len(seen) + 1 {
		if strings.HasPrefix(text, seen[i:]) {
			return text[len(seen)-i:]
		}
	}
	return text
}

// finished writes the line of a call: number, tool, arguments, status, time.
func (t *teller) finished(e event.Event) {
	s := t.calls[e.Result.ID]
	if s == nil {
		return
	}
	s.result = e.Result
	t.rest(s)
	t.aside(t.line(s))
	t.body(e, s)
	if e.Result.IsError() && e.Result.Err != nil {
		t.aside("   ╰ " + clean(clip(e.Result.Err.Message, 160)) + "\n")
	}
}

// rest shows what a command printed after it told of its progress last.
func (t *teller) rest(s *shown) {
	if !t.stream || s.result.Tool != "exec_shell" {
		return
	}
	all := outputOf(s.result)
	i := strings.LastIndex(all, s.seen)
	if i < 0 {
		return
	}
	for line := range strings.Lines(s.half + all[i+len(s.seen):]) {
		s.streamed = true
		t.aside(t.style.faint("     │ "+clean(clip(line, 160))) + "\n")
	}
}

// body shows the diff of an edit and the last lines of a command.
func (t *teller) body(e event.Event, s *shown) {
	if d := diffOf(e.Result); d != "" && t.diffs {
		t.aside(colorDiff(t.style, indent(clean(clipLines(d, 24)), "     ")))
	}
	if a := e.Result.Artifact; a != nil {
		t.aside(t.style.faint(fmt.Sprintf("   ╰ %s in all, %s of it for the model · all: toolpost runs show %s %d --output", bytesText(a.Bytes), bytesText(int64(len(textOf(e.Result)))), shortID(e.Run), s.n)) + "\n")
	}
	if e.Result.Tool != "exec_shell" || s.streamed || !e.Result.OK() {
		return
	}
	lines := commandLines(e.Result)
	if len(lines) < 2 {
		return
	}
	head := fmt.Sprintf("   ╰ %d lines, showing last 2 · all: toolpost runs show %s %d --output\n", len(lines), shortID(e.Run), s.n)
	for _, l := range lines[len(lines)-2:] {
		head += "     " + clean(clip(l, 100)) + "\n"
	}
	t.aside(t.style.faint(head))
}

// outputOf is what a command printed.
func outputOf(r *tool.Result) string {
	var d struct {
		Output string `json:"output"`
	}
	if json.Unmarshal(r.Data, &d) != nil {
		return ""
	}
	return d.Output
}

// commandLines is the lines that a command printed.
func commandLines(r *tool.Result) []string {
	text := strings.TrimRight(outputOf(r), "\n")
	if strings.TrimSpace(text) == "" {
		return nil
	}
	return strings.Split(text, "\n")
}

// colorDiff colours the lines of a unified diff.
func colorDiff(st style, d string) string {
	if !st {
		return d
	}
	var b strings.Builder
	for line := range strings.Lines(d) {
		text := strings.TrimSuffix(line, "\n")
		switch trimmed := strings.TrimSpace(text); {
		case strings.HasPrefix(trimmed, "+"):
			text = st.green(text)
		case strings.HasPrefix(trimmed, "-"):
			text = st.red(text)
		}
		b.WriteString(text + "\n")
	}
	return b.String()
}

func (t *teller) line(s *shown) string {
	st := t.style
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
