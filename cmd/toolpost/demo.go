package main

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/toolpost/toolpost/agent"
	"github.com/toolpost/toolpost/audit"
	"github.com/toolpost/toolpost/event"
	"github.com/toolpost/toolpost/llm"
	"github.com/toolpost/toolpost/provider/scripted"
	"github.com/toolpost/toolpost/session"
)

//go:embed demo
var demoFiles embed.FS

// A showing is one demo under way: a scripted model, a throw-away folder, and
// everything else as in a real run.
type showing struct {
	program *program
	command *demoCommand
	base    string // holds the workspace and the store
	shop    *shop
	tell    *teller
	began   time.Time
	act     int // that is on
	view    *audit.View
	outcome *agent.Outcome
}

// Run shows the demo.
func (c *demoCommand) Run(p *program) (err error) {
	if c.List {
		return listDemos(p)
	}
	if c.Name == "plan" {
		return c.showPlan(p)
	}
	if c.Name != "tour" {
		return &problem{code: codeUsage, exit: exitUsage, message: fmt.Sprintf("there is no demo %q", clip(c.Name, 40)), facts: []string{"demos: tour, plan"}, try: []string{"toolpost demo --list"}}
	}
	s := &showing{program: p, command: c, began: time.Now()}
	defer func() { err = errors.Join(err, s.close()) }()
	if err := s.prepare(); err != nil {
		return err
	}
	ctx, stop := p.interruptible(func() { _ = s.shop.cell.Close(); _ = s.clean() })
	defer stop()
	if err := s.play(ctx); err != nil {
		return err
	}
	return s.end()
}

func listDemos(p *program) error {
	if p.out.json() {
		return p.out.document(map[string]any{"v": 1, "demos": []map[string]string{{"name": "tour", "description": tourSummary}, {"name": "plan", "description": planSummary}}})
	}
	p.out.printf("tour   %s\nplan   %s\n", tourSummary, planSummary)
	return nil
}

const tourSummary = "parallel reads, an edit with its diff, a command with progress, an error and its recovery, a timeout, 3 MB of output, and a look back"

// prepare makes the folder and puts the tools together. Nothing of the user's
// configuration is read, so that the demo is the same everywhere.
func (s *showing) prepare() error { return s.prepareFrom("demo/tour", func(*config) {}) }

// prepareFrom makes a folder of embedded files, with the configuration that set
// makes of the defaults.
func (s *showing) prepareFrom(files string, set func(*config)) (err error) {
	p := s.program
	if keep := s.command.Keep; keep != "" {
		s.base = p.absolute(keep)
		if err := os.Mkdir(s.base, 0o700); err != nil {
			return &problem{code: codeUsage, exit: exitUsage, message: fmt.Sprintf("--keep %s: %s", keep, reason(err))}
		}
	} else if s.base, err = os.MkdirTemp("", "toolpost-demo-"); err != nil {
		return fmt.Errorf("make a folder for the demo: %w", err)
	}
	work := filepath.Join(s.base, "workspace")
	if err := unpack(files, work); err != nil {
		return err
	}
	cfg := &config{values: defaults(newBook()), project: work}
	cfg.values["store"] = value{filepath.Join(s.base, "store"), layerFlag, ""}
	set(cfg)
	p.config, p.dir = cfg, work
	s.tell = newTeller(p.out)
	s.tell.stream, s.tell.diffs = true, true
	s.tell.note, s.tell.style = p.out.show, p.out.outStyle
	s.shop, err = p.openShop(shopFacts{extra: demoTools()})
	return err
}

// unpack copies embedded files to a folder.
func unpack(from, to string) error {
	err := fs.WalkDir(demoFiles, from, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(filepath.FromSlash(from), filepath.FromSlash(path))
		if err != nil {
			return err
		}
		target := filepath.Join(to, rel)
		if d.IsDir() {
			return os.MkdirAll(target, 0o700)
		}
		b, err := demoFiles.ReadFile(path)
		if err != nil {
			return err
		}
		return os.WriteFile(target, b, 0o600)
	})
	if err != nil {
		return fmt.Errorf("write the demo's files: %w", err)
	}
	return nil
}

// play runs the agent and shows what it does.
func (s *showing) play(ctx context.Context) error {
	src, err := demoFiles.ReadFile("demo/tour.yaml")
	if err != nil {
		return err
	}
	m, err := scripted.Parse("demo/tour.yaml", src)
	if err != nil {
		return err
	}
	if s.command.Check || !terminal(s.program.out.outFile) {
		m.Pace = 0
	}
	facts, err := s.program.facts(s.shop, audit.KindRun)
	if err != nil {
		return err
	}
	facts.Prompt, facts.Model, facts.Label = demoTask, "script:tour", "demo"
	run, err := s.shop.store.Create(facts)
	if err != nil {
		return s.program.recordProblem(s.shop, err)
	}
	loop := &agent.Loop{Provider: m, Tools: s.shop.set, Request: llm.Request{Model: "tour"}, ID: run.ID()}
	s.opening()
	for e, err := range audit.Record(run, loop.Run(ctx, session.NewMemory(llm.User(demoTask)))) {
		if err != nil {
			return err
		}
		s.hear(e)
	}
	if s.view, err = s.shop.store.Load(run.ID()); err != nil {
		return err
	}
	return nil
}

const demoTask = "Bump the patch version, run the checks, and write a report about the orders."

func (s *showing) opening() {
	if s.program.out.json() {
		return
	}
	st := s.program.out.outStyle
	s.program.out.show(st.faint("demo: 8 short acts, real tools in a throw-away folder, no key, no network.") + "\n")
	s.program.out.show(st.bold("task") + "  " + demoTask + "\n")
}

// hear announces the acts and passes the event on.
func (s *showing) hear(e event.Event) {
	if e.Type == event.TurnStarted {
		for i, a := range tour() {
			if a.turn == e.Index && i >= s.act {
				s.act = i + 1
				s.heading(s.act, a.title)
			}
		}
	}
	if o, ok := e.Payload.(*agent.Outcome); ok && e.Type == event.RunFinished {
		s.outcome = o
	}
	s.tell.hear(e)
}

func (s *showing) heading(n int, title string) {
	st := s.program.out.outStyle
	s.program.out.show("\n" + st.bold(fmt.Sprintf("%d  %s", n, title)) + "\n")
}

// close ends the tools and removes the folder.
func (s *showing) close() error {
	var err error
	if s.shop != nil {
		err = s.shop.close()
	}
	return errors.Join(err, s.clean())
}

func (s *showing) clean() error {
	if s.base == "" || s.command.Keep != "" {
		return nil
	}
	if err := os.RemoveAll(s.base); err != nil {
		return fmt.Errorf("remove the demo's folder: %w", err)
	}
	return nil
}
