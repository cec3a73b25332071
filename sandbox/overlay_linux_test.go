package sandbox_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/toolpost/toolpost/sandbox"
)

func overlaid(t *testing.T) (*sandbox.Cell, string) {
	t.Helper()
	needsLevel(t, sandbox.LevelFull)
	dir := filepath.Join(t.TempDir(), "ws")
	put(t, dir, "kept")
	put(t, dir, "changed")
	put(t, dir, "gone")
	put(t, dir, "folder/a")
	put(t, dir, "folder/b")
	put(t, dir, ".git/config")
	c, _ := newCell(t, sandbox.Profile{Workspace: dir, Confine: sandbox.Confine{Level: sandbox.LevelFull, Require: sandbox.LevelFull, Overlay: true}})
	return c, dir
}

const overlayLine = "echo new > new && echo more >> changed && rm gone && rm -r folder && mkdir folder && echo c > folder/c && mkdir -p deep/er && echo x > deep/er/file && ln -s kept link && touch kept && echo '{}' > .mcp.json"

func shown(changes []sandbox.Change) (list []string) {
	for _, c := range changes {
		list = append(list, string(c.Op)+" "+c.Path)
	}
	return list
}

func TestAnOverlayShowsWhatCommandsWouldChange(t *testing.T) {
	c, dir := overlaid(t)
	if got := run(t, c, sandbox.Cmd{Line: overlayLine}); got.Code != 0 {
		t.Fatalf("%+v", got)
	}
	if got := run(t, c, sandbox.Cmd{Line: "cat changed; ls folder; ls", Dir: "deep/.."}); !strings.Contains(got.out, "more\nc\n") {
		t.Errorf("the next command does not see the changes of the one before: %q", got.all)
	}
	for name, want := range map[string]bool{"new": false, "gone": true, "folder/a": true, "link": false, ".mcp.json": false} {
		if _, err := os.Lstat(filepath.Join(dir, name)); (err == nil) != want {
			t.Errorf("%s in the workspace: %v", name, err)
		}
	}
	changes, err := c.Effects()
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"created .mcp.json", "modified changed", "created deep", "created deep/er", "created deep/er/file", "deleted folder/a", "deleted folder/b", "created folder/c", "deleted gone", "created link", "created new"}
	if diff := cmp.Diff(want, shown(changes)); diff != "" {
		t.Errorf("effects (-want +got):\n%s", diff)
	}
	if err := c.Discard(); err != nil {
		t.Error(err)
	}
	if got := run(t, c, sandbox.Cmd{Line: "ls; cat changed"}); strings.Contains(got.out, "new") || strings.Contains(got.out, "more") {
		t.Errorf("changes outlived their overlay: %q", got.out)
	}
}

func TestACommittedOverlayKeepsTheRulesOfFiles(t *testing.T) {
	c, dir := overlaid(t)
	run(t, c, sandbox.Cmd{Line: overlayLine})
	done, err := c.Commit()
	wantKind(t, "a protected path in an overlay", err, sandbox.KindProtected)
	if _, err := os.Lstat(filepath.Join(dir, ".mcp.json")); err == nil {
		t.Error("a protected path was made")
	}
	if len(done) < 10 {
		t.Errorf("done: %v", shown(done))
	}
	for name, want := range map[string]string{"new": "new\n", "changed": "originalmore\n", "folder/c": "c\n", "deep/er/file": "x\n", "link": "original"} {
		if b, err := os.ReadFile(filepath.Join(dir, name)); string(b) != want {
			t.Errorf("%s is %q, %v", name, b, err)
		}
	}
	for _, name := range []string{"gone", "folder/a"} {
		if _, err := os.Lstat(filepath.Join(dir, name)); err == nil {
			t.Errorf("%s is still there", name)
		}
	}
	changes, err := c.Effects()
	if len(changes) > 0 || err != nil {
		t.Errorf("after Commit: %v, %v", shown(changes), err)
	}
}

func TestOverlaysOfAnOrdinaryUser(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("needs to be root, to become an ordinary user; the tests above were those of one")
	}
	needsLevel(t, sandbox.LevelFull)
	again(t, "Overlay", ordinary, "AGAIN=1")
}
