package sandbox

import (
	"encoding/base64"
	"encoding/hex"
	"regexp"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/expand"
	"mvdan.cc/sh/v3/syntax"
)

// output tells what a statement writes to standard output, for the few
// programs by which a line is put together: echo, printf, cat of a
// here-document, and the usual decoders behind them in a pipe. It records
// nothing; the statement itself has been scanned before.
func (s *scanner) output(st *syntax.Stmt, in *string) (string, bool) {
	if st == nil || s.budget < 0 {
		return "", false
	}
	s.budget--
	for _, r := range st.Redirs {
		if r.Hdoc != nil {
			text := s.quoted(r.Hdoc).loose
			in = &text
		} else if r.Op == syntax.WordHdoc {
			text := looseLine(s.fields(r.Word)) + "\n"
			in = &text
		}
	}
	switch c := st.Cmd.(type) {
	case *syntax.BinaryCmd:
		if c.Op != syntax.Pipe && c.Op != syntax.PipeAll {
			return "", false
		}
		text, ok := s.output(c.X, in)
		if !ok {
			return "", false
		}
		return s.output(c.Y, &text)
	case *syntax.Subshell:
		return s.outputs(c.Stmts, in)
	case *syntax.Block:
		return s.outputs(c.Stmts, in)
	case *syntax.CallExpr:
		if len(c.Args) == 0 || len(c.Args) > 256 || !s.enter() {
			return "", false
		}
		defer s.leave()
		var argv []string
		for _, w := range c.Args {
			if hasSubstitution(w) {
				return "", false // scanning it again would record it twice
			}
			for _, f := range s.fields(w) {
				argv = append(argv, f.loose)
			}
		}
		return simulate(argv, in)
	}
	return "", false
}

func (s *scanner) outputs(list []*syntax.Stmt, in *string) (string, bool) {
	var all strings.Builder
	for _, st := range list {
		text, ok := s.output(st, in)
		if !ok {
			return "", false
		}
		all.WriteString(text)
	}
	return all.String(), true
}

func hasSubstitution(w *syntax.Word) bool {
	found := false
	syntax.Walk(w, func(n syntax.Node) bool {
		switch n.(type) {
		case *syntax.CmdSubst, *syntax.ProcSubst:
			found = true
		}
		return !found
	})
	return found
}

func simulate(argv []string, in *string) (string, bool) {
	if len(argv) == 0 || strings.Contains(strings.Join(argv, " "), unknownText) {
		return "", false
	}
	args := argv[1:]
	switch name := argv[0][strings.LastIndexByte(argv[0], '/')+1:]; name {
	case "echo":
		return echo(args), true
	case "printf":
		if len(args) > 0 && args[0] == "--" {
			args = args[1:]
		}
		if len(args) == 0 {
			return "", false
		}
		return printf(args[0], args[1:])
	case "which", "command", "type":
		if len(args) == 0 || name == "command" && args[0] != "-v" {
			return "", false
		}
		return args[len(args)-1] + "\n", true
	case "true", ":":
		return "", true
	}
	if in == nil {
		return "", false
	}
	return filter(argv, *in)
}

func echo(args []string) string {
	newline, escapes := "\n", false
	for len(args) > 0 && len(args[0]) > 1 && args[0][0] == '-' && strings.Trim(args[0][1:], "neE") == "" {
		if strings.Contains(args[0], "n") {
			newline = ""
		}
		escapes = escapes || strings.Contains(args[0], "e")
		args = args[1:]
	}
	text := strings.Join(args, " ")
	if escapes || strings.Contains(text, `\`) { // dash reads escapes always
		text, _, _ = expand.Format(nil, strings.ReplaceAll(text, "%", "%%"), nil)
	}
	return text + newline
}

// wideField is a width that would make the output much longer than the line.
var wideField = regexp.MustCompile(`%[^a-zA-Z%]*(?:[0-9]{3}|\*)`)

// printf applies the format until the arguments are used up.
func printf(format string, args []string) (string, bool) {
	var all strings.Builder
	if wideField.MatchString(format) {
		return "", false
	}
	for range 64 {
		text, n, err := expand.Format(nil, format, args)
		if err != nil {
			return "", false
		}
		all.WriteString(text)
		if args = args[n:]; n == 0 || len(args) == 0 {
			return all.String(), true
		}
	}
	return "", false
}

// filter is the decoders that are used to hide a line.
func filter(argv []string, in string) (string, bool) {
	args := argv[1:]
	switch argv[0] {
	case "cat", "tee":
		return in, len(args) == 0 || argv[0] == "tee"
	case "rev":
		var lines []string
		for line := range strings.Lines(in) {
			r := []rune(strings.TrimSuffix(line, "\n"))
			slices.Reverse(r)
			lines = append(lines, string(r))
		}
		return strings.Join(lines, "\n") + "\n", true
	case "base64":
		if !slices.ContainsFunc(args, func(a string) bool { return a == "-d" || a == "-D" || a == "-di" || a == "--decode" }) {
			return base64.StdEncoding.EncodeToString([]byte(in)) + "\n", len(args) == 0
		}
		b, err := base64.StdEncoding.DecodeString(strings.Join(strings.Fields(in), ""))
		return string(b), err == nil
	case "xxd":
		if !slices.Contains(args, "-r") && !slices.Contains(args, "-rp") || !strings.Contains(strings.Join(args, ""), "p") {
			return "", false
		}
		b, err := hex.DecodeString(strings.Join(strings.Fields(in), ""))
		return string(b), err == nil
	case "tr":
		if len(args) == 2 && args[0] == "-d" {
			return strings.Map(func(c rune) rune {
				if strings.ContainsRune(args[1], c) {
					return -1
				}
				return c
			}, in), true
		}
		return translate(args, in)
	}
	return "", false
}

// translate is tr with two sets of single characters and simple ranges.
func translate(args []string, in string) (string, bool) {
	if len(args) != 2 {
		return "", false
	}
	from, to := charset(args[0]), charset(args[1])
	if len(from) == 0 || len(to) == 0 {
		return "", false
	}
	return strings.Map(func(c rune) rune {
		if i := slices.Index(from, c); i >= 0 {
			return to[min(i, len(to)-1)]
		}
		return c
	}, in), true
}

func charset(text string) []rune {
	in := []rune(text)
	var out []rune
	for i := 0; i < len(in); i++ {
		if i+2 < len(in) && in[i+1] == '-' && in[i] <= in[i+2] && in[i+2]-in[i] < 256 {
			for c := in[i]; c <= in[i+2]; c++ {
				out = append(out, c)
			}
			i += 2
			continue
		}
		out = append(out, in[i])
	}
	return out
}
