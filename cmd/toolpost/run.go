package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/toolpost/toolpost/agent"
	"github.com/toolpost/toolpost/audit"
	"github.com/toolpost/toolpost/builtin"
	"github.com/toolpost/toolpost/event"
	"github.com/toolpost/toolpost/llm"
	"github.com/toolpost/toolpost/session"
	"github.com/toolpost/toolpost/tool"
)

// An errand is one agent run of the command line: who is asked what, with which
// tools, and where it is kept.
type errand struct {
	program *program
	command *runCommand
	config  *config
	model   *model
	shop    *shop
	chat    *session.Session
	record  *audit.Run
	prompt  string
	inbox   chan llm.Message
	began   bool   // the session was there before
	resume  string // the run that is gone on with, on its own record
	parent  string // the run that this one goes on from
	tell    *teller
	outcome *agent.Outcome
}

// Run is one agent run.
func (c *runCommand) Run(p *program) (err error) {
	x := &errand{program: p, command: c, inbox: make(chan llm.Message, 64), tell: newTeller(p.out)}
	if err := x.prepare(); err != nil {
		return errors.Join(err, x.close())
	}
	ctx, stop := p.interruptible(func() { _ = x.shop.cell.Close() })
	defer stop()
	failed := x.run(ctx)
	end := x.end(failed)
	if cerr := x.close(); end == nil {
		end = cerr
	}
	return end
}

// prepare reads the task, finds the model, and opens all that the run needs, in
// this order: what is wrong is told before anything is done.
func (x *errand) prepare() (err error) {
	p, c := x.program, x.command
	if x.config, err = p.settings(); err != nil {
		return err
	}
	if x.prompt, err = c.task(p); err != nil {
		return err
	}
	if c.MaxTurns < 0 {
		return &problem{code: codeUsage, exit: exitUsage, message: fmt.Sprintf("--max-turns %d: the model is asked at least once", c.MaxTurns)}
	}
	name := c.Model
	if name == "" {
		name = modelName(x.config)
	}
	if x.model, err = p.model(x.config, name); err != nil {
		return err
	}
	if err := p.readyStore(x.config); err != nil {
		return err
	}
	if x.shop, err = p.openShop(shopFacts{ended: x.commandEnded, window: x.model.window}); err != nil {
		return err
	}
	if err := x.openSession(); err != nil {
		return err
	}
	facts, err := p.facts(x.shop, audit.KindRun)
	if err != nil {
		return err
	}
	facts.Parent = x.parent
	facts.Prompt, facts.Model, facts.Session, facts.Label = x.prompt, x.model.name, x.chat.ID, c.Label
	if x.resume != "" {
		x.record, err = x.shop.store.Resume(x.resume)
	} else {
		x.record, err = x.shop.store.Create(facts)
	}
	if err != nil {
		return p.recordProblem(x.shop, err)
	}
	if x.prompt == "" {
		return nil
	}
	if err := x.chat.Append(context.Background(), llm.User(x.prompt)); err != nil {
		return p.sessionProblem(err)
	}
	return nil
}

// task is what the agent is to do.
func (c *runCommand) task(p *program) (string, error) {
	words := strings.Join(c.Prompt, " ")
	switch {
	case c.File != "" && words != "":
		return "", &problem{code: codeUsage, exit: exitUsage, message: "the task comes from --file and from the command line; one is enough"}
	case c.File != "":
		path := c.File
		if !filepath.IsAbs(path) {
			path = filepath.Join(p.dir, path)
		}
		b, err := os.ReadFile(path)
		if err != nil {
			return "", &problem{code: codeUsage, exit: exitUsage, message: fmt.Sprintf("-f %s: %s", c.File, reason(err))}
		}
		words = string(b)
	case words == "-":
		b, err := p.readStdin()
		if err != nil {
			return "", fmt.Errorf("read the task from stdin: %w", err)
		}
		words = string(b)
	}
	if strings.TrimSpace(words) == "" && c.Session == "" {
		return "", &problem{code: codeUsage, exit: exitUsage, message: "there is no task",
			try: []string{`toolpost run "what is to be done"`, "toolpost run -f task.md", "toolpost run - < task.md"}}
	}
	return strings.TrimSpace(words), nil
}

