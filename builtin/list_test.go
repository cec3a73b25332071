//go:build unix

package builtin_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/toolpost/toolpost/tool"
)

type listData struct {
	Entries []struct {
		Name, Path, Kind string
		Size, MtimeMs    int64
	}
	Truncated bool
}

func paths(d listData) []string {
	out := []string{}
	for _, e := range d.Entries {
		out = append(out, e.Path)
	}
	return out
}

func TestListDirectory(t *testing.T) {
	k := newKit(t,
		"b.go", "package b", "a.txt", "a", "src/main.go", "x", "src/util/util.go", "y", "src/util/data.json", "{}",
		"build/out.o", "o", "src/skip.log", "l", "src/keep.log", "l",
		".gitignore", "build/\n*.log\n", "src/.gitignore", "!keep.log\n", ".git/HEAD", "ref")
	for _, c := range []struct {
		name string
		args object
		want []string
	}{
		{"a folder, sorted, not below, nothing left out", object{}, []string{".git", ".gitignore", "a.txt", "b.go", "build", "src"}},
		{"another folder", object{"path": "src/util"}, []string{"src/util/data.json", "src/util/util.go"}},
		{"all below, less what is ignored", object{"recursive": true}, []string{".gitignore", "a.txt", "b.go", "src", "src/.gitignore", "src/keep.log", "src/main.go", "src/util", "src/util/data.json", "src/util/util.go"}},
		{"two levels", object{"recursive": true, "depth": 2, "path": "src"}, []string{"src/.gitignore", "src/keep.log", "src/main.go", "src/util", "src/util/data.json", "src/util/util.go"}},
		{"one level of a recursive listing", object{"recursive": true, "depth": 1}, []string{".gitignore", "a.txt", "b.go", "src"}},
		{"names by glob", object{"glob": "*.go"}, []string{"b.go"}},
		{"names by glob, below", object{"glob": "*.go", "recursive": true}, []string{"b.go", "src/main.go", "src/util/util.go"}},
		{"paths by glob", object{"glob": "**/*.go"}, []string{"b.go", "src/main.go", "src/util/util.go"}},
		{"paths by glob, from a folder", object{"path": "src", "glob": "util/*.{go,json}"}, []string{"src/util/data.json", "src/util/util.go"}},
		{"an ignored folder when it is named", object{"path": "build", "recursive": true}, []string{"build/out.o"}},
		{"nothing", object{"glob": "*.rs", "recursive": true}, []string{}},
	} {
		d := data[listData](t, k.ok("list_directory", c.args))
		if diff := cmp.Diff(c.want, paths(d)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.name, diff)
		}
	}
}

