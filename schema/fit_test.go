package schema_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/toolpost/toolpost/schema"
)

const editSchema = `{"type":"object","required":["path","old_text","new_text"],"properties":{
	"path":{"type":"string"},"old_text":{"type":"string"},"new_text":{"type":"string"},
	"dry_run":{"type":"boolean","default":false},"limit":{"type":"integer"},"ratio":{"type":"number"},
	"tags":{"type":"array","items":{"type":"string"}},"counts":{"type":"array","items":{"type":"integer"}},
	"options":{"type":"object","additionalProperties":false,"properties":{"max_depth":{"type":"integer","default":3},"note":{"type":"string"}}},
	"either":{"anyOf":[{"type":"integer"},{"type":"null"}]}
	},"additionalProperties":false}`

func TestFit(t *testing.T) {
	type change = schema.Change
	base := `"path":"a","old_text":"b","new_text":"c","dry_run":false`
	for _, c := range []struct {
		name, doc, want string
		changes         []change
	}{
		{"what fits is left alone", `{"path":"a","old_text":"b", "new_text":"c","dry_run":true}`, `{"path":"a","old_text":"b", "new_text":"c","dry_run":true}`, nil},
		{
			"defaults are filled in, in nested objects too", `{"path":"a","old_text":"b","new_text":"c","options":{}}`,
			`{"path":"a","old_text":"b","new_text":"c","options":{"max_depth":3},"dry_run":false}`,
			[]change{{"/dry_run", "default", "", "false"}, {"/options/max_depth", "default", "", "3"}},
		},
		{
			"camelCase becomes the schema's own name", `{` + base + `,"dryRun2":1}`, "", nil,
		},
		{
			"names are folded at every level", `{` + base + `,"options":{"maxDepth":5}}`, `{` + base + `,"options":{"max_depth":5}}`,
			[]change{{"/options/max_depth", "renamed", "maxDepth", "max_depth"}},
		},
		{
			"aliases become the schema's own names", `{"file_path":"a","old_string":"b","newText":"c","dry_run":false}`,
			`{"path":"a","old_text":"b","new_text":"c","dry_run":false}`,
			[]change{{"/path", "alias", "file_path", "path"}, {"/old_text", "alias", "old_string", "old_text"}, {"/new_text", "renamed", "newText", "new_text"}},
		},
		{
			"the schema's own name wins", `{` + base + `,"file":"other"}`, `{` + base + `}`,
			[]change{{"/path", "conflict", "file", "path"}},
		},
		{
			"an equal value under two names is no conflict", `{` + base + `,"filePath":"a"}`, `{` + base + `}`,
			[]change{{"/path", "alias", "filePath", "path"}},
		},
		{
			"arguments that came as a string are parsed", `"{\"path\":\"a\",\"old_text\":\"b\",\"new_text\":\"c\",\"dry_run\":false}"`, `{` + base + `}`,
			[]change{{"", "parsed", `"{\"path\":\"a\",\"old_text\":\"b\",\"new_text\":\"c\",\"dry_run\":false}"`, `{` + base + `}`}},
		},
		{"but only once", `"\"{}\""`, "", nil},
		{
			"an object that came as a string is parsed", `{` + base + `,"options":"{\"max_depth\":\"4\"}"}`, `{` + base + `,"options":{"max_depth":4}}`,
			[]change{{"/options", "parsed", `"{\"max_depth\":\"4\"}"`, `{"max_depth":"4"}`}, {"/options/max_depth", "coerced", `"4"`, "4"}},
		},
		{
			"numbers and booleans leave their quotes", `{"path":"a","old_text":"b","new_text":"c","dry_run":"true","limit":"5","ratio":"1.50"}`,
			`{"path":"a","old_text":"b","new_text":"c","dry_run":true,"limit":5,"ratio":1.50}`,
			[]change{{"/dry_run", "coerced", `"true"`, "true"}, {"/limit", "coerced", `"5"`, "5"}, {"/ratio", "coerced", `"1.50"`, "1.50"}},
		},
		{"5.0 in quotes is no integer", `{` + base + `,"limit":"5.0"}`, "", nil},
		{"5.0 is one", `{` + base + `,"limit":5.0}`, `{` + base + `,"limit":5.0}`, nil},
		{"a number is no string", `{"path":5,"old_text":"b","new_text":"c"}`, "", nil},
		{"a word is no boolean", `{"path":"a","old_text":"b","new_text":"c","dry_run":"yes"}`, "", nil},
		{
			"one value becomes a list of one", `{` + base + `,"tags":"x","counts":"7"}`, `{` + base + `,"tags":["x"],"counts":[7]}`,
			[]change{{"/tags", "coerced", `"x"`, `["x"]`}, {"/counts", "coerced", `"7"`, `[7]`}},
		},
		{
			"a list that came as a string is parsed", `{` + base + `,"tags":"[\"x\",\"y\"]"}`, `{` + base + `,"tags":["x","y"]}`,
			[]change{{"/tags", "parsed", `"[\"x\",\"y\"]"`, `["x","y"]`}},
		},
		{
			"blocks of text become text", `{"path":"a","old_text":[{"type":"text","text":"b1 "},{"type":"text","text":"b2"}],"new_text":{"type":"text","text":"c"},"dry_run":false}`,
			`{"path":"a","old_text":"b1 b2","new_text":"c","dry_run":false}`,
			[]change{
				{"/old_text", "flattened", `[{"type":"text","text":"b1 "},{"type":"text","text":"b2"}]`, `"b1 b2"`},
				{"/new_text", "flattened", `{"type":"text","text":"c"}`, `"c"`},
			},
		},
		{"an image is no text", `{"path":"a","old_text":[{"type":"image","data":"b"}],"new_text":"c"}`, "", nil},
		{"a variant of a union is coerced", `{` + base + `,"either":"12"}`, `{` + base + `,"either":12}`, []change{{"/either", "coerced", `"12"`, "12"}}},
		{"what is missing stays missing", `{}`, "", nil},
		{"null is not {} when something is required", `null`, "", nil},
		{"nothing is not {} when something is required", ``, "", nil},
		{"a text that was cut off is not repaired", `{"path":"a","old_text":"b","new_te`, "", nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := schema.MustParse(editSchema)
			got, err := s.Fit([]byte(c.doc))
			if c.want == "" {
				if err == nil {
					t.Fatalf("accepted as %s", got.Doc)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(got.Doc), c.want); diff != "" {
				t.Errorf("document (-got +want):\n%s", diff)
			}
			for i := range got.Changes {
				got.Changes[i].From = strings.TrimSuffix(got.Changes[i].From, "…")
			}
			if diff := cmp.Diff(got.Changes, c.changes); diff != "" {
				t.Errorf("changes (-got +want):\n%s", diff)
			}
		})
	}
}

