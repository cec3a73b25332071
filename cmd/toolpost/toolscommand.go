package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/toolpost/toolpost/schema"
	"github.com/toolpost/toolpost/tool"
)

// Run lists the tools.
func (c *toolsLsCommand) Run(p *program) error {
	shop, err := p.openShop(shopFacts{})
	if err != nil {
		return err
	}
	defer shop.close()
	specs := shop.set.Specs()
	switch p.out.form {
	case "json":
		return p.out.document(struct {
			V     int         `json:"v"`
			Tools []tool.Spec `json:"tools"`
		}{1, specs})
	case "jsonl":
		for i := range specs {
			if err := p.out.document(specs[i]); err != nil {
				return err
			}
		}
		return nil
	}
	if c.Names {
		for i := range specs {
			p.out.printf("%s\n", specs[i].Name)
		}
		return nil
	}
	width := 0
	for i := range specs {
		width = max(width, len(specs[i].Name))
	}
	room := max(p.out.width(p.out.outFile)-width-14, 30)
	for i := range specs {
		s := &specs[i]
		p.out.styled(fmt.Sprintf("%-*s  %-9s  %s\n", width, clean(s.Name), s.Risk, clean(clip(firstSentence(s.Description), room))))
	}
	return nil
}

func firstSentence(s string) string {
	first, _, found := strings.Cut(s, ". ")
	if found {
		return first + "."
	}
	return s
}

// find is the tool with this name or alias.
func (s *shop) find(name string) (*tool.Spec, error) {
	spec, ok := s.registry.Lookup(name)
	if !ok {
		return nil, s.unknownTool(name)
	}
	return &spec, nil
}

// unknownTool names the tools that may have been meant.
func (s *shop) unknownTool(name string) *problem {
	specs := s.set.Specs()
	names := make([]string, 0, len(specs))
	for i := range specs {
		names = append(names, specs[i].Name)
		names = append(names, specs[i].Aliases...)
	}
	pr := &problem{code: codeUnknownTool, exit: exitUsage, message: fmt.Sprintf("there is no tool %q", clip(name, 60)), try: []string{"toolpost tools ls"}}
	if near := schema.Nearest(name, names, 1); len(near) > 0 {
		pr.facts = []string{fmt.Sprintf("did you mean %q?", near[0])}
		pr.try = []string{"toolpost tools show " + near[0]}
	}
	return pr
}

// Run shows one tool.
func (c *toolsShowCommand) Run(p *program) error {
	shop, err := p.openShop(shopFacts{})
	if err != nil {
		return err
	}
	defer shop.close()
	s, err := shop.find(c.Name)
	if err != nil {
		return err
	}
	if p.out.json() {
		return p.out.document(s)
	}
	st := p.out.outStyle
	o := p.out
	o.styled(st.bold(clean(s.Name)))
	if len(s.Aliases) > 0 {
		o.printf("  (also %s)", strings.Join(s.Aliases, ", "))
	}
	o.printf("\n")
	for _, l := range wrap(s.Description, 90) {
		o.printf("  %s\n", l)
	}
	o.printf("\nArguments\n")
	for _, a := range params(s) {
		mark := " "
		if a.required {
			mark = "*"
		}
		o.printf("%s %-14s %-22s %s\n", mark, a.name, a.kind, a.describe())
	}
	o.printf("\nRisk      %s%s\n", s.Risk, flagsOf(s))
	o.printf("Timeout   %s\n", shortDuration(shop.timeoutOf(s)))
	if len(s.Examples) > 0 {
		o.printf("Example   toolpost tools call %s %s\n", s.Name, asWords(s.Examples[0]))
	}
	if s.Output != nil {
		o.printf("Data      toolpost tools schema %s --result\n", s.Name)
	}
	return nil
}

func (p param) describe() string {
	s := p.doc
	if p.limits != "" {
		s += " (" + p.limits + ")"
	}
	if p.def != "" {
		s += " Default: " + p.def + "."
	}
	return strings.TrimSpace(s)
}

