package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"slices"
	"strings"
	"testing"
)

// TestEveryCodeHasAPage holds the promise that `toolpost explain CODE` knows
// every code that the program can show, and that no page is about another.
func TestEveryCodeHasAPage(t *testing.T) {
	want := codes()
	for _, n := range exitCodes() {
		want = append(want, fmt.Sprintf("exit-%d", n))
		if exitName(n) == "" {
			t.Errorf("exit code %d has no name", n)
		}
	}
	for _, code := range want {
		text := page(code)
		if text == "" {
			t.Errorf("no page explain/%s.md", code)
			continue
		}
		if head := strings.Replace(code, "exit-", "exit ", 1) + ": "; !strings.HasPrefix(text, head) {
			t.Errorf("explain/%s.md does not begin with %q", code, head)
		}
		if summary(text) == "" || !strings.HasSuffix(text, "\n") {
			t.Errorf("explain/%s.md has no summary, or no end", code)
		}
		if !strings.HasPrefix(code, "exit-") && !strings.Contains(text, "Exit code ") {
			t.Errorf("explain/%s.md does not say with which exit code it comes", code)
		}
	}
	pages, err := fs.ReadDir(explainPages, "explain")
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range pages {
		if name := strings.TrimSuffix(p.Name(), ".md"); !slices.Contains(want, name) {
			t.Errorf("explain/%s is about no code of this program", p.Name())
		}
	}
}

// TestEveryCodeOfTheSourceIsListed finds constants such as codeUsage in the
// source, so that a new one cannot be left out of the list.
func TestEveryCodeOfTheSourceIsListed(t *testing.T) {
	all := codes()
	found := 0
	for _, file := range sources(t) {
		for _, d := range file.Decls {
			g, ok := d.(*ast.GenDecl)
			if !ok || g.Tok != token.CONST {
				continue
			}
			for _, s := range g.Specs {
				v, ok := s.(*ast.ValueSpec)
				if !ok || !strings.HasPrefix(v.Names[0].Name, "code") || len(v.Values) == 0 {
					continue
				}
				lit, ok := v.Values[0].(*ast.BasicLit)
				if !ok {
					continue // one of package tool
				}
				found++
				if code := strings.Trim(lit.Value, `"`); !slices.Contains(all, code) {
					t.Errorf("%s is not among cliCodes", code)
				}
			}
		}
	}
	if found < 10 {
		t.Fatalf("only %d code constants were found; does the test still look right?", found)
	}
}

// sources is the parsed files of this package, without tests.
func sources(t *testing.T) []*ast.File {
	t.Helper()
	entries, err := os.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	var files []*ast.File
	for _, e := range entries {
		if !strings.HasSuffix(e.Name(), ".go") || strings.HasSuffix(e.Name(), "_test.go") {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), e.Name(), nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, f)
	}
	return files
}

func TestHelpTopicsTellTheExitCodes(t *testing.T) {
	text, err := helpTopics.ReadFile("help/exit.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range exitCodes() {
		if want := fmt.Sprintf("%5d  %s", n, exitName(n)); !strings.Contains(string(text), want) {
			t.Errorf("help/exit.md does not say %q", want)
		}
	}
}
