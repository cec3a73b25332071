package vault_test

import (
	"encoding/json"
	"os"
	"regexp"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/toolpost/toolpost/builtin/vault"
	"github.com/toolpost/toolpost/tool"
	"github.com/toolpost/toolpost/tool/tooltest"
)

func TestEveryToolKeepsTheLaws(t *testing.T) {
	k := newKit(t,
		"Projects/Plan.md", "---\ntags: [a]\n---\n# The plan\n\nThe deadline is near.\n",
		"Inbox/Draft.md", "# Title\n\nA draft.\n",
		"Inbox/Old.md", "old\n")
	more := map[string][]string{
		"vault.listFiles":           {`{"recursive":true,"limit":1}`, `{"prefix":"Inbox"}`},
		"vault.readFile":            {`{"path":"Projects/Plan.md","as":"base64","maxBytes":4}`},
		"vault.createFile":          {`{"path":"Inbox/Foo.md","content":"x","collisionStrategy":"overwrite"}`},
		"vault.rename":              {`{"fromPath":"Inbox","toPath":"Archive/Inbox"}`},
		"vault.delete":              {`{"path":".trash/Old.md","trash":false}`},
		"vault.searchText":          {`{"query":"a","limit":1,"snippetLength":1}`},
		"util.parseMarkdownBullets": {`{"text":""}`},
		"util.slugifyTitle":         {`{"title":""}`},
	}
	for _, tl := range append(k.vault.Tools(), vault.Utilities()...) {
		if tl.Name == "vault.rename" {
			k.put("Inbox/Foo.md", "foo\n")
		}
		if tl.Name == "vault.delete" {
			k.put("Inbox/Old.md", "old\n")
		}
		t.Run(tl.Name, func(t *testing.T) { tooltest.Run(t, tl, more[tl.Name]...) })
	}
}

func TestNamesAndFlagsAreThoseOfTheTable(t *testing.T) {
	type row struct {
		Name       string
		Risk       tool.Risk
		Idempotent bool
		Previews   bool
		Locks      []string
	}
	var got []row
	k := newKit(t)
	for _, tl := range append(k.vault.Tools(), vault.Utilities()...) {
		got = append(got, row{tl.Name, tl.Risk, tl.Idempotent, tl.Previews, tl.Locks})
	}
	path := []string{"path"}
	want := []row{
		{"vault.ensureFolder", tool.RiskWrites, true, true, path},
		{"vault.listFiles", tool.RiskReads, true, false, nil},
		{"vault.readFile", tool.RiskReads, true, false, nil},
		{"vault.createFile", tool.RiskWrites, false, true, path},
		{"vault.writeFile", tool.RiskWrites, false, true, path},
		{"vault.patchFile", tool.RiskWrites, false, true, path},
		{"vault.rename", tool.RiskWrites, false, true, []string{"fromPath", "toPath"}},
		{"vault.delete", tool.RiskWrites, false, true, path},
		{"vault.searchText", tool.RiskReads, true, false, nil},
		{"util.parseMarkdownBullets", tool.RiskReads, true, false, nil},
		{"util.slugifyTitle", tool.RiskReads, true, false, nil},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// The sample of seed 003 is a call and a result of vault.createFile.
func TestTheSampleOfSeed003Fits(t *testing.T) {
	k := newKit(t)
	s, ok := k.tools.Lookup("vault.createFile")
	if !ok {
		t.Fatal("there is no vault.createFile")
	}
	if err := s.Input.Check(json.RawMessage(`{"path":"XYZ/Foo.md","content":"..."}`)); err != nil {
		t.Error(err)
	}
	if err := s.Output.Check(json.RawMessage(`{"path":"XYZ/Foo.md","etag":"abc123","mtime":1734372720000}`)); err != nil {
		t.Error(err)
	}
	r := k.ok("createFile", `{"path":"XYZ/Foo.md","content":"..."}`)
	if r.User == "" || len(r.Effects.Created) != 2 || r.Effects.Created[1].Path != "XYZ/Foo.md" || r.Effects.Created[1].Kind != "file" {
		t.Errorf("it says %q and was observed to do %+v", r.User, r.Effects)
	}
}

func TestPathsThatLeaveTheVaultAreRefused(t *testing.T) {
	k := newKit(t, "a.md", "a", ".obsidian/app.json", "{}")
	secret := t.TempDir()
	if err := os.Symlink(secret, k.dir+"/out"); err != nil {
		t.Fatal(err)
	}
	for _, bad := range []string{"../x.md", "a/../../x.md", "a/../b.md", "/etc/passwd", `\x`, "file:///etc/passwd", "https://x/y", "~/x", "", "out/x.md", "C:/x"} {
		for _, c := range []string{`ensureFolder {"path":P}`, `createFile {"path":P,"content":"x"}`, `writeFile {"path":P,"content":"x"}`,
			`patchFile {"path":P,"patch":{"diff":"@@\n+x"}}`, `delete {"path":P}`, `rename {"fromPath":"a.md","toPath":P}`, `readFile {"path":P}`} {
			name, args := regexp.MustCompile(`^\w+`).FindString(c), regexp.MustCompile(`\{.*`).FindString(c)
			args = regexp.MustCompile(`\bP\b`).ReplaceAllLiteralString(args, text(bad))
			r := k.do(name, args)
			if r.Err == nil {
				t.Errorf("%s %s: %s", name, args, r.Status)
			} else if c := r.Err.Code; c != tool.CodePath && c != tool.CodeInvalid && c != tool.CodeNotFound {
				t.Errorf("%s %s: %v", name, args, r.Err)
			}
		}
	}
	if entries, err := os.ReadDir(secret); err != nil || len(entries) > 0 {
		t.Errorf("outside the vault: %v %v", entries, err)
	}
	k.fails("writeFile", `{"path":".obsidian/plugins/x/main.js","content":"x"}`, tool.CodeDenied, "run code")
	k.fails("rename", `{"fromPath":"a.md","toPath":".Obsidian/app.json","collisionStrategy":"overwrite"}`, tool.CodeDenied)
	k.fails("writeFile", `{"path":".git/hooks/pre-commit","content":"x"}`, tool.CodeDenied)
	k.ok("readFile", `{"path":".obsidian/app.json"}`)
}