func TestFitOfNothing(t *testing.T) {
	s := schema.MustParse(`{"type":"object","properties":{"limit":{"type":"integer","default":10}}}`)
	for _, doc := range []string{"", " ", "null", "{}", `"{}"`} {
		got, err := s.Fit([]byte(doc))
		if err != nil || string(got.Doc) != `{"limit":10}` {
			t.Errorf("Fit(%q) = %s, %v", doc, got.Doc, err)
		}
	}
	var anything *schema.Schema
	if got, err := anything.Fit(nil); err != nil || string(got.Doc) != "{}" {
		t.Errorf("a nil schema makes %s of nothing (%v)", got.Doc, err)
	}
	if _, err := anything.Fit([]byte(`{"a":1,"a":2}`)); err == nil {
		t.Error("a nil schema accepts duplicate names")
	}
}

func TestFitLeavesNamesAloneThatTheSchemaAllows(t *testing.T) {
	for _, src := range []string{
		`{"type":"object","properties":{"path":{"type":"string"}},"additionalProperties":{"type":"string"}}`,
		`{"type":"object","properties":{"path":{"type":"string"}},"additionalProperties":true}`,
		`{"type":"object","properties":{"path":{"type":"string"},"file":{"type":"string"}}}`,
		`{"type":"object","properties":{"path":{"type":"string"}},"patternProperties":{"^f":{}}}`,
	} {
		doc := `{"file":"a"}`
		got, err := schema.MustParse(src).Fit([]byte(doc))
		if err != nil || string(got.Doc) != doc {
			t.Errorf("%s: %s, %v", src, got.Doc, err)
		}
	}
	// A schema that says nothing of other names does not mean them either.
	got, err := schema.MustParse(`{"type":"object","properties":{"path":{"type":"string"}}}`).Fit([]byte(`{"file":"a"}`))
	if err != nil || string(got.Doc) != `{"path":"a"}` {
		t.Errorf("open object: %s, %v", got.Doc, err)
	}
}

