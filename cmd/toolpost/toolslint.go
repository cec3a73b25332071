package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/toolpost/toolpost/schema"
	"github.com/toolpost/toolpost/tool"
)

type toolsLintCommand struct {
	File string   `arg:"" optional:"" help:"A JSON file of tools (a list, or an object with tools: of MCP servers and of OpenAI requests); - reads stdin. Without one: the tools here."`
	For  []string `placeholder:"DIALECT" help:"Only for these providers."`
	All  bool     `help:"Also what a provider is told in words only."`
}

// viewDocument is a schema as a provider is sent it, for programs.
type viewDocument struct {
	V           int    `json:"v"`
	Tool        string `json:"tool"`
	Description string `json:"description"`
	schema.View
}

// view prints the schema as a provider is sent it.
func (c *toolsSchemaCommand) view(p *program, spec *tool.Spec, s *schema.Schema) error {
	d, err := dialectNamed(c.For)
	if err != nil {
		return err
	}
	v, err := schema.Normalize(s, d)
	if err != nil {
		return &problem{code: codeInvalid, exit: exitInvalid, message: fmt.Sprintf("%s cannot be offered to %s: %v", spec.Name, c.For, err), cause: err}
	}
	if p.out.json() {
		return p.out.document(viewDocument{1, spec.Name, v.Describe(spec.Description), v})
	}
	b, err := json.MarshalIndent(v.Schema, "", "  ")
	if err != nil {
		return fmt.Errorf("print schema: %w", err)
	}
	p.out.styled(clean(string(b)) + "\n")
	if v.Note != "" {
		p.out.note("description  " + clean(v.Describe(spec.Description)) + "\n")
	}
	for _, l := range v.Losses {
		p.out.note("loss  " + clean(l.String()) + "\n")
	}
	if len(v.Losses) == 0 {
		p.out.note(p.out.errStyle.faint("nothing is lost") + "\n")
	}
	return nil
}

func dialectNamed(name string) (schema.Dialect, error) {
	d, err := schema.DialectNamed(name)
	if err != nil {
		return d, &problem{code: codeUsage, exit: exitUsage, message: err.Error()}
	}
	return d, nil
}

// found is what lint says of one tool.
type found struct {
	Tool     string           `json:"tool"`
	Findings []schema.Finding `json:"findings"`
}

// Run looks at tools as providers would be sent them.
func (c *toolsLintCommand) Run(p *program) error {
	var dialects []schema.Dialect
	for _, name := range c.For {
		d, err := dialectNamed(name)
		if err != nil {
			return err
		}
		dialects = append(dialects, d)
	}
	tools, err := c.tools(p)
	if err != nil {
		return err
	}
	refused, warnings := 0, 0
	all := []found{}
	for _, t := range tools {
		f := found{t.Name, []schema.Finding{}}
		for _, x := range schema.Lint(t, dialects) {
			switch {
			case x.Level == schema.LevelNote && !c.All:
				continue
			case x.Level == schema.LevelRefused:
				refused++
			case x.Level == schema.LevelWarning:
				warnings++
			}
			f.Findings = append(f.Findings, x)
		}
		all = append(all, f)
	}
	if p.out.json() {
		err := p.out.document(struct {
			V     int     `json:"v"`
			Valid bool    `json:"valid"`
			Tools []found `json:"tools"`
		}{1, refused == 0, all})
		if err != nil {
			return err
		}
	} else {
		for _, f := range all {
			for _, x := range f.Findings {
				p.out.printf("%s: %s\n", f.Tool, x)
			}
		}
		p.out.printf("%s: %s, %s\n", plural(len(tools), "tool"), fmt.Sprintf("%d refused", refused), plural(warnings, "warning"))
	}
	if refused > 0 {
		return &problem{code: codeInvalid, exit: exitInvalid, message: plural(refused, "schema") + " would be refused; such a tool is left out for that provider, and the rest is offered"}
	}
	return nil
}

// tools is the tools to look at: those of a file, or those here.
func (c *toolsLintCommand) tools(p *program) ([]schema.Described, error) {
	if c.File != "" {
		b, err := p.readInput(c.File)
		if err != nil {
			return nil, err
		}
		return describedIn(c.File, b)
	}
	shop, err := p.openShop(shopFacts{})
	if err != nil {
		return nil, err
	}
	defer shop.close()
	var out []schema.Described
	for _, s := range shop.set.Specs() {
		out = append(out, schema.Described{Name: s.Name, Description: s.Description, Input: s.Input})
	}
	return out, nil
}

// foreignTool is a tool as others write it: MCP has inputSchema, Anthropic
// input_schema, OpenAI parameters, in its older form inside function.
type foreignTool struct {
	Name        string          `json:"name"`
	Description string          `json:"description"`
	InputSchema json.RawMessage `json:"inputSchema"`
	InputSnake  json.RawMessage `json:"input_schema"`
	Parameters  json.RawMessage `json:"parameters"`
	Function    *foreignTool    `json:"function"`
}

func (t *foreignTool) schema() json.RawMessage {
	for _, s := range []json.RawMessage{t.InputSchema, t.InputSnake, t.Parameters} {
		if len(s) > 0 {
			return s
		}
	}
	return json.RawMessage(`{"type":"object"}`)
}

// describedIn reads a file of tools. A tool whose schema cannot be read is an
// error that names it: nobody could check its arguments.
func describedIn(file string, b []byte) ([]schema.Described, error) {
	var list []foreignTool
	var doc struct {
		Tools  []foreignTool `json:"tools"`
		Result struct {
			Tools []foreignTool `json:"tools"`
		} `json:"result"`
	}
	if bytes.HasPrefix(bytes.TrimSpace(b), []byte("[")) {
		if err := json.Unmarshal(b, &list); err != nil {
			return nil, &problem{code: codeInvalid, exit: exitInvalid, message: fmt.Sprintf("%s: %v", file, err)}
		}
	} else {
		if err := json.Unmarshal(b, &doc); err != nil {
			return nil, &problem{code: codeInvalid, exit: exitInvalid, message: fmt.Sprintf("%s: %v", file, err)}
		}
		list = append(doc.Tools, doc.Result.Tools...)
	}
	var out []schema.Described
	pr := &problem{code: codeInvalid, exit: exitInvalid, message: file + " holds schemas that cannot be read"}
	for i := range list {
		t := &list[i]
		if t.Function != nil {
			t = t.Function
		}
		s, err := schema.Parse(t.schema())
		if err != nil {
			pr.facts = append(pr.facts, fmt.Sprintf("%s: %s", t.Name, strings.ReplaceAll(err.Error(), "\n", " ")))
			continue
		}
		out = append(out, schema.Described{Name: t.Name, Description: t.Description, Input: s})
	}
	if len(pr.facts) > 0 {
		return nil, pr
	}
	if len(out) == 0 {
		return nil, &problem{code: codeInvalid, exit: exitInvalid, message: file + " holds no tools: a list of them, or an object with the member tools, is expected"}
	}
	return out, nil
}
