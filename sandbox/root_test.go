package sandbox_test

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/toolpost/toolpost/sandbox"
)

func ExampleRoot_Write() {
	dir, _ := os.MkdirTemp("", "example")
	defer os.RemoveAll(dir)
	root, err := sandbox.Open(sandbox.Profile{Workspace: dir})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer root.Close()
	change, err := root.Write("notes/today.md", []byte("hello\n"), sandbox.WriteOptions{})
	fmt.Println(change.Op, change.Path, change.Folders, change.AfterEtag, err)
	_, err = root.Write("notes/today.md", []byte("bye\n"), sandbox.WriteOptions{ExpectedEtag: "0123456789abcdef"})
	fmt.Println(sandbox.KindOf(err))
	_, err = root.Write("../../etc/passwd", nil, sandbox.WriteOptions{})
	fmt.Println(err)
	// Output:
	// created notes/today.md [notes] 5891b5b522d5df08 <nil>
	// conflict
	// path "../../etc/passwd": goes above the workspace by ".."; give a path inside it
}

func ExampleRoot_Walk() {
	dir, _ := os.MkdirTemp("", "example")
	defer os.RemoveAll(dir)
	root, _ := sandbox.Open(sandbox.Profile{Workspace: dir})
	defer root.Close()
	for _, name := range []string{"b.txt", "a/x.txt", "a/y/z.txt"} {
		if _, err := root.Write(name, []byte(name), sandbox.WriteOptions{}); err != nil {
			fmt.Println(err)
		}
	}
	for e, err := range root.Walk(".", sandbox.WalkOptions{Depth: 2}) {
		fmt.Println(e.Path, e.Kind, err)
	}
	// Output:
	// a dir <nil>
	// a/x.txt file <nil>
	// a/y dir <nil>
	// b.txt file <nil>
}

// open makes a workspace in a folder of its own, so that what lies beside it
// can be watched.
func open(t testing.TB, p sandbox.Profile) (r *sandbox.Root, dir string) {
	t.Helper()
	if p.Workspace == "" {
		p.Workspace = filepath.Join(t.TempDir(), "ws")
		if err := os.Mkdir(p.Workspace, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	r, err := sandbox.Open(p)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Close() })
	return r, p.Workspace
}

func put(t testing.TB, parts ...string) string {
	t.Helper()
	name := filepath.Join(parts...)
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte("original"), 0o644); err != nil {
		t.Fatal(err)
	}
	return name
}

func link(t testing.TB, target, name string) {
	t.Helper()
	if err := os.Symlink(target, name); err != nil {
		t.Fatal(err)
	}
}

func wantKind(t testing.TB, what string, err error, want sandbox.Kind) {
	t.Helper()
	if got := sandbox.KindOf(err); got != want {
		t.Errorf("%s: %v (kind %q), want kind %q", what, err, got, want)
	}
}

func TestOpenRefusesWhatIsNoWorkspace(t *testing.T) {
	dir := t.TempDir()
	file := put(t, dir, "file")
	for _, tt := range []struct {
		p    sandbox.Profile
		want sandbox.Kind
	}{
		{sandbox.Profile{}, sandbox.KindInvalidPath},
		{sandbox.Profile{Workspace: filepath.Join(dir, "missing")}, sandbox.KindNotFound},
		{sandbox.Profile{Workspace: file}, sandbox.KindNotDir},
		{sandbox.Profile{Workspace: dir, Protected: []string{"../x"}}, sandbox.KindInvalidPath},
	} {
		_, err := sandbox.Open(tt.p)
		wantKind(t, fmt.Sprintf("%+v", tt.p), err, tt.want)
	}
}

