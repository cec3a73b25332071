package schema_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/toolpost/toolpost/schema"
)

// A published is a tool as an MCP server lists it.
type published struct {
	Name        string          `json:"name"`
	Description string          `json:"description"`
	InputSchema json.RawMessage `json:"inputSchema"`
}

// corpus reads the tool lists under testdata/tools, by server. What is in them
// is told in testdata/tools/README.md.
func corpus(t testing.TB) map[string][]published {
	t.Helper()
	files, err := filepath.Glob("testdata/tools/*.json")
	if err != nil || len(files) == 0 {
		t.Fatalf("no tool lists under testdata/tools: %v", err)
	}
	lists := map[string][]published{}
	for _, name := range files {
		b, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		var tools []published
		if err := json.Unmarshal(b, &tools); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		lists[strings.TrimSuffix(filepath.Base(name), ".json")] = tools
	}
	return lists
}

// advice are dialects that take schemas as openai does.
var advice = map[string]bool{"responses": true, "vllm": true, "vllm-strict": true, "mistral": true, "deepseek": true, "xai": true, "openrouter": true, "gemini-interactions": true}

func TestPublishedToolsAreTakenByEveryProvider(t *testing.T) {
	tools, views := 0, 0
	for server, list := range corpus(t) {
		for _, tool := range list {
			s, err := schema.Parse(tool.InputSchema)
			if err != nil {
				t.Errorf("%s %s: %v", server, tool.Name, err)
				continue
			}
			tools++
			example := s.Example()
			for _, d := range schema.Dialects() {
				v, err := schema.Normalize(s, d)
				if err != nil {
					t.Errorf("%s %s: %v", server, tool.Name, err)
					continue
				}
				views++
				checkView(t, tool.InputSchema, d, v)
				if !advice[d.Name] && s.Check(example) == nil {
					checkDocument(t, tool.InputSchema, example, v, readView(t, v))
				}
			}
		}
	}
	if tools < 170 || views != tools*len(schema.Dialects()) {
		t.Errorf("%d tools, %d views", tools, views)
	}
}

func TestLintFindsNoProviderThatRefusesAPublishedTool(t *testing.T) {
	for server, list := range corpus(t) {
		for _, tool := range list {
			s, err := schema.Parse(tool.InputSchema)
			if err != nil {
				t.Fatal(err)
			}
			for _, f := range schema.Lint(schema.Described{Name: tool.Name, Description: tool.Description, Input: s}, nil) {
				if f.Level == schema.LevelRefused {
					t.Errorf("%s %s: %s", server, tool.Name, f)
				}
			}
		}
	}
}
