package hook_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/toolpost/toolpost/hook"
	"github.com/toolpost/toolpost/internal/jsonx"
	"github.com/toolpost/toolpost/schema"
	"github.com/toolpost/toolpost/tool"
)

// store keeps artifacts in memory.
type store struct {
	kept [][]byte
	mime []string
	err  error
}

func (s *store) spill(_ context.Context, _ *tool.Call, data []byte, mime string) (tool.Artifact, error) {
	if s.err != nil {
		return tool.Artifact{}, s.err
	}
	s.kept, s.mime = append(s.kept, bytes.Clone(data)), append(s.mime, mime)
	return tool.Artifact{ID: fmt.Sprint("a", len(s.kept)), Bytes: int64(len(data)), MIME: mime}, nil
}

// through is the result of a call of a tool that answers with res, limited by l.
func through(t *testing.T, l *hook.Limit, res *tool.Result) *tool.Result {
	t.Helper()
	var tools tool.Registry
	tools.Use(l.Middleware)
	if err := tools.Add(tool.Tool{Spec: tool.Spec{Name: "big"}, Handler: func(context.Context, *tool.Call) (*tool.Result, error) { return res, nil }}); err != nil {
		t.Fatal(err)
	}
	return tool.Do(t.Context(), tools.Call, tool.NewCall("big", `{}`))
}

// read is how many bytes of JSON the model reads of r.
func read(r *tool.Result) int {
	n := 0
	for _, c := range r.Content {
		n += len(jsonx.AppendString(nil, c.Text))
	}
	return n
}

// C10: what is cut is not lost.
func TestC10WhatIsCutIsKept(t *testing.T) {
	text := strings.Repeat("line of a log\n", 300_000)
	rows := make([]map[string]string, 20_000)
	for i := range rows {
		rows[i] = map[string]string{"name": fmt.Sprint("row ", i)}
	}
	table := tool.JSON(rows)
	for name, c := range map[string]struct {
		res  *tool.Result
		kept string
		mime string
	}{
		"a text":        {tool.Text(text), text, "text/plain; charset=utf-8"},
		"data":          {table, string(table.Data), "application/json"},
		"a long error":  {tool.Fail(errors.New(text)), text, "text/plain; charset=utf-8"},
		"several texts": {&tool.Result{Content: []tool.Content{{Type: tool.ContentText, Text: "short"}, {Type: tool.ContentText, Text: text}}}, "short\n" + text, "text/plain; charset=utf-8"},
	} {
		t.Run(name, func(t *testing.T) {
			var s store
			r := through(t, &hook.Limit{Spill: s.spill}, c.res)
			if n := read(r); n > hook.LimitBytes {
				t.Errorf("the model reads %d bytes", n)
			}
			if len(s.kept) != 1 || string(s.kept[0]) != c.kept || s.mime[0] != c.mime {
				t.Fatalf("%d artifacts are kept, %q", len(s.kept), s.mime)
			}
			if r.Artifact == nil || r.Artifact.ID != "a1" {
				t.Errorf("the artifact is %+v", r.Artifact)
			}
			last := r.Content[len(r.Content)-1].Text
			if !strings.Contains(last, `read_artifact {"id":"a1","offset":`) {
				t.Errorf("the model is not told how to read on: %s", last)
			}
		})
	}
}

func TestLimitOffsetIsWhereTheModelStopped(t *testing.T) {
	var s store
	text := strings.Repeat("0123456789", 10_000)
	r := through(t, &hook.Limit{Bytes: 1000, Spill: s.spill}, tool.Text(text))
	head, _, _ := strings.Cut(r.Content[0].Text, "... [truncated, original size: 100002 bytes]")
	if want := fmt.Sprintf(`"offset":%d}`, len(head)); !strings.HasPrefix(text, head) || !strings.Contains(r.Content[1].Text, want) {
		t.Errorf("%d bytes were shown, and the note says %s", len(head), r.Content[1].Text)
	}
}