func TestCleanKeepsToTheWorkspace(t *testing.T) {
	r, dir := open(t, sandbox.Profile{})
	for name, want := range map[string]string{
		"a":                             "a",
		".":                             ".",
		"./a/b":                         "a/b",
		"a/../b":                        "b",
		"a//b/./c":                      "a/b/c",
		"a/b/..":                        "a",
		dir:                             ".",
		dir + "/a":                      "a",
		dir + "/../ws/a":                "a",
		"./~x":                          "~x",
		"a/~":                           "a/~",
		"ü/ß":                           "ü/ß",
		"..a":                           "..a",
		"...":                           "...",
		"a b":                           "a b",
		"%2e%2e/a":                      "%2e%2e/a",
		strings.Repeat("a/", 100) + "b": strings.Repeat("a/", 100) + "b",
	} {
		if got, err := r.Clean(name); got != want || err != nil {
			t.Errorf("Clean(%q) = %q, %v; want %q", name, got, err, want)
		}
	}
	for _, name := range []string{
		"", "..", "../a", "a/../..", "a/../../b", "/", "/etc/passwd", dir + "x/a", dir + "/../x", "~", "~/x", "~root/x",
		"a\x00b", "a\nb", "a\x1b[0m", "a\x7f", "\xff", "a\u2028b", "C:\\x", "c:/x", `\\host\share`, `\\?\C:\x`, `\\.\pipe\x`,
		`..\..\x`, `a\..\..\x`, "file:///etc/passwd", strings.Repeat("a", 5000), "//etc/passwd", "/../etc/passwd", "/proc/self/root",
	} {
		got, err := r.Clean(name)
		if sandbox.KindOf(err) != sandbox.KindInvalidPath {
			t.Errorf("Clean(%q) = %q, %v; want it refused", name, got, err)
		}
		if err != nil && !strings.Contains(fmt.Sprintf("%q", name), filepath.Base(dir)) && strings.Contains(err.Error(), dir) {
			t.Errorf("the error %q tells the host path", err)
		}
	}
}

func TestReadTakesRegularFilesOnly(t *testing.T) {
	r, dir := open(t, sandbox.Profile{})
	put(t, dir, "a/b.txt")
	link(t, "b.txt", filepath.Join(dir, "a/in"))
	link(t, "../../outside", filepath.Join(dir, "a/out"))
	link(t, "/etc/passwd", filepath.Join(dir, "abs"))
	link(t, "loop", filepath.Join(dir, "loop"))
	put(t, dir, "..", "outside")
	f, err := r.Read("a/b.txt", sandbox.ReadOptions{})
	if err != nil || string(f.Content) != "original" || f.Etag != sandbox.Etag([]byte("original")) || f.Size != 8 || f.Mode != 0o644 {
		t.Errorf("Read = %+v, %v", f, err)
	}
	if f, err := r.Read("a/in", sandbox.ReadOptions{}); err != nil || string(f.Content) != "original" {
		t.Errorf("through a link inside: %+v, %v", f, err)
	}
	if f, err := r.Read("a/b.txt", sandbox.ReadOptions{Offset: 2, Length: 3}); err != nil || string(f.Content) != "igi" || f.Etag != "" || f.Size != 8 {
		t.Errorf("a window: %+v, %v", f, err)
	}
	if f, err := r.Read("a/b.txt", sandbox.ReadOptions{Offset: 20, Length: 3}); err != nil || len(f.Content) != 0 {
		t.Errorf("a window past the end: %+v, %v", f, err)
	}
	for name, want := range map[string]sandbox.Kind{
		"a": sandbox.KindNotRegular, ".": sandbox.KindNotRegular, "a/b.txt/": sandbox.KindInvalidPath, "a/b.txt/x": sandbox.KindNotDir,
		"none": sandbox.KindNotFound, "a/out": sandbox.KindInvalidPath, "abs": sandbox.KindInvalidPath, "loop": sandbox.KindInvalidPath,
		strings.Repeat("n", 300): sandbox.KindInvalidPath,
	} {
		_, err := r.Read(name, sandbox.ReadOptions{})
		wantKind(t, "Read "+name, err, want)
	}
	_, err = r.Read("a/b.txt", sandbox.ReadOptions{MaxBytes: 7})
	wantKind(t, "a file over the limit", err, sandbox.KindTooLarge)
	if _, err := r.Read("none", sandbox.ReadOptions{}); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("%v is not fs.ErrNotExist", err)
	}
}