func TestFitFollowsReferences(t *testing.T) {
	s := schema.MustParse(`{"$defs":{"node":{"type":"object","properties":{"max_size":{"type":"integer"},"sub":{"$ref":"#/$defs/node"}},"additionalProperties":false}},"$ref":"#/$defs/node"}`)
	got, err := s.Fit([]byte(`{"sub":{"sub":{"maxSize":"3"}}}`))
	if err != nil || string(got.Doc) != `{"sub":{"sub":{"max_size":3}}}` {
		t.Errorf("%s, %v", got.Doc, err)
	}
}

func TestFitShowsWhatItDidWhenItFails(t *testing.T) {
	s := schema.MustParse(editSchema)
	got, err := s.Fit([]byte(`{"file_path":"a","limit":"5"}`))
	if err == nil || string(got.Doc) != `{"path":"a","limit":5}` || len(got.Changes) != 2 {
		t.Errorf("%s, %v, %v", got.Doc, got.Changes, err)
	}
}

// fitCorpus are schemas and documents for the property test and the fuzzers.
var fitCorpus = []struct{ schema, doc string }{
	{editSchema, `{"file_path":"a","oldText":"b","new_string":["c"],"limit":"5"}`},
	{editSchema, `"{\"path\":\"a\"}"`},
	{orderSchema, orderArgs},
	{`{"type":"object","properties":{"a":{"type":"object","default":{},"properties":{"b":{"default":{"c":"1"},"properties":{"c":{"type":"string"},"d":{"default":[]}}}}}}}`, `{}`},
	{`{"$defs":{"n":{"type":"object","default":{},"properties":{"n":{"$ref":"#/$defs/n","default":{}}}}},"$ref":"#/$defs/n"}`, `{}`},
	{`{"properties":{"a":{"default":1}},"maxProperties":1}`, `{"b":2}`},
	{`{"properties":{"max_size":{"type":"integer"},"maxSize":{"type":"string"}},"additionalProperties":false}`, `{"max-size":1}`},
	{`{"type":"array","items":{"type":"array","items":{"type":"integer"}}}`, `"5"`},
	{`{"anyOf":[{"type":"object","properties":{"op":{"const":"a"},"n":{"type":"integer"}},"required":["op","n"]},{"type":"object","properties":{"op":{"const":"b"}}}]}`, `{"op":"a","n":"5"}`},
	{`{"allOf":[{"properties":{"a":{"type":"integer"}}},{"properties":{"b":{"type":"boolean","default":true}}}]}`, `{"a":"1"}`},
	{`{"oneOf":[{"type":"integer"},{"type":"number","minimum":5}]}`, `"3"`},
	{`{"type":["string","array"],"items":{"type":"string"}}`, `5`},
	{`{"not":{"required":["x"]},"properties":{"x":{"default":1}}}`, `{}`},
	{`{"type":"object","properties":{"text":{"type":"string"}},"unevaluatedProperties":false}`, `{"Text":"x"}`},
	{`{"if":{"required":["a"]},"then":{"required":["b"]},"properties":{"a":{"default":1},"b":{"type":"string"}}}`, `{"b":"x"}`},
	{`{"type":"object","properties":{"path":{"type":"string"},"content":{"type":"string"}}}`, `{"file":"a","filePath":"b","text":[{"type":"text","text":[{"type":"text","text":"deep"}]}]}`},
	{`{"$schema":"http://json-schema.org/draft-07/schema#","definitions":{"p":{"type":"integer"}},"properties":{"a":{"$ref":"#/definitions/p"}},"dependencies":{"a":["b"]}}`, `{"a":"1","b":2}`},
	{`{"type":"array","uniqueItems":true,"minItems":2,"items":{"enum":[1,2,"x",{"a":1}]}}`, `[1.0,1]`},
}

