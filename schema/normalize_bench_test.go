package schema_test

import (
	"maps"
	"slices"
	"testing"

	"github.com/toolpost/toolpost/schema"
)

// registry is the first fifty tools of the published lists.
func registry(b *testing.B) [][]byte {
	var list [][]byte
	lists := corpus(b)
	for _, server := range slices.Sorted(maps.Keys(lists)) {
		if server == "written" {
			continue
		}
		for _, t := range lists[server] {
			if len(list) < 50 {
				list = append(list, t.InputSchema)
			}
		}
	}
	return list
}

// BenchmarkNormalize makes the views of fifty published tools: cold, from
// schemas that were just parsed, and warm.
func BenchmarkNormalize(b *testing.B) {
	for _, name := range []string{"openai", "responses", "anthropic", "gemini", "gemini-parameters"} {
		d, err := schema.DialectNamed(name)
		if err != nil {
			b.Fatal(err)
		}
		b.Run(name+"/cold", func(b *testing.B) {
			b.ReportAllocs()
			texts := registry(b)
			for b.Loop() {
				b.StopTimer()
				schemas := parsed(b, texts)
				b.StartTimer()
				normalizeAll(b, schemas, d)
			}
		})
		b.Run(name+"/warm", func(b *testing.B) {
			b.ReportAllocs()
			schemas := parsed(b, registry(b))
			for b.Loop() {
				normalizeAll(b, schemas, d)
			}
		})
	}
}

func parsed(tb testing.TB, texts [][]byte) []*schema.Schema {
	var list []*schema.Schema
	for _, text := range texts {
		s, err := schema.Parse(text)
		if err != nil {
			tb.Fatal(err)
		}
		list = append(list, s)
	}
	return list
}

func normalizeAll(tb testing.TB, list []*schema.Schema, d schema.Dialect) {
	for _, s := range list {
		if _, err := schema.Normalize(s, d); err != nil {
			tb.Fatal(err)
		}
	}
}

func BenchmarkRestore(b *testing.B) {
	d, err := schema.DialectNamed("openai-strict")
	if err != nil {
		b.Fatal(err)
	}
	s := schema.MustParse(`{"type":"object","properties":{"path":{"type":"string"},"limit":{"type":"integer"},"tags":{"type":"array","items":{"type":"string"}}},"required":["path"],"additionalProperties":false}`)
	v, err := schema.Normalize(s, d)
	if err != nil {
		b.Fatal(err)
	}
	args := []byte(`{"path":"a/b.txt","limit":null,"tags":["x","y"]}`)
	b.ReportAllocs()
	for b.Loop() {
		v.Restore(args)
	}
}
