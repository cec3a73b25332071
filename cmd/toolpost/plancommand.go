package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/toolpost/toolpost/audit"
	"github.com/toolpost/toolpost/plan"
	"github.com/toolpost/toolpost/tool"
)

type planCommands struct {
	Lint    planLintCommand    `cmd:"" help:"Check a plan against the tools, without running anything: every problem with its place."`
	Preview planPreviewCommand `cmd:"" help:"What a plan would do: reads are made, the rest is asked for a dry run. Nothing is changed."`
	Apply   planApplyCommand   `cmd:"" help:"Confirm a plan and run it, on record."`
	Show    planShowCommand    `cmd:"" help:"The steps of a plan, and what each waits for."`
	Graph   planGraphCommand   `cmd:"" help:"Which step waits for which."`
	Draft   planDraftCommand   `cmd:"" help:"Have a model write a plan, checked until it is clean, and print it."`
	Schema  planSchemaCommand  `cmd:"" help:"The JSON Schema of a plan, for editors."`
}

type planLintCommand struct {
	File string `arg:"" help:"The plan; - reads it from stdin."`
}

type planPreviewCommand struct {
	File   string `arg:"" help:"The plan; - reads it from stdin."`
	Expect string `placeholder:"TOKEN" help:"Exit 10 unless the preview has this token."`
}

type planApplyCommand struct {
	File        string `arg:"" help:"The plan; - reads it from stdin."`
	Confirm     string `placeholder:"TOKEN" help:"The token of the preview that is confirmed."`
	Label       string `placeholder:"NAME" help:"A name for the run, to find it again as @NAME."`
	AllowDenied bool   `name:"allow-denied" help:"Exit 0 even if a call was refused."`
}

type planShowCommand struct {
	File string `arg:"" help:"The plan; - reads it from stdin."`
}

type planGraphCommand struct {
	File string `arg:"" help:"The plan; - reads it from stdin."`
	As   string `default:"text" enum:"text,dot,mermaid" help:"text, dot or mermaid."`
}

type planDraftCommand struct {
	Goal   []string `arg:"" help:"What the plan is to reach."`
	Model  string   `short:"m" placeholder:"MODEL" help:"Who writes it, as for run."`
	Rounds int      `default:"5" placeholder:"N" help:"How often the problems of a draft are told to the model."`
}

type planSchemaCommand struct{}

// Run prints the published schema.
func (planSchemaCommand) Run(p *program) error {
	p.out.printf("%s\n", plan.Schema())
	return nil
}

// A planDesk is a plan, the tools it is for, and who runs it.
type planDesk struct {
	program *program
	file    string
	doc     []byte
	plan    *plan.Plan
	shop    *shop
	facts   audit.Facts
	runner  *plan.Runner
}

// openPlan reads a plan and opens the tools for it. Problems of the document are
// told before any tool is opened.
func (p *program) openPlan(file string) (*planDesk, error) {
	doc, err := p.readInput(file)
	if err != nil {
		return nil, err
	}
	return p.planOf(file, doc)
}

// planOf is the plan of a document, which file names in messages, with its tools.
func (p *program) planOf(file string, doc []byte) (*planDesk, error) {
	parsed, err := plan.Parse(doc)
	if err != nil {
		return nil, planProblem(file, problemsIn(err))
	}
	d := &planDesk{program: p, file: file, doc: doc, plan: parsed}
	if d.shop, err = p.openShop(shopFacts{foreground: true, plan: true}); err != nil {
		return nil, err
	}
	if d.facts, err = p.facts(d.shop, audit.KindPlan); err != nil {
		_ = d.shop.close()
		return nil, err
	}
	d.runner = &plan.Runner{Tools: d.shop.set, MaxConcurrency: int(d.shop.config.int("plans.concurrency")), Policy: d.facts.Policy}
	return d, nil
}

func (p *program) readInput(file string) ([]byte, error) {
	if file == "-" {
		b, err := p.readStdin()
		if err != nil {
			return nil, fmt.Errorf("read stdin: %w", err)
		}
		return b, nil
	}
	path := file
	if !filepath.IsAbs(path) {
		path = filepath.Join(p.dir, path)
	}
	b, err := os.ReadFile(path)
	if err != nil {
		return nil, &problem{code: codeNotFound, exit: exitUsage, message: fmt.Sprintf("%s: %s", file, reason(err))}
	}
	return b, nil
}

func (d *planDesk) close() error { return d.shop.close() }

// problemsIn is the problems that an error of package plan tells of.
func problemsIn(err error) []plan.Problem {
	var details struct {
		Problems []plan.Problem `json:"problems"`
	}
	e := tool.AsError(err)
	if decodeJSON(e.Details, &details) != nil || len(details.Problems) == 0 {
		return []plan.Problem{{Rule: "json", Message: e.Message}}
	}
	return details.Problems
}

