package main

import (
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/toolpost/toolpost/audit"
)

// A waterfall draws a run in text: a row for each turn and each call, with ▒ for
// what was queued, ░ for what waited for a person, █ for what ran and × for what
// failed.
type waterfall struct {
	out   *output
	view  *audit.View
	quiet bool // without the heading and the next steps

	begin time.Time
	span  time.Duration
	left  int // columns of the names
	bars  int // columns of the bars
}

func (w *waterfall) draw() {
	v := w.view
	w.begin = v.Started
	w.span = max(w.ended().Sub(w.begin), time.Millisecond)
	total := max(min(w.out.width(w.out.outFile), 160), 60)
	w.left = min(max(total*34/100, 26), 44)
	w.bars = max(total-w.left-30, 16)
	if !w.quiet {
		w.heading()
	}
	w.scale()
	for _, c := range v.Calls {
		if c.Turn == 0 && len(v.Turns) == 0 { // of a plan, or of a door
			w.call("", c)
		}
	}
	for _, t := range v.Turns {
		w.turn(t)
	}
	w.footer()
}

// ended is when the run ended, or when it was heard of last.
func (w *waterfall) ended() time.Time {
	if !w.view.Ended.IsZero() {
		return w.view.Ended
	}
	return w.view.Last
}

func (w *waterfall) heading() {
	v, st := w.view, w.out.outStyle
	took := duration(w.span)
	if v.Live {
		took += " and running"
	}
	what := v.Prompt
	if v.Label != "" {
		what = "@" + v.Label + "  " + what
	}
	w.out.styled(fmt.Sprintf("%s  %s   %s   %s   %s\n", st.bold(shortID(v.ID)), clean(clip(what, 50)), v.Status, took, v.Started.Local().Format(time.DateTime)))
	var facts []string
	for _, f := range [][2]string{{"model", v.Model}, {"session", v.Session}, {"tools", prefix(v.Registry, 8)}} {
		if f[1] != "" {
			facts = append(facts, f[0]+" "+f[1])
		}
	}
	w.out.styled(st.faint(clean(strings.Join(facts, " · "))) + "\n")
	if v.Message != "" && v.Message != string(v.Status) {
		w.out.printf("%s\n", clip(v.Message, 200))
	}
	w.out.printf("\n")
}

func prefix(s string, n int) string { return s[:min(n, len(s))] }

// scale writes the times above the bars.
func (w *waterfall) scale() {
	line := []rune(strings.Repeat(" ", w.bars+8))
	step := niceStep(w.span, max(w.bars/12, 2))
	next := 0
	for t := time.Duration(0); t <= w.span; t += step {
		label := []rune(scaleText(t))
		at := w.column(w.begin.Add(t))
		if at < next || at+len(label) > len(line) {
			continue
		}
		copy(line[at:], label)
		next = at + len(label) + 1
	}
	w.out.printf("%s%s\n", strings.Repeat(" ", w.left), strings.TrimRight(string(line), " "))
}

// niceStep is a round duration of which about n make the span.
func niceStep(span time.Duration, n int) time.Duration {
	raw := float64(span) / float64(n)
	base := math.Pow(10, math.Floor(math.Log10(raw)))
	for _, m := range []float64{1, 2, 5, 10} {
		if base*m >= raw {
			return max(time.Duration(base*m), time.Microsecond)
		}
	}
	return time.Duration(base * 10)
}

func scaleText(d time.Duration) string {
	switch {
	case d == 0:
		return "0"
	case d < time.Millisecond:
		return fmt.Sprintf("%dµs", d.Microseconds())
	case d < time.Second:
		return fmt.Sprintf("%dms", d.Milliseconds())
	case d < time.Minute:
		return strings.TrimSuffix(fmt.Sprintf("%.1f", d.Seconds()), ".0") + "s"
	}
	return shortDuration(d.Round(time.Second))
}

// column is where a time stands among the bars.
func (w *waterfall) column(t time.Time) int {
	at := float64(t.Sub(w.begin)) / float64(w.span) * float64(w.bars)
	return min(max(int(at), 0), w.bars-1)
}

// fill draws one phase into a bar; a phase that took no time to speak of still
// has a column if it is the last.
func (w *waterfall) fill(bar []rune, from, to time.Time, r rune) {
	if from.IsZero() || to.IsZero() {
		return
	}
	a, b := w.column(from), w.column(to)
	for i := a; i <= b; i++ {
		bar[i] = r
	}
}

func (w *waterfall) turn(t audit.Turn) {
	if t.Index > 0 {
		bar := []rune(strings.Repeat(" ", w.bars))
		replied := t.Replied
		if replied.IsZero() {
			replied = w.ended()
		}
		w.fill(bar, t.Started, replied, '█')
		took := ""
		if !t.Replied.IsZero() {
			took = duration(t.Replied.Sub(t.Started))
		}
		w.row(fmt.Sprintf("turn %d  model", t.Index), bar, took, "")
	}
	for i, c := range t.Calls {
		branch := "├"
		if i == len(t.Calls)-1 {
			branch = "└"
		}
		w.call(branch, c)
	}
}

