package toolpost_test

import (
	"os"
	"regexp"
	"strings"
	"testing"
)

var goBlock = regexp.MustCompile("(?s)```go\n(.*?)```")

// The README's code is an example that is compiled and run: what stands there
// works, or this package's tests fail.
func TestTheCodeInTheReadmeIsTheExample(t *testing.T) {
	readme, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	example, err := os.ReadFile("example_test.go")
	if err != nil {
		t.Fatal(err)
	}
	blocks := goBlock.FindAllSubmatch(readme, -1)
	if len(blocks) == 0 {
		t.Fatal("README.md has no Go code")
	}
	for _, b := range blocks {
		if !strings.Contains(string(example), string(b[1])) {
			t.Errorf("this code of README.md does not stand in example_test.go, letter by letter:\n%s", b[1])
		}
	}
}

var (
	link    = regexp.MustCompile(`\]\(([^)#:]+)(#[^)]*)?\)`)
	targets = regexp.MustCompile("(?m)^make ([a-z]+)|`make ([a-z]+)`")
)

// Documents lead to what is there.
func TestDocumentsNameFilesAndTargetsThatExist(t *testing.T) {
	makefile, err := os.ReadFile("Makefile")
	if err != nil {
		t.Fatal(err)
	}
	for _, doc := range []string{"README.md", "DESIGN.md", "docs/rough-edges.md", "docs/benchmarks.md"} {
		text, err := os.ReadFile(doc)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range link.FindAllSubmatch(text, -1) {
			name := string(m[1])
			if strings.HasPrefix(doc, "docs/") {
				name = "docs/" + name
			}
			if _, err := os.Stat(name); err != nil {
				t.Errorf("%s leads to %s, which is not there", doc, m[1])
			}
		}
		for _, m := range targets.FindAllSubmatch(text, -1) {
			name := string(m[1]) + string(m[2])
			if !strings.Contains(string(makefile), "\n"+name+":") {
				t.Errorf("%s says make %s, which the Makefile does not have", doc, name)
			}
		}
	}
}

// A change is told in the form of changelog/TEMPLATE.
func TestChangesAreToldInOneForm(t *testing.T) {
	first := regexp.MustCompile(`^(New|Changed|Fixed|Removed|Security): \S.*[^.]\n\n\S`)
	for name, text := range tree(t).texts {
		if !strings.HasPrefix(name, "changelog/unreleased/") {
			continue
		}
		if !first.Match(text) {
			t.Errorf("%s: the first line is \"Kind: what one can do\" without a full stop, an empty line follows (changelog/TEMPLATE)", name)
		}
		if n := strings.Count(string(text), "\n"); n > 20 {
			t.Errorf("%s has %d lines, at most 20 are read", name, n)
		}
	}
}
