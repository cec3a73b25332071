package schema_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/toolpost/toolpost/schema"
)

func TestSmoke(t *testing.T) {
	files, _ := filepath.Glob("testdata/tools/*.json")
	for _, f := range files {
		b, _ := os.ReadFile(f)
		var tools []struct {
			Name        string
			InputSchema json.RawMessage
		}
		if err := json.Unmarshal(b, &tools); err != nil {
			t.Fatal(err)
		}
		for _, tl := range tools {
			s, err := schema.Parse(tl.InputSchema)
			if err != nil {
				t.Log(f, tl.Name, err)
				continue
			}
			for _, d := range schema.Dialects() {
				v, err := schema.Normalize(s, d)
				if err != nil {
					t.Log(f, tl.Name, d.Name, err)
					continue
				}
				if v.NotStrict != "" {
					t.Log(tl.Name, d.Name, v.NotStrict)
				}
				s2, err := schema.Parse(v.Schema)
				if err != nil {
					t.Error(tl.Name, d.Name, err, string(v.Schema))
					continue
				}
				v2, err := schema.Normalize(s2, d)
				if err != nil || string(v2.Schema) != string(v.Schema) {
					t.Errorf("%s %s not idempotent %v\n%s\n%s", tl.Name, d.Name, err, v.Schema, v2.Schema)
				}
				if os.Getenv("SHOW") == tl.Name {
					t.Logf("%s\n  %s\n  %s %v", d.Name, v.Schema, v.Note, v.Losses)
				}
			}
		}
	}
}
