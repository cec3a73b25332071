package main

import (
	"embed"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/alecthomas/kong"
)

//go:embed help/*.md
var helpTopics embed.FS

// Run is never reached: parse makes a helpPage of the command, which needs the
// whole grammar.
func (*helpCommand) Run(*program) error { return nil }

// overview is the program without a command: short help, and how things stand in
// this folder. It asks no model.
type overview struct{ model *kong.Application }

// Run prints the overview.
func (o *overview) Run(p *program) error {
	state := p.state()
	if p.out.json() {
		return p.out.document(state)
	}
	s := p.out.outStyle
	p.out.styled(s.bold("toolpost") + ": " + strings.TrimSuffix(o.model.Help, ".") + ".\n\n")
	writeCommands(p.out, o.model.Node)
	p.out.printf("\nThis folder\n")
	for _, line := range state.lines() {
		p.out.printf("  %s\n", line)
	}
	p.out.printf("\nTry  toolpost demo      Help  toolpost COMMAND --help · toolpost help TOPIC (%s)\n", strings.Join(topics(), ", "))
	return nil
}

// helpPage is the help for a command or a topic.
type helpPage struct {
	model *kong.Application
	node  *kong.Node
	words []string
}

// Run prints the page.
func (h *helpPage) Run(p *program) error {
	node := h.node
	if node == nil {
		node = h.model.Node
		for i, w := range h.words {
			next := child(node, w)
			if next == nil && i == 0 && len(h.words) == 1 {
				return h.topic(p, w)
			}
			if next == nil {
				return unknownCommand(node, w)
			}
			node = next
		}
	}
	writeHelp(p.out, node)
	return nil
}

func child(n *kong.Node, name string) *kong.Node {
	for _, c := range n.Children {
		if c.Name == name {
			return c
		}
	}
	return nil
}

// topic prints one of the pages that are about no single command.
func (h *helpPage) topic(p *program, word string) error {
	text, err := helpTopics.ReadFile(path.Join("help", strings.ToLower(word)+".md"))
	if err == nil {
		p.out.printf("%s", text)
		return nil
	}
	pr := &problem{code: codeUsage, exit: exitUsage, message: fmt.Sprintf("there is no help on %q", clip(word, 40)),
		facts: []string{"topics: " + strings.Join(topics(), ", "), "commands: " + strings.Join(childNames(h.model.Node), ", ")}}
	if near := nearest(word, append(topics(), childNames(h.model.Node)...)); near != "" {
		pr.near = fmt.Sprintf("did you mean %q?", near)
		pr.facts = append([]string{pr.near}, pr.facts...)
		pr.try = []string{"toolpost help " + near}
	}
	return pr
}

// topics is the names of the pages, sorted.
func topics() []string {
	entries, err := fs.ReadDir(helpTopics, "help")
	if err != nil {
		return nil // embedded: it is there
	}
	var names []string
	for _, e := range entries {
		names = append(names, strings.TrimSuffix(e.Name(), ".md"))
	}
	slices.Sort(names)
	return names
}

// writeHelp prints the help of one command.
func writeHelp(o *output, n *kong.Node) {
	s := o.outStyle
	o.styled("Usage: " + s.bold(usage(n)) + "\n")
	if n.Help != "" {
		o.styled("\n" + n.Help + "\n")
	}
	if len(n.Children) > 0 {
		o.styled("\n")
		writeCommands(o, n)
	}
	if len(n.Positional) > 0 {
		o.styled("\nArguments\n")
		var rows [][2]string
		for _, a := range n.Positional {
			rows = append(rows, [2]string{argument(a), a.Help})
		}
		writeRows(o, rows)
	}
	if rows := flagRows(n.Flags); n.Parent != nil && len(rows) > 0 {
		o.styled("\nFlags\n")
		writeRows(o, rows)
	}
	root := n
	for root.Parent != nil {
		root = root.Parent
	}
	o.styled("\nGlobal flags\n")
	writeRows(o, flagRows(root.Flags))
	if ex := examples(n); ex != "" {
		o.styled("\nExamples\n" + ex)
	}
}