func checkFit(t *testing.T, s *schema.Schema, doc []byte) {
	given := string(doc)
	first, err := s.Fit(doc)
	if string(doc) != given {
		t.Fatalf("Fit wrote into its argument: %q became %q", given, doc)
	}
	if err != nil {
		if _, ok := err.(*schema.Invalid); !ok {
			t.Fatalf("%s: %q: error is %T", s.JSON(), doc, err)
		}
		if s.Check(doc) == nil {
			t.Fatalf("%s: Fit refuses %q, which fits: %v", s.JSON(), doc, err)
		}
		if text := schema.Explain("t", s, doc, err); len(text) > 1500 {
			t.Fatalf("explanation of %d bytes", len(text))
		}
		return
	}
	if err := s.Check(first.Doc); err != nil {
		t.Fatalf("%s: Fit makes %q of %q, which does not fit: %v", s.JSON(), first.Doc, doc, err)
	}
	if (len(first.Changes) == 0) != (string(first.Doc) == given) && len(first.Changes) == 0 {
		t.Fatalf("%s: %q became %q without a word", s.JSON(), given, first.Doc)
	}
	if s.Check(doc) == nil {
		for _, c := range first.Changes {
			switch c.Kind {
			case schema.ChangeDefault, schema.ChangeRenamed, schema.ChangeAlias, schema.ChangeConflict:
			default:
				t.Fatalf("%s: %q fits, yet Fit did %+v", s.JSON(), doc, c)
			}
		}
	}
	second, err := s.Fit(first.Doc)
	if err != nil || len(second.Changes) != 0 || string(second.Doc) != string(first.Doc) {
		t.Fatalf("%s: Fit is not idempotent: %q, then %q, then %q (%v, %v)", s.JSON(), doc, first.Doc, second.Doc, second.Changes, err)
	}
}

func TestFitIsIdempotentAndModest(t *testing.T) {
	var docs []string
	for _, c := range fitCorpus {
		docs = append(docs, c.doc)
	}
	docs = append(docs, ``, `null`, `true`, `5`, `"5"`, `"x"`, `[]`, `[[1]]`, `{"a":1,"b":"2"}`, `{"maxSize":"5"}`, `{"path":"a","file":"b"}`, `{"x":1}`, `{"n":{"n":{}}}`)
	for _, c := range fitCorpus {
		s, err := schema.Parse([]byte(c.schema))
		if err != nil {
			t.Fatalf("%s: %v", c.schema, err)
		}
		for _, doc := range docs {
			checkFit(t, s, []byte(doc))
		}
	}
}

func FuzzFit(f *testing.F) {
	for _, c := range fitCorpus {
		f.Add(c.schema, []byte(c.doc))
	}
	f.Fuzz(func(t *testing.T, src string, doc []byte) {
		s, err := schema.Parse([]byte(src))
		if err != nil || json.Valid([]byte(src)) == false {
			return
		}
		checkFit(t, s, doc)
	})
}
