package vault_test

import (
	"encoding/base64"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/toolpost/toolpost/sandbox"
	"github.com/toolpost/toolpost/tool"
)

func TestAReadGoesOnWhereItsRangeEnds(t *testing.T) {
	whole := strings.Repeat("é🙂x\n", 500)
	for _, enc := range []sandbox.Encoding{sandbox.UTF8, sandbox.UTF8BOM, sandbox.UTF16BE} {
		k := newKit(t, "n.md", string(sandbox.Encode(whole, enc)))
		var got strings.Builder
		for start, more := 0.0, true; more; {
			d := data(t, k.ok("readFile", fmt.Sprintf(`{"path":"n.md","maxBytes":101,"range":{"start":%.0f,"end":100000}}`, start)))
			got.WriteString(d["content"].(string))
			start, more = d["range"].(object)["end"].(float64), d["truncated"].(bool)
			if d["encoding"] != string(enc) {
				t.Fatalf("encoding %v, want %s", d["encoding"], enc)
			}
		}
		if got.String() != whole {
			t.Errorf("%s: the parts are not the whole", enc)
		}
	}
}

func TestBase64HasTheBytesOfAnyFile(t *testing.T) {
	raw := "\x00\x01\x02\xff\xfe"
	k := newKit(t, "b.bin", raw)
	d := data(t, k.ok("readFile", `{"path":"b.bin","as":"base64","range":{"start":1,"end":4}}`))
	b, err := base64.StdEncoding.DecodeString(d["content"].(string))
	if err != nil || string(b) != raw[1:4] || d["truncated"] != false || d["etag"] != sandbox.Etag([]byte(raw)) {
		t.Errorf("%q %v %v", b, err, d)
	}
	d = data(t, k.ok("readFile", `{"path":"b.bin","as":"base64","maxBytes":4}`))
	if d["truncated"] != true || d["range"].(object)["end"] != 4.0 {
		t.Errorf("%v", d)
	}
	k.fails("readFile", `{"path":"b.bin"}`, tool.CodePrecondition, "base64")
	k.fails("readFile", `{"path":"b.bin","as":"base64","range":{"start":9,"end":10}}`, tool.CodeInvalid, "past the end")
	k.fails("readFile", `{"path":"b.bin","range":{"start":3,"end":1}}`, tool.CodeInvalid, "before start")
}

func TestALargeNoteIsReadFromItsHead(t *testing.T) {
	k := newKit(t, "large.md", strings.Repeat("ä", 3<<20), "bin", strings.Repeat("\x00", 5<<20))
	d := data(t, k.ok("readFile", `{"path":"large.md","maxBytes":1001}`))
	if d["content"] != strings.Repeat("ä", 500) || d["truncated"] != true || d["range"].(object)["end"] != 500.0 || d["etag"] != nil {
		t.Errorf("%.80v", d)
	}
	d = data(t, k.ok("readFile", `{"path":"large.md","range":{"start":0,"end":3}}`))
	if d["content"] != "äää" || d["truncated"] != false {
		t.Errorf("%.80v", d)
	}
	k.fails("readFile", `{"path":"large.md","range":{"start":1,"end":3}}`, tool.CodeLimit, "base64")
	k.fails("readFile", `{"path":"bin"}`, tool.CodePrecondition, "not UTF-8")
}

func TestAMissingNoteComesWithTheNearest(t *testing.T) {
	k := newKit(t, "Projects/Plan.md", "x", "Other/Log.md", "y")
	k.fails("readFile", `{"path":"Plan.md"}`, tool.CodeNotFound, "Projects/Plan.md")
	k.fails("readFile", `{"path":"Projects/Pln.md"}`, tool.CodeNotFound, "Projects/Plan.md")
	k.fails("listFiles", `{"prefix":"Project"}`, tool.CodeNotFound, "Projects")
	k.fails("searchText", `{"query":"x","paths":["Projcts"]}`, tool.CodeNotFound, "Projects")
	k.fails("rename", `{"fromPath":"Log.md","toPath":"x.md"}`, tool.CodeNotFound, "Other/Log.md")
	k.fails("delete", `{"path":"Log.md"}`, tool.CodeNotFound, "Other/Log.md")
	k.fails("readFile", `{"path":"Projects"}`, tool.CodePrecondition)
}

// paths is the paths of a list.
func paths(t *testing.T, d object) []string {
	t.Helper()
	var out []string
	for _, it := range d["items"].([]any) {
		out = append(out, it.(object)["path"].(string))
	}
	return out
}

