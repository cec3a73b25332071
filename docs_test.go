package toolpost_test

import (
	"go/ast"
	"go/token"
	"path"
	"slices"
	"strings"
	"testing"
)

func TestEveryPackageHasADoc(t *testing.T) {
	for _, p := range tree(t).packages {
		docs, long := 0, false
		for _, f := range p.code() {
			if f.syntax.Doc == nil {
				continue
			}
			docs++
			text := f.syntax.Doc.Text()
			want := "Package " + f.syntax.Name.Name + " "
			if f.syntax.Name.Name == "main" {
				want = "Command " + path.Base(p.dir) + " "
			}
			if opening := firstWords(text, 1) + " "; !strings.HasPrefix(text, want) && (f.syntax.Name.Name != "main" || !strings.EqualFold(opening, path.Base(p.dir)+" ")) {
				t.Errorf("%s: the package doc begins with %q, not with %q", f.path, firstWords(text, 3), want)
			}
			long = strings.Count(text, "\n") > 10 && !strings.HasSuffix(f.path, "doc.go")
			if long {
				t.Errorf("%s: a package doc of more than ten lines stands in doc.go", f.path)
			}
		}
		switch {
		case len(p.code()) == 0:
		case docs == 0:
			t.Errorf("package %s has no doc: say what it is, what matters in it, and what it does not do", p.dir)
		case docs > 1:
			t.Errorf("package %s has %d docs: one file opens it", p.dir, docs)
		}
	}
}

func TestEveryExportedNameIsDocumented(t *testing.T) {
	src := tree(t)
	for _, p := range src.packages {
		for _, f := range p.code() {
			if f.syntax.Name.Name == "main" {
				continue
			}
			for _, d := range f.syntax.Decls {
				for _, u := range undocumented(d) {
					t.Errorf("%s: %s %s", src.fset.Position(u.pos), u.name, u.says)
				}
			}
		}
	}
}

type gap struct {
	pos  token.Pos
	name string
	says string
}

// undocumented are the exported names of d whose comment is missing or begins
// with another word.
func undocumented(d ast.Decl) []gap {
	switch d := d.(type) {
	case *ast.FuncDecl:
		if !d.Name.IsExported() || !exportedReceiver(d) {
			return nil
		}
		return commentGap(d.Name, d.Doc)
	case *ast.GenDecl:
		return genDeclGaps(d)
	}
	return nil
}

func genDeclGaps(d *ast.GenDecl) []gap {
	var gaps []gap
	for _, s := range d.Specs {
		switch s := s.(type) {
		case *ast.TypeSpec:
			if !s.Name.IsExported() {
				continue
			}
			doc := s.Doc
			if doc == nil && !d.Lparen.IsValid() {
				doc = d.Doc
			}
			gaps = append(gaps, commentGap(s.Name, doc)...)
		case *ast.ValueSpec:
			// The members of a set share the comment of their group.
			if d.Doc != nil || s.Doc != nil || s.Comment != nil {
				continue
			}
			for _, n := range s.Names {
				if n.IsExported() {
					gaps = append(gaps, gap{n.Pos(), n.Name, "has no comment"})
				}
			}
		}
	}
	return gaps
}

func commentGap(name *ast.Ident, doc *ast.CommentGroup) []gap {
	text := doc.Text()
	switch {
	case strings.TrimSpace(text) == "":
		return []gap{{name.Pos(), name.Name, "has no comment: say what a caller may rely on"}}
	case !slices.Contains(strings.FieldsFunc(firstWords(text, 3), notInName), name.Name):
		return []gap{{name.Pos(), name.Name, "has a comment that begins with other words: " + firstWords(text, 4)}}
	}
	return nil
}

func notInName(r rune) bool { return r == ' ' || r == ',' || r == '.' || r == ':' || r == '\'' }

func firstWords(s string, n int) string {
	f := strings.Fields(s)
	return strings.Join(f[:min(n, len(f))], " ")
}

func exportedReceiver(d *ast.FuncDecl) bool {
	if d.Recv == nil {
		return true
	}
	return ast.IsExported(receiverType(d.Recv.List[0].Type))
}

// receiverType is the name of the type whose method it is.
func receiverType(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.StarExpr:
		return receiverType(e.X)
	case *ast.IndexExpr:
		return receiverType(e.X)
	case *ast.IndexListExpr:
		return receiverType(e.X)
	case *ast.Ident:
		return e.Name
	}
	return ""
}