// openSession opens the session that is to be continued, or a new one.
func (x *errand) openSession() error {
	id := string(x.command.Session)
	store := x.program.sessionStore(x.config)
	if id == "" {
		id = tool.NewID()
	} else if shortSession(store, id) {
		found, err := resolveSession(store, id)
		if err != nil {
			return err
		}
		id = found
	}
	store.Recall = x.recall(id)
	chat, err := store.Open(id)
	if err != nil {
		if tool.AsError(err).Code == tool.CodeInvalid {
			return &problem{code: codeInvalid, exit: exitUsage, message: tool.AsError(err).Message}
		}
		return x.program.sessionProblem(err)
	}
	x.chat, x.began = chat, len(chat.Messages()) > 0
	if x.prompt == "" && !x.began {
		return &problem{code: codeUsage, exit: exitUsage, message: fmt.Sprintf("session %q is new, so there must be a task", id)}
	}
	return nil
}

// recall finds results that are on record but did not come into the session,
// because a crash was between the two.
func (x *errand) recall(session string) func(*tool.Call) *tool.Result {
	var view *audit.View
	looked := false
	return func(c *tool.Call) *tool.Result {
		if !looked {
			looked = true
			view = x.lastRun(session)
		}
		if view == nil {
			return nil
		}
		for _, rec := range view.Calls {
			if rec.ID() == c.ID && !rec.Unknown {
				return rec.Result
			}
		}
		return nil
	}
}

// lastRun is the record of the last run of a session, nil if there is none.
func (x *errand) lastRun(session string) *audit.View {
	for sum, err := range x.shop.store.List() {
		if err != nil || sum.Session != session {
			continue
		}
		view, err := x.shop.store.Load(sum.ID)
		if err != nil {
			return nil
		}
		return view
	}
	return nil
}

// commandEnded tells the model of a command in the background that has ended.
func (x *errand) commandEnded(s builtin.Session) {
	select {
	case x.inbox <- llm.User(backgroundNote(s)):
	default: // the model has not looked for a long time; process list tells it as well
	}
}

// run drives the agent and shows what it does.
func (x *errand) run(ctx context.Context) error {
	p := x.program
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	loop := x.loop()
	x.header()
	x.tell.pulse = newPulse(p.out)
	defer x.tell.pulse.stop()
	for e, err := range audit.Record(x.record, loop.Run(ctx, x.chat)) {
		if err != nil {
			return err
		}
		if e.Type == event.RunFinished {
			x.outcome, _ = e.Payload.(*agent.Outcome)
		}
		if p.out.form == "jsonl" {
			if err := p.out.document(e); err == nil {
				_ = p.out.flush()
			}
		}
		x.tell.pulse.hear(e, x.model.name)
		x.tell.hear(e)
		if p.out.broken != nil && ctx.Err() == nil {
			cancel(fmt.Errorf("write to stdout: %w", p.out.broken))
		}
	}
	return nil
}

func (x *errand) loop() *agent.Loop {
	c := x.config
	turns := x.command.MaxTurns
	if turns <= 0 {
		turns = max(int(c.int("agents.defaults.max_tool_iterations")), 1)
	}
	req := x.model.request
	req.System, req.Session = x.system(), x.chat.ID
	return &agent.Loop{
		Provider: x.model.provider, Tools: x.shop.set, Request: req,
		MaxTurns: turns, Parallel: int(c.int("agents.defaults.parallel")),
		Limits: agent.Limits{Calls: int(c.int("limits.calls")), Tokens: c.int("limits.tokens"), Money: c.number("limits.money"),
			Wall: c.duration("limits.wall"), Price: x.model.price},
		Inbox: x.inbox, Drain: agent.DrainAll, Window: x.model.window,
		ID: x.record.ID(), Log: x.program.logger(c),
		Facts: map[string]any{"model": x.model.name, "session": x.chat.ID, "toolRegistryVersion": x.record.Facts().Registry},
	}
}

// close lets go of everything, in the order opposite to that of prepare.
func (x *errand) close() error {
	var errs []error
	if x.shop != nil {
		errs = append(errs, x.shop.close())
	}
	if x.record != nil {
		errs = append(errs, x.record.Close())
	}
	if x.chat != nil {
		errs = append(errs, x.chat.Close())
	}
	return errors.Join(errs...)
}
