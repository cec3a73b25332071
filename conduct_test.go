package toolpost_test

import (
	"go/ast"
	"slices"
	"strings"
	"testing"
)

// calls are the calls of package-level functions in a file, as "package.Name".
func (f *sourceFile) calls(visit func(name string, call *ast.CallExpr)) {
	ast.Inspect(f.syntax, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok {
			return true
		}
		if sel, ok := call.Fun.(*ast.SelectorExpr); ok {
			if x, ok := sel.X.(*ast.Ident); ok {
				visit(x.Name+"."+sel.Sel.Name, call)
			}
		}
		return true
	})
}

// Time goes by in a synctest bubble or by a clock that is handed in: a test that
// sleeps is slow on a good day and fails on a bad one.
func TestNobodySleeps(t *testing.T) {
	src := tree(t)
	for _, p := range src.packages {
		for _, f := range p.files {
			if slices.Contains(f.imports, "testing/synctest") {
				continue // the sleep of a bubble takes no time
			}
			f.calls(func(name string, call *ast.CallExpr) {
				if name == "time.Sleep" {
					t.Errorf("%s sleeps: wait for what is to happen", src.fset.Position(call.Pos()))
				}
			})
		}
	}
}

// speakers are packages that may print: commands.
func speaker(dir string) bool { return strings.HasPrefix(dir, "cmd/") || dir == "bench" }

// A library that writes to the terminal, or to a logger that nobody gave it,
// writes into its host's output.
func TestLibrariesPrintNothing(t *testing.T) {
	printing := []string{"fmt.Print", "fmt.Println", "fmt.Printf", "slog.Default", "slog.Debug", "slog.Info", "slog.Warn", "slog.Error", "slog.SetDefault"}
	src := tree(t)
	for _, p := range src.packages {
		if speaker(p.dir) {
			continue
		}
		for _, f := range p.code() {
			if slices.Contains(f.imports, "log") {
				t.Errorf("%s imports log: take a *slog.Logger as a field, nil meaning none", f.path)
			}
			f.calls(func(name string, call *ast.CallExpr) {
				if slices.Contains(printing, name) {
					t.Errorf("%s: %s in a library", src.fset.Position(call.Pos()), name)
				}
			})
		}
	}
}

// callersAllowed are the packages in which a handler is called by its name, each
// with its reason. Everyone else has tool.Do call it: law 2, one door.
var callersAllowed = why{
	"tool":          "Do and Registry are the door",
	"tool/tooltest": "it tries handlers at the door and beside it",
}

// TestOnlyTheDoorCallsHandlers finds calls of methods named Call or Handler with
// a context and a call. On the inside of the door are middleware, which calls
// what it was given as next, and the Call of a tool.Set around another.
func TestOnlyTheDoorCallsHandlers(t *testing.T) {
	src := tree(t)
	for _, p := range src.packages {
		if callersAllowed[p.dir] != "" {
			continue
		}
		for _, f := range p.code() {
			for _, d := range f.syntax.Decls {
				if fn, ok := d.(*ast.FuncDecl); ok && fn.Recv != nil && fn.Name.Name == "Call" {
					continue
				}
				ast.Inspect(d, func(n ast.Node) bool {
					if callsHandler(n) {
						t.Errorf("%s calls a handler beside the door: use tool.Do", src.fset.Position(n.Pos()))
					}
					return true
				})
			}
		}
	}
}

func callsHandler(n ast.Node) bool {
	call, ok := n.(*ast.CallExpr)
	if !ok || len(call.Args) != 2 {
		return false
	}
	sel, ok := call.Fun.(*ast.SelectorExpr)
	return ok && (sel.Sel.Name == "Call" || sel.Sel.Name == "Handler")
}

// A test that skips says what is missing, and fails where everything is meant to
// be there: its package looks at CI.
func TestSkipsFailWhereNothingMayBeMissing(t *testing.T) {
	for _, p := range tree(t).packages {
		var skips []string
		looks := false
		for _, f := range p.files {
			ast.Inspect(f.syntax, func(n ast.Node) bool {
				switch n := n.(type) {
				case *ast.CallExpr:
					if sel, ok := n.Fun.(*ast.SelectorExpr); ok && (strings.HasPrefix(sel.Sel.Name, "Skip")) && len(n.Args) < 5 && isTB(sel.X) {
						skips = append(skips, f.path)
						if len(n.Args) == 0 {
							t.Errorf("%s skips a test without saying what is missing", f.path)
						}
					}
				case *ast.BasicLit:
					looks = looks || n.Value == `"CI"`
				}
				return true
			})
		}
		if len(skips) > 0 && !looks {
			t.Errorf("%s skips tests and fails nowhere: fail instead when CI=true", strings.Join(slices.Compact(skips), ", "))
		}
	}
}

// isTB reports whether e is called as tests call what they are given.
func isTB(e ast.Expr) bool {
	id, ok := e.(*ast.Ident)
	return ok && (id.Name == "t" || id.Name == "tb" || id.Name == "b" || id.Name == "f")
}
