package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/toolpost/toolpost/llm"
	"github.com/toolpost/toolpost/plan"
	"github.com/toolpost/toolpost/tool"
)

// Run has a model write a plan and prints it once it is clean. Nothing is run.
func (c *planDraftCommand) Run(p *program) error {
	cfg, err := p.settings()
	if err != nil {
		return err
	}
	name := c.Model
	if name == "" {
		name = modelName(cfg)
	}
	m, err := p.model(cfg, name)
	if err != nil {
		return err
	}
	shop, err := p.openShop(shopFacts{foreground: true, plan: true})
	if err != nil {
		return err
	}
	defer shop.close()
	ctx, stop := p.interruptible(func() { _ = shop.cell.Close() })
	defer stop()
	req := m.request
	req.System = drafting(shop.set.Specs())
	req.Messages = []llm.Message{llm.User("The goal: " + strings.Join(c.Goal, " "))}
	var bad []plan.Problem
	for round := range max(c.Rounds, 1) {
		reply, err := replyOf(ctx, m.provider, &req)
		if err != nil {
			return draftFailure(err)
		}
		doc := jsonIn(reply.Text())
		parsed, err := plan.Parse(doc)
		if err != nil {
			bad = problemsIn(err)
		} else {
			bad = plan.Errors(plan.Lint(parsed, shop.set))
		}
		if len(bad) == 0 {
			return c.print(p, doc)
		}
		p.out.note(p.out.errStyle.faint(fmt.Sprintf("draft %d has %s; the model is told\n", round+1, plural(len(bad), "problem"))))
		req.Messages = append(req.Messages, reply, llm.User(complaint(bad)))
	}
	pr := planProblem("the draft", bad)
	pr.message = fmt.Sprintf("the model wrote no valid plan in %s", plural(max(c.Rounds, 1), "round"))
	pr.try = nil
	return pr
}

func (c *planDraftCommand) print(p *program, doc []byte) error {
	var b bytes.Buffer
	if err := json.Indent(&b, doc, "", "  "); err != nil {
		return fmt.Errorf("print the plan: %w", err)
	}
	p.out.printf("%s\n", b.String())
	p.out.note(p.out.errStyle.faint("nothing was run; keep it in a file, then:  toolpost plan preview FILE") + "\n")
	return nil
}

// drafting is what a model is told that writes a plan.
func drafting(specs []tool.Spec) string {
	var b strings.Builder
	b.WriteString("You write ActionPlans: one JSON document, and nothing else, in this form:\n\n")
	b.Write(plan.Schema())
	b.WriteString("\n\nArguments may be \"$steps.ID.path\" for the data of a step before, \"$vars.NAME.path\" for a variable, and in a foreach \"{itemName.path}\" and \"{indexName}\" inside strings; {{ and }} are braces. The data of a foreach is {items, count, failed, skipped}. riskLevel is at least that of every tool used. The tools, each with the schema of its arguments and of its data:\n")
	for _, s := range specs {
		fmt.Fprintf(&b, "\n%s (%s): %s\n  arguments %s\n", s.Name, s.Risk, s.Description, s.Input.JSON())
		if s.Output != nil {
			fmt.Fprintf(&b, "  data %s\n", s.Output.JSON())
		}
	}
	return b.String()
}

// complaint tells the model what is wrong with its draft.
func complaint(bad []plan.Problem) string {
	var b strings.Builder
	b.WriteString("The plan cannot be run. Its problems, by JSON pointer:\n")
	for _, p := range bad {
		b.WriteString("- " + p.String() + "\n")
	}
	b.WriteString("Send the whole corrected plan, as JSON and nothing else.")
	return b.String()
}

// replyOf is the whole reply to a request.
func replyOf(ctx context.Context, m llm.Provider, req *llm.Request) (llm.Message, error) {
	var reply llm.Reply
	for d, err := range m.Stream(ctx, req) {
		if err != nil {
			return llm.Message{}, err
		}
		reply.Add(d)
	}
	return reply.Message(), ctx.Err()
}

func draftFailure(err error) error {
	pr := asProblem(err)
	if e := tool.AsError(err); pr.code == codeInternal {
		pr = &problem{code: string(e.Code), exit: e.Code.RunExit(), message: e.Message, cause: err}
	}
	return pr
}

// jsonIn is the JSON document in a reply, without a fence around it.
func jsonIn(text string) []byte {
	s := strings.TrimSpace(text)
	if rest, ok := strings.CutPrefix(s, "```"); ok {
		if _, body, ok := strings.Cut(rest, "\n"); ok {
			s = strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(body), "```"))
		}
	}
	return []byte(s)
}
