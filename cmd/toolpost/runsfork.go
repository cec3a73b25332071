package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/toolpost/toolpost/audit"
	"github.com/toolpost/toolpost/llm"
	"github.com/toolpost/toolpost/tool"
)

type runsForkCommand struct {
	Name    name     `arg:"" name:"run" help:"Full id, unique prefix, -1 for the last, or @label."`
	Prompt  []string `arg:"" optional:"" help:"Say this to the model before it goes on."`
	At      string   `required:"" placeholder:"CALL" help:"Go on behind this call, by number or id. Of an agent's run the whole turn of the call is kept."`
	Model   string   `short:"m" placeholder:"MODEL" help:"Ask this model; the run's own if left out."`
	Plan    string   `placeholder:"FILE" help:"Go on with this plan in place of the one on record; steps that were edited are run again."`
	Confirm string   `placeholder:"TOKEN" help:"The token of the preview that is confirmed."`
	Label   string   `placeholder:"NAME" help:"A name for the new run."`
}

// Run makes a new run that goes on from a call of another.
func (c *runsForkCommand) Run(p *program) error {
	b, err := p.lookBack(c.Name)
	if err != nil {
		return err
	}
	call, err := b.view.Call(c.At)
	if err != nil {
		return &problem{code: codeNotFound, exit: exitUsage, message: tool.AsError(err).Message, run: b.view.ID, try: []string{"toolpost runs show " + shortID(b.view.ID)}}
	}
	switch b.view.Kind {
	case audit.KindPlan:
		return c.plan(p, b, call)
	case audit.KindCall:
		return &problem{code: codeUsage, exit: exitUsage, message: "run " + shortID(b.view.ID) + " is one call: there is nothing behind it", run: b.view.ID}
	}
	if c.Plan != "" {
		return &problem{code: codeUsage, exit: exitUsage, message: "--plan is for runs of plans, and run " + shortID(b.view.ID) + " is an agent's"}
	}
	return c.agent(p, b, call)
}

// plan runs what stands behind the call. Steps that had ended well by then and are
// the same in an edited plan are not run again.
func (c *runsForkCommand) plan(p *program, b *past, at *audit.Call) error {
	file, doc := "the plan of run "+shortID(b.view.ID), []byte(b.view.Plan)
	if c.Plan != "" {
		var err error
		if doc, err = p.readInput(c.Plan); err != nil {
			return err
		}
		file = c.Plan
	}
	d, err := p.planOf(file, doc)
	if err != nil {
		return err
	}
	defer d.close()
	if err := p.readyStore(d.shop.config); err != nil {
		return err
	}
	d.runner.Done, _ = done(b.view, at.N)
	for k := range d.runner.Done {
		if !sameStep(b.view.Plan, doc, k.Step) {
			delete(d.runner.Done, k)
		}
	}
	ctx, stop := p.interruptible(func() { _ = d.shop.cell.Close() })
	defer stop()
	if err := d.confirm(ctx, &planApplyCommand{File: file, Confirm: c.Confirm}); err != nil {
		var pr *problem
		if errors.As(err, &pr) && pr.code == codeConfirm && len(pr.try) > 0 {
			token := pr.try[len(pr.try)-1]
			pr.advice = "Nothing was run. To run exactly that:"
			pr.try = []string{fmt.Sprintf("toolpost runs fork %s --at %s --confirm %s", shortID(b.view.ID), c.At, token[strings.LastIndexByte(token, ' ')+1:])}
		}
		return err
	}
	d.facts.Parent = b.view.ID
	return d.apply(ctx, &planApplyCommand{Label: c.Label})
}

// sameStep reports whether a step stands in two plans alike.
func sameStep(a, b []byte, id string) bool {
	x, okA := stepText(a, id)
	y, okB := stepText(b, id)
	return okA && okB && x == y
}

func stepText(doc []byte, id string) (string, bool) {
	var p struct {
		Steps []json.RawMessage `json:"steps"`
	}
	if json.Unmarshal(doc, &p) != nil {
		return "", false
	}
	for _, raw := range p.Steps {
		var s struct {
			ID string `json:"id"`
		}
		if json.Unmarshal(raw, &s) == nil && s.ID == id {
			return string(compact(raw)), true
		}
	}
	return "", false
}

// agent goes on in a session of its own, in which all has been said up to the call.
func (c *runsForkCommand) agent(p *program, b *past, at *audit.Call) error {
	said, err := b.said(p, at)
	if err != nil {
		return err
	}
	id := tool.NewID()
	chat, err := p.sessionStore(b.config).Open(id)
	if err != nil {
		return p.sessionProblem(err)
	}
	if err := errors.Join(chat.Append(context.Background(), said...), chat.Close()); err != nil {
		return p.sessionProblem(err)
	}
	run := &runCommand{Session: name(id), Model: c.Model, Label: c.Label, Prompt: c.Prompt}
	if run.Model == "" {
		run.Model = b.view.Model
	}
	x := &errand{program: p, inbox: make(chan llm.Message, 64), tell: newTeller(p.out), command: run, parent: b.view.ID}
	if err := x.prepare(); err != nil {
		return errors.Join(err, x.close())
	}
	ctx, stop := p.interruptible(func() { _ = x.shop.cell.Close() })
	defer stop()
	end := x.end(x.run(ctx))
	if cerr := x.close(); end == nil {
		end = cerr
	}
	return end
}

// said is the conversation up to the results of the turn in which a call was made:
// from the session, or if that is gone from the record.
func (b *past) said(p *program, at *audit.Call) ([]llm.Message, error) {
	if b.view.Session != "" {
		if msgs, err := p.sessionStore(b.config).Read(b.view.Session); err == nil {
			for i := range msgs {
				if msgs[i].Role == llm.RoleTool && answersCall(&msgs[i], at.ID()) {
					return msgs[:i+1], nil
				}
			}
		}
	}
	results := map[string]*tool.Result{}
	for _, c := range b.view.Calls {
		results[c.ID()] = c.Result
	}
	said := []llm.Message{llm.User(b.view.Prompt)}
	for _, raw := range b.view.Messages {
		var m llm.Message
		if err := json.Unmarshal(raw, &m); err != nil {
			return nil, fmt.Errorf("read the messages of run %s: %w", b.view.ID, err)
		}
		said = append(said, m)
		if m.Calls() == 0 || m.Broken() {
			continue
		}
		answer := llm.Message{Role: llm.RoleTool}
		for i := range m.Blocks {
			if call := m.Blocks[i].Call; call != nil && results[call.ID] != nil {
				answer.Blocks = append(answer.Blocks, llm.ResultBlock(results[call.ID]))
			}
		}
		said = append(said, answer)
		if answersCall(&answer, at.ID()) {
			return said, nil
		}
	}
	return nil, &problem{code: codeNotFound, exit: exitUsage, message: fmt.Sprintf("no message on record makes call %d", at.N), run: b.view.ID}
}

func answersCall(m *llm.Message, id string) bool {
	for i := range m.Blocks {
		if r := m.Blocks[i].Result; r != nil && r.ID == id {
			return true
		}
	}
	return false
}