func TestLimitDataIsCutAsJSON(t *testing.T) {
	var s store
	r := through(t, &hook.Limit{Bytes: 600, Spill: s.spill}, tool.JSON(strings.Split(strings.Repeat("word ", 1000), " ")))
	var list []json.RawMessage
	if err := json.Unmarshal([]byte(r.Content[0].Text), &list); err != nil {
		t.Fatalf("the text is no array: %v: %s", err, r.Content[0].Text)
	}
	if got := string(list[len(list)-1]); got != `{"_truncated":true,"original_count":1001}` {
		t.Errorf("the sentinel is %s", got)
	}
	if n := read(r); n > 600 || n < 300 {
		t.Errorf("the model reads %d bytes of 600", n)
	}
}

func TestLimitDataStaysForPrograms(t *testing.T) {
	out := schema.MustParse(`{"type":"array","items":{"type":"string"}}`)
	data := tool.JSON(strings.Split(strings.Repeat("word ", 1000), " "))
	var s store
	small := through(t, &hook.Limit{Bytes: 600, Spill: s.spill}, data)
	if err := out.Check(small.Data); err != nil {
		t.Errorf("data under DataBytes does not fit its schema: %v", err)
	}
	moved := through(t, &hook.Limit{Bytes: 600, DataBytes: 5000, Spill: s.spill}, data)
	if moved.Data != nil || string(s.kept[1]) != string(data.Data) || moved.Artifact == nil {
		t.Errorf("data over DataBytes: %d bytes stay, artifact %+v", len(moved.Data), moved.Artifact)
	}
	aside := &tool.Result{Content: []tool.Content{{Type: tool.ContentText, Text: "see the table"}}, Data: data.Data}
	moved = through(t, &hook.Limit{DataBytes: 5000, Spill: s.spill}, aside)
	if moved.Data != nil || moved.Content[0].Text != "see the table" || len(moved.Content) != 2 {
		t.Errorf("data beside a text: %+v", moved.Content)
	}
}

func TestLimitSaysWhenNothingIsKept(t *testing.T) {
	data := tool.JSON(strings.Split(strings.Repeat("word ", 1000), " "))
	for name, spill := range map[string]func(context.Context, *tool.Call, []byte, string) (tool.Artifact, error){
		"no place": nil,
		"an error": (&store{err: errors.New("disk full")}).spill,
	} {
		r := through(t, &hook.Limit{Bytes: 600, DataBytes: 700, Spill: spill}, data)
		if string(r.Data) != string(data.Data) {
			t.Errorf("%s: the data is lost", name)
		}
		if last := r.Content[len(r.Content)-1].Text; !strings.Contains(last, "could not be kept") || r.Artifact != nil || r.Debug == "" {
			t.Errorf("%s: the note is %q, artifact %+v, debug %q", name, last, r.Artifact, r.Debug)
		}
	}
}

func TestLimitByContextWindow(t *testing.T) {
	r := through(t, &hook.Limit{ContextTokens: 1000}, tool.Text(strings.Repeat("x", 5000)))
	if n := read(r); n > 1200 || n < 1000 {
		t.Errorf("the model reads %d bytes; three tenths of its window are 1200", n)
	}
}

func TestLimitLeavesShortBlocksWhole(t *testing.T) {
	var s store
	r := through(t, &hook.Limit{Bytes: 2000, Spill: s.spill}, &tool.Result{Content: []tool.Content{
		{Type: tool.ContentText, Text: strings.Repeat("a", 5000)},
		{Type: tool.ContentImage, Data: make([]byte, 9000), MIME: "image/png"},
		{Type: tool.ContentText, Text: strings.Repeat("b", 300)},
	}})
	if len(r.Content) != 4 || len(r.Content[2].Text) != 300 || len(r.Content[1].Data) != 9000 || len(r.Content[0].Text) < 1000 || read(r) > 2000 {
		t.Errorf("%d blocks, %d bytes of text", len(r.Content), read(r))
	}
}

