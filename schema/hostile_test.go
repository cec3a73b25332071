package schema_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/toolpost/toolpost/schema"
)

// within fails when f takes much longer than any fair document would.
func within(t *testing.T, f func()) {
	t.Helper()
	start := time.Now()
	f()
	if took := time.Since(start); took > 20*time.Second {
		t.Errorf("took %v", took)
	}
}

// TestSchemasCannotMakeCheckingExponential tries schemas whose alternatives
// multiply with each level of the document, or of the schema.
func TestSchemasCannotMakeCheckingExponential(t *testing.T) {
	var ladder strings.Builder
	for i := range 40 {
		fmt.Fprintf(&ladder, `"d%d":{"%s":[{"$ref":"#/$defs/d%d"},{"$ref":"#/$defs/d%d"}]},`, i, []string{"allOf", "anyOf"}[i%2], i+1, i+1)
	}
	deep := strings.Repeat(`{"n":`, 60) + `"x"` + strings.Repeat(`}`, 60)
	for _, c := range []struct{ name, schema, doc string }{
		{"a ladder of references", `{"$ref":"#/$defs/d0","$defs":{` + ladder.String() + `"d40":{"type":"integer"}}}`, `"5"`},
		{"a tree that branches at each level", `{"$ref":"#/$defs/n","$defs":{"n":{"allOf":[{"properties":{"n":{"$ref":"#/$defs/n"}}},{"properties":{"n":{"$ref":"#/$defs/n"}}}],"type":"object"}}}`, deep},
		{"a tree of alternatives", `{"$ref":"#/$defs/n","$defs":{"n":{"anyOf":[{"type":"object","properties":{"n":{"$ref":"#/$defs/n"}},"required":["a"]},{"type":"object","properties":{"n":{"$ref":"#/$defs/n"}},"required":["b"]}]}}}`, deep},
		{"one for the slow validator", `{"$ref":"#/$defs/n","$defs":{"n":{"contains":true,"oneOf":[{"properties":{"n":{"$ref":"#/$defs/n"}}},{"properties":{"n":{"$ref":"#/$defs/n"}}}]}}}`, deep},
	} {
		t.Run(c.name, func(t *testing.T) {
			within(t, func() {
				s, err := schema.Parse([]byte(c.schema))
				if err != nil {
					t.Fatal(err)
				}
				fitted, err := s.Fit([]byte(c.doc))
				if err == nil {
					t.Errorf("accepted as %s", fitted.Doc)
				}
				s.Example()
			})
		})
	}
}

func TestBigDocumentsAreCheckedInTime(t *testing.T) {
	s := schema.MustParse(`{"type":"object","additionalProperties":false,"properties":{"path":{"type":"string"},"list":{"type":"array","items":{"type":"integer"}}}}`)
	var names strings.Builder
	for i := range 50_000 {
		fmt.Fprintf(&names, `,"n%d":%d`, i, i)
	}
	for _, doc := range []string{
		`{"path":1,"list":[` + strings.Repeat(`1,`, 200_000) + `"x"]}`,
		`{"list":[` + strings.Repeat(`"x",`, 100_000) + `"x"]}`,
		"{" + names.String()[1:] + "}",
		`{"path":"` + strings.Repeat("x", 5<<20),
	} {
		within(t, func() {
			if _, err := s.Fit([]byte(doc)); err == nil {
				t.Errorf("%.60s… is accepted", doc)
			}
		})
	}
}

// TestCirclesThatAreNotOurs are schemas whose references only the slow validator
// understands.
func TestCirclesThatAreNotOurs(t *testing.T) {
	for _, c := range []struct{ schema, doc, want string }{
		{`{"$id":"https://a.example/","properties":{"n":{"$id":"b","$ref":"#/$defs/x","$defs":{"x":{"type":"integer"}}}},"$defs":{"x":{"$ref":"b"}}}`, `{"n":5}`, `{"n":5}`},
		{`{"$anchor":"top","type":"object","properties":{"n":{"$ref":"#top"},"size":{"type":"integer"}},"additionalProperties":false}`, `{"n":{"Size":"5"}}`, ``},
		{`{"$schema":"http://json-schema.org/draft-04/schema#","type":"object","properties":{"n":{"type":"integer","minimum":0,"exclusiveMinimum":true}}}`, `{"n":"5"}`, `{"n":5}`},
		{`{"$dynamicAnchor":"n","type":"object","properties":{"n":{"$dynamicRef":"#n"},"size":{"type":"integer"}}}`, `{"size":"5"}`, `{"size":5}`},
	} {
		s, err := schema.Parse([]byte(c.schema))
		if err != nil {
			t.Errorf("%s: %v", c.schema, err)
			continue
		}
		fitted, err := s.Fit([]byte(c.doc))
		if (err == nil) != (c.want != "") || err == nil && string(fitted.Doc) != c.want {
			t.Errorf("%s: %s became %s (%v), want %s", c.schema, c.doc, fitted.Doc, err, c.want)
		}
		s.Example()
	}
}

func TestBigDocumentsThatFitAreAccepted(t *testing.T) {
	s := schema.MustParse(`{"type":"array","items":{"type":"integer"}}`)
	doc := []byte("[" + strings.Repeat("1,", 1_500_000) + "1]")
	if err := s.Check(doc); err != nil {
		t.Error(err)
	}
}

func TestParseRefuses(t *testing.T) {
	for _, c := range []struct{ name, src, want string }{
		{"no JSON", `{"type":`, "reading schema: invalid JSON at line 1, column 9"},
		{"a duplicate keyword", `{"type":"string","type":"object"}`, "duplicate name"},
		{"no schema", `[1]`, "a schema is an object or a boolean, not array"},
		{"an unknown type", `{"properties":{"a":{"type":"int"}}}`, `schema at /properties/a/type: type has "int"; a type is one of null, boolean`},
		{"an unknown draft", `{"$schema":"https://example.org/x"}`, `unknown $schema "https://example.org/x"`},
		{"a reference to nothing", `{"$ref":"#/$defs/x"}`, "names nothing in this document"},
		{"a reference into the world", `{"$ref":"https://example.org/x.json"}`, "lies outside this document, and nothing is fetched"},
		{"a reference to a file", `{"$ref":"file:///etc/passwd"}`, "nothing is fetched"},
		{"a circle", `{"$ref":"#/$defs/a","$defs":{"a":{"anyOf":[{"$ref":"#/$defs/a"}]}}}`, "leads back to itself"},
		{"depth", strings.Repeat(`{"items":`, 70) + `{}` + strings.Repeat(`}`, 70), "more than 64 levels"},
		{"size", `{"description":"` + strings.Repeat("x", 256<<10) + `"}`, "at most 262144 are allowed"},
		{"a negative count", `{"minLength":-1}`, "minLength is a whole number from 0"},
		{"an empty union", `{"anyOf":[]}`, "anyOf is a list of at least one schema"},
		{"required as a boolean", `{"properties":{"a":{"required":true}}}`, "required is a list of property names"},
		{"a list of items in 2020-12", `{"items":[{}]}`, "a schema is an object or a boolean"},
		{"a broken schema for the slow validator", `{"contains":5}`, "schema"},
	} {
		_, err := schema.Parse([]byte(c.src))
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, want …%s…", c.name, err, c.want)
		}
	}
}
