package schema_test

import (
	"encoding/json"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/toolpost/toolpost/schema"
)

// withNull writes the keyword nullable of OpenAPI as draft 2020-12 has it.
func withNull(v any) any {
	switch v := v.(type) {
	case object:
		out := object{}
		for k, e := range v {
			out[k] = withNull(e)
		}
		if out["nullable"] == true {
			delete(out, "nullable")
			return object{"anyOf": []any{out, object{"type": "null"}}}
		}
		return out
	case []any:
		var out []any
		for _, e := range v {
			out = append(out, withNull(e))
		}
		return out
	}
	return v
}

// readView compiles a view as its provider reads it.
func readView(t testing.TB, v schema.View) *schema.Schema {
	t.Helper()
	text := []byte(v.Schema)
	if v.Dialect == "gemini-parameters" {
		var doc any
		if err := json.Unmarshal(text, &doc); err != nil {
			t.Fatal(err)
		}
		text, _ = json.Marshal(withNull(doc))
	}
	s, err := schema.Parse(text)
	if err != nil {
		t.Fatalf("%s: the view is no schema: %v\n%s", v.Dialect, err, v.Schema)
	}
	return s
}

// checkView holds a view to what is promised of all of them.
func checkView(t testing.TB, src []byte, d schema.Dialect, v schema.View) {
	t.Helper()
	if list := refusals(v); len(list) > 0 {
		t.Fatalf("%s refuses %s\nof %s\nbecause %s", d.Name, v.Schema, src, strings.Join(list, "\n"))
	}
	again, err := schema.Parse(v.Schema)
	if err != nil {
		t.Fatalf("%s: the view is no schema: %v\n%s", d.Name, err, v.Schema)
	}
	w, err := schema.Normalize(again, effective(t, d, v))
	if err != nil || string(w.Schema) != string(v.Schema) {
		t.Fatalf("%s: the view of the view is another (%v)\n%s\n%s\nof %s", d.Name, err, v.Schema, w.Schema, src)
	}
}

// effective is the dialect that the view was really made for.
func effective(t testing.TB, d schema.Dialect, v schema.View) schema.Dialect {
	t.Helper()
	name := d.Name
	switch {
	case d.Prefer != "" && v.Strict:
		name = d.Prefer
	case d.Prefer != "":
		name = "openai"
	case v.NotStrict != "":
		name = d.Loose
	}
	d, err := schema.DialectNamed(name)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// checkDocument holds a view to its promise for one document that fits the
// author's schema: the provider's model can write it, and it comes back.
func checkDocument(t testing.TB, src, doc []byte, v schema.View, read *schema.Schema) {
	t.Helper()
	if !v.Boxed && doc[0] != '{' {
		return // arguments are objects where the schema allows them to be
	}
	sent := v.Express(doc)
	if err := read.Check(sent); err != nil {
		t.Fatalf("%s: %s cannot be expressed\nas %s: %v\nby %s\nof %s\n%v", v.Dialect, doc, sent, err, v.Schema, src, v.Losses)
	}
	back := v.Restore(sent)
	if sameBut(t, doc, back, v) {
		return
	}
	t.Fatalf("%s: %s came back as %s\nthrough %s\nby %s\nof %s", v.Dialect, doc, back, sent, v.Schema, src)
}

// sameBut reports whether two documents are equal, but for null where a
// property was absent and the view says that it cannot tell these apart.
func sameBut(t testing.TB, a, b []byte, v schema.View) bool {
	t.Helper()
	x, _ := schema.Canonical(a)
	y, err := schema.Canonical(b)
	if err != nil {
		return false
	}
	if string(x) == string(y) {
		return true
	}
	blurred := func(l schema.Loss) bool {
		return l.Keyword == "required" && (l.Class == schema.Approximated || l.Class == schema.NullableOptional)
	}
	if !slices.ContainsFunc(v.Losses, blurred) {
		return false
	}
	var p, q any
	_, _ = json.Unmarshal(x, &p), json.Unmarshal(y, &q)
	p, _ = json.Marshal(withoutNulls(p))
	q, _ = json.Marshal(withoutNulls(q))
	return string(p.([]byte)) == string(q.([]byte))
}

func withoutNulls(v any) any {
	switch v := v.(type) {
	case object:
		out := object{}
		for k, e := range v {
			if e != nil {
				out[k] = withoutNulls(e)
			}
		}
		return out
	case []any:
		var out []any
		for _, e := range v {
			out = append(out, withoutNulls(e))
		}
		return out
	}
	return v
}

// law makes one schema and some documents out of seed, and checks all that is
// promised of views.
func law(t testing.TB, seed uint64) (views, documents int) {
	m := &chancer{Rand: rand.New(rand.NewPCG(seed, 1))}
	root := m.schema()
	src, err := json.Marshal(root)
	if err != nil {
		t.Fatal(err)
	}
	s, err := schema.Parse(src)
	if err != nil {
		return 0, 0
	}
	var docs [][]byte
	for range 6 {
		doc, _ := json.Marshal(m.document(root, root, 0))
		if s.Check(doc) == nil && string(doc) != "null" {
			docs = append(docs, doc)
		}
	}
	for _, d := range schema.Dialects() {
		v, err := schema.Normalize(s, d)
		if err != nil {
			if len(docs) > 0 {
				t.Fatalf("%s: %v\nof %s", d.Name, err, src)
			}
			continue
		}
		checkView(t, src, d, v)
		read := readView(t, v)
		for _, doc := range docs {
			checkDocument(t, src, doc, v, read)
		}
		views, documents = views+1, documents+len(docs)
	}
	return views, documents
}

func TestEveryViewKeepsTheLaws(t *testing.T) {
	views, documents := 0, 0
	for seed := range uint64(200) {
		v, d := law(t, seed)
		views, documents = views+v, documents+d
	}
	if views < 3000 || documents < 3000 {
		t.Errorf("only %d views and %d documents were made", views, documents)
	}
}

func FuzzNormalize(f *testing.F) {
	f.Add(uint64(1))
	f.Fuzz(func(t *testing.T, seed uint64) { law(t, seed) })
}

// FuzzNormalizeText feeds schemas as anyone may write them.
func FuzzNormalizeText(f *testing.F) {
	for _, tool := range corpus(f)["written"] {
		f.Add([]byte(tool.InputSchema))
	}
	f.Fuzz(func(t *testing.T, src []byte) {
		if len(src) > 4096 {
			return
		}
		s, err := schema.Parse(src)
		if err != nil {
			return
		}
		for _, d := range schema.Dialects() {
			if advice[d.Name] {
				continue
			}
			if v, err := schema.Normalize(s, d); err == nil {
				checkView(t, src, d, v)
			}
		}
	})
}

// TestMutilatedSchemasHaveViewsOrReasons cuts and grafts written schemas, as
// careless authors and converters do.
func TestMutilatedSchemasHaveViewsOrReasons(t *testing.T) {
	m := &chancer{Rand: rand.New(rand.NewPCG(7, 9))}
	list := corpus(t)["written"]
	views := 0
	for range 500 {
		s, err := schema.Parse(m.mutilate(list))
		if err != nil {
			continue
		}
		for _, d := range schema.Dialects() {
			if v, err := schema.Normalize(s, d); err == nil {
				checkView(t, s.JSON(), d, v)
				views++
			}
		}
	}
	if views < 600 {
		t.Errorf("only %d views were made", views)
	}
}
