package sandbox

import (
	"path"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// call scans one simple command.
func (s *scanner) call(c *syntax.CallExpr, in *string) {
	for _, a := range c.Assigns {
		s.assign(a)
	}
	var argv []Word
	for _, w := range c.Args {
		argv = append(argv, s.fields(w)...)
	}
	if len(argv) == 0 {
		return
	}
	var names []string
	for _, a := range c.Assigns {
		if a.Name != nil {
			names = append(names, a.Name.Value)
		}
	}
	s.run(Command{Argv: argv, Assigns: names}, in)
}

// run records a command, or what a wrapper runs in its stead.
func (s *scanner) run(c Command, in *string) {
	if s.budget--; s.budget < 0 || len(c.Argv) == 0 || !s.enter() {
		return
	}
	defer s.leave()
	c.Wrappers, c.cwd = slices.Clone(s.wrappers), s.cwd
	if live := present(c.Argv); len(live) > 0 && len(live) < len(c.Argv) && c.Argv[0].loose == "" {
		s.script.Opaque = true
		c.Argv = live
	}
	first := c.Argv[0]
	if strings.Contains(first.loose, unknownText) || first.loose == "" {
		s.script.Opaque = true
	}
	if body, ok := s.funcs[first.Text]; ok {
		s.callFunc(first.Text, body, c.Argv[1:], in)
		return
	}
	name := c.base(first)
	s.builtin(name, c.Argv[1:], in)
	if s.wrapped(name, c, in) {
		return
	}
	s.deferred(name, c.Argv[1:], in)
	if text, ok := s.files[path.Clean(first.loose)]; ok && strings.Contains(first.loose, "/") {
		s.within(name, func() { s.nested(text) })
	}
	if code := interpreted(name, c.Argv[1:]); code != "" {
		s.script.code = append(s.script.code, code)
	}
	s.script.Commands = append(s.script.Commands, c)
}

// callFunc scans the body of a function with its arguments. A call of itself
// adds nothing that the first round has not shown.
func (s *scanner) callFunc(name string, body *syntax.Stmt, args []Word, in *string) {
	if s.active[name] {
		return
	}
	s.active[name] = true
	defer delete(s.active, name)
	params := s.params
	s.params = nil
	for _, w := range args {
		s.params = append(s.params, w.loose)
	}
	s.stmt(body, in)
	s.params = params
}

// builtin takes the shell's own commands that change its state.
func (s *scanner) builtin(name string, args []Word, in *string) {
	switch name {
	case "cd", "pushd", "chdir":
		s.chdir(args)
	case "set":
		if i := slices.IndexFunc(args, func(w Word) bool { return w.loose == "--" }); i >= 0 {
			s.params = nil
			for _, w := range args[i+1:] {
				s.params = append(s.params, w.loose)
			}
		}
	case "export", "readonly", "local", "declare", "typeset":
		for _, w := range args {
			if key, value, ok := strings.Cut(w.loose, "="); ok {
				s.vars[key] = variable{fields: []string{value}, known: !strings.Contains(value, unknownText)}
			}
		}
	case "read", "mapfile", "readarray":
		for _, w := range args {
			s.vars[w.loose] = variable{}
			if in != nil && name == "read" {
				s.vars[w.loose] = variable{fields: []string{strings.TrimSpace(*in)}, known: true}
			}
		}
	case "alias":
		for _, w := range args {
			if _, value, ok := strings.Cut(w.loose, "="); ok {
				s.within("alias", func() { s.nested(value) })
			}
		}
	case "unset":
		for _, w := range args {
			delete(s.vars, w.loose)
		}
	}
}

// deferred keeps text that is run later, or by another program's shell, and
// whose form is not quite that of a shell line.
func (s *scanner) deferred(name string, args []Word, in *string) {
	switch name {
	case "at", "batch", "crontab", "make":
		if in != nil {
			s.script.unparsed = append(s.script.unparsed, *in)
		}
	case "tmux", "screen":
		for _, w := range args {
			if strings.Contains(w.loose, " ") {
				s.script.unparsed = append(s.script.unparsed, w.loose)
			}
		}
	}
}

// within scans something as run by a wrapper.
func (s *scanner) within(wrapper string, do func()) {
	s.wrappers = append(s.wrappers, wrapper)
	do()
	s.wrappers = s.wrappers[:len(s.wrappers)-1]
}

// wrapped scans what a wrapper runs. It reports false for a command that is no
// wrapper, or one that runs nothing this time.
func (s *scanner) wrapped(name string, c Command, in *string) bool {
	args := present(c.Argv[1:])
	switch {
	case slices.Contains(shells, name):
		return s.shell(name, args, in)
	case name == "eval":
		s.within(name, func() { s.nested(looseLine(args)) })
		return true
	case name == "." || name == "source":
		return len(args) > 0 && s.scriptFile(name, args[0])
	case name == "find":
		s.find(c)
		return false
	case name == "trap":
		if len(args) < 2 {
			return false
		}
		s.within(name, func() { s.nested(args[0].loose) })
		return true
	}
	w, ok := wrappers[name]
	if !ok {
		return false
	}
	if name == "xargs" || name == "parallel" {
		if in != nil {
			for _, field := range strings.Fields(*in) {
				args = append(args, Word{Text: field, Literal: true, loose: field})
			}
		}
	}
	rest, lines, ok := w.inner(args)
	if !ok || len(rest) == 0 && len(lines) == 0 {
		return false
	}
	s.within(name, func() {
		for _, line := range lines {
			s.nested(line)
		}
		if w.joined {
			s.nested(looseLine(rest))
			return
		}
		s.run(Command{Argv: rest, start: c.start}, in)
	})
	return true
}

// shell scans what a shell is given: -c text, a script whose content is known,
// or its standard input.
func (s *scanner) shell(name string, args []Word, in *string) bool {
	for i := 0; i < len(args); i++ {
		opt := args[i].loose
		switch {
		case opt == "--" || opt == "-":
			continue
		case opt == "-o" || opt == "+o" || opt == "-O" || opt == "+O" || opt == "--rcfile" || opt == "--init-file":
			i++
		case strings.HasPrefix(opt, "--"):
		case (strings.HasPrefix(opt, "-") || strings.HasPrefix(opt, "/")) && isCommandOption(name, opt):
			rest := args[i+1:]
			for len(rest) > 0 && strings.HasPrefix(rest[0].loose, "-") && !strings.ContainsAny(rest[0].loose, " \t") {
				rest = rest[1:]
			}
			if len(rest) == 0 {
				return false
			}
			s.inShell(name+" "+opt, rest)
			return true
		case strings.HasPrefix(opt, "-") || strings.HasPrefix(opt, "+"):
		default:
			return s.scriptFile(name, args[i])
		}
	}
	if in != nil {
		s.within(name, func() { s.nested(*in) })
		return true
	}
	s.script.Opaque = true
	return false
}

func isCommandOption(name, opt string) bool {
	if name == "cmd" || strings.HasSuffix(name, "shell") || name == "pwsh" {
		opt = strings.ToLower(opt)
		return opt == "/c" || opt == "/k" || len(opt) > 1 && strings.HasPrefix("-command", opt)
	}
	return !strings.HasPrefix(opt, "--") && strings.Contains(opt, "c") && opt[0] == '-'
}

// inShell scans -c text with the positional parameters that follow it.
func (s *scanner) inShell(wrapper string, rest []Word) {
	text := rest[0].loose
	if strings.HasPrefix(wrapper, "cmd ") || strings.Contains(wrapper, "shell ") || strings.HasPrefix(wrapper, "pwsh ") {
		text = looseLine(rest)
		rest = rest[:1]
	}
	if strings.Contains(text, unknownText) {
		s.script.Opaque = true
	}
	params, cwd := s.params, s.cwd
	s.params = nil
	for _, w := range rest[min(2, len(rest)):] {
		s.params = append(s.params, w.loose)
	}
	if len(rest) > 1 {
		s.vars["0"] = variable{fields: []string{rest[1].loose}, known: true}
	}
	s.within(wrapper, func() { s.nested(text) })
	s.params, s.cwd = params, cwd
}

// scriptFile scans a script file if the line itself has shown its content.
func (s *scanner) scriptFile(name string, file Word) bool {
	if text, ok := s.files[path.Clean(file.loose)]; ok {
		s.within(name, func() { s.nested(text) })
		return true
	}
	if strings.HasPrefix(file.loose, "/dev/") || file.loose == "" {
		s.script.Opaque = true
	}
	return false
}

// find scans the commands of -exec and its kin, with the start of the search
// in the place of {}.
func (s *scanner) find(c Command) {
	start := "."
	for _, w := range c.Argv[1:] {
		if !strings.HasPrefix(w.loose, "-") {
			start = w.loose
			break
		}
	}
	for i, w := range c.Argv {
		if !slices.Contains([]string{"-exec", "-execdir", "-ok", "-okdir"}, w.loose) {
			continue
		}
		var argv []Word
		for _, a := range c.Argv[i+1:] {
			if a.loose == ";" || a.loose == "+" {
				break
			}
			if a.loose == "{}" {
				a = Word{Text: "{}", loose: start}
			}
			argv = append(argv, a)
		}
		s.within("find "+w.loose, func() { s.run(Command{Argv: argv, start: start}, nil) })
	}
}

// interpreted returns the program text that an interpreter is given on the
// command line.
func interpreted(name string, args []Word) string {
	var options []string
	switch strings.TrimRight(name, "0123456789.") {
	case "python", "pypy":
		options = []string{"-c"}
	case "perl", "ruby", "node", "nodejs", "lua", "deno", "bun":
		options = []string{"-e", "-E", "--eval", "-p", "eval", "-pe", "-ne", "-le"}
	case "php":
		options = []string{"-r"}
	case "awk", "gawk", "mawk", "nawk":
		for _, w := range args {
			if !strings.HasPrefix(w.loose, "-") {
				return w.loose
			}
		}
	case "vim", "vi", "ex", "nvim", "ed":
		options = []string{"-c"}
	}
	for i, w := range args {
		if slices.Contains(options, w.loose) && i+1 < len(args) {
			return args[i+1].loose
		}
	}
	return ""
}
