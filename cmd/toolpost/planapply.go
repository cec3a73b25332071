package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os/user"
	"strings"
	"time"

	"github.com/toolpost/toolpost/audit"
	"github.com/toolpost/toolpost/event"
	"github.com/toolpost/toolpost/plan"
	"github.com/toolpost/toolpost/tool"
)

// Run confirms a plan and runs it.
func (c *planApplyCommand) Run(p *program) error {
	d, err := p.openPlan(c.File)
	if err != nil {
		return err
	}
	defer d.close()
	if err := p.readyStore(d.shop.config); err != nil {
		return err
	}
	ctx, stop := p.interruptible(func() { _ = d.shop.cell.Close() })
	defer stop()
	if err := d.confirm(ctx, c); err != nil {
		return err
	}
	return d.apply(ctx, c)
}

// confirm sees to it that the plan may be run: by the token of its preview, or
// by a person at the terminal who is shown the preview.
func (d *planDesk) confirm(ctx context.Context, c *planApplyCommand) error {
	pre, err := d.runner.Preview(ctx, d.plan)
	if err != nil {
		return err
	}
	if bad := plan.Errors(pre.Problems); len(bad) > 0 {
		return planProblem(d.file, bad)
	}
	switch {
	case c.Confirm != "" && c.Confirm == pre.Token:
		d.runner.Confirmation = pre.Confirm(who(), "token")
	case c.Confirm != "":
		return &problem{code: string(tool.CodePrecondition), exit: exitInvalid,
			message: fmt.Sprintf("the token %s does not confirm %s as it is now; nothing was run", clip(c.Confirm, 40), d.file),
			facts:   []string{"The plan, the tools, or what its reading steps find is not what was previewed."},
			try:     []string{"toolpost plan preview " + shellWord(d.file)}}
	case !pre.Needs:
	case pre.Token == "":
		return previewConflict(d.file, pre)
	case d.program.canAsk():
		d.showPreview(pre)
		if !d.program.ask("Run it?") {
			return &problem{code: string(tool.CodeApprovalDenied), exit: exitRefused, message: "not confirmed; nothing was run"}
		}
		d.runner.Confirmation = pre.Confirm(who(), "terminal")
	default:
		return &problem{code: codeConfirm, exit: exitParked, message: fmt.Sprintf("%s %s and was not confirmed; nothing was run", d.file, risky(d.plan.Risk)),
			advice: "Look at what it would do, then run exactly that:",
			try:    []string{"toolpost plan preview " + shellWord(d.file), "toolpost plan apply " + shellWord(d.file) + " --confirm " + pre.Token}}
	}
	return nil
}

func risky(r tool.Risk) string {
	if r == tool.RiskCommands {
		return "runs commands"
	}
	return "writes"
}

// who is the person at the terminal, as the system calls them.
func who() string {
	if u, err := user.Current(); err == nil && u.Username != "" {
		return u.Username
	}
	return "unknown"
}

// canAsk reports whether somebody is there to answer a question.
func (p *program) canAsk() bool {
	return !p.globals.NoInput && !p.out.json() && terminal(p.stdin) && terminal(p.out.errFile)
}

// ask puts a question that only "yes" answers with yes.
func (p *program) ask(question string) bool {
	_ = p.out.flush()
	p.out.note("\n" + question + " Type yes: ")
	line, _ := bufio.NewReader(p.stdin).ReadString('\n')
	return strings.TrimSpace(line) == "yes"
}

// apply runs the plan on record and shows how it goes.
func (d *planDesk) apply(ctx context.Context, c *planApplyCommand) error {
	p := d.program
	f := d.facts
	f.Plan, f.Prompt, f.Label = json.RawMessage(d.doc), d.plan.Goal, c.Label
	if d.runner.Confirmation != nil {
		b, err := json.Marshal(map[string]any{"confirmation": d.runner.Confirmation})
		if err != nil {
			return fmt.Errorf("write the confirmation: %w", err)
		}
		f.Extra = b
	}
	record, err := d.shop.store.Create(f)
	if err != nil {
		return p.recordProblem(d.shop, err)
	}
	return d.drive(ctx, c, record)
}