func TestListDirectorySaysWhatThereIs(t *testing.T) {
	k := newKit(t, "file", "12345", "dir/x", "")
	if err := os.Symlink("/etc", filepath.Join(k.dir, "link")); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mkfifo(filepath.Join(k.dir, "pipe"), 0o600); err != nil {
		t.Fatal(err)
	}
	r := k.ok("ls", object{"recursive": true})
	got := map[string]string{}
	for _, e := range data[listData](t, r).Entries {
		got[e.Path] = fmt.Sprint(e.Kind, " ", e.Size)
		if e.MtimeMs <= 0 || e.Name != filepath.Base(e.Path) {
			t.Errorf("%+v", e)
		}
	}
	want := map[string]string{"file": "file 5", "dir": "folder 0", "dir/x": "file 0", "link": "link 0", "pipe": "fifo 0"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if want := "dir/\ndir/x (0 bytes)\nfile (5 bytes)\nlink (link)\npipe (fifo)"; shown(r) != want {
		t.Errorf("the model reads %q", shown(r))
	}
}

func TestListDirectoryKeepsItsLimit(t *testing.T) {
	k := newKit(t)
	for i := range 30 {
		k.put(fmt.Sprintf("f%02d", i), "")
	}
	d := data[listData](t, k.ok("list_directory", object{"limit": 10}))
	if len(d.Entries) != 10 || !d.Truncated || d.Entries[9].Name != "f09" {
		t.Errorf("%d entries, truncated %v", len(d.Entries), d.Truncated)
	}
	if d := data[listData](t, k.ok("list_directory", object{"limit": 30})); d.Truncated {
		t.Error("all fit, and it says truncated")
	}
}

func TestListDirectoryRefuses(t *testing.T) {
	k := newKit(t, "docs/a", "")
	k.fails("list_directory", object{"path": "doc"}, tool.CodeNotFound, "docs")
	k.fails("list_directory", object{"path": "docs/a"}, tool.CodePrecondition, "not a folder")
	k.fails("list_directory", object{"path": "../"}, tool.CodePath)
	k.fails("list_directory", object{"glob": "[a"}, tool.CodeInvalid, "[a")
}

// ignoreCases are ignore files and paths; git decides in the test what is
// ignored, where there is a git.
var ignoreCases = []struct {
	name  string
	files []string // .gitignore files: path, content
	paths []string
	want  []string // those that are ignored
}{
	{"plain names at any depth", []string{".gitignore", "a.log\n"}, []string{"a.log", "x/a.log", "a.logs", "b"}, []string{"a.log", "x/a.log"}},
	{"anchored by a slash", []string{".gitignore", "/a\nx/b\n"}, []string{"a", "y/a", "x/b", "y/x/b"}, []string{"a", "x/b"}},
	{"folders only", []string{".gitignore", "out/\n"}, []string{"out/f", "x/out/f", "y/out"}, []string{"out/f", "x/out/f"}},
	{"kept again", []string{".gitignore", "*.log\n!keep.log\n"}, []string{"a.log", "keep.log", "x/keep.log"}, []string{"a.log"}},
	{"not kept below an ignored folder", []string{".gitignore", "d/\n!d/keep\n"}, []string{"d/keep", "d/x"}, []string{"d/keep", "d/x"}},
	{"kept below a folder whose content is ignored", []string{".gitignore", "d/*\n!d/keep\n"}, []string{"d/keep", "d/x"}, []string{"d/x"}},
	{"stars do not cross slashes", []string{".gitignore", "a/*.c\n"}, []string{"a/x.c", "a/b/x.c"}, []string{"a/x.c"}},
	{"two stars do", []string{".gitignore", "a/**/x\n**/y\nb/**\n"}, []string{"a/x", "a/p/x", "a/p/q/x", "y", "p/y", "b/f", "b/g/f", "c/b/f"}, []string{"a/x", "a/p/x", "a/p/q/x", "y", "p/y", "b/f", "b/g/f"}},
	{"question marks and classes", []string{".gitignore", "f?.c\ng[0-9].c\nh[!a].c\n"}, []string{"f1.c", "f.c", "g1.c", "gx.c", "ha.c", "hb.c"}, []string{"f1.c", "g1.c", "hb.c"}},
	{"braces are plain", []string{".gitignore", "{a,b}\n"}, []string{"a", "b", "{a,b}"}, []string{"{a,b}"}},
	{"comments, blank lines, spaces at the end", []string{".gitignore", "# a\n\na   \n\\#b\n\\!c\nd\\ \n"}, []string{"a", "# a", "#b", "!c", "d "}, []string{"a", "#b", "!c", "d "}},
	{"CRLF", []string{".gitignore", "a\r\nb/\r\n"}, []string{"a", "b/x", "c"}, []string{"a", "b/x"}},
	{"a deeper file counts more", []string{".gitignore", "*.txt\n", "x/.gitignore", "!*.txt\n", "x/y/.gitignore", "b.txt\n"}, []string{"a.txt", "x/a.txt", "x/y/a.txt", "x/y/b.txt"}, []string{"a.txt", "x/y/b.txt"}},
	{"a deeper file is anchored at its folder", []string{"x/.gitignore", "/a\nb/c\n"}, []string{"a", "x/a", "x/y/a", "x/b/c", "b/c"}, []string{"x/a", "x/b/c"}},
	{"the exclude file of the repository", []string{".git/info/exclude", "secret\n", ".gitignore", "other\n"}, []string{"secret", "other", "x/secret", "y"}, []string{"secret", "other", "x/secret"}},
	{"a broken pattern matches nothing", []string{".gitignore", "a[\nb\n"}, []string{"a[", "a", "b"}, []string{"b"}},
	{"the last word counts", []string{".gitignore", "a\n!a\na\nb\n!b\n"}, []string{"a", "b"}, []string{"a"}},
	{"everything but", []string{".gitignore", "*\n!*/\n!*.go\n"}, []string{"a.go", "b.c", "x/y/a.go", "x/b.c"}, []string{"b.c", "x/b.c"}},
}

func TestIgnoredPathsAreThoseOfGit(t *testing.T) {
	for _, c := range ignoreCases {
		k := newKit(t, c.files...)
		for _, p := range c.paths {
			k.put(p, "")
		}
		listed := paths(data[listData](t, k.ok("list_directory", object{"recursive": true})))
		ignored := []string{}
		for _, p := range c.paths {
			if !contains(listed, p) {
				ignored = append(ignored, p)
			}
		}
		if diff := cmp.Diff(c.want, ignored); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.name, diff)
		}
	}
}

// TestIgnoreCasesAreTrueOfGit asks git itself, through our own tool.
func TestIgnoreCasesAreTrueOfGit(t *testing.T) {
	if !newShell(t).do("exec_shell", object{"command": "git --version"}).OK() {
		missing(t, "git")
	}
	for _, c := range ignoreCases {
		k := newShell(t, c.files...)
		for _, p := range c.paths {
			k.put(p, "")
		}
		k.ok("exec_shell", object{"command": "git init -q ."})
		for i := 0; i+1 < len(c.files); i += 2 {
			k.put(c.files[i], c.files[i+1]) // git init may have written the exclude file
		}
		r := k.ok("exec_shell", object{"command": "git -c core.quotePath=off check-ignore --stdin --no-index", "stdin": strings.Join(c.paths, "\n") + "\n"})
		got := strings.FieldsFunc(data[execData](t, r).Stdout, func(r rune) bool { return r == '\n' })
		for i := range got {
			got[i] = strings.Trim(got[i], `"`)
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s: git says otherwise (-want +git):\n%s", c.name, diff)
		}
	}
}

func contains(list []string, s string) bool {
	for _, l := range list {
		if l == s {
			return true
		}
	}
	return false
}

// missing skips a test that needs something; under CI it fails.
func missing(t *testing.T, what string) {
	t.Helper()
	if os.Getenv("CI") == "true" {
		t.Fatalf("%s is missing", what)
	}
	t.Skipf("%s is missing", what)
}
