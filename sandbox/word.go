package sandbox

import (
	"slices"
	"strconv"
	"strings"

	"mvdan.cc/sh/v3/expand"
	"mvdan.cc/sh/v3/syntax"
)

// unknownText stands for a part of a word whose value the text does not tell
// and which is probably not empty.
const unknownText = "\ufffd"

// fields expands a word to what it would be on the command line: none, one, or
// several arguments.
func (s *scanner) fields(w *syntax.Word) []Word {
	if w == nil {
		return nil
	}
	braces := *w // splitting changes the word, and loops come by again
	braces.Parts = slices.Clone(w.Parts)
	if !syntax.SplitBraces(&braces) {
		return s.expandWord(w, false)
	}
	var out []Word
	for one, err := range expand.BracesSeq(nil, &braces) {
		if err != nil || len(out) > 256 {
			s.script.Opaque = true
			break
		}
		out = append(out, s.expandWord(one, false)...)
	}
	return out
}

// quoted expands a word where the shell does not split it.
func (s *scanner) quoted(w *syntax.Word) Word {
	if words := s.expandWord(w, true); len(words) > 0 {
		return words[0]
	}
	return Word{Literal: true}
}

func (s *scanner) expandWord(w *syntax.Word, quoted bool) []Word {
	e := &expander{s: s, cur: Word{Literal: true}}
	if s.budget--; s.budget < 0 {
		return nil
	}
	for _, part := range w.Parts {
		e.part(part, quoted)
	}
	e.flush()
	return e.done
}

// expander builds the fields of one word.
type expander struct {
	s    *scanner
	done []Word
	cur  Word
	some bool // cur is a field, even when it is empty
}

func (e *expander) flush() {
	if e.some || e.cur.Text != "" {
		e.done = append(e.done, e.cur)
	}
	e.cur, e.some = Word{Literal: true}, false
}

func (e *expander) add(text string) {
	if s := e.s; len(text) > s.room {
		s.budget = -1
		return
	}
	e.s.room -= len(text)
	e.cur.Text += text
	e.cur.loose += text
	e.some = true
}

// unknown adds a part as it is written, with what it stands for.
func (e *expander) unknown(node syntax.Node, loose string) {
	e.cur.Text += e.s.source(node)
	e.cur.loose += loose
	e.cur.Literal = false
	e.some = e.some || loose != ""
}

func (s *scanner) source(node syntax.Node) string {
	from, to := int(node.Pos().Offset()), int(node.End().Offset())
	if from < 0 || to > len(s.src) || from > to {
		return "$…"
	}
	return s.src[from:to]
}

// split adds a value that the shell splits at blanks.
func (e *expander) split(text string) {
	if text == "" {
		return
	}
	if strings.ContainsAny(text[:1], " \t\n") {
		e.flush()
	}
	for i, field := range strings.Fields(text) {
		if i > 0 {
			e.flush()
		}
		e.add(field)
		e.cur.glob = e.cur.glob || strings.ContainsAny(field, "*?[")
	}
	if strings.ContainsAny(text[len(text)-1:], " \t\n") {
		e.flush()
	}
}

func (e *expander) value(text string, quoted bool) {
	if quoted {
		e.add(text)
		return
	}
	e.split(text)
}

func (e *expander) part(part syntax.WordPart, quoted bool) {
	switch p := part.(type) {
	case *syntax.Lit:
		e.lit(p.Value, quoted)
	case *syntax.SglQuoted:
		text := p.Value
		if p.Dollar {
			text, _, _ = expand.Format(nil, text, nil)
			text, _, _ = strings.Cut(text, "\x00")
		}
		e.add(text)
	case *syntax.DblQuoted:
		e.some = e.some || !isAtParam(p)
		for _, inner := range p.Parts {
			e.part(inner, true)
		}
	case *syntax.ParamExp:
		e.param(p, quoted)
	case *syntax.CmdSubst:
		e.substitution(p, quoted)
	case *syntax.ProcSubst:
		e.process(p)
	case *syntax.ExtGlob:
		e.add(e.s.source(p))
		e.cur.glob, e.cur.Literal = true, false
	default:
		e.s.substitutions(part)
		e.unknown(part, unknownText)
	}
}