func TestWriteReplacesInOneStepAndReportsIt(t *testing.T) {
	r, dir := open(t, sandbox.Profile{})
	name := put(t, dir, "run.sh")
	if err := os.Chmod(name, 0o751); err != nil {
		t.Fatal(err)
	}
	before := sandbox.Etag([]byte("original"))
	change, err := r.Write("run.sh", []byte("new"), sandbox.WriteOptions{ExpectedEtag: before})
	want := sandbox.Change{Op: sandbox.OpModified, Path: "run.sh", Kind: sandbox.EntryFile, BeforeEtag: before, AfterEtag: sandbox.Etag([]byte("new")), Bytes: 3}
	if diff := cmp.Diff(change, want); diff != "" || err != nil {
		t.Errorf("change (-got +want):\n%s%v", diff, err)
	}
	if info, _ := os.Stat(name); info.Mode() != 0o751 {
		t.Errorf("mode is %v", info.Mode())
	}
	if change, err = r.Write("run.sh", []byte("new"), sandbox.WriteOptions{}); change.Op != sandbox.OpNone || err != nil {
		t.Errorf("same content: %+v, %v", change, err)
	}
	if change, err = r.Write("d/e/f", []byte("x"), sandbox.WriteOptions{DryRun: true}); change.Op != sandbox.OpCreated || err != nil {
		t.Errorf("dry run: %+v, %v", change, err)
	}
	if _, err := os.Stat(filepath.Join(dir, "d")); err == nil {
		t.Error("a dry run made a folder")
	}
	_, err = r.Write("run.sh", nil, sandbox.WriteOptions{IfNotExists: true})
	wantKind(t, "IfNotExists", err, sandbox.KindExists)
	_, err = r.Write("run.sh", nil, sandbox.WriteOptions{ExpectedEtag: before})
	wantKind(t, "an old etag", err, sandbox.KindConflict)
	_, err = r.Write("other", nil, sandbox.WriteOptions{ExpectedEtag: before})
	wantKind(t, "an etag of nothing", err, sandbox.KindConflict)
	_, err = r.Write("run.sh/x", nil, sandbox.WriteOptions{})
	wantKind(t, "below a file", err, sandbox.KindNotDir)
	_, err = r.Write("x/", nil, sandbox.WriteOptions{})
	wantKind(t, "a folder name", err, sandbox.KindInvalidPath)
	if names := leftovers(t, dir); len(names) > 0 {
		t.Errorf("left behind: %v", names)
	}
}

