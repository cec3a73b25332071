package sse_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"

	"github.com/toolpost/toolpost/internal/sse"
)

func ExampleReader() {
	r := sse.Reader{R: strings.NewReader(": hello\nevent: greet\ndata: good\ndata: day\n\n")}
	e, err := r.Next()
	fmt.Printf("%s %q %v\n", e.Name, e.Data, err)
	_, err = r.Next()
	fmt.Println(err)
	// Output:
	// greet "good\nday" <nil>
	// EOF
}

func ExampleWriter() {
	var b bytes.Buffer
	w := sse.Writer{W: &b}
	_ = w.Write(sse.Event{Name: []byte("greet"), Data: []byte("good\nday")})
	fmt.Print(b.String())
	// Output:
	// event: greet
	// data: good
	// data: day
}

type event struct {
	Name, Data, ID string
	Retry          int
	Cut            bool
}

func read(r io.Reader, limit int) (all []event, err error) {
	sr := sse.Reader{R: r, Max: limit}
	for {
		e, err := sr.Next()
		if err != nil {
			return all, err
		}
		all = append(all, event{string(e.Name), string(e.Data), string(e.ID), e.Retry, e.Cut})
	}
}

var streams = []struct {
	name, in string
	want     []event
}{
	{"a line each", "data: a\n\ndata: b\n\n", []event{{Data: "a"}, {Data: "b"}}},
	{"CRLF", "event: x\r\ndata: a\r\n\r\ndata: b\r\n\r\n", []event{{Name: "x", Data: "a"}, {Data: "b"}}},
	{"lone CR", "data: a\rdata: b\r\rdata: c\r\r", []event{{Data: "a\nb"}, {Data: "c"}}},
	{"mixed ends", "data: a\r\ndata: b\n\rdata: c\r\n\n", []event{{Data: "a\nb"}, {Data: "c"}}},
	{"a byte order mark", "\xef\xbb\xbfdata: a\n\n", []event{{Data: "a"}}},
	{"only the first mark is one", "\xef\xbb\xbf\xef\xbb\xbfdata: a\n\ndata: b\n\n", []event{{Data: "b"}}},
	{"comments", ":\n: PROCESSING\n\n:x\ndata: a\n: y\ndata: b\n\n", []event{{Data: "a\nb"}}},
	{"no space, one space, two spaces", "data:a\ndata: b\ndata:  c\n\n", []event{{Data: "a\nb\n c"}}},
	{"no colon", "data\ndata\n\n", []event{{Data: "\n"}}},
	{"empty data is data", "data:\n\n", []event{{Data: ""}}},
	{"no data, no event", "event: x\nid: 1\n\ndata: a\n\n", []event{{Data: "a", ID: "1"}}},
	{"an id stays", "id: 1\ndata: a\n\ndata: b\n\nid\ndata: c\n\n", []event{{Data: "a", ID: "1"}, {Data: "b", ID: "1"}, {Data: "c"}}},
	{"an id with NUL is none", "id: 1\x002\ndata: a\n\n", []event{{Data: "a"}}},
	{"retry", "retry: 250\ndata: a\n\nretry: 1x\ndata: b\n\n", []event{{Data: "a", Retry: 250}, {Data: "b"}}},
	{"unknown fields", "foo: bar\ndatax: 1\n data: 2\ndata: a\n\n", []event{{Data: "a"}}},
	{"the last event wins a name", "event: x\nevent: y\ndata: a\n\n", []event{{Name: "y", Data: "a"}}},
	{"no blank line at the end", "data: a\n\ndata: b\n", []event{{Data: "a"}, {Data: "b", Cut: true}}},
	{"no line end at the end", "data: a\n\ndata: b", []event{{Data: "a"}, {Data: "b", Cut: true}}},
	{"a colon in the data", "data: {\"a\":1}\n\n", []event{{Data: `{"a":1}`}}},
	{"nothing", "", nil},
}

func TestStreamsReadAlikeHoweverTheyAreCut(t *testing.T) {
	for _, tc := range streams {
		t.Run(tc.name, func(t *testing.T) {
			for how, r := range map[string]io.Reader{
				"whole":        strings.NewReader(tc.in),
				"byte by byte": iotest.OneByteReader(strings.NewReader(tc.in)),
				"with EOF":     iotest.DataErrReader(strings.NewReader(tc.in)),
			} {
				got, err := read(r, 0)
				if err != io.EOF {
					t.Errorf("%s: got %v", how, err)
				}
				if diff := cmp.Diff(tc.want, got); diff != "" {
					t.Errorf("%s: %s", how, diff)
				}
			}
			for i := range tc.in {
				got, _ := read(io.MultiReader(strings.NewReader(tc.in[:i]), strings.NewReader(tc.in[i:])), 0)
				if diff := cmp.Diff(tc.want, got); diff != "" {
					t.Errorf("cut at %d: %s", i, diff)
				}
			}
		})
	}
}

