//go:build unix

package builtin_test

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/toolpost/toolpost/sandbox"
	"github.com/toolpost/toolpost/tool"
)

type readData struct {
	Path, Content, Etag, Encoding, MimeType string
	StartLine, Lines, TotalLines            int
	Bytes                                   int64
	Truncated                               bool
}

// numbered is lines "line 1" to "line n".
func numbered(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "line %d\n", i+1)
	}
	return b.String()
}

func TestReadFile(t *testing.T) {
	k := newKit(t, "empty", "", "three.txt", "a\nb\nc", "crlf.txt", "a\r\nb\r\n", "big.txt", numbered(5000), "one.txt", "x\n")
	for _, c := range []struct {
		name string
		args object
		want readData
		note string
	}{
		{"a whole file", object{"path": "three.txt"}, readData{Content: "a\nb\nc", StartLine: 1, Lines: 3, TotalLines: 3}, ""},
		{"a file with CRLF, as it is", object{"path": "crlf.txt"}, readData{Content: "a\r\nb\r\n", StartLine: 1, Lines: 2, TotalLines: 2}, ""},
		{"an empty file", object{"path": "empty"}, readData{StartLine: 1}, "the file is empty"},
		{"lines from the middle", object{"path": "three.txt", "offset": 2, "limit": 1}, readData{Content: "b\n", StartLine: 2, Lines: 1, TotalLines: 3, Truncated: true}, "[lines 2 to 2 of 3; go on with offset=3]"},
		{"the last line", object{"path": "three.txt", "offset": 3}, readData{Content: "c", StartLine: 3, Lines: 1, TotalLines: 3}, ""},
		{"a limit as text", object{"path": "three.txt", "limit": "1"}, readData{Content: "a\n", StartLine: 1, Lines: 1, TotalLines: 3, Truncated: true}, "offset=2"},
		{"another name for path", object{"file_path": "one.txt"}, readData{Content: "x\n", StartLine: 1, Lines: 1, TotalLines: 1}, ""},
	} {
		r := k.ok("read_file", c.args)
		got := data[readData](t, r)
		if got.Etag == "" || got.Encoding != "utf-8" || got.Path == "" {
			t.Errorf("%s: etag %q encoding %q path %q", c.name, got.Etag, got.Encoding, got.Path)
		}
		got.Etag, got.Encoding, got.Path, got.Bytes = "", "", "", 0
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.name, diff)
		}
		if !strings.HasPrefix(shown(r), got.Content) || !strings.Contains(shown(r), c.note) {
			t.Errorf("%s: the model reads %q", c.name, shown(r))
		}
	}
}

func TestReadFilePages(t *testing.T) {
	long := strings.Repeat("0123456789abcdef", 100) + "\n" // 1,601 bytes
	k := newKit(t, "big.txt", numbered(5000), "wide.txt", strings.Repeat(long, 100))
	for name, perPage := range map[string]int{"big.txt": 2000, "wide.txt": 31} {
		var all strings.Builder
		offset, pages := 1, 0
		for {
			d := data[readData](t, k.ok("read_file", object{"path": name, "offset": offset, "limit": 1_000_000}))
			if len(d.Content) > 50<<10 {
				t.Fatalf("%s: a page has %d bytes", name, len(d.Content))
			}
			all.WriteString(d.Content)
			pages++
			if !d.Truncated {
				break
			}
			if d.Lines != perPage {
				t.Fatalf("%s: page %d has %d lines, want %d", name, pages, d.Lines, perPage)
			}
			offset += d.Lines
		}
		if all.String() != k.get(name) {
			t.Errorf("%s: the pages do not join to the file", name)
		}
	}
}

func TestReadFileCutsALineThatIsLongerThanAPage(t *testing.T) {
	k := newKit(t, "min.js", strings.Repeat("é", 100_000)+"\nnext\n")
	r := k.ok("read_file", object{"path": "min.js"})
	d := data[readData](t, r)
	if d.Lines != 1 || !d.Truncated || len(d.Content) != 50<<10 || strings.ContainsRune(d.Content, '\uFFFD') {
		t.Errorf("lines %d, truncated %v, %d bytes", d.Lines, d.Truncated, len(d.Content))
	}
	if !strings.Contains(shown(r), "line 1 has 200001 bytes") || !strings.Contains(shown(r), "offset=2") {
		t.Errorf("note: %q", shown(r)[len(d.Content):])
	}
	if d := data[readData](t, k.ok("read_file", object{"path": "min.js", "offset": 2})); d.Content != "next\n" || d.Truncated {
		t.Errorf("the line behind it: %+v", d)
	}
}

func TestReadFileEncodings(t *testing.T) {
	for enc, content := range map[string]string{
		"utf-8":      "grüße\n世界\n",
		"utf-8-bom":  "\ufeffgrüße\n世界\n",
		"utf-16le":   string(sandbox.Encode("grüße\n世界\n", sandbox.UTF16LE)),
		"utf-16be":   string(sandbox.Encode("grüße\n世界\n", sandbox.UTF16BE)),
		"iso-8859-1": "gr\xfc\xdfe\nund mehr davon in alter Schrift\n",
	} {
		k := newKit(t, "f.txt", content)
		d := data[readData](t, k.ok("read_file", object{"path": "f.txt"}))
		if d.Encoding != enc || !strings.HasPrefix(d.Content, "grüße\n") || d.TotalLines != 2 {
			t.Errorf("%s: %+v", enc, d)
		}
	}
}

