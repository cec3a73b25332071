package sandbox

import (
	"errors"
	"fmt"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// Script is what a shell line would run, as far as its text tells.
type Script struct {
	// Commands are the simple commands, in the order in which the shell would
	// come to them, those inside wrappers, sh -c, eval, functions that are
	// called, loops, substitutions and here-documents for a shell included.
	Commands []Command

	// Redirects are all redirections to and from files.
	Redirects []Redirect

	// Substitution is set when the line has a command or process substitution.
	Substitution bool

	// Background is set when the line leaves something running beside itself.
	Background bool

	// Opaque is set when part of what runs cannot be told from the text: a
	// command name that is not literal, or a shell that reads commands from
	// elsewhere.
	Opaque bool

	bomb     bool     // a function or loop that multiplies itself
	unparsed []string // text that is run by a shell and does not parse
	code     []string // text that an interpreter runs and that can start programs
}

// Command is one simple command.
type Command struct {
	Argv     []Word   // without wrappers
	Wrappers []string // what stood around it, outermost first: "env", "sudo", "sh -c"
	Assigns  []string // names of variables set for it

	cwd   string // absolute folder it runs in, when the text tells
	start string // first path of a find that runs it
}

// Single reports whether the line is one simple command with literal words,
// without wrapper, substitution or redirection: the only sort that a standing
// permission can be given to.
func (s *Script) Single() bool {
	if len(s.Commands) != 1 || s.Substitution || s.Background || s.Opaque || len(s.Redirects) > 0 || s.bomb {
		return false
	}
	c := s.Commands[0]
	if len(c.Wrappers) > 0 || len(c.Assigns) > 0 || len(c.Argv) == 0 || len(s.unparsed)+len(s.code) > 0 {
		return false
	}
	for _, w := range c.Argv {
		if !w.Literal {
			return false
		}
	}
	return true
}

// Word is one argument after quotes, escapes and known variables.
type Word struct {
	Text    string // the value; parts that the text does not tell are as written
	Literal bool   // Text is the exact value, with no expansion or pattern in it

	loose string // Text with unset variables empty and unknown parts as "\ufffd"
	glob  bool   // has an unquoted pattern
}

// Redirect is a redirection of a stream to or from a file.
type Redirect struct {
	Op     string // ">", ">>", "<", "&>" and so on
	Target Word

	cwd string
}

// writes reports whether the redirection opens its target for writing.
func (r Redirect) writes() bool { return strings.Contains(r.Op, ">") }

const (
	maxSteps   = 20_000  // statements, commands and words of one line, loops and calls unrolled
	maxText    = 1 << 20 // bytes of values put together, and of shell text inside shell text
	maxNesting = 16      // of wrappers, calls, and shells in shells
)

var errTooComplex = errors.New("the line runs too many commands, or too deeply nested ones, to be judged")

// Parse tells what a shell line runs. It reads it as bash does and runs
// nothing. The error of a line that is no valid shell has line and column.
func Parse(line string) (*Script, error) {
	if len(line) > maxLine {
		return nil, fail(KindTooLarge, "", "the command line is longer than 131071 bytes")
	}
	s := newScanner()
	if err := s.text(line); err != nil {
		return nil, fmt.Errorf("parsing the command line: %w", err)
	}
	if s.budget < 0 {
		return nil, fmt.Errorf("parsing the command line: %w", errTooComplex)
	}
	return s.script, nil
}

func parseFile(text string) (*syntax.File, error) {
	return syntax.NewParser(syntax.Variant(syntax.LangBash)).Parse(strings.NewReader(text), "")
}
