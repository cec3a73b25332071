//go:build unix

package builtin_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/toolpost/toolpost/sandbox"
	"github.com/toolpost/toolpost/tool"
)

type searchData struct {
	Matches []struct {
		Path          string
		Line          int
		Text          string
		Before, After []string
	}
	Truncated bool
}

// hits is the matches as path:line:text.
func hits(d searchData) []string {
	out := []string{}
	for _, m := range d.Matches {
		out = append(out, fmt.Sprintf("%s:%d:%s", m.Path, m.Line, m.Text))
	}
	return out
}

func TestSearchFiles(t *testing.T) {
	k := newKit(t,
		"a.go", "package a\n\nfunc Alpha() {}\n// TODO: a(b\n", "b/b.go", "package b\r\nfunc Beta() {}\r\n",
		"b/notes.txt", "alpha beta\ngamma", "bin.dat", "func\x00Alpha", "node_modules/x.go", "func Hidden() {}\n",
		".gitignore", "node_modules\n", "utf16.txt", string(sandbox.Encode("first\nfunc Gamma\n", sandbox.UTF16LE)),
		"latin.txt", "func caf\xe9\n", "bom.txt", "\ufefffunc bom\n")
	for _, c := range []struct {
		name string
		args object
		want []string
	}{
		{"a regular expression", object{"query": `^func [A-Z]\w+\(`}, []string{"a.go:3:func Alpha() {}", "b/b.go:2:func Beta() {}"}},
		{"ends of lines are those of the line", object{"query": `\{\}$`}, []string{"a.go:3:func Alpha() {}", "b/b.go:2:func Beta() {}"}},
		{"starts of text are those of the line", object{"query": `\Afunc B`}, []string{"b/b.go:2:func Beta() {}"}},
		{"plain text", object{"query": "package"}, []string{"a.go:1:package a", "b/b.go:1:package b"}},
		{"plain text that is no regular expression", object{"query": "a(b"}, []string{"a.go:4:// TODO: a(b"}},
		{"plain text by wish", object{"query": "a.a", "literal": true}, []string{}},
		{"case does not count by wish", object{"query": "(?i)ALPHA"}, []string{"a.go:3:func Alpha() {}", "b/notes.txt:1:alpha beta"}},
		{"only some files", object{"query": "a", "glob": "*.txt", "path": "b"}, []string{"b/notes.txt:1:alpha beta", "b/notes.txt:2:gamma"}},
		{"only some paths", object{"query": "package", "glob": "b/*.go"}, []string{"b/b.go:1:package b"}},
		{"one file", object{"query": "gam", "path": "b/notes.txt"}, []string{"b/notes.txt:2:gamma"}},
		{"UTF-16, byte order marks and old encodings", object{"query": "^func [Gbc]"}, []string{"bom.txt:1:func bom", "latin.txt:1:func caf\uFFFD", "utf16.txt:2:func Gamma"}},
		{"file names only", object{"query": "", "glob": "**/*.go"}, []string{"a.go:0:", "b/b.go:0:"}},
		{"an ignored folder when it is named", object{"query": "Hidden", "path": "node_modules"}, []string{"node_modules/x.go:1:func Hidden() {}"}},
		{"nothing", object{"query": "zebra"}, []string{}},
	} {
		d := data[searchData](t, k.ok("search_files", c.args))
		if diff := cmp.Diff(c.want, hits(d)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.name, diff)
		}
	}
	if r := k.ok("grep", object{"query": "a(b"}); !strings.Contains(shown(r), "no regular expression") {
		t.Errorf("the model is not told: %q", shown(r))
	}
}

func TestSearchFilesShowsContext(t *testing.T) {
	k := newKit(t, "f", numbered(9))
	d := data[searchData](t, k.ok("search_files", object{"query": "[25]$", "context": 2}))
	type around struct{ before, after string }
	want := []around{{"line 1", "line 3,line 4"}, {"line 3,line 4", "line 6,line 7"}}
	for i, m := range d.Matches {
		if got := (around{strings.Join(m.Before, ","), strings.Join(m.After, ",")}); got != want[i] {
			t.Errorf("match %d: %+v, want %+v", i, got, want[i])
		}
	}
	d = data[searchData](t, k.ok("search_files", object{"query": "line", "context": 1, "limit": 2}))
	if len(d.Matches) != 2 || !d.Truncated || strings.Join(d.Matches[1].After, "") != "line 3" {
		t.Errorf("with a limit: %+v", d)
	}
}