func TestListsAreSortedFilteredAndPaged(t *testing.T) {
	k := newKit(t, "b.md", "b", "a.txt", "a", "F/c.MD", "c", "F/G/d.md", "d", ".obsidian/app.json", "{}", ".trash/x.md", "x")
	for args, want := range map[string][]string{
		`{}`:                                     {"F", "a.txt", "b.md"},
		`{"prefix":"/"}`:                         {"F", "a.txt", "b.md"},
		`{"recursive":true}`:                     {"F", "F/G", "F/G/d.md", "F/c.MD", "a.txt", "b.md"},
		`{"recursive":true,"extensions":["md"]}`: {"F/G/d.md", "F/c.MD", "b.md"},
		`{"extensions":[".txt","md"]}`:           {"a.txt", "b.md"},
		`{"prefix":"F/"}`:                        {"F/G", "F/c.MD"},
		`{"prefix":".trash"}`:                    {".trash/x.md"},
		`{"prefix":"F/G","extensions":["txt"]}`:  nil,
	} {
		if diff := cmp.Diff(want, paths(t, data(t, k.ok("listFiles", args)))); diff != "" {
			t.Errorf("%s\n%s", args, diff)
		}
	}
	var got []string
	for offset, pages := 0.0, 1; ; pages++ {
		d := data(t, k.ok("listFiles", fmt.Sprintf(`{"recursive":true,"limit":2,"offset":%.0f}`, offset)))
		got = append(got, paths(t, d)...)
		if d["truncated"] == false {
			if d["nextOffset"] != nil || pages != 3 {
				t.Errorf("page %d: %v", pages, d)
			}
			break
		}
		offset = d["nextOffset"].(float64)
	}
	if len(got) != 6 {
		t.Errorf("the pages have %q", got)
	}
	it := data(t, k.ok("listFiles", `{"prefix":"F","extensions":["md"]}`))["items"].([]any)[0].(object)
	if it["etag"] != sandbox.Etag([]byte("c")) || it["sizeBytes"] != 1.0 || it["mtimeMs"].(float64) < 1e12 || it["kind"] != "file" {
		t.Errorf("%v", it)
	}
	if d := data(t, k.ok("listFiles", `{"offset":100}`)); len(d["items"].([]any)) != 0 || d["truncated"] != false {
		t.Errorf("%v", d)
	}
}

func TestAMatchCanBeReadAndReplacedWhereItWasFound(t *testing.T) {
	k := newKit(t, "n.md", "---\nt: é\n---\n🙂 Der Müller sagt\r\nmüller\n", "sub/o.md", "no\n", "x.bin", "\x00müller", ".hidden/n.md", "müller")
	d := data(t, k.ok("searchText", `{"query":"MÜLLER"}`))
	m := d["matches"].([]any)
	if len(m) != 2 {
		t.Fatalf("%v", d)
	}
	first := m[0].(object)
	if first["line"] != 4.0 || first["snippet"] != "🙂 Der Müller sagt" {
		t.Errorf("%v", first)
	}
	at := fmt.Sprintf(`{"start":%v,"end":%v`, first["start"], first["end"])
	if c := data(t, k.ok("readFile", `{"path":"n.md","range":`+at+`}}`))["content"]; c != "Müller" {
		t.Errorf("the match reads %q", c)
	}
	k.ok("patchFile", `{"path":"n.md","patch":{"range":`+at+`,"text":"Meier"}}}`)
	if got := k.get("n.md"); got != "---\nt: é\n---\n🙂 Der Meier sagt\r\nmüller\n" {
		t.Errorf("%q", got)
	}
}

func TestSearchesAreNarrowedAndPaged(t *testing.T) {
	k := newKit(t, "a.md", "foo bar\nfoo\n# Foo\n", "S/b.md", "foo.\n", "S/c.md", "x foox\n")
	count := func(args string) int {
		return len(data(t, k.ok("searchText", args))["matches"].([]any))
	}
	for args, want := range map[string]int{
		`{"query":"foo"}`:                               5,
		`{"query":"foo","caseSensitive":true}`:          4,
		`{"query":"foo."}`:                              1,
		`{"query":"foo.","mode":"regex"}`:               3,
		`{"query":"^# foo$","mode":"regex"}`:            1,
		`{"query":"foo","paths":["S"]}`:                 2,
		`{"query":"foo","paths":["S","S/b.md","a.md"]}`: 5,
		`{"query":"z*","mode":"regex"}`:                 0,
		`{"query":"foo","limit":2}`:                     2,
		`{"query":"foo","limit":2,"offset":4}`:          1,
	} {
		if got := count(args); got != want {
			t.Errorf("%s: %d matches, want %d", args, got, want)
		}
	}
	d := data(t, k.ok("searchText", `{"query":"foo","limit":2,"offset":2}`))
	if d["truncated"] != true || d["nextOffset"] != 4.0 {
		t.Errorf("%v", d)
	}
	k.fails("searchText", `{"query":"(","mode":"regex"}`, tool.CodeInvalid, "RE2", "plain")
	k.put("long.md", strings.Repeat("a", 500)+"NEEDLE"+strings.Repeat("b", 500))
	s := data(t, k.ok("searchText", `{"query":"NEEDLE","snippetLength":20}`))["matches"].([]any)[0].(object)["snippet"]
	if s != "aaaaaaaNEEDLEbbbbbbb" {
		t.Errorf("snippet %q", s)
	}
}
