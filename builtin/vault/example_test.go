package vault_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/toolpost/toolpost/builtin/vault"
	"github.com/toolpost/toolpost/event"
	"github.com/toolpost/toolpost/plan"
	"github.com/toolpost/toolpost/sandbox"
	"github.com/toolpost/toolpost/tool"
)

// editor is the part that only a host application has: a selection in the note
// that is open.
type editor struct {
	file, selected string
}

type selection struct {
	Text     string `json:"text"`
	IsEmpty  bool   `json:"isEmpty"`
	FilePath string `json:"filePath"`
}

type replaceArgs struct {
	Text string `json:"text" desc:"What takes the place of the selection."`
}

type replaced struct {
	FilePath      string `json:"filePath"`
	InsertedChars int    `json:"insertedChars"`
}

// tools are what the host adds to the registry, beside those of the vault.
func (e *editor) tools() []tool.Tool {
	return []tool.Tool{
		tool.New(tool.Spec{
			Name: "editor.getSelection", Description: "The text that is selected in the active note.",
			Risk: tool.RiskReads, Category: "editor",
		}, func(context.Context, struct{}) (selection, error) {
			if e.selected == "" {
				return selection{}, tool.Errorf(tool.CodePrecondition, "nothing is selected; select the text first")
			}
			return selection{e.selected, false, e.file}, nil
		}),
		tool.New(tool.Spec{
			Name: "editor.replaceSelection", Description: "Put a text in the place of the selection.",
			Risk: tool.RiskWrites, Category: "editor", SideEffects: []string{"modify-file"},
		}, func(_ context.Context, in replaceArgs) (replaced, error) {
			e.selected = in.Text
			return replaced{e.file, len([]rune(in.Text))}, nil
		}),
	}
}

// A plan takes the bullets out of a selection and makes a note of each. The vault
// has the notes, the host has the editor; to the plan all are tools.
func Example() {
	dir, err := os.MkdirTemp("", "notes")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	if err := os.WriteFile(filepath.Join(dir, "Today.md"), []byte("# Today\n"), 0o644); err != nil {
		panic(err)
	}
	root, err := sandbox.Open(sandbox.Profile{Workspace: dir, Protected: []string{".obsidian"}})
	if err != nil {
		panic(err)
	}
	defer root.Close()

	v := vault.Vault{Root: root}
	ed := editor{file: "Today.md", selected: "- Buy milk\n- Call Ada\n- Buy milk"}
	var tools tool.Registry
	if err := tools.Add(append(append(v.Tools(), vault.Utilities()...), ed.tools()...)...); err != nil {
		panic(err)
	}

	p, err := plan.Parse([]byte(`{
		"version": "1.0", "goal": "A note for each bullet.", "riskLevel": "writes",
		"steps": [
			{"id": "sel", "tool": "editor.getSelection", "args": {}},
			{"id": "parse", "tool": "util.parseMarkdownBullets", "args": {"text": "$steps.sel.text"}},
			{"id": "slugs", "tool": "util.slugifyTitle", "args": {"title": "{b.text}"},
			 "foreach": {"from": "$steps.parse.items", "itemName": "b"}},
			{"id": "folder", "tool": "vault.ensureFolder", "args": {"path": "Tasks"}},
			{"id": "notes", "tool": "vault.createFile", "dependsOn": ["folder"],
			 "args": {"path": "Tasks/{s.slug}.md", "content": "From $steps.sel.filePath.\n",
			          "collisionStrategy": "create-unique", "frontmatter": {"position": "{index}"}},
			 "foreach": {"from": "$steps.slugs.items", "itemName": "s"}},
			{"id": "link", "tool": "editor.replaceSelection",
			 "args": {"text": "$steps.notes.count notes, the last is [[{$steps.notes.items[-1].path}]]"}}
		]}`))
	if err != nil {
		fmt.Println(err)
		return
	}
	runner := plan.Runner{Tools: &tools}
	runner.Confirmation = runner.Confirmed(p, "ada", "terminal")
	for e, err := range runner.Run(context.Background(), p) {
		if err != nil {
			fmt.Println(err)
		}
		if e.Type == event.StepFinished && strings.HasPrefix(e.Result.Tool, "vault.") {
			said, _, _ := strings.Cut(e.Result.User, " (") // the etag
			fmt.Println(said)
		}
	}
	fmt.Println(ed.selected)
	note, err := os.ReadFile(filepath.Join(dir, "Tasks", "call-ada.md"))
	fmt.Printf("%s%v\n", note, err)
	// Output:
	// made folder Tasks
	// created Tasks/buy-milk.md
	// created Tasks/call-ada.md
	// created Tasks/buy-milk 1.md
	// 3 notes, the last is [[Tasks/buy-milk 1.md]]
	// ---
	// position: 1
	// ---
	// From Today.md.
	// <nil>
}

func ExampleVault() {
	dir, err := os.MkdirTemp("", "notes")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	root, err := sandbox.Open(sandbox.Profile{Workspace: dir})
	if err != nil {
		panic(err)
	}
	defer root.Close()
	v := vault.Vault{Root: root, Collision: vault.CollisionUnique}
	var tools tool.Registry
	if err := tools.Add(v.Tools()...); err != nil {
		panic(err)
	}
	call := func(name, args string) *tool.Result {
		return tool.Do(context.Background(), tools.Call, tool.NewCall(name, args))
	}
	call("vault.createFile", `{"path":"Ideas/Foo.md","content":"# Foo\n\nA draft.\n","frontmatter":{"status":"open"}}`)
	call("vault.patchFile", `{"path":"Ideas/Foo.md","patch":{"operations":[{"op":"replace","find":"draft","text":"plan"}]}}`)
	fmt.Println(string(call("vault.searchText", `{"query":"PLAN"}`).Data))
	fmt.Println(call("vault.delete", `{"path":"Ideas/Foo.md"}`).User)
	fmt.Println(call("vault.readFile", `{"path":"Ideas/Foo.md"}`).Err.Message)
	// Output:
	// {"matches":[{"path":"Ideas/Foo.md","line":6,"start":30,"end":34,"snippet":"A plan."}],"truncated":false}
	// deleted Ideas/Foo.md; it is in the trash as .trash/Foo.md
	// path "Ideas/Foo.md": looking at it: does not exist; list the folder to see what is there
}

func ExampleUtilities() {
	var tools tool.Registry
	if err := tools.Add(vault.Utilities()...); err != nil {
		panic(err)
	}
	call := func(name, args string) *tool.Result {
		return tool.Do(context.Background(), tools.Call, tool.NewCall(name, args))
	}
	fmt.Println(string(call("util.parseMarkdownBullets", `{"text":"- [ ] Foo\n  - Bar"}`).Data))
	fmt.Println(string(call("util.slugifyTitle", `{"title":"Hello, World!"}`).Data))
	// Output:
	// {"items":[{"text":"Foo","raw":"- [ ] Foo","depth":0},{"text":"Bar","raw":"  - Bar","depth":1}],"count":2}
	// {"slug":"hello-world"}
}
