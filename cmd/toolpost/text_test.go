package main

import (
	"bufio"
	"bytes"
	"strings"
	"testing"
	"testing/iotest"
	"unicode/utf8"
)

func TestCleanTakesOutWhatMovesATerminal(t *testing.T) {
	for in, want := range map[string]string{
		"plain\ttext\n":             "plain\ttext\n",
		"\x1b[31mred\x1b[0m":        "␛[31mred␛[0m",
		"\x1b]0;title\a":            "␛]0;title",
		"a\rb\bc\x7f":               "abc",
		"\u009b31m":                 "31m",
		"admin\u202e gnp.exe":       "admin gnp.exe",
		"bad \xff byte":             "bad \uFFFD byte",
		"ünïcode → ok, 你好, emoji 🙂": "ünïcode → ok, 你好, emoji 🙂",
	} {
		if got := clean(in); got != want {
			t.Errorf("clean(%q) = %q, want %q", in, got, want)
		}
	}
}

func FuzzClean(f *testing.F) {
	f.Add("\x1b[0m\xff\u202e")
	f.Fuzz(func(t *testing.T, s string) {
		got := clean(s)
		if !utf8.ValidString(got) || strings.ContainsFunc(got, unsafeRune) {
			t.Fatalf("clean(%q) = %q", s, got)
		}
	})
}

func TestFreshOutputIsWhatFollowsTheSeen(t *testing.T) {
	for _, tt := range []struct{ name, seen, text, want string }{
		{"the first", "", "a\n", "a\n"},
		{"more of it", "a\n", "a\nb\n", "b\n"},
		{"nothing more", "a\n", "a\n", ""},
		{"the beginning has gone", "a\nb\nc\n", "c\nd\n", "d\n"},
		{"all of the seen has gone", "a\n", "x\n", "x\n"},
	} {
		if got := since(tt.seen, tt.text); got != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
}

func TestShortArgsNameTheCall(t *testing.T) {
	for in, want := range map[string]string{
		`{"path":"a.txt","limit":3}`:    "a.txt",
		`{"command":"go test ./...\n"}`: "go test ./...",
		`{"command":"x","path":"y"}`:    "x",
		`{"count": 3}`:                  `{"count":3}`,
		`{}`:                            "",
		`path = a`:                      "path = a",
		`["a"]`:                         `["a"]`,
		`{"query":"` + strings.Repeat("q", 200) + `"}`: strings.Repeat("q", 119) + "…",
	} {
		if got := shortArgs([]byte(in)); got != want {
			t.Errorf("shortArgs(%s) = %q, want %q", in, got, want)
		}
	}
}

func TestShellWordsCanBeTyped(t *testing.T) {
	for in, want := range map[string]string{"a-b.c/d": "a-b.c/d", "a b": "'a b'", "it's": `'it'\''s'`, "": "''", "$HOME": "'$HOME'"} {
		if got := shellWord(in); got != want {
			t.Errorf("shellWord(%q) = %s, want %s", in, got, want)
		}
	}
}

// TestLongTextsAreCopiedWhole reads a text in small pieces, so that characters
// are cut in two on the way.
func TestLongTextsAreCopiedWhole(t *testing.T) {
	for _, in := range []string{"", "one line", "lines\nand\n", "日本語テキスト🙂 ünïcode", strings.Repeat("🙂é", 1000), "cut \xf0\x9f"} {
		var buf bytes.Buffer
		p := &program{out: &output{out: bufio.NewWriter(&buf), form: "text"}}
		if err := p.copyClean(iotest.OneByteReader(strings.NewReader(in))); err != nil {
			t.Fatal(err)
		}
		if err := p.out.flush(); err != nil {
			t.Fatal(err)
		}
		want := clean(in)
		if want != "" && !strings.HasSuffix(want, "\n") {
			want += "\n"
		}
		if buf.String() != want {
			t.Errorf("copied %q, want %q", buf.String(), want)
		}
	}
}
