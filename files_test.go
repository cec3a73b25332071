package toolpost_test

import (
	"go/ast"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// maxLines is where a file is split: one idea a file.
const maxLines = 500

// Names that say what a file is made of instead of what it is about.
var emptyNames = []string{"util", "utils", "types", "helper", "helpers", "constants", "common", "misc"}

func TestFilesAndPackagesAreNamedForTheirIdea(t *testing.T) {
	for _, p := range tree(t).packages {
		if slices.Contains(append(emptyNames, "pkg", "models"), path.Base(p.dir)) {
			t.Errorf("package %s is named for its kind", p.dir)
		}
		for _, f := range p.files {
			stem := strings.TrimSuffix(strings.TrimSuffix(path.Base(f.path), ".go"), "_test")
			if slices.Contains(emptyNames, stem) {
				t.Errorf("%s: name the file for its idea", f.path)
			}
		}
	}
}

func TestFilesAreShort(t *testing.T) {
	for _, p := range tree(t).packages {
		for _, f := range p.files {
			if f.lines > maxLines {
				t.Errorf("%s has %d lines: split it at %d", f.path, f.lines, maxLines)
			}
		}
	}
}

func TestNothingHappensAtImport(t *testing.T) {
	for _, p := range tree(t).packages {
		for _, f := range p.files {
			for _, d := range f.syntax.Decls {
				if fn, ok := d.(*ast.FuncDecl); ok && fn.Recv == nil && fn.Name.Name == "init" {
					t.Errorf("%s has an init: to import is not to act", f.path)
				}
			}
		}
	}
}

// machinePaths are places that exist on the machine of whoever wrote the file
// and nowhere else. Brackets keep the pattern from finding itself.
var machinePaths = regexp.MustCompile(`/wor[k]/(main|shared)|/roo[t]/go/|/tm[p]/h/|\.\./share[d]/|/tm[p]/bash_jobs|/home/[a-z]+/(go|src)/`)

func TestNoFileNamesAPlaceOfOneMachine(t *testing.T) {
	for name, text := range tree(t).texts {
		if m := machinePaths.Find(text); m != nil {
			t.Errorf("%s names %s, which is no place of the project", name, m)
		}
	}
}

// The comment of a file is for a reader who was not there.
var leftovers = regexp.MustCompile(`\b(TO[D]O|FIXM[E]|XX[X]|HAC[K])\b|not (yet )?implemente[d]\b`)

func TestNothingIsLeftUndone(t *testing.T) {
	for _, p := range tree(t).packages {
		for _, f := range p.files {
			for _, g := range f.syntax.Comments {
				if m := leftovers.FindString(g.Text()); m != "" {
					t.Errorf("%s: a comment says %s", f.path, m)
				}
			}
		}
	}
}
