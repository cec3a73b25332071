package sandbox

import (
	"maps"
	"path"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// scanner goes through a parsed line in the order of execution and keeps what
// the text tells of the shell's state: variables, functions, the folder, and
// files whose content it has seen written.
type scanner struct {
	script   *Script
	vars     map[string]variable
	funcs    map[string]*syntax.Stmt
	files    map[string]string // name → content, where known
	active   map[string]bool   // functions being called
	params   []string
	cwd      string
	wrappers []string
	depth    int
	budget   int    // steps left
	room     int    // bytes of values and nested text left
	src      string // text of the file being scanned, for words as written
}

// present drops the words that expand to nothing unless the environment says
// otherwise.
func present(words []Word) []Word {
	return slices.DeleteFunc(slices.Clone(words), func(w Word) bool { return w.loose == "" && !w.Literal })
}

type variable struct {
	fields []string
	known  bool
}

func newScanner() *scanner {
	return &scanner{
		script: &Script{}, vars: map[string]variable{}, funcs: map[string]*syntax.Stmt{},
		files: map[string]string{}, active: map[string]bool{}, budget: maxSteps, room: maxText,
	}
}

// text scans source text with the present state. The text comes from a model:
// should the parser's tree hold what this scanner does not expect, the line is
// taken for one that cannot be judged, and the program goes on.
func (s *scanner) text(text string) error {
	defer func() {
		if recover() != nil {
			s.budget = -1
		}
	}()
	if s.room -= len(text); s.room < 0 {
		s.budget = -1
		return nil
	}
	file, err := parseFile(text)
	if err != nil {
		return err
	}
	defer func(src string) { s.src = src }(s.src)
	s.src = text
	s.stmts(file.Stmts)
	return nil
}

// nested scans text that some command gives to a shell.
func (s *scanner) nested(text string) {
	if !s.enter() {
		return
	}
	defer s.leave()
	if err := s.text(text); err != nil {
		s.script.unparsed = append(s.script.unparsed, text)
		s.script.Opaque = true
	}
}

// enter guards against nesting without end; it spends the budget when there is too much.
func (s *scanner) enter() bool {
	if s.depth++; s.depth > maxNesting {
		s.budget = -1
	}
	if s.budget < 0 {
		s.depth--
		return false
	}
	return true
}

func (s *scanner) leave() { s.depth-- }

func (s *scanner) stmts(list []*syntax.Stmt) {
	for _, st := range list {
		s.stmt(st, nil)
	}
}

// stmt scans one statement. in is the text on its standard input, where known.
func (s *scanner) stmt(st *syntax.Stmt, in *string) {
	if st == nil || s.budget < 0 {
		return
	}
	if s.budget--; s.budget < 0 {
		return
	}
	if st.Background || st.Coprocess {
		s.script.Background = true
	}
	for _, r := range st.Redirs {
		if text := s.redirect(r); text != nil {
			in = text
		}
	}
	switch c := st.Cmd.(type) {
	case *syntax.CallExpr:
		s.call(c, in)
	case *syntax.BinaryCmd:
		s.binary(c, in)
	case *syntax.FuncDecl:
		s.funcDecl(c)
	case *syntax.WhileClause:
		s.loop(c)
	case *syntax.ForClause:
		s.forClause(c)
	case *syntax.DeclClause:
		for _, a := range c.Args {
			s.assign(a)
		}
	default:
		s.compound(c, in)
	}
	s.remember(st)
}

func (s *scanner) compound(c syntax.Command, in *string) {
	switch c := c.(type) {
	case *syntax.Subshell:
		cwd, vars := s.cwd, maps.Clone(s.vars)
		s.block(c.Stmts, in)
		s.cwd, s.vars = cwd, vars
	case *syntax.Block:
		s.block(c.Stmts, in)
	case *syntax.IfClause:
		for ; c != nil; c = c.Else {
			s.stmts(c.Cond)
			s.stmts(c.Then)
		}
	case *syntax.CaseClause:
		s.fields(c.Word)
		for _, item := range c.Items {
			s.stmts(item.Stmts)
		}
	case *syntax.TimeClause:
		s.stmt(c.Stmt, in)
	case *syntax.CoprocClause:
		s.script.Background = true
		s.stmt(c.Stmt, nil)
	case nil:
	default: // tests and arithmetic: only substitutions in them run something
		s.substitutions(c)
	}
}

func (s *scanner) block(list []*syntax.Stmt, in *string) {
	for _, st := range list {
		s.stmt(st, in)
	}
}

func (s *scanner) binary(c *syntax.BinaryCmd, in *string) {
	s.stmt(c.X, in)
	if c.Op != syntax.Pipe && c.Op != syntax.PipeAll {
		s.stmt(c.Y, in)
		return
	}
	var text *string
	if out, ok := s.output(c.X, in); ok {
		text = &out
	} else if start, ok := s.listed(c.X); ok && readsNames(c.Y) {
		text = &start
	}
	cwd := s.cwd
	s.stmt(c.Y, text)
	s.cwd = cwd
}

// listed tells which folders ls or find writes the entries of.
func (s *scanner) listed(st *syntax.Stmt) (string, bool) {
	call, ok := st.Cmd.(*syntax.CallExpr)
	if !ok || len(call.Args) < 2 {
		return "", false
	}
	name := call.Args[0].Lit()
	if name != "ls" && name != "find" {
		return "", false
	}
	var dirs []string
	for _, w := range call.Args[1:] {
		text := w.Lit()
		if strings.HasPrefix(text, "-") && name == "find" {
			break
		}
		if strings.HasPrefix(text, "/") {
			dirs = append(dirs, text)
		}
	}
	return strings.Join(dirs, " "), len(dirs) > 0
}

// readsNames reports a program that takes its arguments from its input.
func readsNames(st *syntax.Stmt) bool {
	call, ok := st.Cmd.(*syntax.CallExpr)
	return ok && len(call.Args) > 0 && slices.Contains([]string{"xargs", "parallel"}, call.Args[0].Lit())
}

// funcDecl keeps the body for calls, and scans it once as it stands, for it
// may be called from where the text does not tell.
func (s *scanner) funcDecl(c *syntax.FuncDecl) {
	if c.Name == nil || !s.enter() {
		return
	}
	defer s.leave()
	s.funcs[c.Name.Value] = c.Body
	if multiplies(c.Body, c.Name.Value) {
		s.script.bomb = true
		return
	}
	s.active[c.Name.Value] = true
	defer delete(s.active, c.Name.Value)
	params, vars, cwd := s.params, maps.Clone(s.vars), s.cwd
	s.params = nil
	for _, p := range []string{"@", "*", "1", "2", "3", "4", "5", "6", "7", "8", "9"} {
		s.vars[p] = variable{}
	}
	s.stmt(c.Body, nil)
	s.params, s.vars, s.cwd = params, vars, cwd
}

func (s *scanner) loop(c *syntax.WhileClause) {
	if endless(c) && spawnsFreely(c.Do) {
		s.script.bomb = true
	}
	s.stmts(c.Cond)
	s.stmts(c.Do)
}

// forClause scans the body once for each literal item, up to 32.
func (s *scanner) forClause(c *syntax.ForClause) {
	it, ok := c.Loop.(*syntax.WordIter)
	if !ok {
		if loop, ok := c.Loop.(*syntax.CStyleLoop); ok && loop.Cond == nil && spawnsFreely(c.Do) {
			s.script.bomb = true
		}
		s.substitutions(c.Loop)
		s.stmts(c.Do)
		return
	}
	var items []Word
	for _, w := range it.Items {
		items = append(items, s.fields(w)...)
	}
	if len(items) == 0 || len(items) > 32 {
		s.vars[it.Name.Value] = variable{}
		s.stmts(c.Do)
		return
	}
	for _, w := range items {
		s.vars[it.Name.Value] = variable{fields: []string{w.loose}, known: true}
		s.stmts(c.Do)
	}
}

// substitutions scans what is substituted anywhere inside a node.
func (s *scanner) substitutions(node syntax.Node) {
	if node == nil {
		return
	}
	syntax.Walk(node, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.CmdSubst:
			s.script.Substitution = true
			s.stmts(n.Stmts)
			return false
		case *syntax.ProcSubst:
			s.script.Substitution = true
			s.stmts(n.Stmts)
			return false
		}
		return true
	})
}

