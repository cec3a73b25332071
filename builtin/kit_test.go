//go:build unix

package builtin_test

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/toolpost/toolpost/builtin"
	"github.com/toolpost/toolpost/sandbox"
	"github.com/toolpost/toolpost/tool"
)

// kit is a workspace on disk with all tools over it.
type kit struct {
	t     testing.TB
	dir   string
	root  *sandbox.Root
	exec  *builtin.Exec
	tools tool.Registry
}

// newKit makes a workspace with files given as name, content, name, content.
func newKit(t testing.TB, files ...string) *kit {
	t.Helper()
	k := &kit{t: t, dir: t.TempDir()}
	for i := 0; i+1 < len(files); i += 2 {
		k.put(files[i], files[i+1])
	}
	var err error
	if k.root, err = sandbox.Open(sandbox.Profile{Workspace: k.dir}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := k.root.Close(); err != nil {
			t.Error(err)
		}
	})
	f := builtin.Files{Root: k.root}
	if err := k.tools.Add(f.Tools()...); err != nil {
		t.Fatal(err)
	}
	return k
}

// newShell is newKit with the tools that run commands.
func newShell(t testing.TB, files ...string) *kit {
	t.Helper()
	return newExec(t, &builtin.Exec{}, files...)
}

// newExec is newKit with the tools of e, which gets a cell.
func newExec(t testing.TB, e *builtin.Exec, files ...string) *kit {
	t.Helper()
	k := newKit(t, files...)
	var err error
	if e.Cell, err = sandbox.NewCell(k.root, sandbox.Profile{}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		for _, err := range []error{e.Close(), e.Cell.Close()} {
			if err != nil {
				t.Error(err)
			}
		}
	})
	k.exec = e
	if err := k.tools.Add(e.Tools()...); err != nil {
		t.Fatal(err)
	}
	return k
}

// put writes a file behind the tools' back.
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

// get is the content of a file on disk.
func (k *kit) get(name string) string {
	k.t.Helper()
	b, err := os.ReadFile(filepath.Join(k.dir, name))
	if err != nil {
		k.t.Fatal(err)
	}
	return string(b)
}

// is reports whether a file is there.
func (k *kit) is(name string) bool {
	_, err := os.Lstat(filepath.Join(k.dir, name))
	return !errors.Is(err, os.ErrNotExist)
}

func (k *kit) call(ctx context.Context, c *tool.Call) *tool.Result {
	return tool.Do(ctx, k.tools.Call, c)
}

// do calls a tool; args are JSON text, or a value that is made into it.
func (k *kit) do(name string, args any) *tool.Result {
	k.t.Helper()
	return k.call(k.t.Context(), tool.NewCall(name, text(k.t, args)))
}

func (k *kit) dry(name string, args any) *tool.Result {
	k.t.Helper()
	c := tool.NewCall(name, text(k.t, args))
	c.DryRun = true
	return k.call(k.t.Context(), c)
}

// ok is do for a call that must succeed.
func (k *kit) ok(name string, args any) *tool.Result {
	k.t.Helper()
	r := k.do(name, args)
	if !r.OK() {
		k.t.Fatalf("%s %v: %v", name, args, r.Err)
	}
	return r
}

// fails checks that a call fails with a code and a message that says all of
// what is wanted.
func (k *kit) fails(name string, args any, code tool.Code, says ...string) {
	k.t.Helper()
	r := k.do(name, args)
	if r.Err == nil || r.Err.Code != code {
		k.t.Errorf("%s %v: got %s %v, want %s", name, clip(args), r.Status, r.Err, code)
		return
	}
	for _, want := range says {
		if !strings.Contains(r.Err.Message, want) {
			k.t.Errorf("%s %v: message %q does not say %q", name, clip(args), r.Err.Message, want)
		}
	}
	if strings.Contains(string(text(k.t, r)), k.dir) {
		k.t.Errorf("%s %v: the result shows the path of the host", name, clip(args))
	}
}

type object = map[string]any

func text(t testing.TB, v any) string {
	t.Helper()
	if s, ok := v.(string); ok {
		return s
	}
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func clip(v any) string {
	b, _ := json.Marshal(v)
	return string(b[:min(len(b), 200)])
}

// data is the data of a result as a value of type T.
func data[T any](t testing.TB, r *tool.Result) T {
	t.Helper()
	var v T
	if err := json.Unmarshal(r.Data, &v); err != nil {
		t.Fatalf("data %s: %v", r.Data, err)
	}
	return v
}

// shown is the text that a model reads.
func shown(r *tool.Result) string {
	var b strings.Builder
	for _, c := range r.Content {
		b.WriteString(c.Text)
	}
	return b.String()
}
