package openai_test

import (
	"bytes"
	"context"
	"encoding/hex"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"testing/iotest"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/toolpost/toolpost/llm"
	"github.com/toolpost/toolpost/llm/llmtest"
	"github.com/toolpost/toolpost/provider/openai"
	"github.com/toolpost/toolpost/tool"
)

var (
	update   = flag.Bool("update", false, "write what was got into testdata")
	everyCut = flag.Bool("everycut", false, "cut the streams at every byte, not at some 200 of them")
)

// TestStreams reads each testdata/streams/*.txtar: what a server sent ("stream",
// or "body" for a reply in one piece), and what must come of it ("message").
// "dialect" names a dialect, "tools" the tools on offer, "ends" how lines end
// (crlf, cr, bom, none). «e6 97» in a stream stands for these bytes. Each stream
// is read whole, byte by byte, and in two parts.
func TestStreams(t *testing.T) {
	files, err := filepath.Glob("testdata/streams/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatal("no streams", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			a, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if len(bytes.TrimSpace(a.Comment)) == 0 {
				t.Error("the file does not say what it guards")
			}
			g := readGolden(t, a)
			got := g.message(t, bytes.NewReader(g.stream))
			if *update {
				g.write(t, a, file, got)
			} else if diff := cmp.Diff(g.want, got); diff != "" {
				t.Error(diff)
			}
			if slow := g.message(t, iotest.OneByteReader(bytes.NewReader(g.stream))); slow != got {
				t.Errorf("byte by byte: %s", cmp.Diff(got, slow))
			}
			step := 1 + len(g.stream)/200
			if *everyCut {
				step = 1
			}
			for i := 0; i < len(g.stream); i += step {
				if cut := g.message(t, io.MultiReader(bytes.NewReader(g.stream[:i]), bytes.NewReader(g.stream[i:]))); cut != got {
					t.Fatalf("cut at %d: %s", i, cmp.Diff(got, cut))
				}
			}
		})
	}
}

type golden struct {
	dialect string
	kind    string
	tools   []tool.Spec
	stream  []byte
	want    string
}

var rawBytes = regexp.MustCompile(`«[0-9a-f ]+»`)

func readGolden(t *testing.T, a *txtar.Archive) *golden {
	g := &golden{dialect: "generic", kind: "text/event-stream"}
	ends := ""
	for _, f := range a.Files {
		text := strings.TrimSpace(string(f.Data))
		switch f.Name {
		case "dialect":
			g.dialect = text
		case "tools":
			for _, n := range strings.Fields(text) {
				g.tools = append(g.tools, tool.Spec{Name: n})
			}
		case "stream":
			g.stream = f.Data
		case "body":
			g.stream, g.kind = f.Data, "application/json"
		case "ends":
			ends = text
		case "message":
			g.want = string(f.Data)
		default:
			t.Fatalf("unknown file %s", f.Name)
		}
	}
	g.stream = rawBytes.ReplaceAllFunc(g.stream, func(m []byte) []byte {
		b, err := hex.DecodeString(strings.ReplaceAll(strings.Trim(string(m), "«»"), " ", ""))
		if err != nil {
			t.Fatal(err)
		}
		return b
	})
	switch ends {
	case "crlf":
		g.stream = bytes.ReplaceAll(g.stream, []byte("\n"), []byte("\r\n"))
	case "cr":
		g.stream = bytes.ReplaceAll(g.stream, []byte("\n"), []byte("\r"))
	case "bom":
		g.stream = append([]byte("\xef\xbb\xbf"), g.stream...)
	case "none":
		g.stream = bytes.TrimRight(g.stream, "\n")
	}
	return g
}

// canned is a RoundTripper that answers with a body.
type canned struct {
	kind string
	body io.Reader
}

func (c canned) RoundTrip(*http.Request) (*http.Response, error) {
	return &http.Response{StatusCode: 200, Header: http.Header{"Content-Type": {c.kind}}, Body: io.NopCloser(c.body)}, nil
}

func (g *golden) message(t *testing.T, body io.Reader) string {
	d, ok := openai.DialectFor(g.dialect, "", "")
	if !ok {
		t.Fatalf("no dialect %q", g.dialect)
	}
	c := &openai.Chat{Model: "m", Dialect: &d, HTTP: &http.Client{Transport: canned{g.kind, body}}}
	msg, err := llmtest.Ask(context.Background(), c, &llm.Request{Tools: g.tools})
	return show(&msg, err)
}

// show is a message without what differs from time to time.
func show(m *llm.Message, err error) string {
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
			if x.Signature != "" {
				fmt.Fprintf(&b, "  signed %s\n", x.Signature)
			}
			if x.Broken != nil {
				fmt.Fprintf(&b, "  broken %s\n", x.Broken)
			}
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

func (g *golden) write(t *testing.T, a *txtar.Archive, file, got string) {
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

// fuzzStream reads a stream of any bytes: whatever comes, the message can be
// kept and an incomplete reply has an error.
func fuzzStream(t *testing.T, stream string) {
	d, _ := openai.DialectFor("openrouter", "", "")
	c := &openai.Chat{Model: "m", Dialect: &d, HTTP: &http.Client{Transport: canned{"text/event-stream", strings.NewReader(stream)}}}
	msg, err := llmtest.Ask(context.Background(), c, &llm.Request{Tools: []tool.Spec{{Name: "f"}}})
	if (err != nil) != msg.Broken() {
		t.Errorf("stop %s, error %v", msg.Stop, err)
	}
	if _, err := json.Marshal(msg); err != nil {
		t.Errorf("the message cannot be kept: %v", err)
	}
	for _, b := range msg.Blocks {
		if !utf8.ValidString(b.Text) || !utf8.ValidString(b.Thinking) {
			t.Errorf("text that is not UTF-8: %q %q", b.Text, b.Thinking)
		}
	}
}
