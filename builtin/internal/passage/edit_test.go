package passage_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/toolpost/toolpost/builtin/internal/passage"
	"github.com/toolpost/toolpost/tool"
)

func TestAnEditFitsOnePlaceOrSaysWhy(t *testing.T) {
	for name, c := range map[string]struct {
		edit  passage.Edit
		text  string
		want  string
		code  tool.Code
		fails string
	}{
		"one place":                  {passage.Edit{Old: "b", New: "B"}, "a b c", "a B c", "", ""},
		"every place":                {passage.Edit{Old: "b", New: "B", All: true}, "b b", "B B", "", ""},
		"line ends of the text":      {passage.Edit{Old: "a\nb", New: "x\ny\nz"}, "a\r\nb\r\n", "x\r\ny\r\nz\r\n", "", ""},
		"several places":             {passage.Edit{Old: "b", New: "B", Name: "find", AllName: "all"}, "b\nb", "", tool.CodePrecondition, "find occurs 2 times in n.md (lines 1, 2); add lines around it until it is unique, or set all"},
		"places that overlap":        {passage.Edit{Old: "aa", New: "b"}, "aaa", "", tool.CodePrecondition, "old_text occurs 2 times"},
		"no place, but one like it":  {passage.Edit{Old: "func main( )", New: "x"}, "a\nfunc main() {\n", "", tool.CodePrecondition, "the nearest passage is at line 2"},
		"no place, and none like it": {passage.Edit{Old: "zzz", New: "x"}, "abc", "", tool.CodePrecondition, "nothing in it is like it"},
		"nothing to find":            {passage.Edit{New: "x"}, "abc", "", tool.CodeInvalid, "old_text is empty"},
		"a change that is none":      {passage.Edit{Old: "a", New: "a"}, "abc", "", tool.CodeInvalid, "nothing would change"},
	} {
		t.Run(name, func(t *testing.T) {
			got, _, err := c.edit.Apply("n.md", c.text)
			if c.code != "" {
				if !errors.Is(err, &tool.Error{Code: c.code}) || !strings.Contains(err.Error(), c.fails) {
					t.Errorf("%v, want %s %q", err, c.code, c.fails)
				}
				return
			}
			if err != nil || got != c.want {
				t.Errorf("%q %v, want %q", got, err, c.want)
			}
		})
	}
}

func FuzzEdit(f *testing.F) {
	f.Add("a\r\nb\nc", "a\nb", "x\ny", true)
	f.Add("aaa", "aa", "b", false)
	f.Fuzz(func(t *testing.T, text, old, replacement string, all bool) {
		out, n, err := passage.Edit{Old: old, New: replacement, All: all}.Apply("n.md", text)
		switch {
		case err != nil && tool.AsError(err).Code != tool.CodeInvalid && tool.AsError(err).Code != tool.CodePrecondition:
			t.Fatal(err)
		case err == nil && (n < 1 || n > 1 && !all):
			t.Fatalf("%d replacements of %q in %q", n, old, text)
		case err == nil && !strings.Contains(text, "\r") && !strings.Contains(old+replacement, "\r") && !strings.Contains(out, replacement):
			t.Fatalf("%q is not in %q", replacement, out)
		}
	})
}
