//go:build unix

package builtin_test

import (
	"bytes"
	"context"
	"fmt"
	"io/fs"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/toolpost/toolpost/builtin"
	"github.com/toolpost/toolpost/tool"
)

type artifactData struct {
	Content                  string
	Offset, TotalBytes, Next int64
}

// shelf is a kit with artifacts in memory.
func shelf(t testing.TB, content map[string]string) *kit {
	t.Helper()
	k := &kit{t: t, dir: "no folder at all"}
	a := builtin.Artifacts{Load: shelfOf(content)}
	if err := k.tools.Add(a.Tools()...); err != nil {
		t.Fatal(err)
	}
	return k
}

func shelfOf(content map[string]string) func(context.Context, string) (builtin.Blob, error) {
	return func(_ context.Context, id string) (builtin.Blob, error) {
		c, ok := content[id]
		if !ok {
			return nil, fmt.Errorf("artifact %s: %w", id, fs.ErrNotExist)
		}
		return strings.NewReader(c), nil
	}
}

type closingBlob struct {
	*strings.Reader
	closed *int
}

func (b closingBlob) Close() error { *b.closed++; return nil }

func TestReadArtifactClosesWhatItOpened(t *testing.T) {
	closed := 0
	k := &kit{t: t, dir: "no folder at all"}
	a := builtin.Artifacts{Load: func(context.Context, string) (builtin.Blob, error) {
		return closingBlob{strings.NewReader("text"), &closed}, nil
	}}
	if err := k.tools.Add(a.Tools()...); err != nil {
		t.Fatal(err)
	}
	k.ok("read_artifact", object{"id": "a"})
	k.do("read_artifact", object{"id": "a", "find": "zebra"})
	if closed != 2 {
		t.Errorf("closed %d times, want 2", closed)
	}
}

func TestReadArtifact(t *testing.T) {
	big := strings.Repeat("é", 200_000) // 400,000 bytes
	k := shelf(t, map[string]string{"log": numbered(1000), "big": big, "small": "one\ntwo\n", "empty": "", "json": `{"a":"` + strings.Repeat("x", 300_000) + `","needle":1}`})
	for _, c := range []struct {
		name string
		args object
		want artifactData
	}{
		{"a small one", object{"id": "small"}, artifactData{Content: "one\ntwo\n", TotalBytes: 8}},
		{"an empty one", object{"id": "empty"}, artifactData{}},
		{"from an offset", object{"id": "small", "offset": 4}, artifactData{Content: "two\n", Offset: 4, TotalBytes: 8}},
		{"up to a limit", object{"id": "small", "limit": 5}, artifactData{Content: "one\nt", TotalBytes: 8, Next: 5}},
		{"at its end", object{"id": "small", "offset": 8}, artifactData{Offset: 8, TotalBytes: 8}},
		{"a text that it has", object{"id": "log", "find": "500\n", "limit": 9}, artifactData{Content: "line 500\n", Offset: 4383, TotalBytes: 8893, Next: 4392}},
		{"the next time that it has it", object{"id": "small", "find": "o", "offset": 1, "limit": 4}, artifactData{Content: "two\n", Offset: 4, TotalBytes: 8}},
		{"inside a character", object{"id": "big", "offset": 1, "limit": 5}, artifactData{Content: "éé", Offset: 2, TotalBytes: 400_000, Next: 6}},
	} {
		got := data[artifactData](t, k.ok("read_artifact", c.args))
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.name, diff)
		}
	}
	d := data[artifactData](t, k.ok("read_artifact", object{"id": "json", "find": "needle"}))
	if !strings.Contains(d.Content, "needle") || d.Offset < 299_000 || d.Offset > 300_100 {
		t.Errorf("in a long line: offset %d, %d bytes", d.Offset, len(d.Content))
	}
}

func TestReadArtifactPagesJoin(t *testing.T) {
	whole := strings.Repeat("é€🙂x", 30_000)
	k := shelf(t, map[string]string{"a": whole})
	for _, limit := range []int{51_200, 7_001} {
		var all bytes.Buffer
		for offset := int64(0); ; {
			d := data[artifactData](t, k.ok("read_artifact", object{"id": "a", "offset": offset, "limit": limit}))
			if len(d.Content) > limit {
				t.Fatalf("a page has %d bytes, more than %d", len(d.Content), limit)
			}
			all.WriteString(d.Content)
			if offset = d.Next; offset == 0 {
				break
			}
		}
		if all.String() != whole {
			t.Errorf("limit %d: the pages do not join", limit)
		}
	}
}

func TestReadArtifactRefuses(t *testing.T) {
	k := shelf(t, map[string]string{"a": "text", "bin": "\x89PNG\r\n\x1a\n\x00\x00"})
	k.fails("read_artifact", object{"id": "b"}, tool.CodeNotFound, `no artifact "b"`)
	k.fails("read_artifact", object{"id": "a", "offset": 5}, tool.CodeInvalid, "4 bytes")
	k.fails("read_artifact", object{"id": "a", "find": "Text"}, tool.CodeNotFound, "Text", "case counts")
	k.fails("read_artifact", object{"id": "bin"}, tool.CodePrecondition, "image/png")
	k.fails("read_artifact", object{"id": "a", "offset": -1}, tool.CodeInvalid)
	k.fails("read_artifact", object{}, tool.CodeInvalid, `"id" required`)
}
