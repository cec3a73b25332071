package schema_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/toolpost/toolpost/schema"
)

// suiteDir finds the published JSON-Schema-Test-Suite, a copy of which lies in
// the module google/jsonschema-go.
func suiteDir(t *testing.T) string {
	t.Helper()
	out, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "github.com/google/jsonschema-go").Output()
	dir := filepath.Join(strings.TrimSpace(string(out)), "jsonschema", "testdata")
	if _, statErr := os.Stat(dir); err != nil || statErr != nil {
		if os.Getenv("CI") == "true" {
			t.Fatalf("the test suite is missing: module github.com/google/jsonschema-go is not in the cache (%v, %v)", err, statErr)
		}
		t.Skipf("the test suite is missing: run go mod download github.com/google/jsonschema-go (%v, %v)", err, statErr)
	}
	return dir
}

type suiteGroup struct {
	Description string
	Schema      json.RawMessage
	Tests       []struct {
		Description string
		Data        json.RawMessage
		Valid       bool
	}
}

// TestSuite runs every required case of both drafts.
func TestSuite(t *testing.T) {
	dir := suiteDir(t)
	load := func(url string) ([]byte, error) {
		return os.ReadFile(filepath.Join(dir, "remotes", filepath.FromSlash(strings.TrimPrefix(url, "http://localhost:1234/"))))
	}
	for _, draft := range []struct{ folder, url string }{
		{"draft7", "http://json-schema.org/draft-07/schema#"},
		{"draft2020-12", "https://json-schema.org/draft/2020-12/schema"},
	} {
		t.Run(draft.folder, func(t *testing.T) {
			files, err := filepath.Glob(filepath.Join(dir, draft.folder, "*.json"))
			if err != nil || len(files) == 0 {
				t.Fatalf("no files in %s: %v", draft.folder, err)
			}
			cases, fast, wrong := 0, 0, 0
			for _, file := range files {
				b, err := os.ReadFile(file)
				if err != nil {
					t.Fatal(err)
				}
				var groups []suiteGroup
				if err := json.Unmarshal(b, &groups); err != nil {
					t.Fatal(err)
				}
				for _, g := range groups {
					s, err := schema.Parser{Load: load}.Parse(withDraft(g.Schema, draft.url))
					if err != nil {
						t.Errorf("%s: %s: %v", filepath.Base(file), g.Description, err)
						wrong += len(g.Tests)
						continue
					}
					for _, c := range g.Tests {
						cases++
						if schema.Fast(s) {
							fast++
						}
						if schema.Fast(s) && schema.FitsFast(s, c.Data) != c.Valid {
							t.Errorf("%s: %s: %s: the fast walk says %v", filepath.Base(file), g.Description, c.Description, !c.Valid)
						}
						err := s.Check(c.Data)
						if got := err == nil; got != c.Valid {
							wrong++
							t.Errorf("%s: %s: %s: valid is %v, want %v (%v) [%s]", filepath.Base(file), g.Description, c.Description, got, c.Valid, err, schema.Reason(s))
						}
					}
				}
			}
			t.Logf("%d cases, %d on the fast walk, %d wrong", cases, fast, wrong)
			if cases < 700 {
				t.Errorf("only %d cases were run", cases)
			}
		})
	}
}

// withDraft names the draft in schemas that leave it to the suite's folder.
func withDraft(src json.RawMessage, url string) []byte {
	var object map[string]json.RawMessage
	if json.Unmarshal(src, &object) != nil || object == nil || object["$schema"] != nil {
		return src
	}
	if len(object) == 0 {
		return []byte(`{"$schema":"` + url + `"}`)
	}
	return []byte(`{"$schema":"` + url + `",` + strings.TrimSpace(string(src))[1:])
}
