package schema_test

import (
	"encoding/json"
	"sync"
	"testing"

	"github.com/toolpost/toolpost/schema"
)

const orderSchema = `{
  "type": "object",
  "additionalProperties": false,
  "required": ["order_id","customer","priority","quantity","price","express","tags","address","currency"],
  "properties": {
    "order_id": {"type":"string","pattern":"^ord-[0-9]+$","description":"order id"},
    "customer": {"type":"string","minLength":1,"maxLength":200,"description":"customer name"},
    "priority": {"type":"string","enum":["low","normal","high"]},
    "quantity": {"type":"integer","minimum":1,"maximum":1000},
    "price": {"type":"number","minimum":0},
    "express": {"type":"boolean"},
    "tags": {"type":"array","items":{"type":"string"},"maxItems":16},
    "note": {"type":"string"},
    "currency": {"type":"string","minLength":3,"maxLength":3},
    "address": {
      "type":"object",
      "additionalProperties": false,
      "required": ["street","city","zip","country"],
      "properties": {
        "street": {"type":"string"},
        "city": {"type":"string"},
        "zip": {"type":"string"},
        "country": {"type":"string","minLength":2,"maxLength":2}
      }
    }
  }
}`

const orderArgs = `{"order_id":"ord-20931","customer":"Ada Example","priority":"normal","quantity":12,"price":19.95,"express":true,"tags":["fragile","gift","eu"],"note":"Leave at the door.","currency":"EUR","address":{"street":"1 Long Street","city":"Utrecht","zip":"3511 AB","country":"NL"}}`

// edit changes one member of the order, or of its address; nil removes it.
func edit(t testing.TB, in, name string, v any) string {
	var order map[string]any
	if err := json.Unmarshal([]byte(orderArgs), &order); err != nil {
		t.Fatal(err)
	}
	at := order
	if in != "" {
		at = order[in].(map[string]any)
	}
	if at[name] = v; v == nil {
		delete(at, name)
	}
	b, err := json.Marshal(order)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func TestBadOrdersAreRefused(t *testing.T) {
	s := schema.MustParse(orderSchema)
	if err := s.Check([]byte(orderArgs)); err != nil {
		t.Fatalf("the good order: %v", err)
	}
	for _, c := range []struct{ name, args, rule string }{
		{"not JSON", `{"order_id":"ord-1",`, "json"},
		{"missing required", edit(t, "", "order_id", nil), "required"},
		{"wrong type", edit(t, "", "quantity", "twelve"), "type"},
		{"string for number", edit(t, "", "quantity", "12"), "type"},
		{"float for integer", edit(t, "", "quantity", 1.5), "type"},
		{"unknown property", edit(t, "", "surprise", 1), "additionalProperties"},
		{"nested missing", edit(t, "address", "zip", nil), "required"},
		{"nested wrong type", edit(t, "address", "zip", 3511), "type"},
		{"nested unknown", edit(t, "address", "planet", "Earth"), "additionalProperties"},
		{"enum", edit(t, "", "priority", "urgent!!"), "enum"},
		{"range", edit(t, "", "quantity", 0), "minimum"},
		{"pattern", edit(t, "", "order_id", "20931"), "pattern"},
		{"array item type", edit(t, "", "tags", []any{"a", 2}), "type"},
		{"duplicate name", `{"order_id":"ord-1",` + orderArgs[1:], "json"},
		{"duplicate unknown name in an unchecked place", `{"x":1,"x":2}`, "json"},
	} {
		err, ok := s.Check([]byte(c.args)).(*schema.Invalid)
		if !ok {
			t.Errorf("%s: accepted", c.name)
			continue
		}
		if got := err.Problems[0].Rule; got != c.rule || len(err.Problems) != 1 {
			t.Errorf("%s: got %d problems, the first is %s (%v); want one %s", c.name, len(err.Problems), got, err, c.rule)
		}
	}
}

func TestASchemaServesManyGoroutines(t *testing.T) {
	s := schema.MustParse(orderSchema)
	good, bad, odd := []byte(orderArgs), []byte(edit(t, "", "quantity", 0)), []byte(edit(t, "", "quantity", "12"))
	var group sync.WaitGroup
	for range 8 {
		group.Go(func() {
			for range 20 {
				_, err := s.Fit(odd)
				if s.Check(good) != nil || s.Check(bad) == nil || err != nil || len(s.Example()) == 0 {
					t.Error("a wrong answer")
				}
			}
		})
	}
	group.Wait()
}

func TestCheckAndFitOfFittingDocumentsDoNotAllocate(t *testing.T) {
	s := schema.MustParse(orderSchema)
	doc := []byte(orderArgs)
	if n := fewestAllocs(func() {
		if s.Check(doc) != nil {
			t.Fatal("refused")
		}
	}); n != 0 {
		t.Errorf("Check allocates %v times", n)
	}
	if n := fewestAllocs(func() {
		if f, err := s.Fit(doc); err != nil || &f.Doc[0] != &doc[0] {
			t.Fatal("changed")
		}
	}); n != 0 {
		t.Errorf("Fit allocates %v times", n)
	}
}

// fewestAllocs is how often f allocates at least: the race detector has a
// sync.Pool lose things at random, so that a single measure says too much.
func fewestAllocs(f func()) float64 {
	fewest := testing.AllocsPerRun(10, f)
	for range 20 {
		fewest = min(fewest, testing.AllocsPerRun(10, f))
	}
	return fewest
}

func BenchmarkCheck(b *testing.B) {
	s, doc := schema.MustParse(orderSchema), []byte(orderArgs)
	b.ReportAllocs()
	for b.Loop() {
		if s.Check(doc) != nil {
			b.Fatal("refused")
		}
	}
}

func BenchmarkFit(b *testing.B) {
	s, doc := schema.MustParse(orderSchema), []byte(orderArgs)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := s.Fit(doc); err != nil {
			b.Fatal("refused")
		}
	}
}

func BenchmarkCheckRefused(b *testing.B) {
	s, doc := schema.MustParse(orderSchema), []byte(edit(b, "", "quantity", "12"))
	b.ReportAllocs()
	for b.Loop() {
		if s.Check(doc) == nil {
			b.Fatal("accepted")
		}
	}
}

func BenchmarkFitWithChanges(b *testing.B) {
	s, doc := schema.MustParse(orderSchema), []byte(edit(b, "", "quantity", "12"))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := s.Fit(doc); err != nil {
			b.Fatal("refused")
		}
	}
}

func BenchmarkParse(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		if _, err := schema.Parse([]byte(orderSchema)); err != nil {
			b.Fatal(err)
		}
	}
}
