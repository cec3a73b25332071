package schema_test

import (
	"fmt"
	"reflect"

	"github.com/toolpost/toolpost/schema"
)

func ExampleParse() {
	s, err := schema.Parse([]byte(`{
		"type": "object",
		"required": ["path"],
		"properties": {"path": {"type": "string"}, "limit": {"type": "integer", "minimum": 1}},
		"additionalProperties": false
	}`))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(s.Check([]byte(`{"path":"a.txt"}`)))
	fmt.Println(s.Check([]byte(`{"pth":"a.txt","limit":0}`)))
	// Output:
	// <nil>
	// "path" required; /pth: unknown property; did you mean "path"?; /limit: must be at least 1, got 0
}

func ExampleFor() {
	type args struct {
		Path  string `json:"path" desc:"the file to read" min:"1"`
		Limit int    `json:"limit" min:"1" max:"5000" default:"200"`
	}
	s, err := schema.For[args]()
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(string(s.JSON()))
	fitted, err := s.Fit([]byte(`{"file_path":"a.txt"}`))
	fmt.Println(string(fitted.Doc), err)
	// Output:
	// {"type":"object","properties":{"path":{"type":"string","minLength":1,"description":"the file to read"},"limit":{"type":"integer","minimum":1,"maximum":5000,"default":200}},"required":["path"],"additionalProperties":false}
	// {"path":"a.txt","limit":200} <nil>
}

func ExampleSchema_Fit() {
	s := schema.MustParse(`{"type":"object","required":["path"],"additionalProperties":false,
		"properties":{"path":{"type":"string"},"max_depth":{"type":"integer"},"tags":{"type":"array","items":{"type":"string"}}}}`)
	fitted, err := s.Fit([]byte(`{"filePath":"src","maxDepth":"3","tags":"go"}`))
	fmt.Println(string(fitted.Doc), err)
	for _, c := range fitted.Changes {
		fmt.Printf("%s %s: %s became %s\n", c.Pointer, c.Kind, c.From, c.To)
	}
	// Output:
	// {"path":"src","max_depth":3,"tags":["go"]} <nil>
	// /path alias: filePath became path
	// /max_depth renamed: maxDepth became max_depth
	// /max_depth coerced: "3" became 3
	// /tags coerced: "go" became ["go"]
}

func ExampleSchema_Check() {
	s := schema.MustParse(`{"type":"object","properties":{"limit":{"type":"integer"}}}`)
	err, _ := s.Check([]byte(`{"limit":"200"}`)).(*schema.Invalid)
	for _, p := range err.Problems {
		fmt.Printf("%s breaks %s (%s): %s\n", p.Pointer, p.Rule, p.Part, p.Message)
	}
	// Output: /limit breaks type ("integer"): expected integer, got string "200"
}

func ExampleSchema_Unchecked() {
	s := schema.MustParse(`{"type":"string","pattern":"(?<broken"}`)
	fmt.Println(s.Unchecked(), s.Check([]byte(`"anything"`)))
	// Output: [(?<broken] <nil>
}

func ExampleSchema_Example() {
	s := schema.MustParse(`{"type":"object","required":["op","n"],"properties":{"op":{"enum":["add","del"]},"n":{"type":"integer","minimum":10},"note":{"type":"string"}}}`)
	fmt.Println(string(s.Example()))
	// Output: {"op":"add","n":10}
}

func ExampleParser() {
	src := []byte(`{"type":"string","format":"date"}`)
	noted, _ := schema.Parse(src)
	asserted, _ := schema.Parser{Formats: schema.FormatsAsserted}.Parse(src)
	fmt.Println(noted.Check([]byte(`"soon"`)))
	fmt.Println(asserted.Check([]byte(`"soon"`)))
	// Output:
	// <nil>
	// must be a valid date, got "soon"
}

func ExampleNearest() {
	fmt.Println(schema.Nearest("raed_file", []string{"write_file", "read_file", "exec_shell"}, 1))
	fmt.Println(schema.Nearest("readFile", []string{"write_file", "read_file", "exec_shell"}, 3))
	fmt.Println(schema.Nearest("zzz", []string{"write_file"}, 3))
	// Output:
	// [read_file]
	// [read_file]
	// []
}

func ExampleStringEnum() {
	fmt.Println(string(schema.StringEnum("how to sort", "name", "size")))
	fmt.Println(string(schema.OptionalStringEnum("", "name", "size")))
	// Output:
	// {"type":"string","description":"how to sort","enum":["name","size"]}
	// {"type":["string","null"],"enum":["name","size",null]}
}

func ExampleDecode() {
	var in struct {
		Limit int `json:"limit"`
	}
	err := schema.Decode([]byte(`{"limit":2e2}`), &in)
	fmt.Println(in.Limit, err)
	// Output: 200 <nil>
}

func ExampleEncode() {
	b, err := schema.Encode(map[string]int{"b": 1, "a": 2})
	fmt.Println(string(b), err)
	// Output: {"a":2,"b":1} <nil>
}

func ExampleCanonical() {
	b, err := schema.Canonical([]byte(`{"b": 1.0, "a": "\u00e9"}`))
	fmt.Println(string(b), err)
	// Output: {"a":"é","b":1} <nil>
}

func ExampleOf() {
	s, err := schema.Of(reflect.TypeFor[[]bool]())
	fmt.Println(string(s.JSON()), err)
	// Output: {"type":"array","items":{"type":"boolean"}} <nil>
}

func ExampleHash() {
	a, _ := schema.Hash([]byte(`{"b":1.0,"a":2}`))
	b, _ := schema.Hash([]byte(`{"a":2,"b":1}`))
	fmt.Println(a == b)
	// Output: true
}
