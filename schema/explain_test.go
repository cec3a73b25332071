package schema_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/toolpost/toolpost/schema"
)

const edits = `{"type":"object","additionalProperties":false,"required":["path","edits"],"properties":{
	"path":{"type":"string"},"encoding":{"type":"string","enum":["utf-8","latin-1"]},"dry_run":{"type":"boolean"},
	"limit":{"type":"integer","minimum":1},
	"edits":{"type":"array","minItems":1,"items":{"anyOf":[
		{"type":"object","required":["op","at","text"],"properties":{"op":{"const":"insert"},"at":{"type":"object","required":["line","col"],"properties":{"line":{"type":"integer","minimum":1},"col":{"type":"integer"}}},"text":{"type":"string"}}},
		{"type":"object","required":["op","from","to"],"properties":{"op":{"const":"delete"},"from":{"type":"integer"},"to":{"type":"integer"}}}]}}}}`

func TestProblems(t *testing.T) {
	s := schema.MustParse(edits)
	type problem struct{ Pointer, Rule, Message, Got, Nearest string }
	for _, c := range []struct {
		name, doc string
		want      []problem
	}{
		{"a wrong type", `{"path":1,"edits":"x"}`, []problem{
			{"/path", "type", `expected string, got integer 1`, `1`, ""},
			{"/edits", "type", `expected array, got string "x"`, `"x"`, ""},
		}},
		{"missing properties", `{}`, []problem{{"", "required", `"path" required`, "", ""}, {"", "required", `"edits" required`, "", ""}}},
		{"an unknown property", `{"path":"a","edits":[{"op":"delete","from":1,"to":2}],"dryrun":true}`, []problem{{"/dryrun", "additionalProperties", "unknown property", "true", "dry_run"}}},
		{"an enum", `{"path":"a","edits":[{"op":"delete","from":1,"to":2}],"encoding":"utf8"}`, []problem{{"/encoding", "enum", `must be one of "utf-8", "latin-1", got "utf8"`, `"utf8"`, "utf-8"}}},
		{"a variant is chosen by its constant", `{"path":"a","edits":[{"op":"insert","at":{"line":0},"text":5}]}`, []problem{{
			"/edits/0", "anyOf",
			`(variant op="insert") /edits/0/at: "col" required; /edits/0/at/line: must be at least 1, got 0; /edits/0/text: expected string, got integer 5`,
			`{"op":"insert","at":{"line":0},"text":5}`, "",
		}}},
		{"a bound", `{"path":"a","edits":[],"limit":0}`, []problem{
			{"/edits", "minItems", "needs at least 1 items, got 0", "[]", ""},
			{"/limit", "minimum", "must be at least 1, got 0", "0", ""},
		}},
		{"no JSON", `{"path":"a`, []problem{{"", "json", `invalid JSON at line 1, column 11: the text ends inside a string; received {"path":"a`, `{"path":"a`, ""}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			err, ok := s.Check([]byte(c.doc)).(*schema.Invalid)
			if !ok {
				t.Fatal("accepted")
			}
			var got []problem
			for _, p := range err.Problems {
				got = append(got, problem{p.Pointer, p.Rule, p.Message, p.Got, p.Nearest})
				if p.Rule != "json" && len(p.Part) == 0 {
					t.Errorf("%s has no part of the schema", p)
				}
			}
			if diff := cmp.Diff(got, c.want); diff != "" {
				t.Errorf("(-got +want)\n%s", diff)
			}
		})
	}
}

func TestSecretsAreNotShown(t *testing.T) {
	for _, src := range []string{
		`{"type":"object","properties":{"key":{"type":"string","format":"password","pattern":"^k"}},"additionalProperties":false}`,
		`{"type":"object","properties":{"key":{"enum":["k"],"writeOnly":true}},"additionalProperties":false}`,
		`{"type":"object","properties":{"key":{"$ref":"#/$defs/s"}},"$defs":{"s":{"type":"integer","writeOnly":true}}}`,
	} {
		s := schema.MustParse(src)
		for _, doc := range []string{`{"key":"hunter2"}`, `{"kye":"hunter2"}`, `"{\"key\":\"hunter2\"}"`, `["hunter2"]`} {
			fitted, err := s.Fit([]byte(doc))
			if err == nil {
				continue
			}
			invalid := err.(*schema.Invalid)
			for _, p := range invalid.Problems {
				if strings.Contains(p.Got, "hunter2") {
					t.Errorf("%s: %s: Got is %s", src, doc, p.Got)
				}
			}
			told := schema.Explain("t", s, []byte(doc), err) + fmt.Sprint(fitted.Changes)
			if strings.Contains(told, "hunter2") {
				t.Errorf("%s: %s: %s", src, doc, told)
			}
		}
	}
}

