package hook_test

import (
	"encoding/json"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/toolpost/toolpost/hook"
	"github.com/toolpost/toolpost/internal/jsonx"
)

func TestTruncateForms(t *testing.T) {
	long := strings.Repeat("x", 100)
	for name, c := range map[string]struct {
		doc   string
		limit int
		want  string
	}{
		"what fits is unchanged":              {`{"a":[1, 2]}`, 12, `{"a":[1, 2]}`},
		"a string keeps its beginning":        {`"` + long + `"`, 60, `"xxxxxxxxxxxxxxxxx... [truncated, original size: 102 bytes]"`},
		"escapes are counted":                 {`"` + strings.Repeat(`\n`, 50) + `"`, 60, `"` + strings.Repeat(`\n`, 8) + `... [truncated, original size: 102 bytes]"`},
		"characters stay whole":               {`"` + strings.Repeat("€", 40) + `"`, 60, `"€€€€€... [truncated, original size: 122 bytes]"`},
		"an array keeps leading elements":     {`[` + strings.Repeat(`"abcdefgh",`, 19) + `"z"]`, 70, `["abcdefgh","abcdefgh",{"_truncated":true,"original_count":20}]`},
		"an array of one long element":        {`["` + long + `"]`, 50, `[{"_truncated":true,"original_count":1}]`},
		"commas inside elements do not count": {`[[1,2,3],{"a":[4,5]},"a,b",` + `"` + long + `"]`, 80, `[[1,2,3],{"a":[4,5]},"a,b",{"_truncated":true,"original_count":4}]`},
		"an object goes into an envelope":     {`{"a":"` + long + `"}`, 70, `{"_truncated_json":"{\"a\":\"xxxxxxxxxxxxxxx...","original_bytes":108}`},
		"a number too":                        {strings.Repeat("9", 100), 60, `{"_truncated_json":"99999999999999...","original_bytes":100}`},
		"what is not JSON too":                {`{"a":` + long, 60, `{"_truncated_json":"{\"a\":xxxxxxx...","original_bytes":105}`},
		"an array without room":               {`["` + long + `"]`, 5, `[]`},
		"an object without room":              {`{"a":"` + long + `"}`, 5, `{}`},
		"a string without room":               {`"` + long + `"`, 5, `"..."`},
		"no room at all":                      {`"` + long + `"`, 0, `""`},
	} {
		t.Run(name, func(t *testing.T) {
			if got := string(hook.Truncate(json.RawMessage(c.doc), c.limit)); got != c.want {
				t.Errorf("got  %s (%d bytes)\nwant %s", got, len(got), c.want)
			}
		})
	}
}

func TestTruncateKeepsATellingTail(t *testing.T) {
	body := strings.Repeat("compiling a file of the project\n", 500)
	for name, c := range map[string]struct {
		tail string
		kept bool
	}{
		"an error":       {"main.go:3: fatal error: out of memory\n", true},
		"a summary":      {"Total: 500 files, 3 warnings\n", true},
		"more of it all": {"compiling a file of the project\n", false},
	} {
		t.Run(name, func(t *testing.T) {
			got := hook.TruncateText(body+c.tail, 1000)
			if kept := strings.HasSuffix(got, c.tail); kept != c.kept {
				t.Errorf("the tail is kept: %t\n%s", kept, got)
			}
			head, tail, _ := strings.Cut(got, "... [truncated, original size: ")
			if len(tail) > 360 || !strings.HasPrefix(body, head) {
				t.Errorf("%d bytes of head, %d of tail", len(head), len(tail))
			}
		})
	}
	doc := "[" + strings.Repeat(`{"a":1},`, 500) + `{"a":2}]`
	if got := hook.TruncateText(doc, 1000); !strings.HasSuffix(got, `{"a":2}]`) {
		t.Errorf("the close of a JSON text is lost: …%s", got[len(got)-40:])
	}
}

func FuzzTruncate(f *testing.F) {
	for _, s := range []string{`"abc\ud83d\ude00def"`, `[1,[2,3],{"a":"b"}]`, `{"a":{"b":[1,2,3]}}`, "nul", "\"\xff\"", `"error: x"`, " [ 1 , 2 ] "} {
		f.Add([]byte(s), 20)
		f.Add([]byte(s), 47)
	}
	f.Fuzz(func(t *testing.T, doc []byte, limit int) {
		limit %= 1000
		got := hook.Truncate(doc, limit)
		if len(doc) <= max(limit, 2) {
			if string(got) != string(doc) {
				t.Fatalf("%q fits %d and became %q", doc, limit, got)
			}
			return
		}
		if len(got) > max(limit, 2) {
			t.Fatalf("%d bytes, more than %d: %s", len(got), limit, got)
		}
		if err := jsonx.Check(got); err != nil {
			t.Fatalf("not JSON: %v: %s", err, got)
		}
		var list []json.RawMessage
		if jsonx.Unmarshal(doc, &list) == nil && list != nil && len(got) > 2 {
			if !strings.HasSuffix(string(got), `{"_truncated":true,"original_count":`+strconv.Itoa(len(list))+`}]`) {
				t.Fatalf("wrong count of %d in %s", len(list), got)
			}
		}
		text := hook.TruncateText(string(doc), limit)
		if size := len(jsonx.AppendString(nil, text)); size > max(limit, 2) {
			t.Fatalf("the text takes %d bytes, more than %d: %q", size, limit, text)
		}
		if utf8.Valid(doc) && !utf8.ValidString(text) {
			t.Fatalf("the text is not UTF-8: %q", text)
		}
	})
}
