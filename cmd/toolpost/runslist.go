package main

import (
	"fmt"
	"strings"
	"time"

	"github.com/toolpost/toolpost/audit"
	"github.com/toolpost/toolpost/tool"
)

// Run lists the runs, newest first.
func (c *runsLsCommand) Run(p *program) error {
	cfg, err := p.settings()
	if err != nil {
		return err
	}
	store := p.runStore(cfg)
	list := []*audit.Summary{}
	var bad []string
	for s, err := range store.List() {
		if err != nil {
			bad = append(bad, tool.AsError(err).Message)
			continue
		}
		list = append(list, s)
		if c.Limit > 0 && len(list) == c.Limit {
			break
		}
	}
	switch p.out.form {
	case "json":
		return p.out.document(struct {
			V    int              `json:"v"`
			Runs []*audit.Summary `json:"runs"`
		}{1, list})
	case "jsonl":
		for _, s := range list {
			if err := p.out.document(s); err != nil {
				return err
			}
		}
		return nil
	}
	for _, s := range list {
		p.out.styled(c.line(p, s))
	}
	for _, b := range bad {
		p.out.note("passed over: " + clean(b) + "\n")
	}
	if len(list) == 0 {
		p.out.note("no runs yet in " + p.shortPath(store.Dir) + "\n")
	}
	return nil
}

func (c *runsLsCommand) line(p *program, s *audit.Summary) string {
	took := "—"
	if !s.Ended.IsZero() {
		took = duration(s.Ended.Sub(s.Started))
	}
	what := s.Prompt
	if s.Label != "" {
		what = "@" + s.Label + " " + what
	}
	st := p.out.outStyle
	word := fmt.Sprintf("%-11s", s.Status)
	switch s.Status {
	case audit.StatusOK:
		word = st.green(word)
	case audit.StatusRunning:
		word = st.cyan(word)
	default:
		word = st.yellow(word)
	}
	room := max(p.out.width(p.out.outFile)-70, 20)
	return fmt.Sprintf("%-18s  %s  %s %7s  %9s  %s\n", shortID(s.ID), s.Started.Local().Format(time.DateTime), word, took,
		plural(s.Counts.Calls, "call"), clean(clip(what, room)))
}

// resolveRun finds the id of the run that a name means.
func resolveRun(store *audit.Store, n name) (string, error) {
	if n == "@" {
		return "", &problem{code: codeUsage, exit: exitUsage, message: "@ is followed by the label of a run", try: []string{"toolpost runs ls"}}
	}
	id, err := store.Resolve(string(n))
	if err == nil {
		return id, nil
	}
	e := tool.AsError(err)
	switch {
	case e.Code == tool.CodeInvalid && strings.Contains(e.Message, " means "):
		return "", &problem{code: codeAmbiguous, exit: exitUsage, message: e.Message, try: []string{"toolpost runs ls"}}
	case e.Code == tool.CodeNotFound, e.Code == tool.CodeInvalid:
		message, _, _ := strings.Cut(e.Message, "; list them with")
		return "", &problem{code: string(e.Code), exit: exitUsage, message: message, try: []string{"toolpost runs ls"}}
	}
	return "", err
}
