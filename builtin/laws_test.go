//go:build unix

package builtin_test

import (
	"image/color"
	"strings"
	"testing"

	"github.com/toolpost/toolpost/builtin"
	"github.com/toolpost/toolpost/tool"
	"github.com/toolpost/toolpost/tool/tooltest"
)

func TestEveryToolKeepsTheLaws(t *testing.T) {
	k := newShell(t,
		"README.md", "# readme\n", "src/main.go", numbered(200)+"func main() {}\n// TODO\n", "main.go", "fmt.Println(a)\nfoo(foo)\n",
		"docs/screenshot.png", string(picture(t, 8, 8, color.White)))
	files := builtin.Files{Root: k.root}
	more := map[string][]string{
		"read_file":      {`{"path":"docs/screenshot.png"}`},
		"write_file":     {`{"path":"notes/todo.md","content":""}`, `{"path":"a/b/c","content":"x","ifNotExists":true}`},
		"list_directory": {`{"recursive":true}`, `{"glob":"**"}`},
		"search_files":   {`{"query":"[","context":3}`, `{"query":"","glob":"*.md"}`},
		"exec_shell":     {`{"command":"exit 9"}`, `{"command":"tty","pty":{}}`},
	}
	for _, tl := range append(files.Tools(), k.exec.Tools()...) {
		t.Run(tl.Name, func(t *testing.T) { tooltest.Run(t, tl, more[tl.Name]...) })
	}
	artifacts := builtin.Artifacts{Load: shelfOf(map[string]string{"a1b2c3": numbered(10_000) + "error: no\n"})}
	for _, tl := range artifacts.Tools() {
		t.Run(tl.Name, func(t *testing.T) { tooltest.Run(t, tl) })
	}
}

func TestNamesAndFlagsAreThoseOfTheTable(t *testing.T) {
	k := newShell(t)
	for name, want := range map[string]struct {
		aliases, locks string
		risk           tool.Risk
		flags          string
	}{
		"read_file":      {"read", "", tool.RiskReads, "idempotent workspace"},
		"write_file":     {"write", "path", tool.RiskWrites, "idempotent previews workspace"},
		"edit_file":      {"edit", "path", tool.RiskWrites, "previews workspace"},
		"list_directory": {"ls", "", tool.RiskReads, "idempotent workspace"},
		"search_files":   {"grep glob", "", tool.RiskReads, "idempotent workspace"},
		"image":          {"", "", tool.RiskReads, "idempotent workspace"},
		"exec_shell":     {"exec bash", "", tool.RiskCommands, "background previews pty"},
		"process":        {"", "", tool.RiskCommands, "polling previews pty"},
	} {
		s, ok := k.tools.Lookup(name)
		if !ok {
			t.Errorf("no %s", name)
			continue
		}
		var flags []string
		for _, f := range []struct {
			set  bool
			name string
		}{{s.Background, "background"}, {s.Idempotent, "idempotent"}, {s.Polling, "polling"}, {s.Previews, "previews"}, {s.PTY, "pty"}, {s.WorkspaceOnly, "workspace"}} {
			if f.set {
				flags = append(flags, f.name)
			}
		}
		got := []string{strings.Join(s.Aliases, " "), strings.Join(s.Locks, " "), string(s.Risk), strings.Join(flags, " ")}
		if w := []string{want.aliases, want.locks, string(want.risk), want.flags}; strings.Join(got, "|") != strings.Join(w, "|") {
			t.Errorf("%s: got %q, want %q", name, got, w)
		}
		if s.Output == nil || s.Label == "" || s.Category == "" {
			t.Errorf("%s: output schema, label or category is missing", name)
		}
		for _, a := range s.Aliases {
			if to, ok := k.tools.Lookup(a); !ok || to.Name != name {
				t.Errorf("%s leads to %s, want %s", a, to.Name, name)
			}
		}
	}
}
