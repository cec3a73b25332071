//go:build unix

package builtin_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/toolpost/toolpost/sandbox"
	"github.com/toolpost/toolpost/tool"
)

type writeData struct {
	Path, Etag string
	Bytes      int64
	Created    bool
}

func TestWriteFile(t *testing.T) {
	k := newKit(t, "old.sh", "echo old\n")
	if err := os.Chmod(filepath.Join(k.dir, "old.sh"), 0o750); err != nil {
		t.Fatal(err)
	}
	r := k.ok("write_file", object{"path": "a/b/new.txt", "content": "hello"})
	want := writeData{Path: "a/b/new.txt", Etag: sandbox.Etag([]byte("hello")), Bytes: 5, Created: true}
	if diff := cmp.Diff(want, data[writeData](t, r)); diff != "" {
		t.Error(diff)
	}
	wantEffects := &tool.Effects{
		Observed: []string{"create-folder", "create-file"},
		Created:  []tool.FileEffect{{Path: "a", Kind: "folder"}, {Path: "a/b", Kind: "folder"}, {Path: "a/b/new.txt", Kind: "file", After: want.Etag}},
	}
	if diff := cmp.Diff(wantEffects, r.Effects); diff != "" {
		t.Errorf("effects (-want +got):\n%s", diff)
	}
	r = k.ok("write_file", object{"path": "old.sh", "content": "echo new\n"})
	if d := data[writeData](t, r); d.Created || len(r.Effects.Modified) != 1 || r.Effects.Modified[0].Before != sandbox.Etag([]byte("echo old\n")) {
		t.Errorf("%+v %+v", d, r.Effects)
	}
	if info, err := os.Stat(filepath.Join(k.dir, "old.sh")); err != nil || info.Mode().Perm() != 0o750 {
		t.Errorf("mode %v, want it kept (%v)", info.Mode(), err)
	}
	if r = k.ok("write_file", object{"path": "old.sh", "content": "echo new\n"}); r.Effects != nil {
		t.Errorf("the same content again had effects %+v", r.Effects)
	}
	k.ok("write", object{"filePath": "empty.txt", "content": ""})
	if k.get("empty.txt") != "" {
		t.Error("not empty")
	}
	k.ok("write_file", object{"path": "blocks.txt", "content": []object{{"type": "text", "text": "from blocks"}}})
	if got := k.get("blocks.txt"); got != "from blocks" {
		t.Errorf("content in blocks: %q", got)
	}
}

func TestWriteFileRefuses(t *testing.T) {
	k := newKit(t, "a.txt", "one", "dir/x", "y")
	if err := os.Link(filepath.Join(k.dir, "a.txt"), filepath.Join(k.dir, "hard.txt")); err != nil {
		t.Fatal(err)
	}
	k.put("b.txt", "one")
	k.fails("write_file", object{"path": "b.txt", "content": "x", "ifNotExists": true}, tool.CodeConflict, "exists already")
	k.fails("write_file", object{"path": "b.txt", "content": "x", "expectedEtag": "0000"}, tool.CodeConflict, "0000", "read it again")
	k.fails("write_file", object{"path": "no.txt", "content": "x", "expectedEtag": "0000"}, tool.CodeConflict, "does not exist")
	k.fails("write_file", object{"path": "dir", "content": "x"}, tool.CodePrecondition, "is a folder")
	k.fails("write_file", object{"path": "b.txt/x", "content": "x"}, tool.CodePrecondition)
	k.fails("write_file", object{"path": "hard.txt", "content": "x"}, tool.CodeDenied, "hard link")
	k.fails("write_file", object{"path": ".git/hooks/pre-commit", "content": "x"}, tool.CodeDenied, "protected")
	k.fails("write_file", object{"path": "toolpost.toml", "content": "x"}, tool.CodeDenied, "protected")
	k.fails("write_file", object{"path": "../out.txt", "content": "x"}, tool.CodePath)
	k.fails("write_file", object{"path": "x/", "content": "x"}, tool.CodePath)
	k.fails("write_file", object{"path": "x"}, tool.CodeInvalid, `"content" required`)
	k.ok("write_file", object{"path": "b.txt", "content": "two", "expectedEtag": sandbox.Etag([]byte("one"))})
	if k.get("b.txt") != "two" || k.get("a.txt") != "one" || k.is("x") || k.is(".git") || k.is("toolpost.toml") {
		t.Error("a refused write changed something")
	}
}

func TestADryRunOfAWriteChangesNothing(t *testing.T) {
	k := newKit(t, "a.txt", "one\ntwo\n")
	r := k.dry("write_file", object{"path": "a.txt", "content": "one\nthree\n"})
	if !r.OK() || r.Effects != nil || !strings.Contains(shown(r), "would replace a.txt") || !strings.Contains(shown(r), "-two\n+three\n") {
		t.Errorf("%s %+v", shown(r), r.Effects)
	}
	r = k.dry("write_file", object{"path": "new/b.txt", "content": "x"})
	if !r.OK() || !strings.Contains(shown(r), "would create") || k.is("new") {
		t.Errorf("%s", shown(r))
	}
	if r := k.dry("write_file", object{"path": "../b.txt", "content": "x"}); r.OK() {
		t.Error("a dry run passed where the write would be refused")
	}
	r = k.dry("edit_file", object{"path": "a.txt", "old_text": "two", "new_text": "2"})
	if !r.OK() || r.Effects != nil || !strings.Contains(shown(r), "would replace 1 passage") {
		t.Errorf("%s", shown(r))
	}
	if k.get("a.txt") != "one\ntwo\n" {
		t.Error("the file was changed")
	}
}
