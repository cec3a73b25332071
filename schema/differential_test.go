package schema_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/toolpost/toolpost/internal/jsonx"
	"github.com/toolpost/toolpost/schema"
)

// A maker writes random schemas of the keywords that the fast walk knows, and
// documents that have a fair chance to fit them.
type maker struct{ *rand.Rand }

func (m maker) pick(list ...string) string { return list[m.IntN(len(list))] }

func (m maker) schema(depth int) string {
	if depth <= 0 || m.IntN(12) == 0 {
		return m.pick("true", "false", "{}", `{"type":"string"}`, `{"type":"integer"}`, `{"type":["number","null"]}`)
	}
	var parts []string
	add := func(format string, args ...any) { parts = append(parts, fmt.Sprintf(format, args...)) }
	sub := func() string { return m.schema(depth - 1) }
	seen := map[int]bool{}
	for range 1 + m.IntN(4) {
		// Some keywords are likelier than others; none may come twice.
		k := []int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 9, 9, 12, 12, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23}[m.IntN(24)]
		if seen[k] || k < 2 && (seen[0] || seen[1]) {
			continue
		}
		seen[k] = true
		switch k {
		case 0:
			add(`"type":"%s"`, m.pick("null", "boolean", "integer", "number", "string", "array", "object"))
		case 1:
			add(`"type":["%s","object"]`, m.pick("null", "boolean", "integer", "number", "string", "array"))
		case 2:
			add(`"enum":[%s,%s,%s]`, m.value(2), m.value(1), m.value(0))
		case 3:
			add(`"const":%s`, m.value(2))
		case 4:
			add(`"%s":%s`, m.pick("minimum", "exclusiveMinimum"), m.number())
		case 5:
			add(`"%s":%s`, m.pick("maximum", "exclusiveMaximum"), m.number())
		case 6:
			add(`"multipleOf":%s`, m.pick("1", "2", "0.1", "0.5", "3", "1e-3", "2.0"))
		case 7:
			add(`"minLength":%d,"maxLength":%d`, m.IntN(3), 1+m.IntN(3))
		case 8:
			add(`"pattern":"%s"`, m.pick("^a", "b$", "^[a-c]+$", `\\d`, "é", `^(?=a)`))
		case 9:
			add(`"properties":{"a":%s,"b":%s,"é":%s}`, sub(), sub(), sub())
		case 12:
			add(`"required":["%s","%s"]`, m.pick("a", "b"), m.pick("c", "d", "é"))
		case 14:
			add(`"additionalProperties":%s`, sub())
		case 15:
			add(`"minProperties":%d,"maxProperties":%d`, m.IntN(2), m.IntN(3))
		case 16:
			add(`"items":%s`, sub())
		case 17:
			add(`"prefixItems":[%s,%s]`, sub(), sub())
		case 18:
			add(`"minItems":%d,"maxItems":%d`, m.IntN(2), m.IntN(4))
		case 19:
			add(`"uniqueItems":true`)
		case 20:
			add(`"%s":[%s,%s]`, m.pick("anyOf", "oneOf", "allOf"), sub(), sub())
		case 21:
			add(`"not":%s`, sub())
		case 22:
			add(`"if":%s,"then":%s,"else":%s`, sub(), sub(), sub())
		case 23:
			add(`"$ref":"#/$defs/d%d"`, depth-1)
		}
	}
	return "{" + strings.Join(parts, ",") + "}"
}

// document is a schema whose definitions refer downwards, so that there are no
// circles.
func (m maker) document() string {
	var defs []string
	for d := range 3 {
		defs = append(defs, fmt.Sprintf(`"d%d":%s`, d, m.schema(d)))
	}
	root := m.schema(3)
	if !strings.HasPrefix(root, "{") || root == "{}" {
		return root
	}
	return root[:len(root)-1] + `,"$defs":{` + strings.Join(defs, ",") + "}}"
}

func (m maker) number() string {
	return m.pick("0", "1", "-1", "2", "1.0", "0.5", "3", "1e0", "10e-1", "2.5", "9007199254740993", "-0.0", "1e30", "0.3")
}