// isAtParam reports "$@" and "${a[@]}", which can be no field at all.
func isAtParam(q *syntax.DblQuoted) bool {
	if len(q.Parts) != 1 {
		return false
	}
	p, ok := q.Parts[0].(*syntax.ParamExp)
	return ok && p.Param != nil && (p.Param.Value == "@" || p.Index != nil)
}

func (e *expander) lit(text string, quoted bool) {
	var b strings.Builder
	for i := 0; i < len(text); i++ {
		c := text[i]
		if c == '\\' && i+1 < len(text) && (!quoted || strings.IndexByte("$`\"\\\n", text[i+1]) >= 0) {
			i++
			b.WriteByte(text[i])
			continue
		}
		if !quoted && (c == '*' || c == '?' || c == '[' && strings.IndexByte(text[i:], ']') > 0) {
			e.cur.glob, e.cur.Literal = true, false
		}
		if !quoted && c == '~' && i == 0 && !e.some {
			e.cur.Literal = false
		}
		b.WriteByte(c)
	}
	e.add(b.String())
}

// ordinary are variables that are set in almost every environment.
var ordinary = []string{"PWD", "OLDPWD", "TMPDIR", "USER", "LOGNAME", "PATH", "SHELL", "TERM", "LANG", "HOSTNAME", "UID", "EUID", "PPID", "RANDOM", "SECONDS", "$", "?", "!", "#", "-", "_", "0"}

func (e *expander) param(p *syntax.ParamExp, quoted bool) {
	if p.Param == nil || p.Length || p.Excl || p.Names != 0 || p.Repl != nil {
		e.s.substitutions(p)
		e.unknown(p, unknownText)
		return
	}
	name := p.Param.Value
	if name == "IFS" && !quoted && e.s.vars["IFS"].fields == nil {
		e.split(" ")
		return
	}
	v, set := e.s.lookup(name)
	if p.Exp != nil {
		assigns := p.Exp.Op == syntax.AssignUnset || p.Exp.Op == syntax.AssignUnsetOrNull
		v, set = e.expansion(p.Exp, v, set)
		if assigns {
			e.s.vars[name] = v
		}
	}
	switch {
	case set && v.known && p.Slice != nil:
		text, ok := slice(strings.Join(v.fields, " "), p.Slice)
		if !ok {
			e.unknown(p, unknownText)
			return
		}
		e.value(text, quoted)
	case set && v.known && (name == "@" || p.Index != nil) && len(v.fields) > 1:
		for i, f := range v.fields {
			if i > 0 {
				e.flush()
			}
			e.value(f, quoted)
		}
	case set && v.known:
		e.value(strings.Join(v.fields, " "), quoted)
	case set, slices.Contains(ordinary, name), matchName(DefaultEnv(), name) && name != "HOME":
		e.unknown(p, unknownText)
	case name == "HOME":
		e.unknown(p, "~")
	default:
		e.unknown(p, "")
	}
}

// lookup finds a variable or positional parameter that the text has set.
func (s *scanner) lookup(name string) (variable, bool) {
	if v, ok := s.vars[name]; ok {
		return v, true
	}
	if name == "@" || name == "*" {
		return variable{fields: s.params, known: true}, len(s.params) > 0
	}
	if n, err := strconv.Atoi(name); err == nil && n >= 1 && n <= len(s.params) {
		return variable{fields: s.params[n-1 : n], known: true}, true
	}
	return variable{}, false
}