// flagsOf is what a tool says of itself beside its risk.
func flagsOf(s *tool.Spec) string {
	var words []string
	for _, f := range []struct {
		set  bool
		word string
	}{
		{s.Idempotent, "idempotent"}, {s.Sequential, "sequential"}, {s.Previews, "dry run"}, {s.WorkspaceOnly, "workspace only"},
		{s.Background, "background"}, {s.PTY, "pty"}, {s.OwnerOnly, "owner only"}, {s.Polling, "polling"},
	} {
		if f.set {
			words = append(words, f.word)
		}
	}
	if len(words) == 0 {
		return ""
	}
	return " · " + strings.Join(words, " · ")
}

// asWords is an example of arguments as one would type it.
func asWords(args json.RawMessage) string {
	var m map[string]json.RawMessage
	if json.Unmarshal(args, &m) != nil {
		return "'" + string(args) + "'"
	}
	var words []string
	for _, k := range sortedKeys(m) {
		var s string
		if json.Unmarshal(m[k], &s) == nil {
			words = append(words, k+"="+shellWord(s))
			continue
		}
		words = append(words, k+":="+shellWord(string(m[k])))
	}
	return strings.Join(words, " ")
}

// shellWord is s as one word of a POSIX shell.
func shellWord(s string) string {
	if s != "" && strings.Trim(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-/:,+=@%") == "" {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}

// Run prints a schema as its author wrote it.
func (c *toolsSchemaCommand) Run(p *program) error {
	shop, err := p.openShop(shopFacts{})
	if err != nil {
		return err
	}
	defer shop.close()
	spec, err := shop.find(c.Name)
	if err != nil {
		return err
	}
	s := spec.Input
	if c.Result {
		if s = spec.Output; s == nil {
			return &problem{code: codeNotFound, exit: exitUsage, message: spec.Name + " promises no form of its data"}
		}
	}
	if c.For != "" {
		return c.view(p, spec, s)
	}
	raw := json.RawMessage(`{}`)
	if s != nil {
		raw = s.JSON()
	}
	if p.out.json() {
		return p.out.document(raw)
	}
	b, err := json.MarshalIndent(raw, "", "  ")
	if err != nil {
		return fmt.Errorf("print schema: %w", err)
	}
	p.out.styled(clean(string(b)) + "\n")
	return nil
}

func unknownFirst(p schema.Problem) int {
	if p.Rule == "additionalProperties" {
		return 0
	}
	return 1
}

// badArguments is the problem for arguments that do not fit: all that is wrong,
// what may have been meant, and what the tool expects.
func badArguments(spec *tool.Spec, e *tool.Error) *problem {
	pr := &problem{code: string(e.Code), exit: exitInvalid, message: e.Message, try: []string{"toolpost tools show " + spec.Name}}
	found, ok := errors.AsType[*schema.Invalid](e)
	if !ok {
		pr.message = spec.Name + ": " + strings.TrimPrefix(e.Message, spec.Name+": ")
		return pr
	}
	inv := schema.Invalid{Problems: slices.Clone(found.Problems)}
	slices.SortStableFunc(inv.Problems, func(a, b schema.Problem) int { return unknownFirst(a) - unknownFirst(b) })
	for i, p := range inv.Problems {
		text := p.Message
		if p.Rule == "additionalProperties" {
			text = fmt.Sprintf("unknown argument %q", p.Pointer[strings.LastIndexByte(p.Pointer, '/')+1:])
		} else if p.Pointer != "" {
			text = strings.TrimPrefix(p.Pointer, "/") + ": " + text
		}
		if i == 0 {
			pr.message = spec.Name + ": " + text
		} else {
			pr.facts = append(pr.facts, text)
		}
		if p.Nearest != "" && !strings.Contains(p.Message, p.Nearest) {
			pr.facts = append(pr.facts, fmt.Sprintf("did you mean %q?", p.Nearest))
		}
	}
	pr.facts = append(pr.facts, "expected: "+expected(spec))
	return pr
}
