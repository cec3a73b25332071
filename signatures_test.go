package toolpost_test

import (
	"go/ast"
	"strings"
	"testing"
)

// anyAllowed are exported functions whose signature says any, each with its
// reason. Functions that format as fmt does need none.
var anyAllowed = why{
	"schema":    "a border of encoding/json: values are decoded into, encoded from and compared as Go values",
	"tool.JSON": "a border of encoding/json: any value that marshals is data",
}

// boolAllowed are exported functions with a boolean parameter, each with its
// reason.
var boolAllowed = why{}

func TestNoExportedSignatureSaysAnyOrBool(t *testing.T) {
	src := tree(t)
	for _, p := range src.packages {
		if strings.HasPrefix(p.dir, "internal/") {
			continue // offered to nobody
		}
		for _, f := range p.code() {
			for _, d := range f.syntax.Decls {
				fn, ok := d.(*ast.FuncDecl)
				if !ok || !fn.Name.IsExported() || !exportedReceiver(fn) || f.syntax.Name.Name == "main" {
					continue
				}
				name := qualified(p.dir, fn)
				if saysAny(fn) && anyAllowed[name] == "" && anyAllowed[p.dir] == "" {
					t.Errorf("%s: %s has any in its signature", src.fset.Position(fn.Pos()), name)
				}
				if takesBool(fn) && boolAllowed[name] == "" {
					t.Errorf("%s: %s takes a boolean: name the two ways, or make it a field", src.fset.Position(fn.Pos()), name)
				}
			}
		}
	}
}

// qualified is a function's name with its package and, for a method, its type.
func qualified(dir string, fn *ast.FuncDecl) string {
	if fn.Recv == nil {
		return dir + "." + fn.Name.Name
	}
	return dir + "." + receiverType(fn.Recv.List[0].Type) + "." + fn.Name.Name
}

// saysAny reports whether a parameter or result is an empty interface. What a
// format is filled with, and the keys of contexts, cannot be said otherwise.
func saysAny(fn *ast.FuncDecl) bool {
	if fn.Recv != nil && fn.Name.Name == "Value" || strings.HasPrefix(fn.Name.Name, "As") {
		return false
	}
	fields := fn.Type.Params.List
	if fn.Type.Results != nil {
		fields = append(fields[:len(fields):len(fields)], fn.Type.Results.List...)
	}
	for _, f := range fields {
		if e, ok := f.Type.(*ast.Ellipsis); ok && isAny(e.Elt) {
			continue
		}
		found := false
		ast.Inspect(f.Type, func(n ast.Node) bool {
			if e, ok := n.(ast.Expr); ok && isAny(e) {
				found = true
			}
			return !found
		})
		if found {
			return true
		}
	}
	return false
}

func isAny(e ast.Expr) bool {
	switch e := e.(type) {
	case *ast.Ident:
		return e.Name == "any"
	case *ast.InterfaceType:
		return len(e.Methods.List) == 0
	}
	return false
}

func takesBool(fn *ast.FuncDecl) bool {
	for _, f := range fn.Type.Params.List {
		if id, ok := f.Type.(*ast.Ident); ok && id.Name == "bool" {
			return true
		}
	}
	return false
}