func TestLimitLeavesWhatFits(t *testing.T) {
	in := tool.JSON(map[string]int{"n": 1})
	if out := new(hook.Limit).Apply(t.Context(), tool.NewCall("x", ""), in); out != in {
		t.Error("a result that fits was copied")
	}
	if n := testing.AllocsPerRun(100, func() { new(hook.Limit).Apply(context.Background(), nil, in) }); n > 1 {
		t.Errorf("%v allocations for a result that fits", n)
	}
}

func TestArtifactsInArguments(t *testing.T) {
	artifacts := map[string][]byte{"a1": []byte("say \"hi\"\n"), "bin": {0xff, 0xfe}, "big": bytes.Repeat([]byte("x"), 2000)}
	x := &hook.Artifacts{MaxBytes: 1000, Load: func(_ context.Context, id string) ([]byte, error) {
		b, ok := artifacts[id]
		if !ok {
			return nil, tool.Errorf(tool.CodeNotFound, "no such artifact")
		}
		return b, nil
	}}
	for name, c := range map[string]struct{ args, want string }{
		"a member":                   {`{"content":"$artifact:a1"}`, `{"content":"say \"hi\"\n"}`},
		"deep and twice":             {`{"a":[ {"b~/c":"$artifact:a1"}, "$artifact:a1" ],"n":1}`, `{"a":[ {"b~/c":"say \"hi\"\n"}, "say \"hi\"\n" ],"n":1}`},
		"written with an escape":     {`{"content":"\u0024artifact:a1"}`, `{"content":"say \"hi\"\n"}`},
		"inside a text it stays":     {`{"content":"see $artifact:a1"}`, `{"content":"see $artifact:a1"}`},
		"a name of a member stays":   {`{"$artifact:a1":1}`, `{"$artifact:a1":1}`},
		"what is no id stays":        {`{"content":"$artifact:../x"}`, `{"content":"$artifact:../x"}`},
		"one that is not there":      {`{"a":["$artifact:zz"]}`, `NOT_FOUND: artifact zz at /a/0: no such artifact`},
		"one that is not text":       {`{"a~b":"$artifact:bin"}`, `VALIDATION_ERROR: artifact bin at /a~0b is not text, so it cannot be an argument`},
		"one that is too large":      {`{"a":"$artifact:big"}`, `LIMIT_EXCEEDED: artifact big at /a has 2000 bytes, and 1000 may be put into arguments; read the part you need with read_artifact`},
		"several are counted as one": {`{"a":"$artifact:a1","b":"$artifact:big"}`, `LIMIT_EXCEEDED: artifact big at /b has 2000 bytes, and 991 may be put into arguments; read the part you need with read_artifact`},
	} {
		t.Run(name, func(t *testing.T) {
			res := tool.Do(t.Context(), echo(x.Middleware).Call, tool.NewCall("echo", c.args))
			got := res.Content[0].Text
			if res.Err != nil {
				got = res.Err.Error()
			}
			if got != c.want {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
		})
	}
}

func FuzzArtifacts(f *testing.F) {
	f.Add([]byte(`{"a":["$artifact:a1",{"b":"$artifact:a2"}],"c":true}`))
	f.Add([]byte(`"$artifact:a"`))
	f.Fuzz(func(t *testing.T, args []byte) {
		x := &hook.Artifacts{Load: func(_ context.Context, id string) ([]byte, error) { return []byte("«" + id + "»"), nil }}
		c := &tool.Call{Args: args}
		h := x.Middleware(func(context.Context, *tool.Call) (*tool.Result, error) { return tool.Text(""), nil })
		if _, err := h(t.Context(), c); err != nil {
			t.Fatal(err)
		}
		if jsonx.Check(args) == nil && jsonx.Check(c.Args) != nil {
			t.Fatalf("%s became %s", args, c.Args)
		}
	})
}