// redirect records a redirection and returns the text of a here-document.
func (s *scanner) redirect(r *syntax.Redirect) *string {
	if r.Hdoc != nil {
		w := s.quoted(r.Hdoc)
		return &w.loose
	}
	if r.Word == nil {
		return nil
	}
	words := s.fields(r.Word)
	if r.Op == syntax.WordHdoc {
		text := looseLine(words)
		return &text
	}
	if r.Op == syntax.DplIn || r.Op == syntax.DplOut && len(words) == 1 && strings.Trim(words[0].Text, "0123456789-") == "" {
		return nil
	}
	for _, w := range words {
		s.script.Redirects = append(s.script.Redirects, Redirect{Op: r.Op.String(), Target: w, cwd: s.cwd})
		if r.Op == syntax.RdrIn {
			if text, ok := s.files[path.Clean(w.loose)]; ok {
				return &text
			}
		}
	}
	return nil
}

// assign keeps the value of a variable.
func (s *scanner) assign(a *syntax.Assign) {
	if a.Name == nil {
		if a.Value != nil {
			s.fields(a.Value)
		}
		return
	}
	if a.Naked {
		return
	}
	v := variable{known: true}
	switch {
	case a.Array != nil:
		for _, e := range a.Array.Elems {
			for _, w := range s.fields(e.Value) {
				v.fields = append(v.fields, w.loose)
			}
		}
	case a.Value != nil:
		w := s.quoted(a.Value)
		v.fields = []string{w.loose}
		v.known = !strings.Contains(w.loose, unknownText)
	default:
		v.fields = []string{""}
	}
	if a.Append {
		old := s.vars[a.Name.Value]
		v.fields = []string{strings.Join(old.fields, " ") + strings.Join(v.fields, " ")}
	}
	s.vars[a.Name.Value] = v
}

