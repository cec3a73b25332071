package schema_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/toolpost/toolpost/schema"
)

func dialect(t testing.TB, name string) schema.Dialect {
	t.Helper()
	d, err := schema.DialectNamed(name)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func view(t testing.TB, src, name string) schema.View {
	t.Helper()
	v, err := schema.Normalize(schema.MustParse(src), dialect(t, name))
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func TestUnknownDialectsAreNamedWithTheNearest(t *testing.T) {
	_, err := schema.DialectNamed("gemni")
	if err == nil || !strings.Contains(err.Error(), "did you mean gemini?") || !strings.Contains(err.Error(), "bedrock") {
		t.Errorf("got %v", err)
	}
}

func TestDialectsAreToldApartByTheirNames(t *testing.T) {
	seen := map[string]bool{}
	for _, d := range schema.Dialects() {
		if seen[d.Name] {
			t.Errorf("two dialects are called %s", d.Name)
		}
		seen[d.Name] = true
		for _, other := range []string{d.Loose, d.Prefer} {
			if other != "" {
				dialect(t, other)
			}
		}
	}
}

func TestADialectSurvivesJSON(t *testing.T) {
	for _, d := range schema.Dialects() {
		b, err := json.Marshal(d)
		if err != nil {
			t.Fatal(err)
		}
		var got schema.Dialect
		if err := json.Unmarshal(b, &got); err != nil {
			t.Fatalf("%s: %v", d.Name, err)
		}
		if diff := cmp.Diff(d, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", d.Name, diff)
		}
	}
}

func TestAConfigurationMayChangeOneKeyword(t *testing.T) {
	d := dialect(t, "gemini")
	if err := json.Unmarshal([]byte(`{"keywords":{"pattern":"used"}}`), &d); err != nil {
		t.Fatal(err)
	}
	v, err := schema.Normalize(schema.MustParse(`{"type":"object","properties":{"a":{"type":"string","pattern":"^a","minLength":1}}}`), d)
	if err != nil {
		t.Fatal(err)
	}
	want := `{"properties":{"a":{"description":"at least 1 character","pattern":"^a","type":"string"}},"type":"object"}`
	if diff := cmp.Diff(want, string(v.Schema)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestKeywordsRefuseWhatTheyDoNotKnow(t *testing.T) {
	for in, want := range map[string]string{
		`{"patern":"used"}`:    `keyword "patern" is not one that providers treat differently`,
		`{"pattern":"enjoys"}`: `treatment "enjoys" of pattern: use one of refused, dropped, accepted, used`,
	} {
		var k schema.Keywords
		if err := json.Unmarshal([]byte(in), &k); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v", in, err)
		}
	}
}

func TestNameRules(t *testing.T) {
	gemini, openai := dialect(t, "gemini"), dialect(t, "openai")
	for _, c := range []struct {
		rule schema.NameRule
		name string
		want bool
	}{
		{openai.Tools, "read_file", true},
		{openai.Tools, "read.file", false},
		{openai.Tools, "", false},
		{openai.Tools, strings.Repeat("a", 64), true},
		{openai.Tools, strings.Repeat("a", 65), false},
		{openai.Tools, "größe", false},
		{openai.Tools, "-x", true},
		{gemini.Tools, "a.b:c-d", true},
		{gemini.Tools, "1a", false},
		{gemini.Properties, "a-b", false},
		{gemini.Properties, "_1", true},
		{schema.NameRule{}, "anything at all", true},
	} {
		if got := c.rule.Legal(c.name); got != c.want {
			t.Errorf("%s allows %q: %v, want %v", c.rule, c.name, got, c.want)
		}
	}
}

func TestWhatGoesTooFarIsRefused(t *testing.T) {
	bomb := `{"type":"object","properties":{"a":{"$ref":"#/$defs/d0"}},"$defs":{`
	for i := range 12 {
		bomb += fmt.Sprintf(`"d%d":{"type":"object","properties":{"a":{"$ref":"#/$defs/d%d"},"b":{"$ref":"#/$defs/d%d"},"c":{"$ref":"#/$defs/d%d"}}},`, i, i+1, i+1, i+1)
	}
	bomb += `"d12":{"type":"string"}}}`
	var wide strings.Builder
	for i := range 10_000 {
		fmt.Fprintf(&wide, `"p%05d":{},`, i)
	}
	for _, c := range []struct{ name, src, want string }{
		{"references that fan out", bomb, "unfold to more than 20000 nodes"},
		{"a root that is false", `false`, "no arguments fit"},
		{"a root that no object fits", `{"type":"object","anyOf":[{"type":"string"},{"type":"integer"}]}`, "none of the alternatives at its root"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s, err := schema.Parse([]byte(c.src))
			if err != nil {
				t.Fatal(err)
			}
			for _, d := range schema.Dialects() {
				if _, err := schema.Normalize(s, d); err == nil || !strings.Contains(err.Error(), c.want) {
					t.Errorf("%s: got %v", d.Name, err)
				}
			}
		})
	}
	t.Run("ten thousand properties are advice", func(t *testing.T) {
		v := view(t, `{"type":"object","properties":{`+strings.TrimSuffix(wide.String(), ",")+`},"additionalProperties":false}`, "openai-strict")
		if v.Strict || v.NotStrict == "" {
			t.Errorf("strict %v, because %q", v.Strict, v.NotStrict)
		}
	})
	t.Run("more levels than strict takes are advice", func(t *testing.T) {
		src := `{"type":"string"}`
		for range 11 {
			src = `{"type":"object","properties":{"a":` + src + `},"required":["a"],"additionalProperties":false}`
		}
		if v := view(t, src, "openai-strict"); v.Strict || !strings.Contains(v.NotStrict, "11 levels") {
			t.Errorf("strict %v, because %q", v.Strict, v.NotStrict)
		}
	})
}

func TestViewsAreRememberedAndEqual(t *testing.T) {
	const src = `{"type":"object","properties":{"b":{"type":"string","minLength":1},"a":{"$ref":"#/$defs/A"}},"$defs":{"A":{"enum":[1,2]}}}`
	d := dialect(t, "gemini")
	s := schema.MustParse(src)
	first, err := schema.Normalize(s, d)
	if err != nil {
		t.Fatal(err)
	}
	second, _ := schema.Normalize(s, d)
	if &first.Schema[0] != &second.Schema[0] {
		t.Error("the view was made twice")
	}
	if n := testing.AllocsPerRun(100, func() { _, _ = schema.Normalize(s, d) }); n > 0 {
		t.Errorf("a remembered view costs %v allocations", n)
	}
	fresh, _ := schema.Normalize(schema.MustParse(src), d)
	if string(fresh.Schema) != string(first.Schema) || fresh.Hash != first.Hash {
		t.Errorf("equal schemas have the views\n%s\n%s", fresh.Schema, first.Schema)
	}
	d.Formats = "date"
	other, _ := schema.Normalize(s, d)
	if &other.Schema[0] == &first.Schema[0] {
		t.Error("another dialect of the same name got the same view")
	}
}

func TestANilSchemaTakesAnything(t *testing.T) {
	for _, d := range schema.Dialects() {
		v, err := schema.Normalize(nil, d)
		if err != nil || string(v.Schema) != `{"properties":{},"type":"object"}` && !v.Strict && d.Maps == "" || !v.Empty && !v.Strict {
			t.Errorf("%s: %s %v %+v", d.Name, v.Schema, err, v)
		}
	}
}

func TestRationKeepsTheFirstToolsStrict(t *testing.T) {
	d := dialect(t, "anthropic-strict")
	var views []schema.View
	for range 25 {
		v, err := schema.Normalize(schema.MustParse(`{"type":"object","properties":{"a":{"type":"string"},"b":{"type":"string"}},"required":["a"],"additionalProperties":false}`), d)
		if err != nil {
			t.Fatal(err)
		}
		views = append(views, v)
	}
	strict := func(views []schema.View) (n int) {
		for _, v := range views {
			if v.Strict {
				n++
			}
		}
		return n
	}
	out := d.Ration(views)
	if got := strict(out); got != 20 || !out[19].Strict || out[20].Strict {
		t.Errorf("%d tools are strict, want the first 20", got)
	}
	if strict(views) != 25 {
		t.Error("the views that were given have changed")
	}
	d.MaxOptional = 7
	if got := strict(d.Ration(views)); got != 7 {
		t.Errorf("%d tools with one optional property each are strict, want 7", got)
	}
}

func TestRestore(t *testing.T) {
	const src = `{"type":"object","properties":{
		"a b":{"type":"string"},"level":{"enum":[1,2]},"opt":{"type":"string"},"nul":{"type":["string","null"]},
		"inner":{"type":"array","items":{"type":"object","properties":{"$x":{"type":"number"},"o":{"type":"boolean"}},"required":["$x"],"additionalProperties":false}},
		"map":{"type":"object","additionalProperties":{"type":"object","properties":{"y z":{"enum":[true]}}}}},"required":["a b"]`
	for _, c := range []struct{ name, dialect, src, in, want string }{
		{"aliases", "gemini", src + "}", `{"a_b":"v","inner":[{"_x":1.50}]}`, `{"a b":"v","inner":[{"$x":1.50}]}`},
		{"names below a map", "gemini", src + "}", `{"a_b":"v","map":{"a_b":{"y_z":true}}}`, `{"a b":"v","map":{"a_b":{"y z":true}}}`},
		{"what the provider was not told", "gemini-parameters", src + "}", `{"a_b":"v","map":{"a_b":{"y z":true}}}`, `{"a b":"v","map":{"a_b":{"y z":true}}}`},
		{"words that are no values stay", "gemini-parameters", src + "}", `{"level":"2"}`, `{"level":2}`},
		{"a word that is not one of them stays", "gemini-parameters", src + "}", `{"level":"9"}`, `{"level":"9"}`},
		{"a value sent as itself stays", "gemini-parameters", src + "}", `{"level":2}`, `{"level":2}`},
		{"names that are right already stay", "gemini", src + "}", `{"a b":"v"}`, `{"a b":"v"}`},
		{"null that stood for absence goes", "openai-strict", `{"type":"object","properties":{"a":{"type":"string"},"b":{"type":["string","null"]},"c":{"type":"object","properties":{"d":{"type":"integer"}},"additionalProperties":false}},"required":["b"],"additionalProperties":false}`,
			`{"a":null,"b":null,"c":{"d":null}}`, `{"b":null,"c":{}}`},
		{"a box is opened", "openai", `{"type":"array"}`, `{"value":[1]}`, `[1]`},
		{"what came without its box stays", "openai", `{"type":"array"}`, `[1]`, `[1]`},
		{"text that is no JSON stays", "gemini", src + "}", `{"a_b":`, `{"a_b":`},
	} {
		t.Run(c.name, func(t *testing.T) {
			v := view(t, c.src, c.dialect)
			if got := v.Restore([]byte(c.in)); string(got) != c.want {
				t.Errorf("%s became %s, want %s\nby %s", c.in, got, c.want, v.Schema)
			}
		})
	}
}

func TestRestoreCostsNothingWhereNothingIsToDo(t *testing.T) {
	v := view(t, `{"type":"object","properties":{"a":{"type":"string"}}}`, "openai")
	args := []byte(`{"a":"x"}`)
	if n := testing.AllocsPerRun(100, func() { v.Restore(args) }); n > 0 {
		t.Errorf("%v allocations", n)
	}
}

func TestDescribeAddsWhatTheSchemaCannotSay(t *testing.T) {
	v := view(t, `{"type":"object","properties":{"a":{"type":"string"},"b":{"type":"string"}},"anyOf":[{"required":["a"]},{"required":["b"]}]}`, "openai")
	want := "Finds things.\nArguments: give at least one of: a; b."
	if got := v.Describe("Finds things."); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if got := v.Describe(want); got != want {
		t.Errorf("said twice: %q", got)
	}
	bare := view(t, `{"type":"object","description":"What to find.","properties":{"a":{"type":"string"}}}`, "bedrock")
	if got := bare.Describe(""); got != "What to find." {
		t.Errorf("got %q", got)
	}
}

func TestLint(t *testing.T) {
	var got []string
	for _, f := range schema.Lint(schema.Described{Name: "files.read", Input: schema.MustParse(`{"type":"object","properties":{
		"path":{"type":"string","description":"which file","pattern":"(?<=a)b\\u0000("},"n":{"type":"integer","default":"x","description":"how many"},"any":{"description":"whatever"},"list":{"type":"array","items":{"type":"string"}}},
		"required":["path","other"],"additionalProperties":false}`)}, []schema.Dialect{dialect(t, "openai"), dialect(t, "anthropic"), dialect(t, "gemini"), dialect(t, "openai-strict")}) {
		got = append(got, f.String())
	}
	want := []string{
		`warning name: "files.read" is sent under another name: names match ^[a-zA-Z0-9_-][a-zA-Z0-9_-]{0,63}$ (openai, openai-strict)`,
		`warning name: "files.read" is sent under another name: names match ^[a-zA-Z0-9_-][a-zA-Z0-9_-]{0,127}$ (anthropic)`,
		`warning description: the tool has no description; say when to use it`,
		`warning example /properties/n: the example or default "x" does not fit`,
		`warning type /properties/any: "any" may be anything; say what it is`,
		`warning described /properties/list: "list" has no description`,
		`warning required: "other" is required but not declared under properties`,
		`warning pattern: no engine reads the pattern "(?<=a)b\\u0000("; it constrains nothing`,
		`note lossy /properties/path: pattern is moved to text (gemini)`,
		`note strict: cannot be strict: /properties/any takes values of any type (openai-strict)`,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestLintTellsWhoRefuses(t *testing.T) {
	list := schema.Lint(schema.Described{Name: "x", Description: "d", Input: schema.MustParse(`{"type":"object","properties":{"a":false},"required":["a"]}`)}, nil)
	if len(list) == 0 || list[0].Level != schema.LevelRefused || len(list[0].Dialects) != len(schema.Dialects()) {
		t.Errorf("got %v", list)
	}
}
