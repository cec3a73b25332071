package vault_test

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/toolpost/toolpost/builtin/vault"
	"github.com/toolpost/toolpost/sandbox"
	"github.com/toolpost/toolpost/tool"
)

func TestEnsureFolderMakesItOnce(t *testing.T) {
	k := newKit(t, "note.md", "x")
	if d := data(t, k.dry("ensureFolder", `{"path":"a/b/"}`)); d["created"] != true || d["path"] != "a/b" || k.is("a") {
		t.Errorf("dry: %v", d)
	}
	r := k.ok("ensureFolder", `{"path":"a/b"}`)
	if d := data(t, r); d["created"] != true || !k.is("a/b") {
		t.Errorf("%v", d)
	}
	want := []tool.FileEffect{{Path: "a", Kind: "folder"}, {Path: "a/b", Kind: "folder"}}
	if diff := cmp.Diff(want, r.Effects.Created); diff != "" {
		t.Error(diff)
	}
	for _, r := range []*tool.Result{k.ok("ensureFolder", `{"path":"a/b"}`), k.dry("ensureFolder", `{"path":"a/b"}`)} {
		if d := data(t, r); d["created"] != false || r.Effects != nil {
			t.Errorf("again: %v %+v", d, r.Effects)
		}
	}
	k.fails("ensureFolder", `{"path":"note.md"}`, tool.CodeConflict, "not a folder")
	k.fails("ensureFolder", `{"path":"."}`, tool.CodePath, "vault itself")
	for _, path := range []string{"note.md", "note.md/x", ".git/hooks"} {
		if r := k.dry("ensureFolder", `{"path":`+text(path)+`}`); r.OK() {
			t.Errorf("the dry run for %s is ok", path)
		}
	}
}

func TestACollisionIsDealtWithAsAsked(t *testing.T) {
	create := func(k *kit, more string) *tool.Result {
		return k.do("createFile", `{"path":"N/Note.md","content":"new"`+more+`}`)
	}
	for _, c := range []struct {
		more  string
		vault vault.Collision
		path  string // "" if it fails
		code  tool.Code
	}{
		{``, "", "", tool.CodeConflict},
		{`,"collisionStrategy":"error"`, vault.CollisionUnique, "", tool.CodeConflict},
		{`,"ifNotExists":true`, "", "", tool.CodeConflict},
		{`,"ifNotExists":true`, vault.CollisionOverwrite, "", tool.CodeConflict},
		{`,"collisionStrategy":"overwrite"`, "", "N/Note.md", ""},
		{``, vault.CollisionOverwrite, "N/Note.md", ""},
		{`,"collisionStrategy":"create-unique"`, "", "N/Note 2.md", ""},
		{`,"collisionStrategy":"create-unique","ifNotExists":true`, "", "N/Note 2.md", ""},
		{``, vault.CollisionUnique, "N/Note 2.md", ""},
		{`,"collisionStrategy":"overwrite","ifNotExists":true`, "", "", tool.CodeInvalid},
	} {
		k := newKit(t, "N/Note.md", "old", "N/Note 1.md", "one")
		k.vault.Collision = c.vault
		before := k.tree()
		call := tool.NewCall("vault.createFile", `{"path":"N/Note.md","content":"new"`+c.more+`}`)
		call.DryRun = true
		dry := tool.Do(t.Context(), k.tools.Call, call)
		if !maps.Equal(before, k.tree()) {
			t.Fatalf("%s: the dry run changed something", c.more)
		}
		r := create(k, c.more)
		if r.OK() != dry.OK() || r.OK() && data(t, dry)["path"] != c.path {
			t.Errorf("%s: the dry run says %s %s, and then %s", c.more, dry.Status, dry.Data, r.Status)
		}
		switch {
		case c.path == "":
			if r.Err == nil || r.Err.Code != c.code {
				t.Errorf("%s: %s %v, want %s", c.more, r.Status, r.Err, c.code)
			}
			if k.get("N/Note.md") != "old" {
				t.Errorf("%s: it failed and changed the note", c.more)
			}
		case !r.OK():
			t.Errorf("%s: %v", c.more, r.Err)
		default:
			if d := data(t, r); d["path"] != c.path || k.get(c.path) != "new" || d["created"] != (c.path != "N/Note.md") {
				t.Errorf("%s: %v", c.more, d)
			}
		}
	}
}

func TestManyAtOnceEachGetANameOfTheirOwn(t *testing.T) {
	k := newKit(t)
	var wg sync.WaitGroup
	for i := range 20 {
		wg.Go(func() {
			r := k.do("createFile", fmt.Sprintf(`{"path":"Note.md","content":"%d","collisionStrategy":"create-unique"}`, i))
			if !r.OK() {
				t.Error(r.Err)
			}
		})
	}
	wg.Wait()
	if n := len(k.tree()); n != 21 {
		t.Errorf("%d files for 20 notes", n-1)
	}
}

func TestFrontmatterIsWrittenInOrderAndReadBack(t *testing.T) {
	k := newKit(t)
	k.ok("createFile", `{"path":"a.md","content":"# A\n","frontmatter":{"title":"A: b","tags":["x","z"],"date":"2026-11-21","done":false}}`)
	want := "---\ntitle: \"A: b\"\ntags:\n  - x\n  - z\ndate: \"2026-11-21\"\ndone: false\n---\n# A\n"
	if diff := cmp.Diff(want, k.get("a.md")); diff != "" {
		t.Error(diff)
	}
	r := k.ok("readFile", `{"path":"a.md"}`)
	d := data(t, r)
	if d["content"] != want || d["frontmatter"].(object)["title"] != "A: b" {
		t.Errorf("%v", d)
	}
	k.fails("createFile", `{"path":"b.md","content":"---\na: 1\n---\n","frontmatter":{"b":2}}`, tool.CodeInvalid, "front matter")
	k.fails("createFile", `{"path":"b.md","content":"","frontmatter":["b"]}`, tool.CodeInvalid, "frontmatter")
}