func TestALoneCRIsNotHeldBack(t *testing.T) {
	pr, pw := io.Pipe()
	go func() { _, _ = pw.Write([]byte("data: a\r\r")) }()
	r := sse.Reader{R: pr}
	if e, err := r.Next(); err != nil || string(e.Data) != "a" { // would block if it waited for an LF
		t.Errorf("got %q, %v", e.Data, err)
	}
}

func TestSizesHaveALimit(t *testing.T) {
	big := strings.Repeat("x", 20<<20)
	got, err := read(strings.NewReader("data: "+big+"\n\n"), 0)
	if err != io.EOF || len(got) != 1 || got[0].Data != big {
		t.Errorf("a line of 20 MB: %d events, %v", len(got), err)
	}
	for name, in := range map[string]string{
		"one line":          "data: " + strings.Repeat("x", 9000) + "\n\n",
		"many lines":        strings.Repeat("data: x\n", 2000) + "\n",
		"a line unending":   strings.Repeat("x", 1<<20),
		"comments do count": ": " + strings.Repeat("x", 1<<20),
	} {
		_, err := read(strings.NewReader("data: a\n\n"+in), 5000)
		if !errors.Is(err, sse.ErrTooLong) || !strings.Contains(err.Error(), "5000 bytes") {
			t.Errorf("%s: got %v", name, err)
		}
	}
	if _, err := read(strings.NewReader(strings.Repeat(": ping\n\n", 5000)), 100); err != io.EOF {
		t.Errorf("pings add up: %v", err)
	}
}

func TestErrorsComeBehindWhatWasRead(t *testing.T) {
	got, err := read(io.MultiReader(strings.NewReader("data: a\n\ndata: b\n"), iotest.ErrReader(io.ErrUnexpectedEOF)), 0)
	if !errors.Is(err, io.ErrUnexpectedEOF) || len(got) != 1 {
		t.Errorf("got %v, %v", got, err)
	}
}

func TestWhatIsWrittenIsRead(t *testing.T) {
	for _, data := range []string{"", "a", "a\nb", "\n", "\n\n", ": x", " a", "a\n", "ü\ndata: x"} {
		var b bytes.Buffer
		w := sse.Writer{W: &b}
		want := event{Name: "n", Data: data, ID: "7", Retry: 5}
		if err := w.Comment("pi\nng"); err != nil {
			t.Fatal(err)
		}
		if err := w.Write(sse.Event{Name: []byte("n"), Data: []byte(data), ID: []byte("7"), Retry: 5}); err != nil {
			t.Fatal(err)
		}
		got, _ := read(&b, 0)
		if diff := cmp.Diff([]event{want}, got); diff != "" {
			t.Errorf("%q: %s", data, diff)
		}
	}
	if err := (&sse.Writer{W: io.Discard}).Write(sse.Event{Name: []byte("a\nb")}); err == nil {
		t.Error("a name with a line end was written")
	}
}

func TestAnEventAllocatesNothing(t *testing.T) {
	r := sse.Reader{R: &forever{s: []byte("event: x\ndata: {\"choices\":[{\"delta\":{\"content\":\"hi\"}}]}\n\n")}}
	if n := testing.AllocsPerRun(1000, func() {
		if _, err := r.Next(); err != nil {
			t.Fatal(err)
		}
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

type forever struct {
	s []byte
	n int
}

func (f *forever) Read(p []byte) (int, error) {
	n := copy(p, f.s[f.n:])
	f.n = (f.n + n) % len(f.s)
	return n, nil
}

func FuzzReader(f *testing.F) {
	for _, s := range streams {
		f.Add(s.in)
	}
	f.Fuzz(func(t *testing.T, in string) {
		if len(in) > 900 {
			return // beyond the limit below
		}
		whole, _ := read(strings.NewReader(in), 1000)
		slow, _ := read(iotest.OneByteReader(strings.NewReader(in)), 1000)
		if diff := cmp.Diff(whole, slow); diff != "" {
			t.Error(diff)
		}
		var b bytes.Buffer
		w := sse.Writer{W: &b}
		for _, e := range whole {
			_ = w.Write(sse.Event{Name: []byte(e.Name), Data: []byte(e.Data)})
		}
		again, _ := read(&b, 0)
		for i := range whole {
			whole[i].ID, whole[i].Retry, whole[i].Cut = "", 0, false
		}
		if diff := cmp.Diff(whole, again); diff != "" {
			t.Error(diff)
		}
	})
}

func BenchmarkReader(b *testing.B) {
	r := sse.Reader{R: &forever{s: []byte("data: {\"choices\":[{\"delta\":{\"content\":\"hi\"}}]}\n\n")}}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := r.Next(); err != nil {
			b.Fatal(err)
		}
	}
}
