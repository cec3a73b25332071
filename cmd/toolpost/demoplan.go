package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/toolpost/toolpost/audit"
	"github.com/toolpost/toolpost/event"
	"github.com/toolpost/toolpost/plan"
)

const planSummary = "a plan over a folder of notes: its mistakes, a preview that finds a conflict, a confirmation, the run, and a look back"

// planShowing is the demo of plans under way: real notes in a throw-away folder.
type planShowing struct {
	showing
	before string // hash of the notes before the previews
	record *audit.Run
	result *plan.Outcome
}

// showPlan shows the demo of plans.
func (c *demoCommand) showPlan(p *program) (err error) {
	s := &planShowing{showing: showing{program: p, command: c, began: time.Now()}}
	defer func() { err = errors.Join(err, s.close()) }()
	if err := s.prepareFrom("demo/plan", func(cfg *config) { cfg.values["vault.root"] = value{"notes", layerProject, ""} }); err != nil {
		return err
	}
	ctx, stop := p.interruptible(func() { _ = s.clean() })
	defer stop()
	p.out.show(p.out.outStyle.faint("demo plan: 5 short acts, real notes in a throw-away folder, no key, no network.") + "\n")
	var results []shownAct
	var failed []string
	for i, a := range []struct {
		title string
		play  func(context.Context) error
	}{
		{"a plan with mistakes: all of them at once, nothing is run", s.mistakes},
		{"a preview: reads are made, writes are asked; it finds a conflict", s.conflict},
		{"the plan put right, previewed again: nothing was changed", s.preview},
		{"confirmed and run", s.apply},
		{"the record, looked back at", s.lookBack},
	} {
		if !p.out.json() {
			s.heading(i+1, a.title)
		}
		r := shownAct{N: i + 1, Title: a.title, OK: true}
		if err := a.play(ctx); err != nil {
			r.OK, r.Error = false, err.Error()
			failed = append(failed, fmt.Sprintf("act %d, %s: %v", r.N, a.title, err))
		}
		results = append(results, r)
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
	}
	return s.finish(results, failed)
}

// open opens one of the demo's plans.
func (s *planShowing) open(name string) (*planDesk, error) {
	s.program.out.show("\n$ toolpost plan preview " + name + "\n")
	return s.program.openPlan(name)
}

func (s *planShowing) mistakes(context.Context) error {
	s.before = s.hash()
	d, err := s.open("broken.plan.json")
	if err != nil {
		return err
	}
	defer d.close()
	bad := plan.Errors(plan.Lint(d.plan, d.shop.set))
	for _, b := range bad {
		s.program.out.show("  " + clean(b.String()) + "\n")
	}
	if len(bad) != 4 {
		return fmt.Errorf("%d mistakes were found; the plan has 4", len(bad))
	}
	return nil
}

func (s *planShowing) conflict(ctx context.Context) error {
	d, err := s.open("conflict.plan.json")
	if err != nil {
		return err
	}
	defer d.close()
	pre, err := d.runner.Preview(ctx, d.plan)
	if err != nil {
		return err
	}
	if !s.program.out.json() {
		d.showPreview(pre)
	}
	last := pre.Calls[len(pre.Calls)-1]
	if last.State != plan.PreviewConflict || pre.Token != "" {
		return fmt.Errorf("the preview found no conflict: %s is %s", last.Key, last.State)
	}
	return nil
}

func (s *planShowing) preview(ctx context.Context) error {
	d, err := s.open("collect.plan.json")
	if err != nil {
		return err
	}
	defer d.close()
	pre, err := d.runner.Preview(ctx, d.plan)
	if err != nil {
		return err
	}
	if !s.program.out.json() {
		d.showPreview(pre)
	}
	if s.hash() != s.before {
		return errors.New("a preview changed the notes")
	}
	if pre.Token == "" {
		return errors.New("the preview has no token")
	}
	return nil
}

func (s *planShowing) apply(ctx context.Context) error {
	d, err := s.program.openPlan("collect.plan.json")
	if err != nil {
		return err
	}
	defer d.close()
	pre, err := d.runner.Preview(ctx, d.plan)
	if err != nil {
		return err
	}
	s.program.out.show("$ toolpost plan apply collect.plan.json --confirm " + pre.Token + "      (scripted)\n\n")
	d.runner.Confirmation = pre.Confirm("demo", "scripted")
	f := d.facts
	f.Plan, f.Prompt = d.doc, d.plan.Goal
	if s.record, err = d.shop.store.Create(f); err != nil {
		return s.program.recordProblem(d.shop, err)
	}
	d.runner.ID = s.record.ID()
	for e, err := range audit.Record(s.record, d.runner.Run(ctx, d.plan)) {
		if err != nil {
			return err
		}
		if o, ok := e.Payload.(*plan.Outcome); ok && e.Type == event.RunFinished {
			s.result = o
		}
		s.tell.hear(e)
	}
	b, err := os.ReadFile(filepath.Join(s.program.dir, "notes", "open-items 1.md"))
	if err != nil || !strings.Contains(string(b), "In 4 notes, first in garden.md.") {
		return fmt.Errorf("the new note holds %q (%v)", b, err)
	}
	return nil
}

func (s *planShowing) lookBack(context.Context) error {
	if s.record == nil {
		return errors.New("nothing was run")
	}
	var err error
	if s.view, err = s.shop.store.Load(s.record.ID()); err != nil {
		return err
	}
	if !s.program.out.json() {
		(&waterfall{out: s.program.out, view: s.view, quiet: true}).draw()
	}
	for _, c := range s.view.Calls {
		if c.Ran == nil || c.Ran.Confirmation == "" {
			return fmt.Errorf("call %d bears no confirmation", c.N)
		}
	}
	if n := len(s.view.Calls); n != 8 || s.result == nil || s.result.Status != plan.StatusOK {
		return fmt.Errorf("%d calls are on record, and the run ended as %+v", n, s.result)
	}
	return nil
}

func (s *planShowing) finish(results []shownAct, failed []string) error {
	out := s.program.out
	took := time.Since(s.began)
	digest := ""
	if s.view != nil {
		digest = s.digest()
	}
	switch {
	case out.json():
		err := out.document(struct {
			V      int        `json:"v"`
			OK     bool       `json:"ok"`
			Acts   []shownAct `json:"acts"`
			Log    string     `json:"callLog"`
			Millis int64      `json:"durationMs"`
		}{1, len(failed) == 0, results, digest, took.Milliseconds()})
		if err != nil {
			return err
		}
	case len(failed) == 0:
		out.show(fmt.Sprintf("\n%s every call came after its confirmation    call log %s    %s\n", out.outStyle.green("✓"), digest, duration(took)))
		out.show("next  toolpost plan schema\n      toolpost plan draft \"…\" --model openai/NAME\n")
	}
	if len(failed) > 0 {
		return &problem{code: codeDemo, exit: exitInternal, message: fmt.Sprintf("%d of %d acts did not do what they say", len(failed), len(results)), facts: failed,
			try: []string{"toolpost demo plan --keep DIR"}}
	}
	return nil
}

// hash is a hash over the names and contents of all notes.
func (s *planShowing) hash() string {
	h := sha256.New()
	root := filepath.Join(s.program.dir, "notes")
	_ = filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			b, _ := os.ReadFile(path)
			fmt.Fprintf(h, "%s %x\n", path, sha256.Sum256(b))
		}
		return err
	})
	return hex.EncodeToString(h.Sum(nil))
}
