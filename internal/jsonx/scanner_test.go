package jsonx_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/toolpost/toolpost/internal/jsonx"
)

func ExampleScanner() {
	s := jsonx.Scanner{Report: func(p jsonx.Piece) {
		fmt.Printf("%s %s %q %v\n", p.Pointer, p.Kind, p.Text, p.Done)
	}}
	for _, fragment := range []string{`{"path":"src/ma`, `in.go","lines":[1,2`, `]}`, ` {"path":1}`} {
		if _, err := s.WriteString(fragment); err != nil {
			fmt.Println(err)
		}
	}
	fmt.Println(s.Complete(), s.End())
	fmt.Println(s.Tail())
	// Output:
	// /path string "src/ma" false
	// /path string "in.go" true
	// /lines/0 number "1" true
	// /lines/1 number "2" true
	// true 36
	// 37 true
}

func TestScannerNamesWhatIsOpen(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{``, "the text is empty"},
		{` `, "the text is empty"},
		{`{"a":"b`, "the text ends inside a string"},
		{`{"a":"\ud83d`, "the text ends inside a string"},
		{`{"a":[1`, "the text ends inside an array, 2 levels deep"},
		{`{"a":1`, "the text ends inside an object, 1 levels deep"},
		{`tru`, "the text ends inside a value"},
		{`1.`, "the text ends inside a value"},
	} {
		var s jsonx.Scanner
		if _, err := s.WriteString(c.text); err != nil {
			t.Errorf("%s: %v", c.text, err)
			continue
		}
		err, ok := errors.AsType[*jsonx.SyntaxError](s.Finish())
		if !ok || err.Msg != c.want {
			t.Errorf("%s: got %v, want %s", c.text, err, c.want)
		}
	}
}

func TestScannerFindsTheEndOfEveryKindOfValue(t *testing.T) {
	for _, text := range []string{`{}`, `[]`, `{"a":{}}`, `[[]]`, `"x"`, `true`, `null`, `12`, `-0.5e+3`, ` {"a":1} `} {
		var s jsonx.Scanner
		_, err := s.WriteString(text)
		if finish := s.Finish(); err != nil || finish != nil || !s.Complete() || s.End() != len(strings.TrimRight(text, " ")) {
			t.Errorf("%q: complete %v, end %d (%v, %v)", text, s.Complete(), s.End(), err, finish)
		}
		if at, ok := s.Tail(); ok {
			t.Errorf("%q: something follows at %d", text, at)
		}
	}
}

func TestScannerKeepsItsLimits(t *testing.T) {
	s := jsonx.Scanner{MaxBytes: 10, MaxDepth: 2}
	_, err := s.WriteString(`["0123456789"]`)
	if e, ok := errors.AsType[*jsonx.SyntaxError](err); !ok || e.Msg != "more than 10 bytes" || e.Offset != 10 {
		t.Errorf("bytes: %v", err)
	}
	s.Reset()
	if _, err = s.WriteString(`[[[`); err == nil || !strings.Contains(err.Error(), "2 levels") {
		t.Errorf("levels: %v", err)
	}
	s.Reset()
	if _, err = s.WriteString(`[[1]]`); err != nil || !s.Complete() {
		t.Errorf("after Reset: %v", err)
	}
}

func TestScannerReportsPointersAndEscapes(t *testing.T) {
	text := `{"a/b~c":{"é":["x\n",{"k":null}],"":true},"z":"\ud83d\ude00é","n":-1.5}`
	want := map[string]string{
		"/a~1b~0c/é/0": "x\n", "/a~1b~0c/é/1/k": "null", "/a~1b~0c/": "true", "/z": "😀é", "/n": "-1.5",
	}
	for size := 1; size <= len(text); size++ {
		got, done := map[string]string{}, map[string]bool{}
		s := jsonx.Scanner{Report: func(p jsonx.Piece) {
			got[p.Pointer] += p.Text
			if done[p.Pointer] {
				t.Errorf("size %d: %s goes on after it was done", size, p.Pointer)
			}
			done[p.Pointer] = p.Done
		}}
		for i := 0; i < len(text); i += size {
			if _, err := s.WriteString(text[i:min(i+size, len(text))]); err != nil {
				t.Fatal(err)
			}
		}
		if diff := cmp.Diff(got, want); diff != "" {
			t.Errorf("size %d (-got +want):\n%s", size, diff)
		}
	}
}

func TestScannerDoesNotAllocateWithoutReport(t *testing.T) {
	var s jsonx.Scanner
	fragments := []string{`{"path":"src/ma`, `in.go é`, `","n":[1.5,tr`, `ue]}`}
	run := func() {
		s.Reset()
		for _, f := range fragments {
			if _, err := s.WriteString(f); err != nil {
				t.Fatal(err)
			}
		}
		if !s.Complete() {
			t.Fatal("not complete")
		}
	}
	run()
	if n := testing.AllocsPerRun(100, run); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func FuzzScanner(f *testing.F) {
	for _, s := range seeds {
		f.Add([]byte(s), uint8(1))
		f.Add([]byte(s), uint8(3))
	}
	f.Fuzz(func(t *testing.T, b []byte, size uint8) {
		step := max(int(size), 1)
		var whole, parts jsonx.Scanner
		text := map[string]string{}
		parts.Report = func(p jsonx.Piece) { text[p.Pointer] += p.Text }
		_, err := whole.Write(b)
		var errParts error
		for i := 0; i < len(b) && errParts == nil; i += step {
			_, errParts = parts.Write(b[i:min(i+step, len(b))])
		}
		if diff := cmp.Diff(err, errParts); diff != "" {
			t.Fatalf("%q in steps of %d: %s", b, step, diff)
		}
		f1, f2 := whole.Finish(), parts.Finish()
		if (f1 == nil) != (f2 == nil) || whole.End() != parts.End() {
			t.Fatalf("%q in steps of %d: %v and %v, end %d and %d", b, step, f1, f2, whole.End(), parts.End())
		}
		_, tail := whole.Tail()
		checked := jsonx.Check(b)
		duplicate := checked != nil && strings.Contains(checked.Error(), "duplicate name")
		if accepted := f1 == nil && !tail; accepted != (checked == nil) && !duplicate {
			t.Errorf("%q: scanner says %v (tail %v), Check says %v", b, f1, tail, checked)
		}
		if checked == nil && len(b) > 0 {
			var v any
			if err := jsonx.Unmarshal(b, &v); err == nil {
				compare(t, b, "", v, text)
			}
		}
	})
}

// compare finds every string of v in what the scanner reported.
func compare(t *testing.T, b []byte, pointer string, v any, text map[string]string) {
	switch v := v.(type) {
	case string:
		if got := text[pointer]; got != v {
			t.Errorf("%q: %s is %q, want %q", b, pointer, got, v)
		}
	case []any:
		for i, e := range v {
			compare(t, b, fmt.Sprintf("%s/%d", pointer, i), e, text)
		}
	case map[string]any:
		for name, e := range v {
			compare(t, b, pointer+"/"+strings.NewReplacer("~", "~0", "/", "~1").Replace(name), e, text)
		}
	}
}

func BenchmarkScannerFragment(b *testing.B) {
	var s jsonx.Scanner
	if _, err := s.WriteString(`{"content":"`); err != nil {
		b.Fatal(err)
	}
	s.MaxBytes = 1 << 60
	fragment := []byte("twelve bytes")
	b.ReportAllocs()
	for b.Loop() {
		if _, err := s.Write(fragment); err != nil {
			b.Fatal(err)
		}
	}
}
