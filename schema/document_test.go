package schema_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/toolpost/toolpost/schema"
)

// matrixKeywords are the rows of the table in docs/providers.md.
var matrixKeywords = strings.Fields(`required additionalProperties enum const anyOf oneOf allOf not if
	dependentRequired dependentSchemas minLength maxLength pattern format minimum maximum exclusiveMinimum exclusiveMaximum
	multipleOf minItems maxItems uniqueItems contains prefixItems patternProperties propertyNames minProperties
	maxProperties unevaluatedProperties unevaluatedItems description title default examples deprecated`)

// matrix is the table of keywords by provider, and that of the other rules.
func matrix() string {
	var b strings.Builder
	list := schema.Dialects()
	row := func(first string, cell func(schema.Dialect) string) {
		b.WriteString("| " + first + " |")
		for _, d := range list {
			b.WriteString(" " + cell(d) + " |")
		}
		b.WriteString("\n")
	}
	head := func(first string) {
		row(first, func(d schema.Dialect) string { return d.Name })
		row("---", func(schema.Dialect) string { return "---" })
	}
	head("keyword")
	for _, k := range matrixKeywords {
		row("`"+k+"`", func(d schema.Dialect) string { return d.Keywords.Of(k).String() })
	}
	b.WriteString("\n")
	head("rule")
	word := func(s, empty string) string {
		if s == "" {
			return empty
		}
		return s
	}
	number := func(n int) string {
		if n == 0 {
			return "–"
		}
		return fmt.Sprint(n)
	}
	rules := []struct {
		name string
		cell func(schema.Dialect) string
	}{
		{"strict", func(d schema.Dialect) string { return word(string(d.Strict), "no") }},
		{"else, or instead", func(d schema.Dialect) string { return word(d.Loose+d.Prefer, "–") }},
		{"`$ref`", func(d schema.Dialect) string { return word(string(d.Refs), "written out") }},
		{"recursion", func(d schema.Dialect) string { return word(string(d.Recursion), "unrolled") }},
		{"beside alternatives", func(d schema.Dialect) string { return word(string(d.Unions), "anything") }},
		{"types", func(d schema.Dialect) string { return word(string(d.Types), "list") }},
		{"enum values", func(d schema.Dialect) string { return word(string(d.Enums), "any") }},
		{"patterns", func(d schema.Dialect) string { return word(string(d.Patterns), "any") }},
		{"formats", func(d schema.Dialect) string { return strings.Replace(word(d.Formats, "none"), "*", "all", 1) }},
		{"property names", func(d schema.Dialect) string { return rule(d.Properties) }},
		{"tool names", func(d schema.Dialect) string { return rule(d.Tools) }},
		{"tools", func(d schema.Dialect) string { return number(d.MaxTools) }},
		{"strict tools", func(d schema.Dialect) string { return number(d.MaxStrictTools) }},
		{"properties", func(d schema.Dialect) string { return number(d.MaxProperties) }},
		{"levels", func(d schema.Dialect) string { return number(d.MaxDepth) }},
		{"enum values in all", func(d schema.Dialect) string { return number(d.MaxEnum) }},
	}
	for _, r := range rules {
		row(r.name, r.cell)
	}
	return b.String()
}

func rule(r schema.NameRule) string {
	if r.Rest == "" {
		return "any"
	}
	return "`" + r.String() + "`"
}

// TestProvidersDocument compares the section of docs/providers.md with the
// tables.
func TestProvidersDocument(t *testing.T) {
	const name = "../docs/providers.md"
	b, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	head, rest, ok1 := strings.Cut(string(b), "<!-- keywords")
	open, rest, ok2 := strings.Cut(rest, "-->\n")
	have, tail, ok3 := strings.Cut(rest, "<!-- end of keywords -->")
	if !ok1 || !ok2 || !ok3 {
		t.Fatalf("%s has no section for the keywords", name)
	}
	want := "\n" + matrix() + "\n"
	if *update {
		text := head + "<!-- keywords" + open + "-->\n" + want + "<!-- end of keywords -->" + tail
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if diff := cmp.Diff(want, have); diff != "" {
		t.Errorf("%s is not what the tables say; go test ./schema -run TestProvidersDocument -update writes it (-want +got):\n%s", name, diff)
	}
}