func TestSearchFilesKeepsOrderAndLimit(t *testing.T) {
	k := newKit(t)
	for i := range 300 {
		k.put(fmt.Sprintf("d%d/f%03d.txt", i%7, i), strings.Repeat("needle\n", 3))
	}
	var first []string
	for range 5 {
		d := data[searchData](t, k.ok("search_files", object{"query": "needle", "limit": 50}))
		if len(d.Matches) != 50 || !d.Truncated {
			t.Fatalf("%d matches, truncated %v", len(d.Matches), d.Truncated)
		}
		if first == nil {
			first = hits(d)
		}
		if diff := cmp.Diff(first, hits(d)); diff != "" {
			t.Fatalf("the order differs from run to run:\n%s", diff)
		}
	}
	if d := data[searchData](t, k.ok("search_files", object{"query": "needle", "limit": 900})); len(d.Matches) != 900 || d.Truncated {
		t.Errorf("%d of 900, truncated %v", len(d.Matches), d.Truncated)
	}
}

func TestSearchFilesCutsLongLinesAroundTheMatch(t *testing.T) {
	pad := strings.Repeat("é", 2000)
	k := newKit(t, "front", "needle"+pad, "middle", pad+"needle"+pad, "end", pad+"needle", "fits", strings.Repeat("é", 494)+"needle")
	for _, m := range data[searchData](t, k.ok("search_files", object{"query": "needle"})).Matches {
		n := utf8.RuneCountInString(m.Text)
		if n > 500 || !strings.Contains(m.Text, "needle") || (m.Path == "fits") != (n == 500 && !strings.Contains(m.Text, "…")) {
			t.Errorf("%s: %d characters, %q", m.Path, n, m.Text)
		}
	}
}

func TestSearchFilesReadsLargeFilesInPieces(t *testing.T) {
	k := newKit(t, "big.log", strings.Repeat("some line of a log\n", 400_000)+"the needle\n", "long", strings.Repeat("x", 6<<20)+"\nthe needle\n")
	want := []string{"big.log:400001:the needle", "long:2:the needle"}
	if diff := cmp.Diff(want, hits(data[searchData](t, k.ok("search_files", object{"query": "the n.*le"})))); diff != "" {
		t.Error(diff)
	}
}

func TestSearchFilesStopsWhenTheCallIsGivenUp(t *testing.T) {
	k := newKit(t)
	for i := range 50 {
		k.put(fmt.Sprint("f", i), "x")
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if r := k.call(ctx, tool.NewCall("search_files", `{"query":"x"}`)); r.Status != tool.StatusCancelled {
		t.Errorf("%s %v", r.Status, r.Err)
	}
}

func TestSearchFilesFollowsNoLinkOut(t *testing.T) {
	k := newKit(t, "in/x", "needle")
	out := t.TempDir()
	if err := os.WriteFile(filepath.Join(out, "secret"), []byte("needle"), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, to := range map[string]string{"dir": out, "file": filepath.Join(out, "secret"), "loop": "."} {
		if err := os.Symlink(to, filepath.Join(k.dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	if diff := cmp.Diff([]string{"in/x:1:needle"}, hits(data[searchData](t, k.ok("search_files", object{"query": "needle"})))); diff != "" {
		t.Error(diff)
	}
	k.fails("search_files", object{"query": "needle", "path": "dir"}, tool.CodePath)
}

func TestSearchFilesRefuses(t *testing.T) {
	k := newKit(t, "src/a", "")
	k.fails("search_files", object{"query": ""}, tool.CodeInvalid, `"query" is empty`)
	k.fails("search_files", object{}, tool.CodeInvalid, `"query" required`)
	k.fails("search_files", object{"query": "x", "path": "scr"}, tool.CodeNotFound, "src")
	k.fails("search_files", object{"query": "x", "glob": "{a"}, tool.CodeInvalid, "{a")
	k.fails("search_files", object{"query": "x", "path": "/"}, tool.CodePath)
}

func BenchmarkSearchFiles(b *testing.B) {
	k := newKit(b)
	for i := range 200 {
		k.put(fmt.Sprintf("d%d/f%d.txt", i%10, i), strings.Repeat("an ordinary line of text\n", 400))
	}
	b.SetBytes(200 * 400 * 25)
	for b.Loop() {
		k.ok("search_files", object{"query": `need(le|les)`})
	}
}