// planProblem says that a plan cannot be run.
func planProblem(file string, problems []plan.Problem) *problem {
	bad := plan.Errors(problems)
	pr := &problem{code: codePlan, exit: exitInvalid, message: fmt.Sprintf("%s has %s; nothing was run", file, plural(len(bad), "problem")),
		try: []string{"toolpost plan lint " + shellWord(file), "toolpost plan schema"}}
	for _, b := range bad {
		pr.facts = append(pr.facts, b.String())
	}
	return pr
}

// lintDocument is what plan lint says, for programs.
type lintDocument struct {
	V        int            `json:"v"`
	Valid    bool           `json:"valid"`
	PlanHash string         `json:"planHash,omitempty"`
	Problems []plan.Problem `json:"problems"`
}

// Run checks a plan.
func (c *planLintCommand) Run(p *program) error {
	problems, hash := []plan.Problem{}, ""
	d, err := p.openPlan(c.File)
	switch pr, _ := err.(*problem); {
	case err == nil:
		defer d.close()
		problems, hash = append(problems, plan.Lint(d.plan, d.shop.set)...), d.plan.Hash()
	case pr != nil && pr.code == codePlan:
		doc, rerr := p.readInput(c.File)
		if rerr != nil {
			return rerr
		}
		_, perr := plan.Parse(doc)
		problems = problemsIn(perr)
	default:
		return err
	}
	bad := plan.Errors(problems)
	if p.out.json() {
		if err := p.out.document(lintDocument{1, len(bad) == 0, hash, problems}); err != nil {
			return err
		}
	} else {
		for _, pr := range problems {
			word := "error"
			if pr.Warning {
				word = "warning"
			}
			p.out.printf("%-8s %s: %s\n", word, c.File, pr)
		}
		if len(bad) == 0 {
			p.out.printf("%s is valid: %s, %s\n", c.File, plural(len(d.plan.Steps), "step"), d.plan.Risk)
		}
	}
	if len(bad) > 0 {
		if p.out.json() {
			return planProblem(c.File, problems)
		}
		return exitCode(exitInvalid)
	}
	return nil
}

// Run prints the steps of a plan.
func (c *planShowCommand) Run(p *program) error {
	d, err := p.openPlan(c.File)
	if err != nil {
		return err
	}
	defer d.close()
	if p.out.json() {
		return p.out.document(struct {
			V        int        `json:"v"`
			PlanHash string     `json:"planHash"`
			Plan     *plan.Plan `json:"plan"`
		}{1, d.plan.Hash(), d.plan})
	}
	p.out.printf("plan   %s\nrisk   %s\nhash   %s\n\n", d.plan.Goal, d.plan.Risk, d.plan.Hash())
	for i, e := range plan.Edges(d.plan, d.shop.set) {
		s := &d.plan.Steps[i]
		line := fmt.Sprintf("%2d %-12s %-18s %s", i+1, s.ID, s.Tool, clip(string(s.Args), 60))
		if s.Foreach != nil {
			line += "  for each of " + s.Foreach.From
		}
		if len(e) > 0 {
			line += "  after " + strings.Join(e, ", ")
		}
		p.out.printf("%s\n", line)
	}
	return nil
}

// Run prints the graph of a plan.
func (c *planGraphCommand) Run(p *program) error {
	d, err := p.openPlan(c.File)
	if err != nil {
		return err
	}
	defer d.close()
	edges := plan.Edges(d.plan, d.shop.set)
	if p.out.json() {
		type edge struct {
			From string `json:"from"`
			To   string `json:"to"`
		}
		all := []edge{}
		for i, needs := range edges {
			for _, n := range needs {
				all = append(all, edge{n, d.plan.Steps[i].ID})
			}
		}
		return p.out.document(struct {
			V     int    `json:"v"`
			Edges []edge `json:"edges"`
		}{1, all})
	}
	switch c.As {
	case "dot":
		p.out.printf("digraph plan {\n")
	case "mermaid":
		p.out.printf("graph TD\n")
	}
	for i, needs := range edges {
		s := &d.plan.Steps[i]
		switch c.As {
		case "dot":
			p.out.printf("  %q [label=%q];\n", s.ID, s.ID+"\n"+s.Tool)
		case "mermaid":
			p.out.printf("  %s[\"%s<br/>%s\"]\n", s.ID, s.ID, strings.ReplaceAll(s.Tool, `"`, "'"))
		default:
			p.out.printf("%s (%s)\n", s.ID, s.Tool)
		}
		for _, n := range needs {
			switch c.As {
			case "dot":
				p.out.printf("  %q -> %q;\n", n, s.ID)
			case "mermaid":
				p.out.printf("  %s --> %s\n", n, s.ID)
			default:
				p.out.printf("  ← %s\n", n)
			}
		}
	}
	if c.As == "dot" {
		p.out.printf("}\n")
	}
	return nil
}
