package tool_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/toolpost/toolpost/schema"
	"github.com/toolpost/toolpost/tool"
)

// golden compares got with a file of testdata; UPDATE=1 writes the file instead.
func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	file := filepath.Join("testdata", name)
	if os.Getenv("UPDATE") != "" {
		if err := os.WriteFile(file, append(got, '\n'), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(string(got), strings.TrimSuffix(string(want), "\n")); d != "" {
		t.Errorf("%s (-got +want):\n%s", name, d)
	}
}

func fullCall() *tool.Call {
	at := time.Date(2026, 1, 2, 3, 4, 5, 678_000_000, time.UTC)
	return &tool.Call{
		Ref:        tool.Ref{ID: "c1", Tool: "write_file", Run: "r1", Step: "write", Agent: "ann", Turn: "t1", Epoch: 3, Attempt: 2},
		ProviderID: "call_abc", Args: json.RawMessage(`{"path":"a<b>.txt","n":12345678901234567890}`),
		Created: at, Timeout: 90 * time.Second, Deadline: at.Add(90 * time.Second), After: tool.AfterTerminate, Preview: "write a & b",
		Item: &tool.Item{Index: 2, Name: "file", Value: json.RawMessage(`"x"`)}, Loop: "l1", DryRun: true,
		Grant: tool.Grant{Rule: "r7", Approval: "a1", Confirmation: "k1", Digest: "d1", Policy: &tool.Snapshot{
			ConfirmationsRequired: true, Sandbox: tool.SandboxSnapshot{Enabled: true, Level: "full", AllowedRoots: []string{"."}, DenyPatterns: []string{".env"}},
			Limits: tool.LimitSnapshot{MaxConcurrency: 16, TimeoutMS: 120000, OutputBytes: 65536}, Hash: "h",
		}},
		Changes: []schema.Change{{Pointer: "/path", Kind: "alias", From: "file", To: "path"}},
		Spec:    &tool.Spec{Name: "write_file", Risk: tool.RiskWrites, Category: "files"},
		Extra:   map[string]json.RawMessage{"zeta": json.RawMessage(`{"kept":[1, 2]}`), "alpha": json.RawMessage(`null`)},
	}
}

func fullResult() *tool.Result {
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	return &tool.Result{
		Ref: tool.Ref{ID: "c1", Tool: "write_file", Run: "r1", Attempt: 1}, ProviderID: "call_abc", Status: tool.StatusTimeout,
		Content: []tool.Content{{Type: tool.ContentText, Text: "<late>"}, {Type: tool.ContentImage, Data: []byte{1, 2, 3}, MIME: "image/png"}},
		Data:    json.RawMessage(`{"path":"a.txt"}`),
		Err:     &tool.Error{Code: tool.CodeTimeout, Message: "late", Details: json.RawMessage(`{"n":1}`), Retryable: true, Ends: tool.EndsTurn},
		Effects: &tool.Effects{
			Observed: []string{"create-file"}, Created: []tool.FileEffect{{Path: "a.txt", Kind: "file", After: "e1"}},
			Modified: []tool.FileEffect{{Path: "b.txt", Kind: "file", Before: "e1", After: "e2"}}, Deleted: []tool.FileEffect{{Path: "c", Kind: "folder", Trashed: true}},
			Renamed: []tool.Rename{{From: "d", To: "e"}}, Commands: []tool.CommandRun{{Argv: []string{"ls"}, ExitCode: -1}}, Network: []tool.NetworkPeer{{Host: "example.org", Port: 443}},
		},
		After: tool.AfterSuspend, Started: at, Ended: at.Add(1500 * time.Millisecond), User: "u", Debug: "d",
		Artifact: &tool.Artifact{ID: "a1", Bytes: 3, SHA256: "ab", MIME: "text/plain"},
		Extra:    map[string]json.RawMessage{"vendor": json.RawMessage(`{"x":1}`)},
	}
}

func TestCallGolden(t *testing.T) {
	b, err := json.Marshal(fullCall())
	if err != nil {
		t.Fatal(err)
	}
	golden(t, "call.json", b)
}

func TestResultGolden(t *testing.T) {
	b, err := json.Marshal(fullResult())
	if err != nil {
		t.Fatal(err)
	}
	golden(t, "result.json", b)
}

// C4: unknown fields are kept.
func TestC4UnknownFieldsAreKept(t *testing.T) {
	for name, c := range map[string]struct {
		in   any
		back func([]byte) (any, error)
	}{
		"call":   {fullCall(), func(b []byte) (any, error) { var c tool.Call; err := json.Unmarshal(b, &c); return c, err }},
		"result": {fullResult(), func(b []byte) (any, error) { var r tool.Result; err := json.Unmarshal(b, &r); return r, err }},
	} {
		first, err := json.Marshal(c.in)
		if err != nil {
			t.Fatal(err)
		}
		v, err := c.back(first)
		if err != nil {
			t.Fatal(err)
		}
		second, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(members(t, second), members(t, first)); d != "" {
			t.Errorf("%s written, read and written (-got +want):\n%s", name, d)
		}
	}
	var r tool.Result
	if err := json.Unmarshal([]byte(`{"callId":"c","tool":"t","status":"ok","x-new":{"a":[1, 2]}}`), &r); err != nil {
		t.Fatal(err)
	}
	if got := string(r.Extra["x-new"]); got != `{"a":[1, 2]}` || len(r.Extra) != 1 {
		t.Errorf("extra: %v", r.Extra)
	}
}

func members(t *testing.T, b []byte) map[string]any {
	t.Helper()
	var m map[string]any
	if err := json.Unmarshal(b, &m); err != nil {
		t.Fatal(err)
	}
	return m
}

func TestZeroTimesAreLeftOut(t *testing.T) {
	b, err := json.Marshal(tool.Call{Ref: tool.Ref{ID: "c", Tool: "t"}})
	if err != nil {
		t.Fatal(err)
	}
	if got, want := string(b), `{"callId":"c","tool":"t"}`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func FuzzResultJSON(f *testing.F) {
	b, err := json.Marshal(fullResult())
	if err != nil {
		f.Fatal(err)
	}
	f.Add(b)
	f.Add([]byte(`{"callId":"c","x":{"y":null}}`))
	f.Fuzz(func(t *testing.T, in []byte) {
		var r tool.Result
		if json.Unmarshal(in, &r) != nil {
			return
		}
		one, err := json.Marshal(r)
		if err != nil {
			return // a time beyond the year 9999, say
		}
		var again tool.Result
		if err := json.Unmarshal(one, &again); err != nil {
			t.Fatalf("%s cannot be read: %v", one, err)
		}
		two, err := json.Marshal(again)
		if err != nil || string(one) != string(two) {
			t.Fatalf("written\n%s\nand again\n%s\n%v", one, two, err)
		}
	})
}
