package tooltest

import (
	"slices"
	"strings"
	"testing"

	"github.com/toolpost/toolpost/schema"
	"github.com/toolpost/toolpost/tool"
)

func TestSpecFindsWhatIsWrong(t *testing.T) {
	good := tool.Spec{
		Name: "read_file", Description: "Read a file.", Risk: tool.RiskReads,
		Input: schema.MustParse(`{"type":"object","properties":{"path":{"type":"string","description":"Which."}},"additionalProperties":false}`),
	}
	if got := problems(good); len(got) > 0 {
		t.Fatalf("a good spec has problems: %q", got)
	}
	for name, c := range map[string]struct {
		change func(*tool.Spec)
		want   string
	}{
		"a name in camel case": {func(s *tool.Spec) { s.Name = "readFile" }, "snake_case"},
		"no description":       {func(s *tool.Spec) { s.Description = " " }, "no description"},
		"a long description":   {func(s *tool.Spec) { s.Description = strings.Repeat("word ", 61) }, "61 words"},
		"no risk":              {func(s *tool.Spec) { s.Risk = "" }, "risk"},
		"no schema":            {func(s *tool.Spec) { s.Input = nil }, "no schema"},
		"an open object":       {func(s *tool.Spec) { s.Input = schema.MustParse(`{"type":"object","properties":{}}`) }, "not closed"},
		"a parameter not described": {func(s *tool.Spec) {
			s.Input = schema.MustParse(`{"type":"object","properties":{"path":{"type":"string"}},"additionalProperties":false}`)
		}, "path has no description"},
		"an object inside is open": {func(s *tool.Spec) {
			s.Output = schema.MustParse(`{"type":"object","properties":{"a":{"type":"array","items":{"type":"object"}}},"additionalProperties":false}`)
		}, "output.a.items is not closed"},
		"a lock on nothing":          {func(s *tool.Spec) { s.Locks = []string{"file"} }, `locks the argument "file"`},
		"a volatile member of none":  {func(s *tool.Spec) { s.Output, s.Volatile = s.Input, []string{"took"} }, `"took" is volatile`},
		"an example that fits badly": {func(s *tool.Spec) { s.Examples = append(s.Examples, []byte(`{"pth":1}`)) }, "example 1"},
	} {
		t.Run(name, func(t *testing.T) {
			s := good
			c.change(&s)
			if got := problems(s); !slices.ContainsFunc(got, func(p string) bool { return strings.Contains(p, c.want) }) {
				t.Errorf("got %q, want one with %q", got, c.want)
			}
		})
	}
}