func TestAnEtagGuardsAWrite(t *testing.T) {
	k := newKit(t, "a.md", "one\n")
	etag := data(t, k.ok("readFile", `{"path":"a.md"}`))["etag"].(string)
	k.put("a.md", "someone else\n")
	for _, c := range []string{
		`writeFile {"path":"a.md","content":"two\n","expectedEtag":E}`,
		`writeFile {"path":"a.md","content":"two\n","mode":"append","expectedEtag":E}`,
		`writeFile {"path":"new.md","content":"two\n","mode":"append","expectedEtag":E}`,
		`writeFile {"path":"new.md","content":"two\n","expectedEtag":E}`,
		`patchFile {"path":"a.md","patch":{"range":{"start":0,"end":0,"text":"x"}},"expectedEtag":E}`,
		`delete {"path":"a.md","expectedEtag":E}`,
		`delete {"path":"a.md","trash":false,"expectedEtag":E}`,
	} {
		name, args, _ := strings.Cut(strings.ReplaceAll(c, ":E}", ":"+text(etag)+"}"), " ")
		k.fails(name, args, tool.CodeConflict, "etag")
	}
	etag = data(t, k.ok("readFile", `{"path":"a.md"}`))["etag"].(string)
	r := k.ok("writeFile", `{"path":"a.md","content":"mine\n","expectedEtag":`+text(etag)+`}`)
	if m := r.Effects.Modified; len(m) != 1 || m[0].Before != etag || m[0].After != sandbox.Etag([]byte("mine\n")) {
		t.Errorf("modified %+v", m)
	}
}

func TestAppendKeepsTheEncoding(t *testing.T) {
	utf16 := string(sandbox.Encode("héllo\n", sandbox.UTF16LE))
	k := newKit(t, "w.txt", utf16, "b.bin", "\x00\x01\x02", "l.txt", "caf\xe9\n")
	r := k.ok("writeFile", `{"path":"w.txt","content":"wörld\n","mode":"append"}`)
	if got := k.get("w.txt"); got != string(sandbox.Encode("héllo\nwörld\n", sandbox.UTF16LE)) {
		t.Errorf("%q", got)
	}
	if n := data(t, r)["bytesWritten"]; n != 12.0 {
		t.Errorf("%v bytes written", n)
	}
	k.ok("writeFile", `{"path":"new/log.md","content":"a","mode":"append"}`)
	k.ok("writeFile", `{"path":"new/log.md","content":"b","mode":"append"}`)
	if got := k.get("new/log.md"); got != "ab" {
		t.Errorf("%q", got)
	}
	k.fails("writeFile", `{"path":"b.bin","content":"x","mode":"append"}`, tool.CodePrecondition, "binary")
	k.fails("writeFile", `{"path":"l.txt","content":"日","mode":"append"}`, tool.CodePrecondition, "iso-8859-1")
}

// Every tool that changes something, asked what it would do: the answer shows it,
// and the tree is as it was.
func TestADryRunShowsTheChangeAndMakesNone(t *testing.T) {
	k := newKit(t, "a.md", "one\ntwo\n", "F/b.md", "b\n")
	before := k.tree()
	for _, c := range []struct{ call, says string }{
		{`createFile {"path":"X/n.md","content":"hi\n"}`, "+hi"},
		{`createFile {"path":"a.md","content":"hi\n","collisionStrategy":"overwrite"}`, "-one"},
		{`writeFile {"path":"a.md","content":"one\n2\n"}`, "-two\n+2"},
		{`writeFile {"path":"a.md","content":"three\n","mode":"append"}`, "+three"},
		{`patchFile {"path":"a.md","patch":{"range":{"start":0,"end":3,"text":"1"}}}`, "-one\n+1"},
		{`rename {"fromPath":"a.md","toPath":"Y/c.md"}`, "would rename a.md to Y/c.md"},
		{`rename {"fromPath":"F","toPath":"G"}`, "would rename F to G"},
		{`delete {"path":"F"}`, "would delete F; it is in the trash as .trash/F"},
		{`delete {"path":"a.md","trash":false}`, "would delete a.md"},
		{`ensureFolder {"path":"Z"}`, "would make"},
	} {
		name, args, _ := strings.Cut(c.call, " ")
		r := k.dry(name, args)
		if !r.OK() || !strings.Contains(r.Content[0].Text, c.says) {
			t.Errorf("%s: %s %v %v", c.call, r.Status, r.Err, r.Content)
		}
		if r.Effects != nil {
			t.Errorf("%s: a dry run was observed to do %+v", c.call, r.Effects)
		}
	}
	if diff := cmp.Diff(before, k.tree()); diff != "" {
		t.Error(diff)
	}
}

func TestACancelledCallChangesNothing(t *testing.T) {
	k := newKit(t, "a.md", "one\n")
	before := k.tree()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for _, tl := range k.vault.Tools() {
		for _, args := range tl.Examples {
			c := tool.NewCall(tl.Name, string(args))
			if r := tool.Do(ctx, k.tools.Call, c); r.Status != tool.StatusCancelled {
				t.Errorf("%s: %s", tl.Name, r.Status)
			}
		}
	}
	if diff := cmp.Diff(before, k.tree()); diff != "" {
		t.Error(diff)
	}
	if _, err := json.Marshal(k.tools.Specs()); err != nil {
		t.Error(err)
	}
}