// expansion applies ${a:-b} and its kin as far as the text tells.
func (e *expander) expansion(x *syntax.Expansion, v variable, set bool) (variable, bool) {
	var word Word
	if x.Word != nil {
		word = e.s.quoted(x.Word)
	}
	alt := variable{fields: []string{word.loose}, known: !strings.Contains(word.loose, unknownText)}
	text := strings.Join(v.fields, " ")
	empty := !set || v.known && text == ""
	switch x.Op {
	case syntax.DefaultUnset, syntax.DefaultUnsetOrNull, syntax.AssignUnset, syntax.AssignUnsetOrNull:
		if empty {
			return alt, true
		}
	case syntax.AlternateUnset, syntax.AlternateUnsetOrNull:
		if !empty {
			return alt, true
		}
		return variable{fields: []string{""}, known: true}, true
	case syntax.ErrorUnset, syntax.ErrorUnsetOrNull:
		if !set {
			return variable{}, true // ends the shell rather than being empty
		}
	case syntax.RemSmallSuffix, syntax.RemLargeSuffix:
		return variable{fields: []string{strings.TrimSuffix(text, word.loose)}, known: v.known && !word.glob}, set
	case syntax.RemSmallPrefix, syntax.RemLargePrefix:
		return variable{fields: []string{strings.TrimPrefix(text, word.loose)}, known: v.known && !word.glob}, set
	case syntax.LowerAll:
		return variable{fields: []string{strings.ToLower(text)}, known: v.known}, set
	case syntax.UpperAll:
		return variable{fields: []string{strings.ToUpper(text)}, known: v.known}, set
	default:
		return variable{}, true
	}
	return v, set
}

// slice is ${a:offset:length} with literal numbers.
func slice(text string, sl *syntax.Slice) (string, bool) {
	number := func(x syntax.ArithmExpr, otherwise int) (int, bool) {
		if x == nil {
			return otherwise, true
		}
		w, ok := x.(*syntax.Word)
		if !ok {
			return 0, false
		}
		n, err := strconv.Atoi(w.Lit())
		return n, err == nil && n >= 0
	}
	from, ok1 := number(sl.Offset, 0)
	length, ok2 := number(sl.Length, len(text))
	if !ok1 || !ok2 {
		return "", false
	}
	from = min(from, len(text))
	return text[from:min(from+length, len(text))], true
}

// substitution scans $(…) and puts in its output where the text tells it.
func (e *expander) substitution(p *syntax.CmdSubst, quoted bool) {
	s := e.s
	s.script.Substitution = true
	if !s.enter() {
		return
	}
	defer s.leave()
	cwd := s.cwd
	s.stmts(p.Stmts)
	s.cwd = cwd
	if len(p.Stmts) == 1 {
		if out, ok := s.output(p.Stmts[0], nil); ok {
			e.value(strings.TrimRight(out, "\n"), quoted)
			e.cur.Literal = false
			return
		}
	}
	e.unknown(p, unknownText)
}

// process scans <(…), and keeps its text under the name that it would have.
func (e *expander) process(p *syntax.ProcSubst) {
	s := e.s
	s.script.Substitution = true
	s.stmts(p.Stmts)
	name := "/dev/fd/" + strconv.Itoa(63+len(s.files))
	if len(p.Stmts) == 1 && p.Op == syntax.CmdIn {
		if out, ok := s.output(p.Stmts[0], nil); ok {
			s.files[name] = out
		}
	}
	e.unknown(p, name)
}

// looseLine joins words as they would be read again by a shell.
func looseLine(words []Word) string {
	parts := make([]string, len(words))
	for i, w := range words {
		parts[i] = w.loose
	}
	return strings.Join(parts, " ")
}

// base is the name of a program without folder and letter case; a program of
// the workspace, named by a relative path, keeps its path and so is none of
// the system's.
func (c Command) base(w Word) string {
	name := strings.ToLower(w.loose)
	if i := strings.LastIndexAny(name, `/\`); i >= 0 {
		system := strings.HasPrefix(name, "/") || strings.Contains(name, "bin/") || c.cwd != "" && strings.Contains(c.cwd, "bin") || len(name) > 2 && name[1] == ':'
		if !system {
			return name
		}
		name = name[i+1:]
	}
	return strings.TrimSuffix(strings.TrimSuffix(name, ".exe"), ".com")
}
