package plan

import (
	"encoding/json"
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestTemplatesAreFoundWhereverTheyStand(t *testing.T) {
	doc := `{ "a" : "$steps.x.y" , "b":["plain", {"c/d~":"{item}"}, [], {} , -1.5e3,true,null ], "{key}": "\u007bitem}", "e":"a\"}}\\" }`
	var got []string
	for _, l := range literals(json.RawMessage(doc), "{}$") {
		got = append(got, l.pointer+" "+l.text+" "+doc[l.start:l.end])
	}
	want := []string{
		`/a $steps.x.y "$steps.x.y"`,
		`/b/1/c~1d~0 {item} "{item}"`,
		`/{key} {item} "\u007bitem}"`,
		`/e a"}}\ "a\"}}\\"`,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// Strings are found as a decoder finds them, and a document is put together again
// as it was.
func FuzzArguments(f *testing.F) {
	for _, s := range []string{`{"a":"{b}","c":["$d",{"e":"}}"}]}`, `[]`, `"$"`, ` { } `, `{"a":"\u0024","b":"\\","c":"\"{"}`, `{"":{"":["{"]}}`, "\"\xff{\""} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, doc []byte) {
		found := literals(doc, "{}$")
		if !json.Valid(doc) {
			if found != nil {
				t.Fatalf("%q is no JSON and has %d strings", doc, len(found))
			}
			return
		}
		a := arguments{raw: doc}
		for _, l := range found {
			var s string
			if err := json.Unmarshal(doc[l.start:l.end], &s); err != nil {
				t.Fatalf("%q: %q is no string: %v", doc, doc[l.start:l.end], err)
			}
			a.templates = append(a.templates, argument{literal: l})
		}
		back, err := a.with(func(l argument) (json.RawMessage, error) { return doc[l.start:l.end], nil })
		if err != nil || string(back) != string(doc) {
			t.Fatalf("%q became %q (%v)", doc, back, err)
		}
		blank, err := a.with(func(argument) (json.RawMessage, error) { return json.RawMessage(`0`), nil })
		if err != nil || !json.Valid(blank) || len(literals(blank, "{}$")) > 0 {
			t.Fatalf("%q with 0 for each template is %q (%v)", doc, blank, err)
		}
	})
}

// The made-up values are the short way to say that nothing is wrong: they must
// never hide what the long way finds.
func TestAReferenceIsJudgedByTheTypeThatIsWantedThere(t *testing.T) {
	var s shape
	err := json.Unmarshal([]byte(`{"type":"object","properties":{"n":{"type":"integer","minimum":3},"s":{"type":"string"},"e":{"enum":["a","b"]},
		"b":{"type":"boolean"},"l":{"type":"array","items":{"type":"object","properties":{"x":{"type":"number"}}}}}}`), &s)
	if err != nil {
		t.Fatal(err)
	}
	for pointer, want := range map[string]string{"/n": "3", "/s": "", "/e": `"a"`, "/b": "false", "/l": "[]", "/l/7/x": "0", "/no": "", "/no/such": "", "/n/x": ""} {
		if got := s.at(pointer).value(); got != want {
			t.Errorf("%s: %q, want %q", pointer, got, want)
		}
	}
	if err := json.Unmarshal([]byte(`{"type":["object","null"]}`), new(shape)); errors.As(err, new(*json.SyntaxError)) || err == nil {
		t.Errorf("a schema that a shape cannot hold is read: %v", err)
	}
}
