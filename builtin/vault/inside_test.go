package vault

import (
	"bytes"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/toolpost/toolpost/tool"
)

// compact is a JSON document without white space, in the order of its members.
func compact(t testing.TB, doc string) string {
	t.Helper()
	var b bytes.Buffer
	if err := json.Compact(&b, []byte(doc)); err != nil {
		t.Fatalf("%s: %v", doc, err)
	}
	return b.String()
}

// value is a document decoded, so that two ways to write a value are one.
func value(t testing.TB, doc []byte) any {
	t.Helper()
	var v any
	if err := json.Unmarshal(doc, &v); err != nil {
		t.Fatalf("%s: %v", doc, err)
	}
	return v
}

func TestPropertiesComeBackAsTheyWereWritten(t *testing.T) {
	for _, doc := range []string{
		`{"title":"Foo","tags":["a","b"],"done":false,"n":3,"x":1.5,"none":null}`,
		`{"date":"2026-11-21","time":"12:30","version":"1.0","hex":"0x1F","octal":"0o17","exp":"1e3","merge":"<<"}`,
		`{"yes":"no","on":"off","null":"~","y":"n","t":"true","nan":".nan"}`,
		`{"colon":"a: b","hash":"a #b","dash":"- a","quote":"\"x\" 'y'","star":"*x","amp":"&x","tag":"!x","pipe":"|","at":"@x","pct":"%x","brace":"{a}","bracket":"[[Link]]","q":"? x"}`,
		`{"lines":"a\nb\n","tab":"\ta","space":" a ","empty":"","back":"a\\b","unicode":"é 🙂","nel":"a\u0085b","ls":"a\u2028b","bom":"\ufeffx","del":"\u007f"}`,
		`{"nested":{"a":{"b":[1,[2,[]],{"c":{}}]},"z":[]},"list of objects":[{"k":1,"l":[2]},{"k":3}]}`,
		`{"":"empty key","a:b":1,"- x":2,"1":3,"true":4,"null":5}`,
		`{"zebra":1,"ant":2,"mid":3}`,
	} {
		text, err := withFrontmatter(json.RawMessage(doc), "# Body\n")
		if err != nil {
			t.Errorf("%s: %v", doc, err)
			continue
		}
		_, body, ok := cutFrontmatter(text)
		if !ok || body != "# Body\n" {
			t.Errorf("%s: the body is %q", doc, body)
		}
		if diff := cmp.Diff(compact(t, doc), string(properties(text))); diff != "" && !cmp.Equal(value(t, []byte(doc)), value(t, properties(text))) {
			t.Errorf("%s\n%s", text, diff)
		}
	}
}

func TestFrontMatterThatIsNoneIsPartOfTheText(t *testing.T) {
	for _, text := range []string{"", "---", "---\n", "---\na: 1\n", "# x\n---\na: 1\n---\n", " ---\na: 1\n---\n", "----\na: 1\n----\n"} {
		if _, body, ok := cutFrontmatter(text); ok || body != text {
			t.Errorf("%q has front matter, and the body %q", text, body)
		}
	}
	for text, want := range map[string]string{
		"---\na: 1\n---\nx":            `{"a":1}`,
		"---\r\na: 1\r\n---\r\nx":      `{"a":1}`,
		"---\na: 1\n...\nx":            `{"a":1}`,
		"---\na: [\n---\nx":            "",
		"---\n- a\n---\nx":             "",
		"---\n---\nx":                  "",
		"---\na: &x [1]\nb: *x\n---\n": "",
		"---\na: .inf\n---\n":          `{"a":null}`,
		"---\n? [a]\n: 1\n---\n":       "",
	} {
		if got := string(properties(text)); got != want && want != "" || want == "" && got != "" && !json.Valid([]byte(got)) {
			t.Errorf("%q: properties %s, want %s", text, got, want)
		}
	}
}

func FuzzProperties(f *testing.F) {
	f.Add("---\na: 1\n---\n")
	f.Add("---\na: &x\n  - *x\n---\n")
	f.Add("---\n? {a: b}\n: - c\n---\nx")
	f.Fuzz(func(t *testing.T, text string) {
		if p := properties(text); p != nil && !json.Valid(p) {
			t.Errorf("%q: %s", text, p)
		}
	})
}

func FuzzFrontmatter(f *testing.F) {
	f.Add(`{"a":"b: c","d":[1,{"e":null}]}`)
	f.Add(`{"a":"- x","":"\u0000"}`)
	f.Fuzz(func(t *testing.T, doc string) {
		var object map[string]any
		if json.Unmarshal([]byte(doc), &object) != nil || len(object) == 0 || !utf8.ValidString(doc) {
			return
		}
		clean, err := json.Marshal(object) // one member of a name
		if err != nil {
			return
		}
		text, err := withFrontmatter(clean, "body")
		if err != nil {
			if !errors.Is(err, &tool.Error{Code: tool.CodeInvalid}) {
				t.Fatal(err)
			}
			return
		}
		if _, body, ok := cutFrontmatter(text); !ok || body != "body" {
			t.Fatalf("%s became %q", clean, text)
		}
		if got := properties(text); got == nil || !cmp.Equal(value(t, clean), value(t, got)) {
			t.Fatalf("%s became\n%s\nand is read as %s", clean, text, got)
		}
	})
}

