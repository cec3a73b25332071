package jsonx_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"

	"github.com/toolpost/toolpost/internal/jsonx"
)

func ExampleCheck() {
	fmt.Println(jsonx.Check([]byte(`{"path":"a.txt"}`)))
	fmt.Println(jsonx.Check([]byte("{\"path\":\"a.txt\",\n \"path\":\"b.txt\"}")))
	// Output:
	// <nil>
	// invalid JSON at line 2, column 2: duplicate name "path"
}

func ExampleUnmarshal() {
	var v struct {
		Path string `json:"path"`
	}
	err := jsonx.Unmarshal([]byte(`{"Path":"a","path":"b","more":1}`), &v)
	fmt.Println(v.Path, err)
	err = jsonx.UnmarshalStrict([]byte(`{"more":1}`), &v)
	fmt.Println(err != nil)
	// Output:
	// b <nil>
	// true
}

func ExampleMarshal() {
	b, err := jsonx.Marshal(map[string]int{"b": 2, "a": 1})
	fmt.Println(string(b), err)
	// Output: {"a":1,"b":2} <nil>
}

func TestCheckRefuses(t *testing.T) {
	for _, c := range []struct {
		name, text, msg string
		offset          int
	}{
		{"nothing", "", "the text is empty", 0},
		{"white space", " \n", "the text is empty", 2},
		{"two values", `{} {}`, "more text after the value", 3},
		{"a duplicate name", `{"a":1,"a":2}`, `duplicate name "a"`, 7},
		{"a duplicate name in disguise", `{"a":1,"\u0061":2}`, `duplicate name "\u0061"`, 7},
		{"a duplicate name far below", `[{"x":{"a":1,"b":2,"a":3}}]`, `duplicate name "a"`, 19},
		{"a byte that is not UTF-8", "\"a\xff\"", "invalid UTF-8 in a string", 2},
		{"an encoded surrogate", "\"\xed\xa0\x80\"", "invalid UTF-8 in a string", 1},
		{"a lone first surrogate", `"\ud83d"`, "lone surrogate in a string", 1},
		{"a lone second surrogate", `"\ude00"`, "lone surrogate in a string", 1},
		{"a control character", "\"a\nb\"", "control character in a string: write it as an escape", 2},
		{"a text that was cut off", `{"a":[1,`, "the text ends where a value should stand", 8},
		{"a trailing comma", `[1,]`, "comma before ]", 3},
		{"a comma before a brace", `{"a":1,}`, "comma before }", 7},
		{"a leading zero", `007`, "a number must not begin with 0", 1},
		{"a bare point", `1.`, "a number needs a digit after its point", 2},
		{"a word", `NaN`, `no value begins with 'N'`, 0},
		{"a capital word", `[True]`, `no value begins with 'T'`, 1},
		{"single quotes", `{'a':1}`, `expected a name in quotes, found '\''`, 1},
		{"an exponent nobody means", `1e1001`, "number out of range: at most 1,000 digits and an exponent within ±1,000", 0},
		{"a byte order mark", "\xef\xbb\xbf{}", `no value begins with '\ufeff'`, 0},
	} {
		err, ok := errors.AsType[*jsonx.SyntaxError](jsonx.Check([]byte(c.text)))
		if !ok {
			t.Errorf("%s: accepted", c.name)
			continue
		}
		if diff := cmp.Diff([]any{err.Msg, err.Offset}, []any{c.msg, c.offset}); diff != "" {
			t.Errorf("%s: (-got +want)\n%s", c.name, diff)
		}
	}
}

func TestCheckCountsLevels(t *testing.T) {
	deep := func(n int) []byte { return []byte(strings.Repeat("[", n) + strings.Repeat("]", n)) }
	if err := jsonx.Check(deep(jsonx.MaxDepth)); err != nil {
		t.Errorf("%d levels: %v", jsonx.MaxDepth, err)
	}
	if err := jsonx.Check(deep(jsonx.MaxDepth + 1)); err == nil {
		t.Errorf("%d levels are accepted", jsonx.MaxDepth+1)
	}
	if err := jsonx.Check(deep(1 << 20)); err == nil {
		t.Error("a million levels are accepted")
	}
}

func TestCheckFindsDuplicatesAmongMany(t *testing.T) {
	var b strings.Builder
	for i := range 5000 {
		fmt.Fprintf(&b, `,"k%d":{"k%d":0,"k1":1}`, i, i+2)
	}
	good := "{" + b.String()[1:] + "}"
	if err := jsonx.Check([]byte(good)); err != nil {
		t.Fatal(err)
	}
	if err := jsonx.Check([]byte(good[:len(good)-1] + `,"k4321":0}`)); err == nil {
		t.Error("a duplicate of one name in 5,000 is accepted")
	}
}

func TestCheckDoesNotAllocate(t *testing.T) {
	doc := []byte(`{"a":[1,2.5,-3e2,true,null],"b":{"c":"text \u00e9 é","d":{}},"e":""}`)
	n := fewestAllocs(func() {
		if jsonx.Check(doc) != nil {
			t.Fatal("refused")
		}
	})
	if n != 0 {
		t.Errorf("Check allocates %v times", n)
	}
}

// fewestAllocs is how often f allocates at least: the race detector has a
// sync.Pool lose things at random, so that a single measure says too much.
func fewestAllocs(f func()) float64 {
	fewest := testing.AllocsPerRun(10, f)
	for range 20 {
		fewest = min(fewest, testing.AllocsPerRun(10, f))
	}
	return fewest
}

var seeds = []string{
	`{}`, `[]`, `null`, `"a"`, `-0`, `1e400`, `0.1`, `{"a":1,"a":2}`, `{"a":{"b":[1,"\ud83d\ude00"]}}`, `"\ud83d"`, "\"\xff\"",
	` [1 , 2] `, `{"é":1,"e\u0301":2}`, `9007199254740993`, `[1e21,1e-7,123456789012345678901234567890]`, `{"a":1}x`, `tru`, `-`, `{"`,
	`"\u12"`, `[{"a":[]},{"b":{}}]`, `"𝄞\n\\\/"`,
}

// tooBig reports whether b is refused for a limit of this package alone.
func tooBig(err error) bool {
	e, ok := errors.AsType[*jsonx.SyntaxError](err)
	return ok && (strings.HasPrefix(e.Msg, "number out of range") || strings.HasPrefix(e.Msg, "nested more"))
}

func FuzzCheck(f *testing.F) {
	for _, s := range seeds {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		got := jsonx.Check(b)
		want := jsontext.Value(b).IsValid(jsontext.AllowDuplicateNames(false), jsontext.AllowInvalidUTF8(false))
		if (got == nil) != want && !tooBig(got) {
			t.Errorf("Check(%q) = %v; the oracle says valid is %v", b, got, want)
		}
		if e, ok := errors.AsType[*jsonx.SyntaxError](got); ok && (e.Offset < 0 || e.Offset > len(b) || e.Line < 1 || e.Column < 1) {
			t.Errorf("Check(%q) points to offset %d, line %d, column %d", b, e.Offset, e.Line, e.Column)
		}
	})
}

func BenchmarkCheck(b *testing.B) {
	doc := []byte(`{"order_id":"ord-20931","customer":"Ada Example","quantity":12,"price":19.95,"express":true,"tags":["fragile","gift","eu"],"address":{"street":"1 Long Street","city":"Utrecht"}}`)
	b.SetBytes(int64(len(doc)))
	b.ReportAllocs()
	for b.Loop() {
		if jsonx.Check(doc) != nil {
			b.Fatal("refused")
		}
	}
}
