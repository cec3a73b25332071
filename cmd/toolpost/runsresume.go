package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/toolpost/toolpost/agent"
	"github.com/toolpost/toolpost/audit"
	"github.com/toolpost/toolpost/event"
	"github.com/toolpost/toolpost/llm"
	"github.com/toolpost/toolpost/plan"
	"github.com/toolpost/toolpost/tool"
)

type runsResumeCommand struct {
	Name        name   `arg:"" name:"run" help:"Full id, unique prefix, -1 for the last, or @label."`
	Model       string `short:"m" placeholder:"MODEL" help:"Ask this model from here on; the run's own if left out."`
	Again       bool   `help:"Make calls again whose outcome is not known, also those that are not safe to repeat."`
	AllowDenied bool   `name:"allow-denied" help:"Exit 0 even if a call was refused."`
}

// Run goes on with a run that was interrupted, on the same record.
func (c *runsResumeCommand) Run(p *program) error {
	b, err := p.lookBack(c.Name)
	if err != nil {
		return err
	}
	short := shortID(b.view.ID)
	refuse := func(message string, try ...string) error {
		return &problem{code: string(tool.CodePrecondition), exit: exitTool, message: "run " + short + " " + message, run: b.view.ID, try: try}
	}
	switch {
	case b.view.Live:
		return &problem{code: string(tool.CodeConflict), exit: exitTool, message: fmt.Sprintf("run %s is being written by %s; nothing was done", short, b.view.Process), run: b.view.ID, try: []string{"toolpost runs tail " + short}}
	case b.view.Status == audit.StatusOK:
		return refuse("has ended well: there is nothing to go on with", "toolpost runs show "+short, "toolpost runs fork "+short+" --at CALL")
	case b.view.Kind == audit.KindPlan:
		return c.plan(p, b)
	case b.view.Kind == audit.KindCall:
		return refuse("is one call, which is not made again by itself", "toolpost runs show "+short)
	case b.view.Session == "":
		return refuse("has no session to go on with", "toolpost runs fork "+short+" --at CALL")
	}
	return c.agent(p, b)
}

// plan runs the steps that are left. Those that had ended well are not run again;
// one whose outcome is not known is, if that is safe or somebody says so.
func (c *runsResumeCommand) plan(p *program, b *past) error {
	d, err := p.planOf("the plan of run "+shortID(b.view.ID), b.view.Plan)
	if err != nil {
		return err
	}
	defer d.close()
	d.runner.Confirmation, d.runner.ID = b.confirmation(), b.view.ID
	if d.runner.Confirmation == nil {
		d.runner.Confirmation, err = confirmationOf(b.view.Extra)
		if err != nil {
			return err
		}
	}
	d.runner.Done, d.runner.InDoubt = done(b.view, len(b.view.Calls))
	d.runner.Again = func(_ context.Context, call *tool.Call) bool {
		return c.Again || p.canAsk() && p.ask(fmt.Sprintf("Step %s (%s) was started, and whether it did its work is not known. Make it again?", call.Step, call.Tool))
	}
	ctx, stop := p.interruptible(func() { _ = d.shop.cell.Close() })
	defer stop()
	record, err := b.resume(p, d.shop)
	if err != nil {
		return err
	}
	p.out.note(fmt.Sprintf("%s of %s are done already\n", plural(len(d.runner.Done), "call"), plural(len(d.plan.Steps), "step")))
	return d.drive(ctx, &planApplyCommand{AllowDenied: c.AllowDenied}, record)
}

// confirmationOf is the confirmation among the facts of a run, nil if there is none.
func confirmationOf(extra json.RawMessage) (*plan.Confirmation, error) {
	var x struct {
		Confirmation *plan.Confirmation `json:"confirmation"`
	}
	if len(extra) == 0 {
		return nil, nil
	}
	if err := json.Unmarshal(extra, &x); err != nil {
		return nil, fmt.Errorf("read the confirmation on record: %w", err)
	}
	return x.Confirmation, nil
}

// resume opens the record to write on. A second resumer is refused.
func (b *past) resume(p *program, s *shop) (*audit.Run, error) {
	record, err := s.store.Resume(b.view.ID)
	if err != nil {
		return nil, p.recordProblem(s, err)
	}
	return record, nil
}

// agent goes on with the session of the run. The model is told of calls whose
// outcome is not known, and may make them again.
func (c *runsResumeCommand) agent(p *program, b *past) error {
	x := &errand{program: p, inbox: make(chan llm.Message, 64), tell: newTeller(p.out), resume: b.view.ID,
		command: &runCommand{Session: name(b.view.Session), Model: c.Model, AllowDenied: c.AllowDenied}}
	if c.Model == "" {
		x.command.Model = b.view.Model
	}
	if err := x.prepare(); err != nil {
		return errors.Join(err, x.close())
	}
	if x.answered() {
		return errors.Join(x.conclude(), x.close())
	}
	ctx, stop := p.interruptible(func() { _ = x.shop.cell.Close() })
	defer stop()
	end := x.end(x.run(ctx))
	if cerr := x.close(); end == nil {
		end = cerr
	}
	return end
}

// answered reports whether the model's last word is there already: then only the
// end of the record is missing.
func (x *errand) answered() bool {
	msgs := x.chat.Messages()
	if len(msgs) == 0 {
		return false
	}
	last := &msgs[len(msgs)-1]
	return last.Role == llm.RoleAssistant && last.Calls() == 0 && !last.Broken()
}

// conclude writes the end of a run whose answer is there.
func (x *errand) conclude() error {
	msgs := x.chat.Messages()
	o := &agent.Outcome{Status: agent.StatusOK, Text: msgs[len(msgs)-1].Text()}
	s := event.Go(context.Background(), x.record.ID(), func(_ context.Context, r *event.Run) error {
		r.Emit(event.Event{Type: event.RunFinished, Message: string(o.Status), Payload: o})
		return nil
	})
	for _, err := range audit.Record(x.record, s) {
		if err != nil {
			return err
		}
	}
	x.program.out.note("the answer was there already; the record has its end now\n")
	x.outcome = o
	if !x.program.out.json() {
		x.program.out.printf("%s\n", o.Text)
	}
	return x.end(nil)
}
