package toolpost_test

import (
	"go/ast"
	"go/token"
	"slices"
	"testing"
)

// stateAllowed are package variables that change, each with its reason.
var stateAllowed = why{
	"sandbox.marking": "guards a limit of the process, of which there is one",

	"llm.IDsAny":       "a rule as data, which is copied where it is used",
	"llm.IDsOpenAI":    "likewise",
	"llm.IDsResponses": "likewise",
	"llm.IDsAnthropic": "likewise",
	"llm.IDsStrict":    "likewise",
	"llm.IDsMistral":   "likewise",
}

// TestNoPackageVariableChanges finds package variables of types that are made to
// change, and such as something in their package writes to.
func TestNoPackageVariableChanges(t *testing.T) {
	src := tree(t)
	for _, p := range src.packages {
		vars := packageVars(p)
		for name, v := range vars {
			if stateful(v) && stateAllowed[p.dir+"."+name.Name] == "" {
				t.Errorf("%s: package variable %s is made to change", src.fset.Position(name.Pos()), name.Name)
			}
			if ast.IsExported(name.Name) && !isErrorValue(v) && stateAllowed[p.dir+"."+name.Name] == "" {
				t.Errorf("%s: exported variable %s can be changed from outside", src.fset.Position(name.Pos()), name.Name)
			}
		}
		names := map[string]bool{}
		for n := range vars {
			names[n.Name] = true
		}
		for _, f := range p.code() {
			for _, d := range f.syntax.Decls {
				if fn, ok := d.(*ast.FuncDecl); ok && fn.Body != nil {
					for _, id := range written(fn, names) {
						if stateAllowed[p.dir+"."+id.Name] == "" {
							t.Errorf("%s: package variable %s is changed here", src.fset.Position(id.Pos()), id.Name)
						}
					}
				}
			}
		}
	}
}

// packageVars are the named variables of the package outside its tests.
func packageVars(p *sourcePackage) map[*ast.Ident]*ast.ValueSpec {
	vars := map[*ast.Ident]*ast.ValueSpec{}
	for _, f := range p.code() {
		for _, d := range f.syntax.Decls {
			g, ok := d.(*ast.GenDecl)
			if !ok || g.Tok != token.VAR {
				continue
			}
			for _, s := range g.Specs {
				v := s.(*ast.ValueSpec)
				for _, n := range v.Names {
					if n.Name != "_" {
						vars[n] = v
					}
				}
			}
		}
	}
	return vars
}

// harmless are the parts of package sync that hold no state one could notice: a
// pool is memory, and a value made once is a constant that comes late.
var harmless = []string{"Pool", "OnceValue", "OnceValues"}

// stateful reports whether v is of a type that is of no use unless it changes.
func stateful(v *ast.ValueSpec) bool {
	found := false
	ast.Inspect(v, func(n ast.Node) bool {
		if _, ok := n.(*ast.FuncLit); ok {
			return false
		}
		sel, ok := n.(*ast.SelectorExpr)
		if !ok {
			return true
		}
		x, ok := sel.X.(*ast.Ident)
		if ok && (x.Name == "atomic" || x.Name == "sync" && !slices.Contains(harmless, sel.Sel.Name)) {
			found = true
		}
		return true
	})
	return found
}

// isErrorValue reports whether v is made by errors.New and its like.
func isErrorValue(v *ast.ValueSpec) bool {
	for _, e := range v.Values {
		call, ok := e.(*ast.CallExpr)
		if !ok {
			return false
		}
		sel, ok := call.Fun.(*ast.SelectorExpr)
		if !ok || sel.Sel.Name != "New" && sel.Sel.Name != "Errorf" {
			return false
		}
	}
	return len(v.Values) > 0
}

// written are the uses in fn by which a variable of those names may change: it
// is assigned to, counted, deleted from, or its address is taken.
func written(fn *ast.FuncDecl, names map[string]bool) []*ast.Ident {
	local := localNames(fn)
	var found []*ast.Ident
	check := func(e ast.Expr) {
		if id := base(e); id != nil && names[id.Name] && !local[id.Name] {
			found = append(found, id)
		}
	}
	ast.Inspect(fn.Body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.AssignStmt:
			for _, e := range n.Lhs {
				check(e)
			}
		case *ast.IncDecStmt:
			check(n.X)
		case *ast.UnaryExpr:
			if _, whole := n.X.(*ast.Ident); whole && n.Op == token.AND {
				check(n.X) // the address of an element is how a row is read without a copy
			}
		case *ast.CallExpr:
			if f, ok := n.Fun.(*ast.Ident); ok && (f.Name == "delete" || f.Name == "clear") && len(n.Args) > 0 {
				check(n.Args[0])
			}
		}
		return true
	})
	return found
}

// base is the variable that e is a part of.
func base(e ast.Expr) *ast.Ident {
	switch e := e.(type) {
	case *ast.Ident:
		return e
	case *ast.SelectorExpr:
		return base(e.X)
	case *ast.IndexExpr:
		return base(e.X)
	case *ast.StarExpr:
		return base(e.X)
	case *ast.ParenExpr:
		return base(e.X)
	}
	return nil
}

// localNames are all names that fn declares; one of them hides a package
// variable of the same name.
func localNames(fn *ast.FuncDecl) map[string]bool {
	local := map[string]bool{}
	declare := func(ids ...*ast.Ident) {
		for _, id := range ids {
			local[id.Name] = true
		}
	}
	ast.Inspect(fn, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.Field:
			declare(n.Names...)
		case *ast.ValueSpec:
			declare(n.Names...)
		case *ast.AssignStmt:
			for _, e := range n.Lhs {
				if id, ok := e.(*ast.Ident); ok && n.Tok == token.DEFINE {
					declare(id)
				}
			}
		case *ast.RangeStmt:
			for _, e := range []ast.Expr{n.Key, n.Value} {
				if id, ok := e.(*ast.Ident); ok && n.Tok == token.DEFINE {
					declare(id)
				}
			}
		}
		return true
	})
	return local
}