func TestProblemsOfUnionsOfTypes(t *testing.T) {
	for _, c := range []struct{ schema, doc, want string }{
		{`{"anyOf":[{"type":"string"},{"type":"null"}]}`, `true`, `expected null or string, got boolean true`},
		{`{"oneOf":[{"type":"integer"},{"minimum":1}]}`, `5`, `fits more than one variant (1, 2) where exactly one is allowed`},
		{`{"not":{"type":"string"}}`, `"a"`, `must not fit {"type":"string"}, got "a"`},
		{`{"type":["integer","string"]}`, `null`, `expected integer or string, got null`},
		{`false`, `1`, `no value is allowed here`},
		{`{"properties":{"a":false}}`, `{"a":1}`, `/a: no value is allowed here`},
		{`{"dependentRequired":{"a":["b"]}}`, `{"a":1}`, `"b" required beside "a"`},
		{`{"uniqueItems":true}`, `[1,2,1.0]`, `items must differ, but 0 and 2 are equal`},
		{`{"unevaluatedProperties":false,"properties":{"a":{}}}`, `{"b":1}`, `/b: unknown property`},
		{`{"$defs":{"s":{"type":"string"}},"items":{"$ref":"#/$defs/s"}}`, `["a",1]`, `/1: expected string, got integer 1`},
		{`{"contains":{"type":"string"}}`, `[1]`, `no items match contains schema`},
	} {
		err := schema.MustParse(c.schema).Check([]byte(c.doc))
		if err == nil || err.Error() != c.want {
			t.Errorf("%s: %s: got %v, want %s", c.schema, c.doc, err, c.want)
		}
	}
}

func ExampleExplain() {
	s := schema.MustParse(edits)
	args := []byte(`{"path":"a.txt","limit":"many","extra":1,"edits":[{"op":"insert","at":{"line":0},"text":5}]}`)
	_, err := s.Fit(args)
	fmt.Println(schema.Explain("edit_file", s, args, err))
	// Output:
	// Tool "edit_file" was not run: the arguments do not match its schema.
	// 1. /limit: expected integer, got string "many".
	// 2. /extra: unknown property. Known properties: path, encoding, dry_run, limit, edits.
	// 3. /edits/0: (variant op="insert") /edits/0/at: "col" required; /edits/0/at/line: must be at least 1, got 0; /edits/0/text: expected string, got integer 5.
	// Send the complete call again with all arguments. Valid example: {"path":"…","edits":[{"op":"insert","at":{"line":1,"col":1},"text":"…"}]}
}

func TestExplainStaysShort(t *testing.T) {
	s := schema.MustParse(`{"type":"object","additionalProperties":false,"properties":{"path":{"type":"string"}}}`)
	var b strings.Builder
	for i := range 300 {
		fmt.Fprintf(&b, `,"%s%d":1`, strings.Repeat("ü", 50), i)
	}
	doc := []byte("{" + b.String()[1:] + "}")
	text := schema.Explain("t", s, doc, s.Check(doc))
	if len(text) > 1500 || !strings.Contains(text, "more problems.") || strings.ToValidUTF8(text, "") != text {
		t.Errorf("%d bytes: %s", len(text), text)
	}
	broken := []byte(`{"path":"` + strings.Repeat("x", 5<<20))
	if text := schema.Explain("t", s, broken, s.Check(broken)); len(text) > 1500 || !strings.Contains(text, "not valid JSON") {
		t.Errorf("%d bytes: %s", len(text), text)
	}
}

func TestExamplesFit(t *testing.T) {
	for _, c := range []struct{ schema, want string }{
		{orderSchema, `{"order_id":"ord-0","customer":"…","priority":"low","quantity":1,"price":1,"express":true,"tags":[],"currency":"………","address":{"street":"…","city":"…","zip":"…","country":"……"}}`},
		{`{"type":"object","required":["a","b","c","d"],"properties":{"a":{"const":7},"b":{"examples":["x","y"],"type":"string"},"c":{"default":3},"d":{"type":"integer","exclusiveMinimum":7,"multipleOf":5}}}`, `{"a":7,"b":"x","c":3,"d":10}`},
		{`{"type":"array","minItems":2,"uniqueItems":true,"items":{"type":"string"}}`, `["…","…0"]`},
		{`{"type":"object","required":["v"],"properties":{"v":{"oneOf":[{"type":"null"},{"type":"string"}]}}}`, `{"v":"…"}`},
		{`{"type":"string","format":"date-time"}`, `"2026-01-31T12:00:00Z"`},
		{`{"type":"string","pattern":"^[A-Z]{3}-(foo|bar)\\.txt$"}`, `"AAA-foo.txt"`},
		{`{"type":"string","pattern":"^(?=.*[0-9]).{30}$"}`, ``},
		{`false`, ``},
		{`{"$defs":{"n":{"type":"object","required":["n"],"properties":{"n":{"$ref":"#/$defs/n"}}}},"$ref":"#/$defs/n"}`, ``},
		{`{"allOf":[{"required":["a"],"properties":{"a":{"type":"string"}}},{"required":["b"],"properties":{"b":{"type":"integer"}}}]}`, `{"a":"…","b":1}`},
		{`{"type":"object","anyOf":[{"required":["a"]},{"required":["b"]}],"properties":{"a":{"type":"string"},"b":{"type":"integer"}}}`, `{"a":"…"}`},
	} {
		s := schema.MustParse(c.schema)
		if got := string(s.Example()); got != c.want {
			t.Errorf("%s: got %s, want %s", c.schema, got, c.want)
		}
	}
}
