package builtin_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/toolpost/toolpost/builtin"
	"github.com/toolpost/toolpost/sandbox"
	"github.com/toolpost/toolpost/tool"
)

func TestIgnoreNamesWhatWalksPassOver(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{"a.txt": "needle", "node_modules/b.txt": "needle", "c.log": "needle"} {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	root, err := sandbox.Open(sandbox.Profile{Workspace: dir})
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	files := builtin.Files{Root: root, Ignore: []string{"node_modules", "*.log"}}
	var tools tool.Registry
	if err := tools.Add(files.Tools()...); err != nil {
		t.Fatal(err)
	}
	res := tool.Do(t.Context(), tools.Call, tool.NewCall("search_files", `{"query":"needle"}`))
	want := `{"matches":[{"path":"a.txt","line":1,"text":"needle"}],"truncated":false}`
	if got := string(res.Data); got != want {
		t.Errorf("found %s, want %s", got, want)
	}
}
