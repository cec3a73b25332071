package plan_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/toolpost/toolpost/builtin/vault"
	"github.com/toolpost/toolpost/plan"
	"github.com/toolpost/toolpost/sandbox"
	"github.com/toolpost/toolpost/tool"
)

// notes is a vault on disk with its tools.
func notes(t *testing.T, files map[string]string) (*tool.Registry, string) {
	t.Helper()
	dir := t.TempDir()
	for name, content := range files {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	root, err := sandbox.Open(sandbox.Profile{Workspace: dir})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := root.Close(); err != nil {
			t.Error(err)
		}
	})
	v := vault.Vault{Root: root}
	tools := new(tool.Registry)
	if err := tools.Add(append(v.Tools(), vault.Utilities()...)...); err != nil {
		t.Fatal(err)
	}
	return tools, dir
}

// treeOf is every file below a folder with its content.
func treeOf(t *testing.T, dir string) map[string]string {
	t.Helper()
	files := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			files[path] = "folder"
			return err
		}
		b, err := os.ReadFile(path)
		files[path] = string(b)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

func TestAPreviewOfNotesTellsAllAndChangesNothing(t *testing.T) {
	tools, dir := notes(t, map[string]string{"Inbox/list.md": "- Foo\n- Bar\n", "Notes/Foo.md": "old\n"})
	before := treeOf(t, dir)
	p := parse(t, steps("writes", `
		{"id":"list","tool":"vault.readFile","args":{"path":"Inbox/list.md"}},
		{"id":"items","tool":"util.parseMarkdownBullets","args":{"text":"$steps.list.content"}},
		{"id":"folder","tool":"vault.ensureFolder","args":{"path":"New"}},
		{"id":"look","tool":"vault.listFiles","args":{"prefix":"New"},"dependsOn":["folder"]},
		{"id":"make","tool":"vault.createFile","foreach":{"from":"$steps.items.items","itemName":"b"},"args":{"path":"Notes/{b.text}.md","content":"# {b.text}\n"}},
		{"id":"fresh","tool":"vault.createFile","args":{"path":"New/x.md","content":"x\n"}},
		{"id":"patch","tool":"vault.patchFile","args":{"path":"$steps.fresh.path","patch":{"range":{"start":0,"end":1,"text":"y"}},"expectedEtag":"$steps.fresh.etag"}},
		{"id":"gone","tool":"vault.delete","args":{"path":"Notes/Baz.md"}},
		{"id":"last","tool":"vault.readFile","args":{"path":"$steps.gone.trashPath"}}`))
	r := &plan.Runner{Tools: tools}
	v, err := r.Preview(t.Context(), p)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, c := range v.Calls {
		got = append(got, fmt.Sprintf("%s %s", c.Key, c.State))
	}
	want := []string{"list ran", "items ran", "folder would run", "look unknown", "make[0] conflict", "make[1] would run",
		"fresh would run", "patch unknown", "gone conflict", "last unknown"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if !strings.Contains(v.Calls[7].Why, "fresh") || !strings.Contains(v.Calls[4].Why, "CONFLICT") {
		t.Errorf("reasons: %q, %q", v.Calls[7].Why, v.Calls[4].Why)
	}
	if v.Token != "" {
		t.Error("a plan that would fail has a token")
	}
	if diff := cmp.Diff(before, treeOf(t, dir)); diff != "" {
		t.Errorf("the preview changed something\n%s", diff)
	}
}

// A plan whose later steps use what earlier ones make can be confirmed by its
// preview, and runs as it was shown.
func TestAPlanThatUsesWhatItMakesCanBeConfirmed(t *testing.T) {
	tools, dir := notes(t, nil)
	p := parse(t, steps("writes", `
		{"id":"make","tool":"vault.createFile","args":{"path":"a/b.md","content":"draft\n"}},
		{"id":"patch","tool":"vault.patchFile","args":{"path":"$steps.make.path","expectedEtag":"$steps.make.etag","patch":{"operations":[{"op":"replace","find":"draft","text":"final"}]}}},
		{"id":"move","tool":"vault.rename","args":{"fromPath":"a/b.md","toPath":"c.md"},"dependsOn":["patch"]}`))
	r := &plan.Runner{Tools: tools}
	v, err := r.Preview(t.Context(), p)
	if err != nil || v.Token == "" {
		t.Fatalf("no token: %v %+v", err, v.Calls)
	}
	r.Confirmation = v.Confirm("ada", "token")
	got, _, err := ended(t, t.Context(), r, p)
	if err != nil {
		t.Fatalf("%v %v", got, err)
	}
	if b, err := os.ReadFile(filepath.Join(dir, "c.md")); string(b) != "final\n" {
		t.Errorf("%q %v", b, err)
	}
}

func TestAWriteThatTimedOutIsTriedAgainOnlyWhereThatIsSafe(t *testing.T) {
	for args, want := range map[string]int{
		`{"path":"x"}`:                                                        1,
		`{"path":"x","expectedEtag":"e1"}`:                                    3,
		`{"path":"x","expectedEtag":""}`:                                      1,
		`{"path":"x","ifNotExists":true}`:                                     3,
		`{"path":"x","ifNotExists":false}`:                                    1,
		`{"path":"x","ifNotExists":true,"collisionStrategy":"error"}`:         3,
		`{"path":"x","ifNotExists":true,"collisionStrategy":"create-unique"}`: 1,
	} {
		tries := 0
		var tools tool.Registry
		err := tools.Add(tool.New(tool.Spec{Name: "put", Description: "Time out.", Risk: tool.RiskWrites}, func(context.Context, struct {
			Path         string `json:"path"`
			ExpectedEtag string `json:"expectedEtag,omitzero"`
			IfNotExists  bool   `json:"ifNotExists,omitzero"`
			Collision    string `json:"collisionStrategy,omitzero"`
		}) (int, error) {
			tries++
			return 0, tool.Errorf(tool.CodeTimeout, "too slow")
		}))
		if err != nil {
			t.Fatal(err)
		}
		p := parse(t, steps("writes", `{"id":"s","tool":"put","args":`+args+`,"onError":"retry","retry":{"maxAttempts":3,"backoffMs":0}}`))
		_, _, err = ended(t, t.Context(), &plan.Runner{Tools: &tools, Confirm: plan.ConfirmNever}, p)
		if tries != want || !errors.Is(err, &tool.Error{Code: tool.CodeTimeout}) {
			t.Errorf("%s: %d tries, want %d (%v)", args, tries, want, err)
		}
	}
}
