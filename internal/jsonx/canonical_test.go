package jsonx_test

import (
	"fmt"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/toolpost/toolpost/internal/jsonx"
)

func ExampleCanonical() {
	b, err := jsonx.Canonical([]byte(`{ "b": 1.0, "a": [1e2, "\u00e9"] }`))
	fmt.Println(string(b), err)
	_, err = jsonx.Canonical([]byte(`[1e400]`))
	fmt.Println(err)
	// Output:
	// {"a":[100,"é"],"b":1} <nil>
	// invalid JSON at line 1, column 2: number 1e400 is out of the range of a double
}

func ExampleHash() {
	a, _ := jsonx.Hash([]byte(`{"id":9007199254740992}`))
	b, _ := jsonx.Hash([]byte(`{"id":9007199254740993}`))
	c, _ := jsonx.Hash([]byte(` {"id" : 9007199254740993.0} `))
	fmt.Println(a == b, b == c)
	// Output: false true
}

// TestCanonicalOfTheRFC is the example of RFC 8785 §3.2.2 and the sorting of
// §3.2.3.
func TestCanonicalOfTheRFC(t *testing.T) {
	for _, c := range []struct{ name, in, want string }{
		{
			"§3.2.2", "{\"numbers\":[333333333.33333329,1E30,4.50,2e-3,0.000000000000000000000000001],\"string\":\"\\u20ac$\\u000F\\u000aA'\\u0042\\u0022\\u005c\\\\\\\"\\/\",\"literals\":[null,true,false]}",
			"{\"literals\":[null,true,false],\"numbers\":[333333333.3333333,1e+30,4.5,0.002,1e-27],\"string\":\"€$\\u000f\\nA'B\\\"\\\\\\\\\\\"/\"}",
		},
		{
			"§3.2.3", "{\"\\u20ac\":\"Euro Sign\",\"\\r\":\"Carriage Return\",\"\\ufb33\":\"Hebrew Letter Dalet With Dagesh\",\"1\":\"One\",\"\\ud83d\\ude00\":\"Emoji: Grinning Face\",\"\\u0080\":\"Control\",\"\\u00f6\":\"Latin Small Letter O With Diaeresis\"}",
			"{\"\\r\":\"Carriage Return\",\"1\":\"One\",\"\u0080\":\"Control\",\"ö\":\"Latin Small Letter O With Diaeresis\",\"€\":\"Euro Sign\",\"😀\":\"Emoji: Grinning Face\",\"\ufb33\":\"Hebrew Letter Dalet With Dagesh\"}",
		},
		{"minus zero", `-0`, `0`},
		{"the largest double", `1.7976931348623157e308`, `1.7976931348623157e+308`},
		{"the smallest double", `5e-324`, `5e-324`},
		{"where exponents begin", `[1e21,1e20,1e-6,1e-7]`, `[1e+21,100000000000000000000,0.000001,1e-7]`},
	} {
		got, err := jsonx.Canonical([]byte(c.in))
		if err != nil || string(got) != c.want {
			t.Errorf("%s: got %s (%v), want %s", c.name, got, err, c.want)
		}
	}
}

func FuzzCanonical(f *testing.F) {
	for _, s := range seeds {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		got, err := jsonx.Canonical(b)
		if err != nil {
			return
		}
		want := jsontext.Value(append([]byte(nil), b...))
		if err := want.Canonicalize(); err != nil {
			t.Fatalf("the oracle refuses %q: %v", b, err)
		}
		if string(got) != string(want) {
			t.Errorf("Canonical(%q) = %s, want %s", b, got, want)
		}
		if again, err := jsonx.Canonical(got); err != nil || string(again) != string(got) {
			t.Errorf("Canonical(%s) = %s (%v): not stable", got, again, err)
		}
		h1, err1 := jsonx.Hash(b)
		h2, err2 := jsonx.Hash(jsonx.AppendCompact(nil, b))
		if h1 != h2 || err1 != nil || err2 != nil {
			t.Errorf("Hash(%q) depends on white space: %s (%v), %s (%v)", b, h1, err1, h2, err2)
		}
	})
}
