package main

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestEveryDoorMakesTheSameCallC5 makes one call by hand, by a model in a loop
// and by a step of a plan, and compares what is on record of it.
func TestEveryDoorMakesTheSameCallC5(t *testing.T) {
	dir := t.TempDir()
	bin := filepath.Join(dir, "toolpost")
	if out, err := exec.Command("go", "build", "-o", bin, ".").CombinedOutput(); err != nil {
		t.Fatalf("build: %v\n%s", err, out)
	}
	for name, text := range map[string]string{
		"note.txt": "one\ntwo\nthree\n",
		"turns.yaml": `turns:
  - calls: [{tool: read, args: {filePath: note.txt, limit: "2"}}, {tool: read_file, args: {path: ../note.txt}}]
  - text: done
`,
		"p.json": `{"version":"1.0","goal":"read","riskLevel":"read-only","steps":[
			{"id":"a","tool":"read","args":{"filePath":"note.txt","limit":"2"}},
			{"id":"b","tool":"read_file","args":{"path":"../note.txt"},"onError":"skip"}]}`,
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	toolpost := func(args ...string) {
		cmd := exec.Command(bin, args...)
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "HOME="+filepath.Join(dir, "home"), "XDG_DATA_HOME=", "XDG_CONFIG_HOME=")
		_, _ = cmd.CombinedOutput() // a refused call has an exit code of its own; the record is what counts
	}
	type runOf struct {
		door  string
		calls []map[string]any
	}
	var runs []runOf
	for _, d := range []struct {
		door     string
		commands [][]string
	}{
		{"by hand", [][]string{{"tools", "call", "read", "filePath=note.txt", `limit:="2"`}, {"tools", "call", "read_file", "path=../note.txt"}}},
		{"loop", [][]string{{"run", "-m", "script:turns.yaml", "read"}}},
		{"plan", [][]string{{"plan", "apply", "p.json"}}},
	} {
		store := filepath.Join(dir, "store-"+strings.ReplaceAll(d.door, " ", "-"))
		for _, c := range d.commands {
			toolpost(append([]string{"--store", store}, c...)...)
		}
		runs = append(runs, runOf{d.door, recorded(t, store)})
	}
	if len(runs[0].calls) != 2 {
		t.Fatalf("by hand: %d calls are on record, want 2", len(runs[0].calls))
	}
	for _, r := range runs[1:] {
		if diff := cmp.Diff(runs[0].calls, r.calls); diff != "" {
			t.Errorf("%s is recorded otherwise than by hand: %s", r.door, diff)
		}
	}
}

// recorded is the calls and results of a store without ids and times, in the
// order of their arguments.
func recorded(t *testing.T, store string) []map[string]any {
	t.Helper()
	byID := map[string]map[string]any{}
	for _, file := range []string{"calls.jsonl", "results.jsonl"} {
		paths, err := filepath.Glob(filepath.Join(store, "runs", "*", file))
		if err != nil {
			t.Fatal(err)
		}
		for _, path := range paths {
			b, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			for line := range bytes.Lines(b) {
				var m map[string]any
				if err := json.Unmarshal(line, &m); err != nil {
					t.Fatalf("%s: %v", path, err)
				}
				id := m["callId"].(string)
				if byID[id] == nil {
					byID[id] = map[string]any{}
				}
				for _, k := range []string{"tool", "args", "argsHash", "normalized", "riskLevel", "category", "status", "ok", "content", "data", "dataHash", "error", "effects"} {
					if v, ok := m[k]; ok {
						byID[id][file+" "+k] = v
					}
				}
			}
		}
	}
	ok, failed := []map[string]any{}, []map[string]any{}
	for _, m := range byID {
		if m["results.jsonl ok"] == true {
			ok = append(ok, m)
		} else {
			failed = append(failed, m)
		}
	}
	return append(ok, failed...)
}
