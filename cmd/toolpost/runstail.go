package main

import (
	"fmt"

	"github.com/toolpost/toolpost/audit"
	"github.com/toolpost/toolpost/event"
)

// Run follows the events of a run.
func (c *runsTailCommand) Run(p *program) error {
	cfg, err := p.settings()
	if err != nil {
		return err
	}
	store := p.runStore(cfg)
	id, err := resolveRun(store, c.Name)
	if err != nil {
		return err
	}
	ctx, stop := p.interruptible(func() {})
	defer stop()
	events := store.Tail(ctx, id, 0)
	if c.NoFollow {
		events = store.Entries(id)
	}
	var all []*audit.Entry
	for e, err := range events {
		if err != nil {
			return err
		}
		switch p.out.form {
		case "json":
			all = append(all, e)
			continue
		case "jsonl":
			p.out.styled(string(e.Raw) + "\n")
		default:
			p.out.styled(tailLine(p.out.outStyle, e))
		}
		if err := p.out.flush(); err != nil {
			return err
		}
	}
	if p.out.form == "json" {
		return p.tailDocument(id, all)
	}
	return nil
}

func (p *program) tailDocument(id string, all []*audit.Entry) error {
	raw := make([]rawJSON, len(all))
	for i, e := range all {
		raw[i] = rawJSON(e.Raw)
	}
	return p.out.document(struct {
		V      int       `json:"v"`
		Run    string    `json:"runId"`
		Events []rawJSON `json:"events"`
	}{1, id, raw})
}

// rawJSON is a line of a journal, which is JSON already.
type rawJSON []byte

// MarshalJSON is the line.
func (r rawJSON) MarshalJSON() ([]byte, error) { return r, nil }

// tailLine is one event on one line.
func tailLine(st style, e *audit.Entry) string {
	text := e.Message
	switch {
	case e.Text != "":
		text = clip(e.Text, 100)
	case e.Type == event.StepStarted && e.Call != nil:
		text = e.Call.Tool + " " + shortArgs(e.Call.Args)
	case e.Result != nil:
		text = e.Result.Tool + " " + statusWord(e.Result) + " " + duration(e.Result.Duration())
	case e.Type == event.TurnStarted || e.Type == event.TurnFinished:
		text = fmt.Sprint(e.Index)
	}
	return fmt.Sprintf("%s %5d  %-20s %s\n", st.faint(clock(e.Time)), e.Seq, e.Type, clean(clip(text, 160)))
}