func TestReadFileNamesWhatIsBinary(t *testing.T) {
	for name, c := range map[string]struct{ content, mime string }{
		"a.pdf":  {"%PDF-1.7\x00\x01\x02", "application/pdf"},
		"a.zip":  {"PK\x03\x04\x00\x00\x00", "application/zip"},
		"a.out":  {"\x7fELF\x02\x01\x01\x00", "application/x-executable"},
		"a.db":   {"SQLite format 3\x00" + strings.Repeat("\x00", 100), "application/vnd.sqlite3"},
		"noise":  {"\x00\x01\x02\x03\xff", "application/octet-stream"},
		"big.bi": {"\x00\x01" + strings.Repeat("x", 5<<20), "application/octet-stream"},
	} {
		k := newKit(t, name, c.content)
		r := k.ok("read_file", object{"path": name})
		d := data[readData](t, r)
		if d.Encoding != "binary" || d.MimeType != c.mime || d.Content != "" || d.Bytes != int64(len(c.content)) {
			t.Errorf("%s: %+v", name, d)
		}
		if len(shown(r)) > 200 || !strings.Contains(shown(r), c.mime) {
			t.Errorf("%s: the model reads %q", name, shown(r))
		}
	}
}

func TestReadFileReadsALargeFileOnlyToTheEndOfThePage(t *testing.T) {
	k := newKit(t)
	f, err := os.Create(filepath.Join(k.dir, "huge.log"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.WriteString(numbered(3000)); err != nil {
		t.Fatal(err)
	}
	const size = 100 << 30 // a hole: reading all of it would take minutes
	if err := f.Truncate(size); err != nil {
		missing(t, "a file system with sparse files of 100 GB")
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	r := k.ok("read_file", object{"path": "huge.log", "offset": 10, "limit": 2})
	d := data[readData](t, r)
	want := readData{Path: "huge.log", Content: "line 10\nline 11\n", StartLine: 10, Lines: 2, Bytes: size, Truncated: true, Encoding: "utf-8"}
	if diff := cmp.Diff(want, d); diff != "" {
		t.Error(diff)
	}
	if !strings.Contains(shown(r), "offset=12") {
		t.Errorf("no hint in %q", shown(r))
	}
}

func TestReadFileShowsImages(t *testing.T) {
	k := newKit(t, "dot.png", string(picture(t, 3, 2, color.NRGBA{200, 0, 0, 255})))
	r := k.ok("read_file", object{"path": "dot.png"})
	if n := len(r.Content); n != 2 || r.Content[1].Type != tool.ContentImage || r.Content[1].MIME != "image/png" || string(r.Content[1].Data) != k.get("dot.png") {
		t.Errorf("content: %+v", r.Content)
	}
	if !strings.Contains(r.Content[0].Text, "3 × 2 pixels") {
		t.Errorf("text: %q", r.Content[0].Text)
	}
}

func picture(t testing.TB, w, h int, c color.Color) []byte {
	t.Helper()
	m := image.NewNRGBA(image.Rect(0, 0, w, h))
	for y := range h {
		for x := range w {
			m.Set(x, y, c)
		}
	}
	var b bytes.Buffer
	if err := png.Encode(&b, m); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestReadFileRefuses(t *testing.T) {
	k := newKit(t, "src/handler.go", "x", "src/main.go", "y", "other/config.toml", "z", "three.txt", "a\nb\nc\n")
	if err := syscall.Mkfifo(filepath.Join(k.dir, "pipe"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("/etc/passwd", filepath.Join(k.dir, "link")); err != nil {
		t.Fatal(err)
	}
	k.fails("read_file", object{"path": "src/handlr.go"}, tool.CodeNotFound, "src/handlr.go", "src/handler.go")
	k.fails("read_file", object{"path": "config.toml"}, tool.CodeNotFound, "other/config.toml")
	k.fails("read_file", object{"path": "srk/main.go"}, tool.CodeNotFound, "src/main.go")
	k.fails("read_file", object{"path": "../x"}, tool.CodePath, "above the workspace")
	k.fails("read_file", object{"path": "/etc/passwd"}, tool.CodePath, "outside the workspace")
	k.fails("read_file", object{"path": "~/x"}, tool.CodePath, "~")
	k.fails("read_file", object{"path": "a\x00b"}, tool.CodePath)
	k.fails("read_file", object{"path": "link"}, tool.CodePath, "out of the workspace")
	k.fails("read_file", object{"path": "src"}, tool.CodePrecondition, "is a folder", "list_directory")
	k.fails("read_file", object{"path": "src/"}, tool.CodePrecondition, "list_directory")
	k.fails("read_file", object{"path": "pipe"}, tool.CodePrecondition, "fifo")
	k.fails("read_file", object{"path": "three.txt", "offset": 9}, tool.CodeInvalid, "offset 9", "3 lines")
	k.fails("read_file", object{"path": "three.txt", "offset": 0}, tool.CodeInvalid, "offset")
	k.fails("read_file", object{"pth": "three.txt"}, tool.CodeInvalid, `"path" required`, "did you mean")
	k.fails("read_file", object{}, tool.CodeInvalid, `"path" required`)
}
