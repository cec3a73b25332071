package audit_test

import (
	"archive/tar"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/toolpost/toolpost/audit"
	"github.com/toolpost/toolpost/event"
	"github.com/toolpost/toolpost/tool"
)

func TestABundleIsAStoreOfOneRun(t *testing.T) {
	store, id := keptRun(t)
	var b bytes.Buffer
	if err := store.Export(&b, id, audit.FormatBundle); err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for r := tar.NewReader(&b); ; {
		h, err := r.Next()
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		data, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(dir, h.Name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		write(t, path, data)
	}
	sound(t, &audit.Store{Dir: dir}, id)
}

func TestATraceHasASpanForEachCall(t *testing.T) {
	store, id := keptRun(t)
	var b bytes.Buffer
	if err := store.Export(&b, id, audit.FormatOTel); err != nil {
		t.Fatal(err)
	}
	var got struct {
		ResourceSpans []struct {
			ScopeSpans []struct {
				Spans []struct{ TraceID, SpanID, ParentSpanID, Name, StartTimeUnixNano, EndTimeUnixNano string }
			}
		}
	}
	if err := json.Unmarshal(b.Bytes(), &got); err != nil {
		t.Fatal(err)
	}
	spans := got.ResourceSpans[0].ScopeSpans[0].Spans
	if len(spans) != 81 || spans[1].ParentSpanID != spans[0].SpanID || spans[1].Name != "execute_tool long" || len(spans[1].TraceID) != 32 || len(spans[1].SpanID) != 16 {
		t.Errorf("%d spans, the second %+v", len(spans), spans[1])
	}
	for _, s := range spans {
		if len(s.StartTimeUnixNano) != 19 || s.EndTimeUnixNano < s.StartTimeUnixNano {
			t.Errorf("%+v", s)
		}
	}
	var lines bytes.Buffer
	if err := store.Export(&lines, id, audit.FormatJSONL); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(lines.Bytes(), read(t, filepath.Join(store.Dir, id, "events.jsonl"))) {
		t.Error("jsonl is not the journal")
	}
}

func TestAReportHoldsAllAndFetchesNothing(t *testing.T) {
	store, id := keptRun(t)
	v, err := store.Load(id)
	if err != nil {
		t.Fatal(err)
	}
	v.Prompt = "<script>alert(1)</script>"
	var b bytes.Buffer
	if err := audit.WriteReport(&b, v, sound(t, store, id)); err != nil {
		t.Fatal(err)
	}
	page := b.String()
	for _, bad := range []string{"<script", "src=", "http://", "https://", "url(", "ZgotmplZ"} {
		if strings.Contains(page, bad) {
			t.Errorf("the page has %q", bad)
		}
	}
	for _, want := range []string{"80 <strong>long</strong>", "whole and unchanged", "&lt;script&gt;", `id="call-1"`} {
		if !strings.Contains(page, want) {
			t.Errorf("the page has no %q", want)
		}
	}
}

func TestAQueryFindsCalls(t *testing.T) {
	store := &audit.Store{Dir: t.TempDir()}
	tools := adder(t, 0, "Add.")
	for range 2 {
		run := newRun(t, store)
		for _, err := range audit.Record(run, event.Go(t.Context(), run.ID(), additions(tools, `{"a":1,"b":41}`, `{"a":-1}`))) {
			if err != nil {
				t.Fatal(err)
			}
		}
	}
	for _, test := range []struct {
		q    audit.Query
		want int
	}{
		{audit.Query{}, 4}, {audit.Query{Tool: "a*"}, 4}, {audit.Query{Tool: "b"}, 0},
		{audit.Query{Status: tool.StatusError}, 2}, {audit.Query{Code: tool.CodeFailed}, 2}, {audit.Query{Text: "42"}, 2},
		{audit.Query{Since: time.Now().Add(time.Hour)}, 0}, {audit.Query{Before: time.Now().Add(time.Hour)}, 4}, {audit.Query{Path: "x"}, 0},
	} {
		n := 0
		for f, err := range store.Query(test.q) {
			if err != nil || f.Run == nil {
				t.Fatal(err)
			}
			n++
		}
		if n != test.want {
			t.Errorf("%+v: %d found, want %d", test.q, n, test.want)
		}
	}
}

func TestGCKeepsWhatTheRetentionSays(t *testing.T) {
	store := &audit.Store{Dir: t.TempDir()}
	var ids []string
	for i := range 5 {
		label := ""
		if i == 1 {
			label = "keep"
		}
		run, err := store.Create(audit.Facts{Label: label, Started: time.Now().Add(time.Duration(i-5) * 24 * time.Hour)})
		if err != nil {
			t.Fatal(err)
		}
		record(t, run, 1)
		ids = append(ids, run.ID())
	}
	live := newRun(t, store)
	defer live.Close()
	names := func(list []audit.Removed) (got []string) {
		for _, r := range list {
			got = append(got, r.Run+" "+r.Why)
		}
		return got
	}
	dry, err := store.GC(audit.Retention{Runs: 2, DryRun: true})
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff([]string{ids[2] + " runs", ids[0] + " runs"}, names(dry)); d != "" {
		t.Errorf("want (-) and got (+):\n%s", d)
	}
	if got, err := store.GC(audit.Retention{Age: 84 * time.Hour, Labelled: true}); err != nil || len(got) != 2 {
		t.Errorf("%v %v", names(got), err)
	}
	left := 0
	for _, err := range store.List() {
		if err != nil {
			t.Error(err)
		}
		left++
	}
	if left != 4 {
		t.Errorf("%d runs left, want 4", left)
	}
}

// memoryTree is a tree in memory.
type memoryTree map[string]string

func (m *memoryTree) Etag(path string) (string, error) {
	data, ok := (*m)[path]
	switch {
	case !ok:
		return "", nil
	case data == audit.Folder:
		return audit.Folder, nil
	}
	return etag(data), nil
}

func (m *memoryTree) Write(path string, data []byte, was string) error {
	if got, _ := m.Etag(path); got != was {
		return fmt.Errorf("%s has %s", path, got)
	}
	(*m)[path] = string(data)
	return nil
}

func (m *memoryTree) Remove(path, _ string) error { delete(*m, path); return nil }

func (m *memoryTree) Rename(from, to string) error {
	(*m)[to] = (*m)[from]
	delete(*m, from)
	return nil
}

func etag(data string) string { return audit.SHA256([]byte(data))[:16] }

func TestUndoTakesEveryEffectBackOrNone(t *testing.T) {
	store := &audit.Store{Dir: t.TempDir()}
	run := newRun(t, store)
	change := func(e tool.Effects, data string, originals ...string) func(context.Context, *event.Run) {
		return func(ctx context.Context, r *event.Run) {
			r.Do(ctx, func(ctx context.Context, c *tool.Call) (*tool.Result, error) {
				for _, o := range originals {
					if _, err := store.Put(c.Run, []byte(o), "text/plain"); err != nil {
						return nil, err
					}
				}
				res := tool.Text("done")
				res.Effects, res.Data = &e, json.RawMessage(data)
				return res, nil
			}, tool.NewCall("change", `{}`))
		}
	}
	file := func(path, before, after string) []tool.FileEffect {
		f := tool.FileEffect{Path: path, Kind: "file"}
		if before != "" {
			f.Before = etag(before)
		}
		if after != "" {
			f.After = etag(after)
		}
		return []tool.FileEffect{f}
	}
	steps := []func(context.Context, *event.Run){
		change(tool.Effects{Created: append([]tool.FileEffect{{Path: "new", Kind: "folder"}}, file("new/a", "", "a1")...)}, ""),
		change(tool.Effects{Modified: file("m", "m0", "m1")}, "", "m0"),
		change(tool.Effects{Modified: file("m", "m1", "m2")}, "", "m1"),
		change(tool.Effects{Renamed: []tool.Rename{{From: "r", To: "new/r"}}}, ""),
		change(tool.Effects{Deleted: file("d", "d0", "")}, "", "d0"),
		change(tool.Effects{Deleted: []tool.FileEffect{{Path: "t", Kind: "file", Before: etag("t0"), Trashed: true}}}, `{"trashPath":".trash/t"}`),
		change(tool.Effects{Commands: []tool.CommandRun{{Argv: []string{"make"}}}}, ""),
	}
	for _, err := range audit.Record(run, event.Go(t.Context(), run.ID(), func(ctx context.Context, r *event.Run) error {
		for _, s := range steps {
			s(ctx, r)
		}
		r.Emit(event.Event{Type: event.RunFinished})
		return nil
	})) {
		if err != nil {
			t.Fatal(err)
		}
	}
	view, err := store.Load(run.ID())
	if err != nil {
		t.Fatal(err)
	}
	after := func() memoryTree {
		return memoryTree{"new": audit.Folder, "new/a": "a1", "m": "m2", "new/r": "r0", ".trash/t": "t0", "other": "x"}
	}
	tree := after()
	u, err := store.Undo(view, func(*audit.Call) audit.Tree { return &tree })
	if err != nil {
		t.Fatal(err)
	}
	if err := u.Apply(nil); err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(memoryTree{"m": "m0", "r": "r0", "d": "d0", "t": "t0", "other": "x"}, tree); d != "" {
		t.Errorf("want (-) and got (+):\n%s", d)
	}
	if d := cmp.Diff([]string{"call 7 ran a command: make"}, u.Left); d != "" {
		t.Error(d)
	}
	tree = after()
	tree["m"], tree["r"] = "mine", "mine"
	u, err = store.Undo(view, func(*audit.Call) audit.Tree { return &tree })
	if err != nil {
		t.Fatal(err)
	}
	if err := u.Apply(nil); tool.AsError(err).Code != tool.CodeConflict || len(u.Refusals) != 3 || tree["new/a"] != "a1" {
		t.Errorf("got %v, refusals %q", err, u.Refusals)
	}
}
