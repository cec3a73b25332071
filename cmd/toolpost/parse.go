package main

import (
	"errors"
	"fmt"
	"regexp"
	"strings"

	"github.com/alecthomas/kong"

	"github.com/toolpost/toolpost/schema"
)

// errHelp ends the parsing because help is wanted.
var errHelp = errors.New("help")

// minusMark stands before a name such as -1 while kong parses.
const minusMark = "\x00"

// parse is the command that the arguments ask for.
func (p *program) parse() (command, error) {
	p.out.guess(p.args)
	var g grammar
	k, err := newParser(&g)
	if err != nil {
		return nil, err
	}
	ctx, err := k.Parse(markNames(p.args))
	if err != nil {
		return p.refuse(k, &g, err)
	}
	p.globals = g.globals
	cmd, ok := target(ctx.Selected())
	if !ok {
		return &overview{k.Model}, nil
	}
	if h, ok := cmd.(*helpCommand); ok {
		return &helpPage{model: k.Model, words: h.Topic}, nil
	}
	if c, ok := cmd.(*completionCommand); ok {
		return &completionScript{model: k.Model, shell: c.Shell}, nil
	}
	return cmd, nil
}

func newParser(g *grammar) (*kong.Kong, error) {
	return kong.New(g, kong.Name("toolpost"), kong.NoDefaultHelp(), kong.Exit(func(int) {}),
		kong.Description("One place through which every tool call of an agent passes: checked, limited, recorded."))
}

// target is the value of the command that was selected.
func target(n *kong.Node) (command, bool) {
	if n == nil || !n.Target.CanAddr() {
		return nil, false
	}
	cmd, ok := n.Target.Addr().Interface().(command)
	return cmd, ok
}

// markNames lets -1 and the like through as names of runs and sessions.
func markNames(args []string) []string {
	words := make([]string, 0, len(args))
	look := false
	for i, a := range args {
		look = look || a == "runs" || a == "session" || a == "audit"
		if (look || i > 0 && args[i-1] == "--session") && isMinusNumber(a) {
			a = minusMark + a
		}
		words = append(words, a)
	}
	return words
}

func isMinusNumber(s string) bool {
	if len(s) < 2 || len(s) > 6 || s[0] != '-' {
		return false
	}
	return strings.Trim(s[1:], "0123456789") == ""
}

// refuse says what is wrong with the arguments, or shows the help they ask for.
func (p *program) refuse(k *kong.Kong, g *grammar, err error) (command, error) {
	var pe *kong.ParseError
	if !errors.As(err, &pe) || pe.Context == nil {
		return nil, err
	}
	node := lastCommand(pe.Context)
	if errors.Is(err, errHelp) {
		p.globals = globals{Dir: ".", Output: "text", Color: "auto"}
		return &helpPage{model: k.Model, node: node}, nil
	}
	msg := pe.Error()
	if m := unexpected.FindStringSubmatch(msg); m != nil && len(node.Children) > 0 {
		return nil, unknownCommand(node, m[1])
	}
	if m := unknownFlag.FindStringSubmatch(msg); m != nil {
		return nil, unknownFlagProblem(node, m[1])
	}
	if strings.HasPrefix(msg, "expected one of") && node.Parent == nil {
		p.globals = g.globals
		return &overview{k.Model}, nil
	}
	if strings.HasPrefix(msg, "expected one of") {
		return nil, &problem{code: codeUsage, exit: exitUsage, message: strings.TrimPrefix(node.FullPath(), " ") + " needs one of its commands: " + strings.Join(childNames(node), ", "),
			try: []string{node.FullPath() + " --help"}}
	}
	if m := missing.FindStringSubmatch(msg); m != nil {
		return nil, &problem{code: codeUsage, exit: exitUsage, message: fmt.Sprintf("%s needs %s", node.FullPath(), strings.ToUpper(m[1])),
			facts: []string{"usage: " + usage(node)}, try: []string{node.FullPath() + " --help"}}
	}
	return nil, &problem{code: codeUsage, exit: exitUsage, message: strings.ReplaceAll(msg, minusMark, ""), try: []string{node.FullPath() + " --help"}}
}

var (
	unexpected  = regexp.MustCompile(`(?s)^unexpected argument (.*?)(?:, did you mean .*)?$`)
	missing     = regexp.MustCompile(`^expected "<([a-z-]+)>`)
	unknownFlag = regexp.MustCompile(`^unknown flag (--?[^\s,]+)`)
)

func lastCommand(ctx *kong.Context) *kong.Node {
	n := ctx.Model.Node
	for _, path := range ctx.Path {
		if path.Command != nil {
			n = path.Command
		}
	}
	return n
}

func childNames(n *kong.Node) []string {
	var names []string
	for _, c := range n.Children {
		names = append(names, c.Name)
	}
	return names
}

// unknownCommand names what may have been meant. It suggests the help of a
// command rather than the command, for that never does anything.
func unknownCommand(n *kong.Node, word string) error {
	word = strings.ReplaceAll(word, minusMark, "")
	pr := &problem{code: codeUnknownCommand, exit: exitUsage, message: fmt.Sprintf("%q is not a command of %s", clip(word, 60), n.FullPath())}
	if near := schema.Nearest(word, childNames(n), 1); len(near) > 0 {
		pr.facts = append(pr.facts, fmt.Sprintf("did you mean %q?", near[0]))
		pr.try = []string{n.FullPath() + " " + near[0] + " --help"}
		return pr
	}
	pr.facts = append(pr.facts, "commands: "+strings.Join(childNames(n), ", "))
	pr.try = []string{n.FullPath() + " --help"}
	return pr
}

// loosening lists flags that are never suggested: they make the program less
// strict, and nobody should find them by a typing mistake.
func loosening(flag string) bool { return flag == "allow-denied" }

func unknownFlagProblem(n *kong.Node, flag string) error {
	pr := &problem{code: codeUnknownFlag, exit: exitUsage, message: fmt.Sprintf("%s has no flag %s", n.FullPath(), clip(flag, 60)),
		try: []string{n.FullPath() + " --help"}}
	var known []string
	for _, group := range n.AllFlags(true) {
		for _, f := range group {
			if !loosening(f.Name) {
				known = append(known, "--"+f.Name)
			}
		}
	}
	if near := schema.Nearest(flag, known, 1); strings.HasPrefix(flag, "--") && len(near) > 0 {
		pr.facts = append(pr.facts, fmt.Sprintf("did you mean %s?", near[0]))
	}
	return pr
}
