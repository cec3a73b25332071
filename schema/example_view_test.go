package schema_test

import (
	"fmt"

	"github.com/toolpost/toolpost/schema"
)

// A union at the root is refused by every provider; it becomes one object, and
// what each variant needs is said in words.
func ExampleNormalize() {
	s := schema.MustParse(`{"anyOf":[
		{"type":"object","properties":{"action":{"const":"show"},"url":{"type":"string"}},"required":["action"]},
		{"type":"object","properties":{"action":{"const":"eval"},"code":{"type":"string"}},"required":["action","code"]}]}`)
	d, err := schema.DialectNamed("openai")
	if err != nil {
		panic(err)
	}
	v, err := schema.Normalize(s, d)
	if err != nil {
		panic(err)
	}
	fmt.Println(string(v.Schema))
	fmt.Println(v.Describe("Steer a canvas."))
	fmt.Println(v.Losses[0])
	// Output:
	// {"properties":{"action":{"enum":["show","eval"],"type":"string"},"url":{"type":"string"},"code":{"type":"string"}},"required":["action"],"type":"object"}
	// Steer a canvas.
	// Arguments: action "show" needs nothing more; action "eval" needs code.
	// (root) anyOf: moved_to_text
}

// Under a strict dialect every property is required; what the author left
// optional comes back as null, which Restore takes out before the arguments are
// checked against the author's schema.
func ExampleView_Restore() {
	s := schema.MustParse(`{"type":"object","properties":{"path":{"type":"string"},"limit":{"type":"integer"}},"required":["path"],"additionalProperties":false}`)
	d, err := schema.DialectNamed("openai-strict")
	if err != nil {
		panic(err)
	}
	v, err := schema.Normalize(s, d)
	if err != nil {
		panic(err)
	}
	args := v.Restore([]byte(`{"path":"go.mod","limit":null}`))
	fmt.Println(string(args), s.Check(args))
	// Output: {"path":"go.mod"} <nil>
}

// A conversation that began elsewhere is told to a provider in the provider's
// own words.
func ExampleView_Express() {
	s := schema.MustParse(`{"type":"object","properties":{"$filter":{"type":"string"},"level":{"enum":[1,2]}}}`)
	d, err := schema.DialectNamed("gemini-parameters")
	if err != nil {
		panic(err)
	}
	v, err := schema.Normalize(s, d)
	if err != nil {
		panic(err)
	}
	fmt.Println(string(v.Express([]byte(`{"$filter":"x","level":2}`))))
	// Output: {"_filter":"x","level":"2"}
}

// The dialects are data: a copy may be changed.
func ExampleDialectNamed() {
	d, err := schema.DialectNamed("gemini")
	if err != nil {
		panic(err)
	}
	fmt.Println(d.Keywords.Of("pattern"), d.Properties)
	d.Keywords = d.Keywords.With(schema.Used, "pattern")
	fmt.Println(d.Keywords.Of("pattern"))
	_, err = schema.DialectNamed("bedrok")
	fmt.Println(err != nil)
	// Output:
	// refused ^[A-Za-z_][A-Za-z0-9_]{0,63}$
	// used
	// true
}

// Twenty strict tools is what Anthropic takes in one request; the first ones
// keep it.
func ExampleDialect_Ration() {
	d, err := schema.DialectNamed("anthropic-strict")
	if err != nil {
		panic(err)
	}
	d.MaxStrictTools = 1
	s := schema.MustParse(`{"type":"object","properties":{},"additionalProperties":false}`)
	v, err := schema.Normalize(s, d)
	if err != nil {
		panic(err)
	}
	for _, v := range d.Ration([]schema.View{v, v}) {
		fmt.Printf("%v %q\n", v.Strict, v.NotStrict)
	}
	// Output:
	// true ""
	// false "the tools before it use up what anthropic-strict takes of strict ones"
}

func ExampleRepair() {
	for _, text := range []string{
		"```json\n{\"pattern\": \"^\\d+$\", \"all\": True,}\n```",
		`{"path": "src/ma`,
	} {
		fixed, what, ok := schema.Repair([]byte(text))
		fmt.Println(ok, string(fixed), what)
	}
	// Output:
	// true {"pattern": "^\\d+$", "all": true} [code fence stripped invalid escapes doubled Python literals written as JSON trailing commas dropped]
	// false {"path": "src/ma []
}

func ExampleLint() {
	gemini, err := schema.DialectNamed("gemini")
	if err != nil {
		panic(err)
	}
	findings := schema.Lint(schema.Described{
		Name:        "find",
		Description: "Find files by name.",
		Input:       schema.MustParse(`{"type":"object","properties":{"glob":{"type":"string","minLength":1}},"required":["glob"]}`),
	}, []schema.Dialect{gemini})
	for _, f := range findings {
		fmt.Println(f)
	}
	// Output:
	// warning described /properties/glob: "glob" has no description
	// note lossy /properties/glob: minLength is moved to text (gemini)
}
