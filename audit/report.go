package audit

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"fmt"
	"html/template"
	"io"
	"time"
)

//go:embed report.html
var reportText string

// reportPage is the page of a run; it is not changed.
var reportPage = template.Must(template.New("report").Parse(reportText))

// WriteReport writes a run as one page of HTML that needs nothing else: what was
// asked, a waterfall, and each call whole. Proof may be nil. Nothing in it is
// fetched, and no script runs.
func WriteReport(w io.Writer, v *View, p *Proof) error {
	r := reporting{View: v, Proof: p, begin: v.Started}
	end := v.Ended
	if end.IsZero() {
		end = v.Last
	}
	r.span = max(end.Sub(v.Started), time.Millisecond)
	r.Took = took(r.span)
	for i := range v.Turns {
		if t := &v.Turns[i]; t.Index > 0 {
			r.Rows = append(r.Rows, r.row(fmt.Sprintf("turn %d · model", t.Index), "model", "", t.Started, t.Started, t.Replied))
			r.calls(t.Calls)
		}
	}
	var outside []*Call
	for _, c := range v.Calls {
		if c.Turn == 0 {
			outside = append(outside, c)
		}
	}
	r.calls(outside)
	if err := reportPage.Execute(w, &r); err != nil {
		return fmt.Errorf("write the report of run %s: %w", v.ID, err)
	}
	return nil
}

// reporting is what the page shows.
type reporting struct {
	*View
	Proof *Proof
	Took  string
	Rows  []reportRow
	Shown []reportCall
	begin time.Time
	span  time.Duration
}

// A reportRow is a bar of the waterfall; its measures are in hundredths.
type reportRow struct {
	Name, Class, Link, Took string
	Wait, Left, Width       template.CSS
}

type reportCall struct {
	*Call
	Took, Args, Data, Text, Effects string
}

func took(d time.Duration) string { return d.Round(time.Millisecond / 10).String() }

func (r *reporting) percent(d time.Duration) float64 {
	return min(max(100*float64(d)/float64(r.span), 0), 100)
}

func (r *reporting) row(name, class, link string, from, start, end time.Time) reportRow {
	if end.IsZero() {
		end = r.Last
	}
	if start.IsZero() {
		start = end
	}
	left, width := r.percent(start.Sub(r.begin)), r.percent(end.Sub(start))
	wait := r.percent(start.Sub(from))
	css := func(x float64) template.CSS { return template.CSS(fmt.Sprintf("%.2f%%", x)) }
	return reportRow{name, class, link, took(end.Sub(start)), css(wait), css(max(left-wait, 0)), css(max(width, 0.3))}
}

func (r *reporting) calls(list []*Call) {
	for _, c := range list {
		class := "ok"
		if c.Result.IsError() || c.Unknown {
			class = "bad"
		}
		row := r.row(fmt.Sprintf("%d %s", c.N, c.Tool()), class, fmt.Sprintf("#call-%d", c.N), c.Scheduled, c.Started, c.Ended)
		r.Rows = append(r.Rows, row)
		r.Shown = append(r.Shown, reportCall{c, row.Took, pretty(argsOf(c)), pretty(c.Result.Data), reportContent(c), pretty(effectsOf(c.Result))})
	}
}

// pretty is JSON with indents, or the text as it is.
func pretty(doc json.RawMessage) string {
	var b bytes.Buffer
	if len(doc) == 0 || json.Indent(&b, doc, "", "  ") != nil {
		return string(doc)
	}
	return b.String()
}

// reportContent is the text of a result that has no data, or that failed.
func reportContent(c *Call) string {
	if len(c.Result.Data) > 0 && !c.Result.IsError() {
		return ""
	}
	var b bytes.Buffer
	for _, block := range c.Result.Content {
		b.WriteString(block.Text)
	}
	return b.String()
}