func TestDiffsFitWhereTheirContextIs(t *testing.T) {
	for name, c := range map[string]struct{ text, diff, want, fails string }{
		"at its line":                        {"a\nb\nc\n", "--- a/x\n+++ b/x\n@@ -1,3 +1,3 @@\n a\n-b\n+B\n c\n", "a\nB\nc\n", ""},
		"with a wrong line and wrong counts": {"a\nb\nc\n", "@@ -9,1 +9,9 @@\n-b\n+B\n", "a\nB\nc\n", ""},
		"without a line":                     {"a\nb\nc\n", "@@ @@\n b\n+b2\n", "a\nb\nb2\nc\n", ""},
		"in two hunks":                       {"a\nb\nc\nd\n", "@@ -1 +1 @@\n-a\n+A\n@@ -4 +4 @@\n-d\n+D\n", "A\nb\nc\nD\n", ""},
		"after a shift":                      {"x\nx\na\nb\nx\nb\n", "@@ -1,1 +1,1 @@\n-a\n+A\n@@ -4,1 +4,1 @@\n-b\n+B\n", "x\nx\nA\nb\nx\nB\n", ""},
		"a new file's text":                  {"", "@@ -0,0 +1,2 @@\n+a\n+b\n", "a\nb\n", ""},
		"behind a last line without end":     {"a", "@@ -1 +1,2 @@\n a\n+b\n", "a\nb\n", ""},
		"that takes the last line end":       {"a\nb\n", "@@ -2 +2 @@\n-b\n+b\n\\ No newline at end of file\n", "a\nb", ""},
		"that gives a last line its end":     {"a\nb", "@@ -2 +2 @@\n-b\n\\ No newline at end of file\n+b\n", "a\nb\n", ""},
		"that keeps a missing last end":      {"a\nb", "@@ -1,2 +1,2 @@\n-a\n+A\n b\n\\ No newline at end of file\n", "A\nb", ""},
		"with CRLF in the file":              {"a\r\nb\r\n", "@@ -1,2 +1,2 @@\n a\n-b\n+B\n", "a\r\nB\r\n", ""},
		"with an empty line of context":      {"a\n\nb\n", "@@ -1,3 +1,3 @@\n a\n\n-b\n+B\n", "a\n\nB\n", ""},
		"that takes all":                     {"a\nb\n", "@@ -1,2 +0,0 @@\n-a\n-b\n", "", ""},
		"lines that look like heads":         {"-- a\nb\n", "@@ -1,2 +1,2 @@\n--- a\n+++ b\n b\n", "++ b\nb\n", ""},
		"not with other context":             {"a\nb\n", "@@ -1,2 +1,2 @@\n x\n-b\n+B\n", "", "does not fit"},
		"not in two places":                  {"b\nb\nb\n", "@@ -9 +9 @@\n-b\n+B\n", "", "3 places"},
		"not backwards":                      {"a\nb\n", "@@ -2 +2 @@\n-b\n+B\n@@ -1 +1 @@\n-a\n+A\n", "", "hunk 2"},
		"not for two files":                  {"a\n", "--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+A\n--- a/y\n+++ b/y\n@@ -1 +1 @@\n-a\n+A\n", "", "another file"},
		"not without a hunk":                 {"a\n", "-a\n+A\n", "", "no hunk"},
		"not with a stray line":              {"a\n", "@@ -1 +1 @@\n-a\n+A\nstray\n", "", `"stray"`},
		"not with an empty hunk":             {"a\n", "@@ -1 +1 @@\n", "", "empty"},
	} {
		t.Run(name, func(t *testing.T) {
			hs, err := parseDiff(c.diff)
			got := ""
			if err == nil {
				got, err = hs.apply("x.md", c.text)
			}
			if (err == nil) != (c.fails == "") || err != nil && !strings.Contains(err.Error(), c.fails) {
				t.Fatalf("error %v, want %q", err, c.fails)
			}
			if err == nil && got != c.want {
				t.Error(cmp.Diff(c.want, got))
			}
		})
	}
}

