package main

import (
	"embed"
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/toolpost/toolpost/tool"
)

//go:embed explain/*.md
var explainPages embed.FS

// codes is every error code that the program can show, sorted.
func codes() []string {
	all := cliCodes()
	for _, c := range tool.Codes() {
		all = append(all, string(c))
	}
	slices.Sort(all)
	return all
}

// page is the text that explains a code, "" if there is none.
func page(code string) string {
	b, err := explainPages.ReadFile(path.Join("explain", code+".md"))
	if err != nil {
		return ""
	}
	return string(b)
}

// summary is the first line of a page, without its code.
func summary(text string) string {
	line, _, _ := strings.Cut(text, "\n")
	_, line, _ = strings.Cut(line, ": ")
	return line
}

// Run prints the page of a code, or a list of all.
func (c *explainCommand) Run(p *program) error {
	if c.Code == "" {
		return explainAll(p)
	}
	word := strings.ToUpper(strings.TrimSpace(c.Code))
	if n, err := strconv.Atoi(word); err == nil {
		word = "exit-" + strconv.Itoa(n)
	}
	text := page(word)
	if text == "" {
		return unknownCode(c.Code)
	}
	if p.out.json() {
		return p.out.document(explained{1, strings.TrimPrefix(word, "exit-"), summary(text), text})
	}
	p.out.printf("%s", text)
	return nil
}

// explained is a page for programs.
type explained struct {
	V       int    `json:"v"`
	Code    string `json:"code"`
	Summary string `json:"summary"`
	Text    string `json:"text,omitempty"`
}

func explainAll(p *program) error {
	var list []explained
	for _, n := range exitCodes() {
		list = append(list, explained{1, strconv.Itoa(n), summary(page("exit-" + strconv.Itoa(n))), ""})
	}
	for _, c := range codes() {
		list = append(list, explained{1, c, summary(page(c)), ""})
	}
	switch p.out.form {
	case "json":
		return p.out.document(struct {
			V     int         `json:"v"`
			Codes []explained `json:"codes"`
		}{1, list})
	case "jsonl":
		for _, e := range list {
			if err := p.out.document(e); err != nil {
				return err
			}
		}
		return nil
	}
	p.out.printf("Exit codes\n")
	for i, e := range list {
		if i == len(exitCodes()) {
			p.out.printf("\nError codes\n")
		}
		p.out.printf("  %-20s %s\n", e.Code, e.Summary)
	}
	p.out.printf("\nMore on each: toolpost explain CODE\n")
	return nil
}

func unknownCode(code string) error {
	pr := &problem{code: codeUsage, exit: exitUsage, message: fmt.Sprintf("%q is no error code or exit code of this program", clip(code, 40)),
		try: []string{"toolpost explain"}}
	if near := nearest(strings.ToUpper(code), codes()); near != "" {
		pr.facts = []string{"did you mean " + near + "?"}
		pr.try = []string{"toolpost explain " + near}
	}
	return pr
}
