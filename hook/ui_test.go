package hook_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/toolpost/toolpost/hook"
	"github.com/toolpost/toolpost/tool"
)

func TestForUI(t *testing.T) {
	for name, c := range map[string]struct {
		res  *tool.Result
		n    int
		want string
	}{
		"a text":                     {tool.Text("hello"), 0, "hello"},
		"8,000 units":                {tool.Text(strings.Repeat("x", 9000)), 0, strings.Repeat("x", 7999) + "…"},
		"exactly 8,000":              {tool.Text(strings.Repeat("x", 8000)), 0, strings.Repeat("x", 8000)},
		"a pair is not split":        {tool.Text("ab😀cd"), 4, "ab…"},
		"a pair that fits":           {tool.Text("ab😀cd"), 5, "ab😀…"},
		"units, not bytes":           {tool.Text("äöüß"), 4, "äöüß"},
		"the first line of an error": {tool.Fail(errors.New("\nno disk\r\nat main.go:3")), 0, "no disk"},
		"an error of 400 units":      {tool.Fail(errors.New(strings.Repeat("e", 500))), 0, strings.Repeat("e", 399) + "…"},
		"an image among texts":       {tool.Image(make([]byte, 10), "image/png", "x"), 0, "x\n[image 1 KB]"},
		"pending":                    {tool.Delegate("the client runs it"), 0, "the client runs it"},
		"nothing fits":               {tool.Text("abc"), 1, "…"},
	} {
		t.Run(name, func(t *testing.T) {
			if got := hook.ForUI(c.res, c.n); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

func FuzzCutUTF16(f *testing.F) {
	f.Add("a😀b", 2)
	f.Add("\xff\xfe€", 3)
	f.Fuzz(func(t *testing.T, s string, n int) {
		n %= 1000
		got := hook.CutUTF16(s, n)
		if !utf8.ValidString(got) {
			t.Fatalf("%q is not UTF-8", got)
		}
		if units := len(utf16.Encode([]rune(got))); units > max(n, 0) {
			t.Fatalf("%q has %d units, more than %d", got, units, n)
		}
	})
}

func TestSanitize(t *testing.T) {
	dirty := &tool.Result{Content: []tool.Content{{Type: tool.ContentText, Text: "a\x00\x07b\r\n\tc\x7f\x1b\xff"}}}
	h := hook.Sanitize(func(context.Context, *tool.Call) (*tool.Result, error) { return dirty, nil })
	if got, want := tool.Do(t.Context(), h, tool.NewCall("x", "")).Content[0].Text, "ab\r\n\tc\uFFFD"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	h = hook.Sanitize(func(context.Context, *tool.Call) (*tool.Result, error) { return nil, errors.New("a\x00b") })
	res := tool.Do(t.Context(), h, tool.NewCall("x", ""))
	if res.Err.Message != "ab" || len(res.Content) != 1 {
		t.Errorf("got %+v", res)
	}
	clean := "clean ä\n"
	if n := testing.AllocsPerRun(100, func() { hook.Clean(clean) }); n > 0 {
		t.Errorf("%v allocations for a clean text", n)
	}
}
