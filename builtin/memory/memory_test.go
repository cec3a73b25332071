package memory_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/toolpost/toolpost/builtin/memory"
	"github.com/toolpost/toolpost/tool"
	"github.com/toolpost/toolpost/tool/tooltest"
)

func open(t testing.TB, path string) *memory.Store {
	t.Helper()
	s, err := memory.Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

func fresh(t testing.TB) *memory.Store { return open(t, filepath.Join(t.TempDir(), "memory.db")) }

// put stores items; each is "key|text|tag,tag".
func put(t testing.TB, s *memory.Store, lines ...string) {
	t.Helper()
	for _, l := range lines {
		parts := strings.SplitN(l, "|", 3)
		it := memory.Item{Key: parts[0], Text: parts[1]}
		if len(parts) == 3 {
			it.Tags = strings.Split(parts[2], ",")
		}
		if _, _, err := s.Put(t.Context(), it, memory.Append); err != nil {
			t.Fatal(err)
		}
	}
}

func texts(items []memory.Item) []string {
	out := []string{}
	for _, it := range items {
		out = append(out, it.Text)
	}
	return out
}

func registry(t testing.TB, s *memory.Store) *tool.Registry {
	t.Helper()
	var r tool.Registry
	if err := r.Add(s.Tools()...); err != nil {
		t.Fatal(err)
	}
	return &r
}

func do(t testing.TB, r *tool.Registry, name, args string) *tool.Result {
	t.Helper()
	return tool.Do(t.Context(), r.Call, tool.NewCall(name, args))
}

func TestSearchRanksByFit(t *testing.T) {
	s := fresh(t)
	put(t, s,
		"|The staging cluster runs in Frankfurt.|ops",
		"|Deploys to production go through make ship, deploys to staging through make stage.",
		"|Anna prefers tabs over spaces.",
		"deploy|Ask Ben before a release.",
		"|Der Straßenname schreibt sich mit Eszett, naïve Fassung.",
	)
	for _, c := range []struct {
		query string
		want  []string
	}{
		{"who likes tabs", []string{"Anna prefers tabs over spaces."}},
		{"deploying", []string{"Ask Ben before a release.", "Deploys to production go through make ship, deploys to staging through make stage."}},
		{"staging cluster", []string{"The staging cluster runs in Frankfurt.", "Deploys to production go through make ship, deploys to staging through make stage."}},
		{"ops", []string{"The staging cluster runs in Frankfurt."}},
		{"NAIVE", []string{"Der Straßenname schreibt sich mit Eszett, naïve Fassung."}},
		{"rankfur", []string{"The staging cluster runs in Frankfurt."}},
		{"zebra", []string{}},
		{"", []string{}},
		{"  ?! ", []string{}},
	} {
		got, err := s.Search(t.Context(), c.query, 10)
		if err != nil {
			t.Errorf("%q: %v", c.query, err)
			continue
		}
		if diff := cmp.Diff(c.want, texts(got)); diff != "" {
			t.Errorf("search for %q (-want +got):\n%s", c.query, diff)
		}
		for i := 1; i < len(got); i++ {
			if got[i].Score > got[i-1].Score {
				t.Errorf("search for %q: scores rise: %v then %v", c.query, got[i-1].Score, got[i].Score)
			}
		}
	}
}

func TestAPieceOfAWordIsFoundInAnyScript(t *testing.T) {
	s := fresh(t)
	put(t, s, "|東京の会議は月曜日です。", "|100% of_it is \\ here")
	for query, want := range map[string]int{"会議": 1, "of_i": 1, "100%": 1, `\`: 1, "0% o": 1, "%": 1, "_": 1} {
		got, err := s.Search(t.Context(), query, 10)
		if err != nil || len(got) != want {
			t.Errorf("%q: %d items (%v), want %d", query, len(got), err, want)
		}
	}
}

func TestAQueryIsNeverAnExpression(t *testing.T) {
	s := fresh(t)
	put(t, s, "|alpha beta")
	for _, q := range []string{`alpha"`, `"`, `alpha AND`, `NEAR(alpha`, `text:alpha`, `alpha*`, `-alpha`, `(alpha`, `^alpha`, `a' OR 1=1 --`, "alpha\x00", strings.Repeat("word ", 5000)} {
		if _, err := s.Search(t.Context(), q, 10); err != nil {
			t.Errorf("%q: %v", clip(q), err)
		}
	}
}

func clip(s string) string { return s[:min(len(s), 40)] }

func FuzzSearch(f *testing.F) {
	s := fresh(f)
	put(f, s, "k|alpha beta gamma|x")
	for _, q := range []string{"alpha", `"`, "a OR b", "\x00", "…", "* AND NOT ("} {
		f.Add(q)
	}
	f.Fuzz(func(t *testing.T, q string) {
		if _, err := s.Search(context.Background(), q, 3); err != nil {
			t.Errorf("%q: %v", q, err)
		}
	})
}

func TestPut(t *testing.T) {
	s := fresh(t)
	ctx := t.Context()
	first, created, err := s.Put(ctx, memory.Item{Key: "deploy", Text: "one\n", Tags: []string{"b", "a", "a", " "}}, memory.Append)
	if err != nil || !created {
		t.Fatalf("created %v, %v", created, err)
	}
	if diff := cmp.Diff([]string{"a", "b"}, first.Tags); diff != "" {
		t.Error(diff)
	}
	second, created, err := s.Put(ctx, memory.Item{Key: "deploy", Text: "two", Tags: []string{"c"}}, memory.Append)
	if err != nil || created || second.ID != first.ID {
		t.Fatalf("append to a key: created %v, id %s, want %s (%v)", created, second.ID, first.ID, err)
	}
	if second.Text != "one\n\ntwo" || len(second.Tags) != 3 {
		t.Errorf("appended: %q %v", second.Text, second.Tags)
	}
	third, _, err := s.Put(ctx, memory.Item{Key: "deploy", Text: "three"}, memory.Overwrite)
	if err != nil || third.Text != "three" || len(third.Tags) != 0 || third.ID != first.ID {
		t.Errorf("overwritten: %+v %v", third, err)
	}
	got, err := s.Get(ctx, "deploy")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(third, got); diff != "" {
		t.Errorf("Get differs from Put (-put +get):\n%s", diff)
	}
	if found, _ := s.Search(ctx, "two", 10); len(found) != 0 {
		t.Errorf("the index still has the old text: %v", texts(found))
	}
	a, _, _ := s.Put(ctx, memory.Item{Text: "same"}, memory.Append)
	b, created, err := s.Put(ctx, memory.Item{Text: "same ", Tags: []string{"t"}}, memory.Append)
	if err != nil || created || a.ID != b.ID {
		t.Errorf("the same text twice: created %v, ids %s and %s, %v", created, a.ID, b.ID, err)
	}
}

func TestPutRefuses(t *testing.T) {
	s := fresh(t)
	many := strings.Split(strings.Repeat("t,", 30), ",")
	for i := range many {
		many[i] = fmt.Sprint("t", i)
	}
	for _, c := range []struct {
		name string
		item memory.Item
		mode memory.Mode
		code tool.Code
		say  string
	}{
		{"a blank text", memory.Item{Text: " \n"}, memory.Append, tool.CodeInvalid, "blank"},
		{"overwriting without a key", memory.Item{Text: "x"}, memory.Overwrite, tool.CodeInvalid, `"key" required`},
		{"an unknown mode", memory.Item{Text: "x"}, "replace", tool.CodeInvalid, "append or overwrite"},
		{"a text too long", memory.Item{Text: strings.Repeat("x", memory.MaxText+1)}, memory.Append, tool.CodeLimit, "65536"},
		{"text that is not UTF-8", memory.Item{Text: "\xff"}, memory.Append, tool.CodeInvalid, "UTF-8"},
		{"a key with a line break", memory.Item{Text: "x", Key: "a\nb"}, memory.Append, tool.CodeInvalid, "key"},
		{"too many tags", memory.Item{Text: "x", Tags: many}, memory.Append, tool.CodeInvalid, "tags"},
		{"a tag too long", memory.Item{Text: "x", Tags: []string{strings.Repeat("t", 65)}}, memory.Append, tool.CodeInvalid, "tag"},
	} {
		_, _, err := s.Put(t.Context(), c.item, c.mode)
		if !errors.Is(err, &tool.Error{Code: c.code}) || !strings.Contains(err.Error(), c.say) {
			t.Errorf("%s: got %v, want %s saying %q", c.name, err, c.code, c.say)
		}
	}
	put(t, s, "k|"+strings.Repeat("x", memory.MaxText-10))
	if _, _, err := s.Put(t.Context(), memory.Item{Key: "k", Text: "0123456789"}, memory.Append); !errors.Is(err, &tool.Error{Code: tool.CodeLimit}) {
		t.Errorf("appending past the limit: %v", err)
	}
}

func TestTools(t *testing.T) {
	s := fresh(t)
	r := registry(t, s)
	w := do(t, r, "memory_write", `{"text":"Deploys go through make ship.","key":"deploy","tags":["ops"]}`)
	if !w.OK() || w.Effects == nil || len(w.Effects.Observed) != 1 {
		t.Fatalf("write: %+v", w)
	}
	for _, c := range []struct{ name, args, want string }{
		{"by query", `{"query":"how to deploy"}`, "make ship"},
		{"by key", `{"key":"deploy"}`, "make ship"},
		{"the newest", `{}`, "make ship"},
		{"nothing that fits", `{"query":"zebra"}`, "nothing is remembered"},
		{"a key that is not there", `{"key":"deplyo"}`, "there are: deploy"},
		{"a query with a typo in its name", `{"qurey":"x"}`, "VALIDATION_ERROR"},
		{"a limit out of bounds", `{"limit":1000}`, "VALIDATION_ERROR"},
	} {
		if got := do(t, r, "memory_read", c.args); !strings.Contains(got.Content[0].Text, c.want) {
			t.Errorf("%s: %q lacks %q", c.name, got.Content[0].Text, c.want)
		}
	}
	var out struct {
		Items []struct {
			ID, Key, Text, CreatedAt string
			Score                    float64
			Tags                     []string
		}
	}
	if err := json.Unmarshal(do(t, r, "memory_read", `{"query":"ship"}`).Data, &out); err != nil || len(out.Items) != 1 {
		t.Fatalf("%v %+v", err, out)
	}
	it := out.Items[0]
	if it.ID == "" || it.Score <= 0 || it.CreatedAt == "" || it.Key != "deploy" || it.Tags[0] != "ops" {
		t.Errorf("item: %+v", it)
	}
}

func TestADryRunRemembersNothing(t *testing.T) {
	s := fresh(t)
	r := registry(t, s)
	c := tool.NewCall("memory_write", `{"text":"x","key":"k"}`)
	c.DryRun = true
	res := tool.Do(t.Context(), r.Call, c)
	if !res.OK() || res.Effects != nil || !strings.Contains(res.Content[0].Text, "dry run") {
		t.Errorf("%+v", res)
	}
	if all, _ := s.Newest(t.Context(), 10); len(all) != 0 {
		t.Errorf("remembered %v", texts(all))
	}
	c = tool.NewCall("memory_write", `{"text":"x","mode":"overwrite"}`)
	c.DryRun = true
	if res := tool.Do(t.Context(), r.Call, c); res.OK() {
		t.Error("the dry run of a bad call passed")
	}
}

func TestMemoryOutlivesTheStore(t *testing.T) {
	path := filepath.Join(t.TempDir(), "memory.db")
	s, err := memory.Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	put(t, s, "k|kept")
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if it, err := open(t, path).Get(t.Context(), "k"); err != nil || it.Text != "kept" {
		t.Errorf("%+v %v", it, err)
	}
}

func TestManyAtOnce(t *testing.T) {
	path := filepath.Join(t.TempDir(), "memory.db")
	stores := []*memory.Store{open(t, path), open(t, path)}
	var group sync.WaitGroup
	for i := range 6 {
		group.Go(func() {
			for j := range 10 {
				it := memory.Item{Key: "log", Text: fmt.Sprintf("entry %d.%d", i, j)}
				if _, _, err := stores[i%2].Put(context.Background(), it, memory.Append); err != nil {
					t.Error(err)
				}
				if _, err := stores[(i+1)%2].Search(context.Background(), "entry", 3); err != nil {
					t.Error(err)
				}
			}
		})
	}
	group.Wait()
	it, err := stores[0].Get(t.Context(), "log")
	if err != nil || strings.Count(it.Text, "entry") != 60 {
		t.Errorf("%d of 60 entries, %v", strings.Count(it.Text, "entry"), err)
	}
}

func TestNewestComesFirstAndLimitHolds(t *testing.T) {
	s := fresh(t)
	for i := range 20 {
		put(t, s, fmt.Sprintf("|note number %d", i))
	}
	got, err := s.Newest(t.Context(), 2)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"note number 19", "note number 18"}, texts(got)); diff != "" {
		t.Error(diff)
	}
	if got, _ := s.Search(t.Context(), "note", 3); len(got) != 3 {
		t.Errorf("%d found, want 3", len(got))
	}
}

func TestTheToolsKeepTheLaws(t *testing.T) {
	s := fresh(t)
	put(t, s, "deploy|make ship|ops", "|something else")
	for _, tl := range s.Tools() {
		t.Run(tl.Name, func(t *testing.T) { tooltest.Run(t, tl) })
	}
}