// chdir follows cd to a folder that the text names.
func (s *scanner) chdir(args []Word) {
	var dirs []Word
	for _, w := range args {
		if !strings.HasPrefix(w.loose, "-") {
			dirs = append(dirs, w)
		}
	}
	switch {
	case len(dirs) == 0:
		s.cwd = "~"
	case strings.HasPrefix(dirs[0].loose, "/"), strings.HasPrefix(dirs[0].loose, "~"):
		s.cwd = path.Clean(dirs[0].loose)
	case s.cwd != "":
		s.cwd = path.Join(s.cwd, dirs[0].loose)
	}
}

// remember notes what a statement is seen to write into a file.
func (s *scanner) remember(st *syntax.Stmt) {
	for _, r := range st.Redirs {
		if r.Word == nil || r.Op != syntax.RdrOut && r.Op != syntax.AppOut && r.Op != syntax.RdrClob {
			continue
		}
		out, ok := s.output(st, nil)
		words := s.fields(r.Word)
		if !ok || len(words) != 1 {
			continue
		}
		name := path.Clean(words[0].loose)
		if r.Op == syntax.AppOut {
			out = s.files[name] + out
		}
		s.files[name] = out
	}
}

// multiplies reports a function that calls itself twice in a pipe or once in
// the background: the fork bomb under any name.
func multiplies(body *syntax.Stmt, name string) bool {
	found := false
	syntax.Walk(body, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.Stmt:
			found = found || n.Background && calls(n, name)
		case *syntax.BinaryCmd:
			pipe := n.Op == syntax.Pipe || n.Op == syntax.PipeAll
			found = found || pipe && calls(n.X, name) && calls(n.Y, name)
		}
		return !found
	})
	return found
}

// calls reports whether a statement calls a name, other than to declare it.
func calls(st *syntax.Stmt, name string) bool {
	found := false
	syntax.Walk(st, func(n syntax.Node) bool {
		if c, ok := n.(*syntax.CallExpr); ok && len(c.Args) > 0 {
			found = found || c.Args[0].Lit() == name
		}
		return !found
	})
	return found
}

// endless reports while true, while :, until false and their kin.
func endless(c *syntax.WhileClause) bool {
	if len(c.Cond) != 1 {
		return false
	}
	call, ok := c.Cond[0].Cmd.(*syntax.CallExpr)
	if !ok || len(call.Args) == 0 {
		return false
	}
	truth := []string{"true", ":", "1", "/bin/true"}
	if c.Until {
		truth = []string{"false", "/bin/false"}
	}
	return slices.Contains(truth, call.Args[0].Lit())
}

// spawnsFreely reports a loop body that starts something in the background and
// has nothing in it that would slow or end the loop.
func spawnsFreely(body []*syntax.Stmt) bool {
	spawns, slows := false, false
	for _, st := range body {
		spawns = spawns || st.Background
		syntax.Walk(st, func(n syntax.Node) bool {
			if c, ok := n.(*syntax.CallExpr); ok && len(c.Args) > 0 && !st.Background {
				slows = slows || slices.Contains([]string{"sleep", "wait", "break", "read", "exit", "return"}, c.Args[0].Lit())
			}
			return true
		})
	}
	return spawns && !slows
}