func leftovers(t testing.TB, dir string) (names []string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if strings.Contains(d.Name(), "toolpost-tmp") {
			names = append(names, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return names
}

func TestWriteGoesThroughLinksInsideOnly(t *testing.T) {
	r, dir := open(t, sandbox.Profile{})
	put(t, dir, "real/file")
	outside := put(t, dir, "..", "outside", "file")
	link(t, "real", filepath.Join(dir, "in"))
	link(t, "../outside", filepath.Join(dir, "out"))
	link(t, "real/file", filepath.Join(dir, "leaf"))
	link(t, "../outside/file", filepath.Join(dir, "leafout"))
	link(t, "../outside/new", filepath.Join(dir, "dangling"))
	link(t, "real/new", filepath.Join(dir, "danglingin"))
	for _, name := range []string{"out/file", "out/new", "leafout", "dangling", "out/a/b/c"} {
		_, err := r.Write(name, []byte("evil"), sandbox.WriteOptions{})
		wantKind(t, "Write "+name, err, sandbox.KindInvalidPath)
	}
	if b, _ := os.ReadFile(outside); string(b) != "original" {
		t.Error("the file outside was changed")
	}
	for name, want := range map[string]string{"in/file": "real/file", "leaf": "real/file", "danglingin": "real/new"} {
		change, err := r.Write(name, []byte("by "+name), sandbox.WriteOptions{})
		if err != nil || change.Path != want {
			t.Errorf("Write %s = %+v, %v; want it at %s", name, change, err, want)
		}
		if e, _ := r.Lstat(name); name != "in/file" && e.Kind != sandbox.EntryLink {
			t.Errorf("the link %s has become a %s", name, e.Kind)
		}
	}
}

func TestHardLinksAreNotWritten(t *testing.T) {
	r, dir := open(t, sandbox.Profile{})
	outside := put(t, dir, "..", "outside")
	if err := os.Link(outside, filepath.Join(dir, "hard")); err != nil {
		t.Fatal(err)
	}
	_, err := r.Write("hard", []byte("evil"), sandbox.WriteOptions{})
	wantKind(t, "Write", err, sandbox.KindHardLink)
	if b, _ := os.ReadFile(outside); string(b) != "original" {
		t.Error("the other name of the file was changed")
	}
}

func TestProtectedPathsAreReadOnly(t *testing.T) {
	r, dir := open(t, sandbox.Profile{Protected: []string{"conf/secret.txt", "locked"}})
	put(t, dir, ".git/config")
	put(t, dir, ".git/hooks/pre-commit.sample")
	put(t, dir, "sub/.git/config")
	put(t, dir, "conf/secret.txt")
	link(t, ".git", filepath.Join(dir, "g"))
	link(t, ".git/hooks", filepath.Join(dir, "h"))
	link(t, ".git/config", filepath.Join(dir, "c"))
	link(t, "toolpost.toml", filepath.Join(dir, "t"))
	if err := os.Link(filepath.Join(dir, ".git/config"), filepath.Join(dir, "hard")); err != nil {
		t.Fatal(err)
	}
	put(t, dir, "tree/hooks/post-commit")
	paths := []string{
		".git/hooks/pre-commit", ".git/hooks", ".git/config", ".git/config.worktree", ".git/modules/x/hooks/y", ".GIT/hooks/x", ".Git/Config", ".git./config", ".git /config", "git~1/config", ".g\u200cit/config",
		"sub/.git/config", "sub/.git/hooks/x", "new/.git/hooks/x", "new/.git", ".toolpost/state", ".toolpost", "toolpost.toml", "ToolPost.toml", "x/toolpost.toml", ".mcp.json", ".vscode/settings.json", ".vscode/tasks.json", ".idea/workspace.xml",
		".claude/settings.json", ".cursor/mcp.json", ".envrc", ".bashrc", ".gitmodules", "conf/secret.txt", "conf/SECRET.txt", "locked", "locked/new", "g/config", "g/hooks/x", "h/x", "c", "t", "./.git/../.git/config",
		".vscode::$DATA/x", "conf/../toolpost.toml",
	}
	for _, name := range paths {
		_, err := r.Write(name, []byte("evil"), sandbox.WriteOptions{})
		wantKind(t, "Write "+name, err, sandbox.KindProtected)
		_, err = r.Rename("tree/hooks/post-commit", name, sandbox.RenameOptions{Replace: true})
		if err == nil && name != "c" && name != "t" {
			t.Errorf("Rename to %s passes", name)
		}
		if name == "c" || name == "t" {
			continue // renaming onto a link replaces the link
		}
		if _, err = r.Mkdir(name); err == nil && sandbox.KindOf(err) != sandbox.KindProtected {
			if _, serr := os.Stat(filepath.Join(dir, name)); serr != nil {
				t.Errorf("Mkdir %s passes", name)
			}
		}
	}
	for _, name := range []string{".git", ".git/hooks", ".git/config", "sub", "sub/.git", "conf", "g/config", "h/pre-commit.sample"} {
		_, err := r.Remove(name, sandbox.RemoveOptions{Recursive: true})
		wantKind(t, "Remove "+name, err, sandbox.KindProtected)
		_, err = r.Rename(name, "elsewhere", sandbox.RenameOptions{})
		wantKind(t, "Rename "+name, err, sandbox.KindProtected)
	}
	_, err := r.Write("hard", []byte("evil"), sandbox.WriteOptions{})
	wantKind(t, "Write by another hard link", err, sandbox.KindProtected)
	for _, name := range []string{".git/config", ".git/hooks/pre-commit.sample", "sub/.git/config", "conf/secret.txt"} {
		if f, err := r.Read(name, sandbox.ReadOptions{}); err != nil || string(f.Content) != "original" {
			t.Errorf("%s: %q, %v", name, f.Content, err)
		}
	}
	for _, name := range []string{".git/info/exclude", ".gitignore", ".github/workflows/ci.yml", "hooks/pre-commit", "config", "my.git/config", "conf/public.txt", ".env", "git/hooks/x"} {
		if _, err := r.Write(name, []byte("fine"), sandbox.WriteOptions{}); err != nil {
			t.Errorf("Write %s: %v", name, err)
		}
	}
}

func TestRenameCannotMakeAProtectedPath(t *testing.T) {
	r, dir := open(t, sandbox.Profile{Protected: []string{"conf/secret.txt"}})
	put(t, dir, "x/secret.txt")
	put(t, dir, "y/hooks/pre-commit")
	_, err := r.Rename("x", "conf", sandbox.RenameOptions{})
	wantKind(t, "a folder that would hold one", err, sandbox.KindProtected)
	_, err = r.Rename("y", ".git", sandbox.RenameOptions{})
	wantKind(t, "a folder that would be .git", err, sandbox.KindProtected)
	if change, err := r.Rename("y", "a/z", sandbox.RenameOptions{}); err != nil || change.From != "y" || change.Path != "a/z" || change.Kind != sandbox.EntryDir {
		t.Errorf("a plain rename: %+v, %v", change, err)
	}
}

func TestRemoveTakesAwayWhatItSaysAndNoMore(t *testing.T) {
	r, dir := open(t, sandbox.Profile{})
	put(t, dir, "a/b/c")
	put(t, dir, "a/d")
	keep := put(t, dir, "..", "outside", "keep")
	link(t, "../../outside", filepath.Join(dir, "a/out"))
	link(t, "a", filepath.Join(dir, "l"))
	for name, want := range map[string]sandbox.Kind{
		"a/..": sandbox.KindInvalidPath, "a/../a": sandbox.KindInvalidPath, ".": sandbox.KindInvalidPath, "./": sandbox.KindInvalidPath, dir: sandbox.KindInvalidPath,
		"..": sandbox.KindInvalidPath, "none": sandbox.KindNotFound, "a/out/keep": sandbox.KindInvalidPath, "a/d/": sandbox.KindNotDir, "l/": sandbox.KindNotDir,
	} {
		_, err := r.Remove(name, sandbox.RemoveOptions{Recursive: true})
		wantKind(t, "Remove "+name, err, want)
	}
	_, err := r.Remove("a", sandbox.RemoveOptions{})
	wantKind(t, "a folder that is not empty", err, sandbox.KindNotEmpty)
	if changes, err := r.Remove("l", sandbox.RemoveOptions{Recursive: true}); err != nil || len(changes) != 1 || changes[0].Kind != sandbox.EntryLink {
		t.Errorf("a link: %+v, %v", changes, err)
	}
	changes, err := r.Remove("a", sandbox.RemoveOptions{Recursive: true})
	var got []string
	for _, c := range changes {
		got = append(got, c.Path)
	}
	if diff := cmp.Diff(got, []string{"a/out", "a/d", "a/b/c", "a/b", "a"}); diff != "" || err != nil {
		t.Errorf("removed (-got +want):\n%s%v", diff, err)
	}
	if b, _ := os.ReadFile(keep); string(b) != "original" {
		t.Error("something outside is gone")
	}
}

func TestRenameDoesNotReplaceUnasked(t *testing.T) {
	r, dir := open(t, sandbox.Profile{})
	put(t, dir, "a")
	put(t, dir, "b")
	put(t, dir, "d/x")
	_, err := r.Rename("a", "b", sandbox.RenameOptions{})
	wantKind(t, "onto a file", err, sandbox.KindExists)
	_, err = r.Rename("a", "d", sandbox.RenameOptions{Replace: true})
	wantKind(t, "onto a folder", err, sandbox.KindExists)
	_, err = r.Rename("a", "../c", sandbox.RenameOptions{})
	wantKind(t, "out of the workspace", err, sandbox.KindInvalidPath)
	if _, err = r.Rename("a", "b", sandbox.RenameOptions{Replace: true}); err != nil {
		t.Error(err)
	}
	_, err = r.Rename("d", "d/e", sandbox.RenameOptions{})
	if err == nil {
		t.Error("a folder was moved into itself")
	}
}

func TestLockIsOnePerFileWhateverItsName(t *testing.T) {
	r, dir := open(t, sandbox.Profile{})
	put(t, dir, "a/f")
	link(t, "a", filepath.Join(dir, "l"))
	names := []string{"a/f", "./a/../a/f", "l/f", filepath.Join(dir, "a/f")}
	var n int
	var wg sync.WaitGroup
	for range 50 {
		for _, name := range names {
			wg.Go(func() {
				defer r.Lock(name)()
				n++ // the race detector tells
			})
		}
	}
	wg.Wait()
	if n != 50*len(names) {
		t.Errorf("n = %d", n)
	}
}

func TestWritersOfOneFileNeverMix(t *testing.T) {
	r, _ := open(t, sandbox.Profile{})
	var wg sync.WaitGroup
	for i := range 16 {
		wg.Go(func() {
			if _, err := r.Write("f", bytes.Repeat([]byte{byte('a' + i)}, 4096), sandbox.WriteOptions{}); err != nil {
				t.Error(err)
			}
		})
		wg.Go(func() {
			f, err := r.Read("f", sandbox.ReadOptions{})
			if err == nil && (len(f.Content) != 4096 || bytes.Count(f.Content, f.Content[:1]) != 4096) {
				t.Error("a reader saw half a write")
			}
		})
	}
	wg.Wait()
	made := 0
	for range 16 {
		if _, err := r.Write("once", []byte("x"), sandbox.WriteOptions{IfNotExists: true}); err == nil {
			made++
		}
	}
	if made != 1 {
		t.Errorf("IfNotExists succeeded %d times", made)
	}
}

func TestListIsSortedAndShowsLinksAsLinks(t *testing.T) {
	r, dir := open(t, sandbox.Profile{})
	put(t, dir, "b")
	put(t, dir, "a/x")
	link(t, "/etc", filepath.Join(dir, "c"))
	put(t, dir, ".toolpost-tmp-ABC")
	entries, err := r.List(".")
	var got []string
	for _, e := range entries {
		got = append(got, fmt.Sprintf("%s %s %d %s", e.Path, e.Kind, e.Size, e.Target))
	}
	if diff := cmp.Diff(got, []string{"a dir 0 ", "b file 8 ", "c link 0 /etc"}); diff != "" || err != nil {
		t.Errorf("(-got +want):\n%s%v", diff, err)
	}
	_, err = r.List("b")
	wantKind(t, "a file", err, sandbox.KindNotDir)
	_, err = r.List("c")
	wantKind(t, "a link out", err, sandbox.KindInvalidPath)
	for e, err := range r.Walk(".", sandbox.WalkOptions{}) {
		if err != nil || strings.HasPrefix(e.Path, "c/") {
			t.Errorf("walk: %v, %v", e, err)
		}
	}
}

func TestAClosedRootSaysSo(t *testing.T) {
	r, dir := open(t, sandbox.Profile{})
	put(t, dir, "a")
	r.Close()
	_, err := r.Read("a", sandbox.ReadOptions{})
	wantKind(t, "Read", err, sandbox.KindClosed)
	_, err = r.Write("a", nil, sandbox.WriteOptions{})
	wantKind(t, "Write", err, sandbox.KindClosed)
}
