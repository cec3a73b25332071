package vault_test

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/toolpost/toolpost/builtin/vault"
	"github.com/toolpost/toolpost/sandbox"
	"github.com/toolpost/toolpost/tool"
)

// kit is a vault on disk with its tools.
type kit struct {
	t     testing.TB
	dir   string
	vault vault.Vault
	tools tool.Registry
}

// newKit makes a vault with notes given as path, content, path, content.
func newKit(t testing.TB, notes ...string) *kit {
	t.Helper()
	k := &kit{t: t, dir: t.TempDir()}
	for i := 0; i+1 < len(notes); i += 2 {
		k.put(notes[i], notes[i+1])
	}
	root, err := sandbox.Open(sandbox.Profile{Workspace: k.dir})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := root.Close(); err != nil {
			t.Error(err)
		}
	})
	k.vault.Root = root
	if err := k.tools.Add(append(k.vault.Tools(), vault.Utilities()...)...); err != nil {
		t.Fatal(err)
	}
	return k
}

func (k *kit) put(name, content string) {
	k.t.Helper()
	path := filepath.Join(k.dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		k.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
		k.t.Fatal(err)
	}
}

func (k *kit) get(name string) string {
	k.t.Helper()
	b, err := os.ReadFile(filepath.Join(k.dir, name))
	if err != nil {
		k.t.Fatal(err)
	}
	return string(b)
}

func (k *kit) is(name string) bool {
	_, err := os.Lstat(filepath.Join(k.dir, name))
	return !errors.Is(err, os.ErrNotExist)
}

// tree is every file of the vault with its content.
func (k *kit) tree() map[string]string {
	k.t.Helper()
	files := map[string]string{}
	err := filepath.WalkDir(k.dir, func(path string, d os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(k.dir, path)
		if d.IsDir() {
			files[rel+"/"] = ""
			return err
		}
		if d.Type().IsRegular() {
			files[rel] = k.get(rel)
		}
		return err
	})
	if err != nil {
		k.t.Fatal(err)
	}
	return files
}

// do calls vault.name, or util.name; args are JSON.
func (k *kit) do(name, args string) *tool.Result {
	k.t.Helper()
	return k.call(name, args, false)
}

func (k *kit) dry(name, args string) *tool.Result {
	k.t.Helper()
	return k.call(name, args, true)
}

func (k *kit) call(name, args string, dry bool) *tool.Result {
	if !strings.Contains(name, ".") {
		name = "vault." + name
	}
	c := tool.NewCall(name, args)
	c.DryRun = dry
	return tool.Do(context.Background(), k.tools.Call, c)
}

// ok is do for a call that must succeed.
func (k *kit) ok(name, args string) *tool.Result {
	k.t.Helper()
	r := k.do(name, args)
	if !r.OK() {
		k.t.Fatalf("%s %s: %v", name, args, r.Err)
	}
	return r
}

// fails checks that a call fails with a code, and says all of what is wanted, and
// changes nothing.
func (k *kit) fails(name, args string, code tool.Code, says ...string) {
	k.t.Helper()
	before := k.tree()
	r := k.do(name, args)
	if r.Err == nil || r.Err.Code != code {
		k.t.Errorf("%s %s: got %s %v, want %s", name, args, r.Status, r.Err, code)
		return
	}
	for _, want := range says {
		if !strings.Contains(r.Err.Message, want) {
			k.t.Errorf("%s %s: message %q does not say %q", name, args, r.Err.Message, want)
		}
	}
	if b, _ := json.Marshal(r); strings.Contains(string(b), k.dir) {
		k.t.Errorf("%s %s: the result shows the path of the host", name, args)
	}
	after := k.tree()
	if len(before) != len(after) {
		k.t.Errorf("%s %s failed and left a trace", name, args)
	}
	for p, c := range before {
		if after[p] != c {
			k.t.Errorf("%s %s failed and changed %s", name, args, p)
		}
	}
}

type object = map[string]any

// data is the data of a result.
func data(t testing.TB, r *tool.Result) object {
	t.Helper()
	var v object
	if err := json.Unmarshal(r.Data, &v); err != nil {
		t.Fatalf("data %s: %v", r.Data, err)
	}
	return v
}

// text is a JSON string.
func text(s string) string {
	b, _ := json.Marshal(s)
	return string(b)
}
