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
	"github.com/toolpost/toolpost/provider/replay"
	"github.com/toolpost/toolpost/session"
	"github.com/toolpost/toolpost/tool"
)

type runsReplayCommand struct {
	Name  name     `arg:"" name:"run" help:"Full id, unique prefix, -1 for the last, or @label."`
	Live  []string `placeholder:"TOOL" help:"Call this tool for real, as a new run on record; repeatable."`
	Until string   `placeholder:"CALL" help:"Stop behind this call, by number or id."`
}

// Run has the driver of a run go once more over what is on record.
func (c *runsReplayCommand) Run(p *program) error {
	b, err := p.lookBack(c.Name)
	if err != nil {
		return err
	}
	shop, err := p.openShop(shopFacts{foreground: b.view.Kind != audit.KindRun, plan: b.view.Kind == audit.KindPlan})
	if err != nil {
		return err
	}
	defer shop.close()
	for i, word := range c.Live {
		spec, ok := shop.registry.Lookup(word)
		if !ok {
			return shop.unknownTool(word)
		}
		c.Live[i] = spec.Name
	}
	again := &audit.Replay{View: b.view, Tools: shop.set, Live: c.Live, Until: c.Until}
	if c.Until != "" {
		if _, err := b.view.Call(c.Until); err != nil {
			return &problem{code: codeNotFound, exit: exitUsage, message: tool.AsError(err).Message, run: b.view.ID, try: []string{"toolpost runs show " + shortID(b.view.ID)}}
		}
	}
	ctx, stop := p.interruptible(func() { _ = shop.cell.Close() })
	defer stop()
	id, record := "replay-"+tool.NewID(), (*audit.Run)(nil)
	if len(c.Live) > 0 {
		if record, err = c.record(p, shop, b.view); err != nil {
			return err
		}
		defer record.Close()
		id = record.ID()
	}
	stream, err := b.driver(ctx, again, id, shop)
	if err != nil {
		return err
	}
	if record != nil {
		stream = audit.Record(record, stream)
	}
	var failed error
	for _, err := range again.Watch(stream) {
		failed = err
	}
	return c.judge(p, b.view, again, failed, record)
}

// record makes the run in which live calls go on record.
func (c *runsReplayCommand) record(p *program, s *shop, v *audit.View) (*audit.Run, error) {
	if err := p.readyStore(s.config); err != nil {
		return nil, err
	}
	f, err := p.facts(s, v.Kind)
	if err != nil {
		return nil, err
	}
	f.Parent, f.Prompt, f.Model, f.Plan = v.ID, v.Prompt, v.Model, v.Plan
	run, err := s.store.Create(f)
	if err != nil {
		return nil, p.recordProblem(s, err)
	}
	return run, nil
}

// judge tells what the replay has shown.
func (c *runsReplayCommand) judge(p *program, v *audit.View, r *audit.Replay, failed error, record *audit.Run) error {
	short := shortID(v.ID)
	var d *audit.Difference
	switch {
	case errors.As(failed, &d):
		pr := differs("replay of "+short, d, fmt.Sprintf("toolpost runs show %s %d", short, d.N))
		pr.run = v.ID
		if p.out.form == "json" {
			if err := p.out.document(replayed{1, v.ID, false, r.Same(), len(v.Calls), d}); err != nil {
				return err
			}
		}
		return pr
	case errors.Is(failed, errInterrupt):
		return &problem{code: codeInterrupted, exit: exitInterrupted, message: "the replay was interrupted"}
	case failed != nil && r.Same() == 0 && len(v.Calls) > 0:
		return failed
	case failed != nil && (v.Status == audit.StatusOK || v.Kind == audit.KindCall):
		return &problem{code: codeDiffers, exit: exitDiffers, message: fmt.Sprintf("replay of %s: the run on record ended well, and this one with: %s", short, tool.AsError(failed).Message), run: v.ID, cause: failed}
	}
	if p.out.json() {
		return p.out.document(replayed{1, v.ID, true, r.Same(), len(v.Calls), nil})
	}
	st := p.out.outStyle
	p.out.styled(fmt.Sprintf("%s: %s of run %s, made again as on record\n", st.green("identical"), plural(r.Same(), "call"), short))
	switch {
	case c.Until != "":
		p.out.printf("stopped behind call %s; go on from there with: toolpost runs fork %s --at %s\n", c.Until, short, c.Until)
	case v.Status == audit.StatusInterrupted || v.Status == audit.StatusCancelled:
		p.out.printf("the record breaks off there (%s)\n", v.Status)
	}
	if record != nil {
		p.out.printf("live calls are on record as %s\n", shortID(record.ID()))
	}
	return nil
}