func usage(n *kong.Node) string {
	words := n.FullPath()
	for _, a := range n.Positional {
		words += " " + argument(a)
	}
	if len(n.Children) > 0 {
		words += " COMMAND"
	}
	return words + " [flags]"
}

func argument(a *kong.Positional) string {
	word := strings.ToUpper(a.Name)
	if a.IsSlice() {
		word += " …"
	}
	if !a.Required {
		word = "[" + word + "]"
	}
	return word
}

func flagRows(flags []*kong.Flag) [][2]string {
	var rows [][2]string
	for _, f := range flags {
		if f.Hidden {
			continue
		}
		left := "    --" + f.Name
		if f.Short != 0 {
			left = "-" + string(f.Short) + ", --" + f.Name
		}
		switch {
		case f.IsBool(), f.IsCounter():
		case f.PlaceHolder != "":
			left += " " + f.PlaceHolder
		case f.Enum != "":
			left += " " + strings.ReplaceAll(f.Enum, ",", "|")
		default:
			left += " VALUE"
		}
		rows = append(rows, [2]string{left, f.Help})
	}
	return rows
}

// writeCommands prints the commands below n, in their groups.
func writeCommands(o *output, n *kong.Node) {
	s := o.outStyle
	group := ""
	for _, c := range n.Children {
		if g := c.Group; g != nil && g.Title != group {
			group = g.Title
			o.styled(s.bold(group) + "\n")
		}
		name := c.Name
		if len(c.Children) > 0 {
			name += " " + strings.Join(childNames(c), "|")
		}
		writeRows(o, [][2]string{{name, c.Help}})
	}
}

// writeRows prints two columns, the second wrapped.
func writeRows(o *output, rows [][2]string) {
	const left = 31
	width := max(min(o.width(o.outFile), 110)-left-2, 30)
	for _, r := range rows {
		lines := wrap(r[1], width)
		first := r[0]
		if len([]rune(first)) > left-2 {
			o.styled("  " + first + "\n")
			first = ""
		}
		for i, l := range lines {
			if i > 0 {
				first = ""
			}
			o.styled(fmt.Sprintf("  %-*s%s\n", left, first, l))
		}
	}
}

// wrap breaks s between words into lines of at most width characters.
func wrap(s string, width int) []string {
	var lines []string
	line := ""
	for _, w := range strings.Fields(s) {
		if line != "" && len([]rune(line))+1+len([]rune(w)) > width {
			lines = append(lines, line)
			line = ""
		}
		if line != "" {
			line += " "
		}
		line += w
	}
	return append(lines, line)
}

// examples is commands to copy, for the help of a command.
func examples(n *kong.Node) string {
	switch strings.TrimPrefix(n.FullPath(), "toolpost ") {
	case "run":
		return `  toolpost run --model openai/gpt-x "bump the version in package.json and run the tests"
  toolpost run --model script:demo.yaml -o jsonl "…" | jq .type
  toolpost run - < task.md
`
	case "tools call":
		return `  toolpost tools call read_file path=README.md limit=3
  toolpost tools call exec_shell command='make test' timeout=600 -o json
  toolpost tools call edit_file path=a.txt edits:='[{"old_text":"a","new_text":"b"}]' --dry-run
  echo '{"path":"a.txt","content":"hello"}' | toolpost tools call write_file -
`
	case "runs show":
		return `  toolpost runs show -1             the last run as a waterfall
  toolpost runs show -1 3           its third call, whole
  toolpost runs show -1 3 --output  what the call returned, from its artifact if it was cut
`
	case "config show":
		return `  toolpost config show
  toolpost config show limits -c limits.calls=50
`
	}
	return ""
}