func (m maker) value(depth int) string {
	switch k := m.IntN(8); {
	case k < 2:
		return m.number()
	case k < 4:
		return m.pick(`""`, `"a"`, `"ab"`, `"\u0061"`, `"é"`, `"b"`, `"😀x"`, `"\ud83d\ude00"`, `"1"`)
	case k == 4:
		return m.pick("true", "false", "null")
	case depth <= 0:
		return m.pick("{}", "[]")
	case k == 5:
		var list []string
		for range m.IntN(4) {
			list = append(list, m.value(depth-1))
		}
		return "[" + strings.Join(list, ", ") + "]"
	}
	var list []string
	for _, i := range m.Perm(5)[:m.IntN(4)] {
		list = append(list, []string{`"a":`, `"b":`, `"\u00e9" : `, `"c":`, `"d":`}[i]+m.value(depth-1))
	}
	return "{" + strings.Join(list, " ,") + "}"
}

func differ(t *testing.T, src, doc string) (accepted bool) {
	s, err := schema.Parse([]byte(src))
	if err != nil {
		t.Fatalf("%s: %v", src, err)
	}
	if !schema.Fast(s) {
		t.Fatalf("%s is not for the fast walk: %s", src, schema.Reason(s))
	}
	fast := schema.FitsFast(s, []byte(doc))
	slow, err := schema.FitsSlow(s, []byte(doc))
	if err != nil {
		t.Fatalf("%s: %v", src, err)
	}
	if fast != slow {
		t.Fatalf("schema %s\ndocument %s\nthe fast walk says %v, the slow validator %v", src, doc, fast, slow)
	}
	return fast
}

func TestFastAndSlowAgree(t *testing.T) {
	accepted, n := 0, 300
	for i := range n {
		m := maker{rand.New(rand.NewPCG(uint64(i), 7))}
		src := m.document()
		for range 4 {
			if differ(t, src, m.value(3)) {
				accepted++
			}
		}
	}
	if accepted < n/2 || accepted > 4*n-n/2 {
		t.Errorf("%d of %d documents fit; the test says little", accepted, 4*n)
	}
}

func FuzzFastAndSlowAgree(f *testing.F) {
	for i := range 20 {
		f.Add(uint64(i), `{"a":1}`)
	}
	f.Fuzz(func(t *testing.T, seed uint64, doc string) {
		m := maker{rand.New(rand.NewPCG(seed, 11))}
		src := m.document()
		differ(t, src, m.value(3))
		if jsonx.Check([]byte(doc)) == nil {
			differ(t, src, doc)
		}
	})
}

// FuzzParse reads any text as a schema: what the fast walk takes, the slow
// validator must take too, and both must agree on the document.
func FuzzParse(f *testing.F) {
	for _, c := range fitCorpus {
		f.Add(c.schema, c.doc)
	}
	for _, src := range []string{`{"$ref":"#"}`, `{"type":5}`, `{"$id":"a","$ref":"b"}`, `{"pattern":"["}`, `{"items":[{}]}`, `{"required":["a","a"]}`, `{"minimum":1e999}`, `{"multipleOf":0}`} {
		f.Add(src, `{"a":1}`)
	}
	f.Fuzz(func(t *testing.T, src, doc string) {
		s, err := schema.Parse([]byte(src))
		if err != nil {
			return
		}
		if !json.Valid(s.JSON()) {
			t.Fatalf("%q: JSON is %q", src, s.JSON())
		}
		if e := s.Example(); e != nil && s.Check(e) != nil {
			t.Fatalf("%s: example %s does not fit", src, e)
		}
		if jsonx.Check([]byte(doc)) != nil || !schema.Fast(s) {
			return
		}
		slow, err := schema.FitsSlow(s, []byte(doc))
		if err != nil {
			t.Fatalf("%s passes Parse, but not the slow validator: %v", src, err)
		}
		if fast := schema.FitsFast(s, []byte(doc)); fast != slow {
			t.Fatalf("schema %s\ndocument %s\nthe fast walk says %v, the slow validator %v", src, doc, fast, slow)
		}
	})
}