// drive runs the plan on that record.
func (d *planDesk) drive(ctx context.Context, c *planApplyCommand, record *audit.Run) error {
	p := d.program
	d.runner.ID = record.ID()
	tell := newTeller(p.out)
	tell.diffs = true
	p.out.note(p.out.errStyle.faint("run "+shortID(record.ID())+" · plan "+clean(clip(d.plan.Goal, 60))) + "\n\n")
	var outcome *plan.Outcome
	var failed error
	for e, err := range audit.Record(record, d.runner.Run(ctx, d.plan)) {
		if err != nil {
			failed = err
			break
		}
		if e.Type == event.RunFinished {
			outcome, _ = e.Payload.(*plan.Outcome)
		}
		if p.out.form == "jsonl" {
			if err := p.out.document(e); err == nil {
				_ = p.out.flush()
			}
		}
		tell.hear(e)
	}
	return d.applied(c, record, tell, outcome, failed)
}

// planDocument is a run of a plan for programs.
type planDocument struct {
	V            int    `json:"v"`
	Run          string `json:"runId"`
	PlanHash     string `json:"planHash"`
	Confirmation string `json:"confirmationId,omitempty"`
	Exit         int    `json:"exitCode"`
	*plan.Outcome
}

// applied tells how the run ended, and is the error for its exit code.
func (d *planDesk) applied(c *planApplyCommand, record *audit.Run, tell *teller, o *plan.Outcome, failed error) error {
	p := d.program
	show := "toolpost runs show " + shortID(record.ID())
	pr := d.verdict(c, o, failed)
	code := exitOK
	if pr != nil {
		pr.run, code = record.ID(), pr.exit
		pr.try = append(pr.try, show)
	}
	if err := errors.Join(record.Exit(code), record.Close()); err != nil && pr == nil {
		return p.recordProblem(d.shop, err)
	}
	if p.out.form == "json" {
		doc := planDocument{V: 1, Run: record.ID(), PlanHash: d.plan.Hash(), Exit: code, Outcome: o}
		if d.runner.Confirmation != nil {
			doc.Confirmation = d.runner.Confirmation.ID
		}
		if err := p.out.document(doc); err != nil {
			return err
		}
	}
	if o != nil {
		words := []string{plural(o.Steps, "step"), plural(o.Calls, "call"), fmt.Sprintf("%d ok", o.OK)}
		if o.Failed > 0 {
			words = append(words, fmt.Sprintf("%d failed", o.Failed))
		}
		if o.Skipped > 0 {
			words = append(words, fmt.Sprintf("%d skipped", o.Skipped))
		}
		p.out.note("\n" + strings.Join(append(words, duration(time.Duration(o.Millis)*time.Millisecond)), " · ") + "\n")
		p.out.note(p.out.errStyle.faint("show  "+show) + "\n")
	}
	if pr != nil {
		return pr
	}
	return nil
}

// verdict is the problem with which a run of a plan ended, nil if it went well.
func (d *planDesk) verdict(c *planApplyCommand, o *plan.Outcome, failed error) *problem {
	switch {
	case failed != nil && errors.Is(failed, errInterrupt):
		return &problem{code: codeInterrupted, exit: exitInterrupted, message: "the plan was interrupted; what was done is on record"}
	case o != nil && o.Denied > 0 && !c.AllowDenied:
		return &problem{code: codeRefusals, exit: exitRefused, message: were(o.Denied) + " refused"}
	case failed != nil:
		e := tool.AsError(failed)
		pr := &problem{code: string(e.Code), exit: e.Code.RunExit(), message: e.Message, cause: failed}
		if o != nil && pr.exit != exitInterrupted {
			pr.exit = exitTool
		}
		return pr
	case o != nil && o.Failed > 0:
		return &problem{code: codeToolFailures, exit: exitTool, message: plural(o.Failed, "step") + " failed and was passed over, as the plan says"}
	}
	return nil
}