func (w *waterfall) call(branch string, c *audit.Call) {
	bar := []rune(strings.Repeat(" ", w.bars))
	end := c.Ended
	if end.IsZero() {
		end = w.ended()
	}
	ready := c.Started
	if ready.IsZero() {
		ready = end
	}
	switch {
	case !c.Waiting.IsZero():
		w.fill(bar, c.Scheduled, c.Waiting, '▒')
		w.fill(bar, c.Waiting, ready, '░')
	case !c.Started.IsZero():
		w.fill(bar, c.Scheduled, ready, '▒')
	}
	took := "—"
	if c.Started.IsZero() {
		bar[w.column(c.Scheduled)] = '·'
	} else {
		mark := '█'
		if c.Result != nil && c.Result.IsError() {
			mark = '×'
		}
		w.fill(bar, c.Started, end, mark)
		took = duration(end.Sub(c.Started))
	}
	word := "running"
	if c.Result != nil {
		word = statusWord(c.Result)
	}
	if c.Unknown {
		word = "UNKNOWN"
	}
	name := fmt.Sprintf(" %s %d %s %s", branch, c.N, c.Tool(), shortArgs(argsOf(c)))
	if step := stepOf(c); step != "" {
		name = fmt.Sprintf("%2d %s  %s %s", c.N, step, c.Tool(), shortArgs(argsOf(c)))
	}
	w.row(name, bar, took, word+w.remark(c))
}

// remark is what else is worth knowing of a call in its row.
func (w *waterfall) remark(c *audit.Call) string {
	r := c.Result
	switch {
	case r == nil:
		return ""
	case r.Artifact != nil:
		return "  " + bytesText(r.Artifact.Bytes) + " kept"
	case change(r) != "":
		return "  " + change(r)
	}
	return ""
}

func (w *waterfall) row(name string, bar []rune, took, word string) {
	st := w.out.outStyle
	name = clip2(clean(name), w.left-2)
	pad := strings.Repeat(" ", max(w.left-len([]rune(name)), 0))
	tail := strings.TrimRight(fmt.Sprintf("  %7s  %s", took, clean(word)), " ")
	text := string(bar)
	switch {
	case strings.ContainsRune(text, '×'), strings.HasPrefix(word, "DENIED"):
		text, tail = st.red(text), st.red(tail)
	case word != "":
		text = st.green(text)
	default:
		text = st.cyan(text)
	}
	w.out.styled(name + pad + strings.TrimRight(text, " ") + fill(text, w.bars, bool(st)) + tail + "\n")
}

// fill keeps the columns right of a bar whose blanks were trimmed; coloured bars
// end in an escape code and are not trimmed.
func fill(text string, width int, colored bool) string {
	if colored {
		return ""
	}
	return strings.Repeat(" ", max(width-len([]rune(strings.TrimRight(text, " "))), 0))
}

// clip2 is s cut to n characters; blanks at its beginning stay.
func clip2(s string, n int) string {
	s = strings.ReplaceAll(s, "\n", " ")
	if r := []rune(s); len(r) > n {
		return string(r[:n-1]) + "…"
	}
	return s
}

func (w *waterfall) footer() {
	v, st := w.view, w.out.outStyle
	w.out.printf("\n%s", plural(v.Counts.Calls, "call"))
	for _, n := range []struct {
		n    int
		word string
	}{{v.Counts.OK, "ok"}, {v.Counts.Errors, "failed"}, {v.Counts.Timeouts, "timed out"}, {v.Counts.Blocked, "denied"}, {v.Counts.Cancelled, "cancelled"}, {v.Counts.Skipped, "skipped"}} {
		if n.n > 0 {
			w.out.printf(" · %d %s", n.n, n.word)
		}
	}
	if c := longest(v.Calls); c != nil {
		took := c.Ended.Sub(c.Started)
		w.out.printf(" · longest: %d %s %s, %d%% of the run", c.N, c.Tool(), duration(took), int(100*took/w.span))
	}
	if n, size := artifacts(v.Calls); n > 0 {
		w.out.printf(" · %s (%s)", plural(n, "artifact"), bytesText(size))
	}
	w.out.printf("\n")
	if w.quiet {
		return
	}
	next := "next: toolpost runs show " + shortID(v.ID)
	if len(v.Calls) > 0 {
		next += " 1      toolpost runs show " + shortID(v.ID) + " --effects"
	}
	if v.Session != "" {
		next += "      toolpost session show " + v.Session
	}
	w.out.styled(st.faint(clean(next)) + "\n")
}

func longest(calls []*audit.Call) *audit.Call {
	var most *audit.Call
	for _, c := range calls {
		if c.Started.IsZero() || c.Ended.IsZero() {
			continue
		}
		if most == nil || c.Ended.Sub(c.Started) > most.Ended.Sub(most.Started) {
			most = c
		}
	}
	return most
}

func artifacts(calls []*audit.Call) (n int, size int64) {
	for _, c := range calls {
		if c.Result != nil && c.Result.Artifact != nil {
			n++
			size += c.Result.Artifact.Bytes
		}
	}
	return n, size
}

// stepOf is the step of a plan that a call belongs to, with the element of its
// foreach and its attempt; "" for a call of an agent.
func stepOf(c *audit.Call) string {
	if c.Asked == nil || c.Asked.Step == "" {
		return ""
	}
	s := c.Asked.Step
	if c.Asked.Item != nil {
		s += fmt.Sprintf("[%d]", c.Asked.Item.Index)
	}
	if c.Asked.Attempt > 1 {
		s += fmt.Sprintf(" try %d", c.Asked.Attempt)
	}
	return s
}
