package plan_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/toolpost/toolpost/tool"
)

// The canonical ToolCall and ToolResult of seed 003, as they stand there: what is
// decoded and written again has the same members with the same values. Only times
// gain their milliseconds.
func TestTheCanonicalFormsOfSeed003ComeBack(t *testing.T) {
	for name, again := range map[string]func([]byte) ([]byte, error){
		"call.json": func(b []byte) ([]byte, error) {
			var c tool.Call
			if err := json.Unmarshal(b, &c); err != nil {
				return nil, err
			}
			return json.Marshal(c)
		},
		"result.json": func(b []byte) ([]byte, error) {
			var r tool.Result
			if err := json.Unmarshal(b, &r); err != nil {
				return nil, err
			}
			return json.Marshal(r)
		},
	} {
		t.Run(name, func(t *testing.T) {
			want, err := os.ReadFile(filepath.Join("testdata", "seed003", name))
			if err != nil {
				t.Fatal(err)
			}
			got, err := again(want)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(membersOf(t, want), membersOf(t, got)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// membersOf is a document decoded, its times in one form.
func membersOf(t *testing.T, doc []byte) map[string]any {
	t.Helper()
	var m map[string]any
	if err := json.Unmarshal(doc, &m); err != nil {
		t.Fatal(err)
	}
	for _, k := range []string{"createdAt", "startedAt", "endedAt", "deadlineAt"} {
		if s, ok := m[k].(string); ok {
			at, err := time.Parse(time.RFC3339Nano, s)
			if err != nil {
				t.Fatal(err)
			}
			m[k] = at.UTC().String()
		}
	}
	return m
}

// What the decoded forms mean.
func TestTheCanonicalFormsOfSeed003AreUnderstood(t *testing.T) {
	var c tool.Call
	var r tool.Result
	for name, v := range map[string]any{"call.json": &c, "result.json": &r} {
		b, err := os.ReadFile(filepath.Join("testdata", "seed003", name))
		if err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(b, v); err != nil {
			t.Fatal(err)
		}
	}
	if c.Step != "s5" || c.Tool != "vault.createFile" || c.Attempt != 1 || c.Timeout != 30*time.Second || c.Confirmation != "uuid" ||
		c.Item == nil || c.Item.Index != 3 || c.Item.Name != "item" || !c.Policy.ConfirmationsRequired || c.Policy.Limits.MaxConcurrency != 4 {
		t.Errorf("call %+v", c)
	}
	if !r.OK() || r.Duration() != 240*time.Millisecond || r.Effects == nil || len(r.Effects.Created) != 1 || r.User != "Created XYZ/Foo.md" {
		t.Errorf("result %+v", r)
	}
	r.Ended = r.Started.Add(time.Second)
	if r.Duration() != time.Second {
		t.Errorf("with other times it took %s", r.Duration())
	}
}