// replayed is the outcome of a replay for programs.
type replayed struct {
	V          int               `json:"v"`
	Run        string            `json:"runId"`
	Identical  bool              `json:"identical"`
	Same       int               `json:"same"`
	Calls      int               `json:"calls"`
	Difference *audit.Difference `json:"difference,omitempty"`
}

// driver is what drove the run, to drive it again with other tools.
func (b *past) driver(ctx context.Context, tools tool.Set, id string, s *shop) (event.Stream, error) {
	switch b.view.Kind {
	case audit.KindPlan:
		return b.planDriver(ctx, tools, id, s)
	case audit.KindCall:
		return event.Go(ctx, id, func(ctx context.Context, r *event.Run) error {
			for _, c := range b.view.Calls {
				again := *c.Asked
				again.ID, again.Grant = "", tool.Grant{}
				r.Do(ctx, tools.Call, &again)
			}
			return nil
		}), nil
	}
	model, err := replay.Read(b.view.Messages)
	if err != nil {
		return nil, err
	}
	if b.view.Message != "" {
		model.End = errors.New(b.view.Message)
	}
	inbox := make(chan llm.Message, len(model.Messages)+1)
	model.Said = func(m llm.Message) { inbox <- m }
	loop := &agent.Loop{Provider: model, Tools: tools, Request: llm.Request{Model: b.view.Model}, MaxTurns: 1 << 20,
		Parallel: int(s.config.int("agents.defaults.parallel")), Inbox: inbox, Drain: agent.DrainAll, ID: id}
	return loop.Run(ctx, session.NewMemory(llm.User(b.view.Prompt))), nil
}

func (b *past) planDriver(ctx context.Context, tools tool.Set, id string, s *shop) (event.Stream, error) {
	doc, err := plan.Parse(b.view.Plan)
	if err != nil {
		return nil, planProblem("the plan of run "+shortID(b.view.ID), problemsIn(err))
	}
	quick := withoutWaits(doc)
	r := &plan.Runner{Tools: tools, MaxConcurrency: int(s.config.int("plans.concurrency")), ID: id, Confirm: plan.ConfirmNever, Policy: b.view.Policy}
	if c := b.confirmation(); c != nil {
		c.PlanHash, c.ToolsHash, c.PolicyHash = quick.Hash(), plan.ToolsHash(tools), ""
		r.Confirmation = c
	}
	return r.Run(ctx, quick), nil
}

// withoutWaits is a plan whose retries follow at once: what is on record is there
// already.
func withoutWaits(p *plan.Plan) *plan.Plan {
	quick, none := *p, int64(0)
	quick.Steps = append([]plan.Step(nil), p.Steps...)
	for i := range quick.Steps {
		retry := plan.Retry{MaxAttempts: 3} // the runner's own number
		switch s := &quick.Steps[i]; {
		case s.Retry != nil:
			retry = *s.Retry
		case p.Defaults != nil && p.Defaults.Retry != nil:
			retry = *p.Defaults.Retry
		}
		retry.BackoffMS = &none
		quick.Steps[i].Retry = &retry
	}
	return &quick
}

// asJSON is v as JSON, for facts.
func asJSON(v any) json.RawMessage {
	b, _ := json.Marshal(v) // of structs of ours
	return b
}