func FuzzDiff(f *testing.F) {
	f.Add("@@ -1,2 +1,2 @@\n a\n-b\n+c\n", "a\nb\n")
	f.Add("@@\n+\n\\ No newline", "")
	f.Add("--- a\n+++ b\n@@ -99999999999999999999 +1 @@\n-x", "x")
	f.Fuzz(func(t *testing.T, diff, text string) {
		hs, err := parseDiff(diff)
		if err != nil {
			if !errors.Is(err, &tool.Error{Code: tool.CodeInvalid}) {
				t.Fatal(err)
			}
			return
		}
		out, err := hs.apply("x", text)
		if err != nil {
			return
		}
		for _, h := range hs { // what a hunk puts in is there
			for _, l := range h.lines {
				if l.op == '+' && !slices.ContainsFunc(strings.Split(out, "\n"), func(s string) bool { return strings.TrimRight(s, "\r") == strings.TrimRight(l.text, "\r") }) {
					t.Fatalf("%q is not in %q", l.text, out)
				}
			}
		}
	})
}

func TestItemsOfBulletLists(t *testing.T) {
	type item struct {
		Text  string
		Depth int
	}
	for name, c := range map[string]struct {
		text string
		want []item
	}{
		"all markers":                     {"- a\n* b\n+ c", []item{{"a", 0}, {"b", 0}, {"c", 0}}},
		"nested":                          {"- a\n  - b\n    - c\n  - d\n- e", []item{{"a", 0}, {"b", 1}, {"c", 2}, {"d", 1}, {"e", 0}}},
		"nested by tabs":                  {"- a\n\t- b\n\t\t- c", []item{{"a", 0}, {"b", 1}, {"c", 2}}},
		"check boxes":                     {"- [ ] a\n- [x] b\n- [link](x)", []item{{"a", 0}, {"b", 0}, {"[link](x)", 0}}},
		"lines that go on":                {"- a\n  b\n\n- c", []item{{"a b", 0}, {"c", 0}}},
		"an item without text":            {"-\n- \n- a", []item{{"a", 0}}},
		"no rule, no emphasis, no number": {"---\n- - -\n* * *\n**bold**\n-a\n1. one", nil},
		"not in code":                     {"```\n- a\n```\n- b\n~~~\n- c", []item{{"b", 0}}},
		"under text":                      {"# Head\ntext\n- a\ntext\n  - b", []item{{"a", 0}, {"b", 0}}},
		"CRLF":                            {"- a\r\n- b\r\n", []item{{"a", 0}, {"b", 0}}},
	} {
		t.Run(name, func(t *testing.T) {
			var got []item
			for _, b := range bulletsOf(c.text) {
				got = append(got, item{b.Text, b.Depth})
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func FuzzBullets(f *testing.F) {
	f.Add("- a\n  - b\n\tc\n```\n- d")
	f.Fuzz(func(t *testing.T, text string) {
		depth := -1
		for _, b := range bulletsOf(text) {
			if b.Depth < 0 || b.Depth > depth+1 && depth >= 0 && b.Depth > depth+2 || strings.TrimSpace(b.Text) == "" {
				t.Fatalf("%q: %+v behind depth %d", text, b, depth)
			}
			depth = b.Depth
		}
	})
}

func TestSlugs(t *testing.T) {
	for title, want := range map[string]string{
		"Hello, World!": "hello-world", "  A -- b__c ": "a-b-c", "Don't stop": "dont-stop", "Über Café": "über-café", "日本 語": "日本-語",
		"": "untitled", "???": "untitled", "../../etc/passwd": "etc-passwd", "a/b\\c": "a-b-c", "2026-11-21": "2026-11-21", "e\u0301te\u0301": "e\u0301te\u0301",
	} {
		if got := slugOf(title, 80); got != want {
			t.Errorf("%q: %q, want %q", title, got, want)
		}
	}
	for most, want := range map[int]string{5: "hello", 8: "hello", 11: "hello-world", 3: "hel", 6: "hello"} {
		if got := slugOf("Hello world again", most); got != want {
			t.Errorf("%d characters: %q, want %q", most, got, want)
		}
	}
}

func FuzzSlug(f *testing.F) {
	f.Add("Hello, World!", 5)
	f.Fuzz(func(t *testing.T, title string, most int) {
		most = min(max(most, 1), 200)
		got := slugOf(title, most)
		if got == "" || utf8.RuneCountInString(got) > most || strings.ContainsAny(got, "/\\.: ") || strings.HasPrefix(got, "-") || strings.HasSuffix(got, "-") {
			t.Errorf("%q: %q", title, got)
		}
	})
}

func FuzzFolded(f *testing.F) {
	f.Add("Some Needle here", "nEEDLE")
	f.Add("\u212a", "k")
	f.Add("nnNnNN", "NNnn")
	f.Fuzz(func(t *testing.T, text, query string) {
		re, err := pattern(searchIn{Query: query})
		if err != nil || query == "" {
			return
		}
		if re.MatchString(text) && !newFolded(query).mayMatch(text) {
			t.Errorf("%q is in %q", query, text)
		}
	})
}
