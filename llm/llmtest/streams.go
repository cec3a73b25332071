package llmtest

import (
	"bytes"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/toolpost/toolpost/llm"
	"github.com/toolpost/toolpost/schema"
	"github.com/toolpost/toolpost/tool"
)

// Streams are recorded answers, one in each txtar file that Glob finds: what a
// server sent ("stream", or "body" for a reply in one piece), and what must come
// of it ("message"). "dialect" is for the adapter, "tools" the names of the
// tools on offer, "schema" what the first of them takes, "ends" how lines end
// (crlf, cr, bom, none). «e6 97» in a stream stands for these bytes. The file
// begins with what it guards.
type Streams struct {
	Glob     string
	Read     func(t *testing.T, r Recording, body io.Reader) (llm.Message, error) // by the adapter
	Update   bool                                                                 // write what was got
	EveryCut bool                                                                 // at every byte, not at some 200 of them
}

// A Recording is one answer of a server.
type Recording struct {
	Dialect string // "" if none is named
	Tools   []tool.Spec
	Whole   bool // it came in one piece, as JSON
	stream  []byte
	want    string
}

// ContentType is the header of the answer.
func (r Recording) ContentType() string {
	if r.Whole {
		return "application/json"
	}
	return "text/event-stream"
}

// Run reads each stream whole, byte by byte, in pieces of seven bytes, and cut in
// two at many places: the message must be the same.
func (s Streams) Run(t *testing.T) {
	files, err := filepath.Glob(s.Glob)
	if err != nil || len(files) == 0 {
		t.Fatal("no streams", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) { s.one(t, file) })
	}
}

func (s Streams) one(t *testing.T, file string) {
	a, err := txtar.ParseFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if len(bytes.TrimSpace(a.Comment)) == 0 {
		t.Error("the file does not say what it guards")
	}
	r := readRecording(t, a)
	read := func(body io.Reader) string {
		m, err := s.Read(t, r, body)
		return Show(&m, err)
	}
	got := read(bytes.NewReader(r.stream))
	if s.Update {
		writeMessage(t, a, file, got)
	} else if diff := cmp.Diff(r.want, got); diff != "" {
		t.Error(diff)
	}
	if slow := read(iotest.OneByteReader(bytes.NewReader(r.stream))); slow != got {
		t.Errorf("byte by byte: %s", cmp.Diff(got, slow))
	}
	if sevens := read(&pieceReader{r.stream, 7}); sevens != got {
		t.Errorf("in pieces of seven bytes: %s", cmp.Diff(got, sevens))
	}
	step := 1 + len(r.stream)/200
	if s.EveryCut {
		step = 1
	}
	for i := 0; i < len(r.stream); i += step {
		if cut := read(io.MultiReader(bytes.NewReader(r.stream[:i]), bytes.NewReader(r.stream[i:]))); cut != got {
			t.Fatalf("cut at %d: %s", i, cmp.Diff(got, cut))
		}
	}
}

// A pieceReader gives n bytes at a time.
type pieceReader struct {
	rest []byte
	n    int
}

func (p *pieceReader) Read(b []byte) (int, error) {
	if len(p.rest) == 0 {
		return 0, io.EOF
	}
	n := copy(b[:min(len(b), p.n)], p.rest)
	p.rest = p.rest[n:]
	return n, nil
}

var rawBytes = regexp.MustCompile(`«[0-9a-f ]+»`)

func readRecording(t *testing.T, a *txtar.Archive) Recording {
	var r Recording
	ends := ""
	for _, f := range a.Files {
		text := strings.TrimSpace(string(f.Data))
		switch f.Name {
		case "dialect":
			r.Dialect = text
		case "tools":
			for _, n := range strings.Fields(text) {
				r.Tools = append(r.Tools, tool.Spec{Name: n})
			}
		case "schema":
			r.Tools[0].Input = schema.MustParse(text)
		case "stream":
			r.stream = f.Data
		case "body":
			r.stream, r.Whole = f.Data, true
		case "ends":
			ends = text
		case "message":
			r.want = string(f.Data)
		default:
			t.Fatalf("unknown file %s", f.Name)
		}
	}
	r.stream = rawBytes.ReplaceAllFunc(r.stream, func(m []byte) []byte {
		b, err := hex.DecodeString(strings.ReplaceAll(strings.Trim(string(m), "«»"), " ", ""))
		if err != nil {
			t.Fatal(err)
		}
		return b
	})
	switch ends {
	case "crlf":
		r.stream = bytes.ReplaceAll(r.stream, []byte("\n"), []byte("\r\n"))
	case "cr":
		r.stream = bytes.ReplaceAll(r.stream, []byte("\n"), []byte("\r"))
	case "bom":
		r.stream = append([]byte("\xef\xbb\xbf"), r.stream...)
	case "none":
		r.stream = bytes.TrimRight(r.stream, "\n")
	}
	return r
}

// Show is a message, and the error of its stream, as text without what differs
// from time to time.
func Show(m *llm.Message, err error) string {
	var b strings.Builder
	seen := map[string]bool{}
	for _, x := range m.Blocks {
		switch x.Type {
		case tool.ContentText:
			fmt.Fprintf(&b, "text %q\n", x.Text)
		case llm.BlockThinking:
			fmt.Fprintf(&b, "thinking %q\n", x.Thinking)
		case llm.BlockOpaque:
			fmt.Fprintf(&b, "opaque %s\n", x.Opaque)
		case llm.BlockCall:
			if seen[x.Call.ID] || x.Call.ID == "" || x.Call.Created.After(time.Now()) {
				fmt.Fprintf(&b, "a call without an id of its own\n")
			}
			seen[x.Call.ID] = true
			fmt.Fprintf(&b, "call %s id=%q %s\n", x.Call.Tool, x.Call.ProviderID, x.Call.Args)
		}
		if x.Signature != "" {
			fmt.Fprintf(&b, "  signed %s\n", x.Signature)
		}
		if x.Broken != nil {
			fmt.Fprintf(&b, "  broken %s\n", x.Broken)
		}
	}
	fmt.Fprintf(&b, "stop %s\n", m.Stop)
	if u := m.Usage; u != nil {
		fmt.Fprintf(&b, "usage %+v\n", *u)
	}
	if err != nil {
		fmt.Fprintf(&b, "error %s: %s\n", tool.AsError(err).Code, err)
	}
	return b.String()
}

func writeMessage(t *testing.T, a *txtar.Archive, file, got string) {
	files := a.Files[:0]
	for _, f := range a.Files {
		if f.Name != "message" {
			files = append(files, f)
		}
	}
	a.Files = append(files, txtar.File{Name: "message", Data: []byte(got)})
	if err := os.WriteFile(file, txtar.Format(a), 0o644); err != nil {
		t.Fatal(err)
	}
}
