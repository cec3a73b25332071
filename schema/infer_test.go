package schema_test

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/toolpost/toolpost/schema"
)

type base struct {
	ID   string `json:"id" desc:"who"`
	Kind string `json:"kind,omitempty" enum:"a, b"`
}

type tree struct {
	Name     string  `json:"name"`
	Children []*tree `json:"children,omitempty"`
}

type forest struct {
	Trees []tree           `json:"trees"`
	Index map[string]*tree `json:"index,omitempty"`
}

type level string

func (l level) MarshalText() ([]byte, error)  { return []byte(l), nil }
func (l *level) UnmarshalText(b []byte) error { *l = level(b); return nil }

type ownJSON struct{ X int }

func (ownJSON) MarshalJSON() ([]byte, error) { return []byte("[1]"), nil }

func TestOf(t *testing.T) {
	for _, c := range []struct {
		name string
		typ  reflect.Type
		want string
	}{
		{"an empty struct", reflect.TypeFor[struct{}](), `{"type":"object","properties":{},"additionalProperties":false}`},
		{"every scalar", reflect.TypeFor[struct {
			B bool    `json:"b"`
			I int     `json:"i"`
			U uint    `json:"u"`
			S int8    `json:"s"`
			F float32 `json:"f"`
			T string  `json:"t"`
		}](), `{"type":"object","properties":{"b":{"type":"boolean"},"i":{"type":"integer"},"u":{"type":"integer","minimum":0},"s":{"type":"integer","minimum":-128,"maximum":127},"f":{"type":"number"},"t":{"type":"string"}},"required":["b","i","u","s","f","t"],"additionalProperties":false}`},
		{"bounds mean values, lengths and counts", reflect.TypeFor[struct {
			N float64        `json:"n" min:"0.5" max:"1e3"`
			S string         `json:"s" min:"1" max:"8" pattern:"^a"`
			L []string       `json:"l" min:"1" max:"2" enum:"x,y"`
			M map[string]int `json:"m" max:"3"`
		}](), `{"type":"object","properties":{"n":{"type":"number","minimum":0.5,"maximum":1e3},"s":{"type":"string","minLength":1,"maxLength":8,"pattern":"^a"},"l":{"type":"array","items":{"type":"string","enum":["x","y"]},"minItems":1,"maxItems":2},"m":{"type":"object","additionalProperties":{"type":"integer"},"maxProperties":3}},"required":["n","s","l","m"],"additionalProperties":false}`},
		{"optional fields", reflect.TypeFor[struct {
			A int    `json:"a,omitempty"`
			B int    `json:"b,omitzero"`
			C *int   `json:"c"`
			D *int   `json:"d,omitempty"`
			E int    `json:"e" default:"5" example:"7"`
			F string `json:"f" default:"x"`
			G *base  `json:"g"`
		}](), `{"type":"object","properties":{"a":{"type":"integer"},"b":{"type":"integer"},"c":{"type":["integer","null"]},"d":{"type":"integer"},"e":{"type":"integer","default":5,"examples":[7]},"f":{"type":"string","default":"x"},"g":{"anyOf":[{"type":"object","properties":{"id":{"type":"string","description":"who"},"kind":{"type":"string","enum":["a","b"]}},"required":["id"],"additionalProperties":false},{"type":"null"}]}},"additionalProperties":false}`},
		{"embedded structs, hidden and untagged fields", reflect.TypeFor[struct {
			base
			ID     int `json:"id"`
			Plain  string
			Skip   string `json:"-"`
			hidden int
		}](), `{"type":"object","properties":{"kind":{"type":"string","enum":["a","b"]},"id":{"type":"integer"},"Plain":{"type":"string"}},"required":["id","Plain"],"additionalProperties":false}`},
		{"types with a form of their own", reflect.TypeFor[struct {
			T time.Time       `json:"t"`
			R json.RawMessage `json:"r"`
			A any             `json:"a"`
			B []byte          `json:"b"`
			L level           `json:"l"`
			O ownJSON         `json:"o"`
			X [2]int          `json:"x"`
			Q int             `json:"q,string"`
		}](), `{"type":"object","properties":{"t":{"type":"string","format":"date-time"},"r":{},"a":{},"b":{"type":"string","contentEncoding":"base64"},"l":{"type":"string"},"o":{},"x":{"type":"array","items":{"type":"integer"},"minItems":2,"maxItems":2},"q":{"type":"string"}},"required":["t","r","a","b","l","o","x","q"],"additionalProperties":false}`},
		{"a recursive type", reflect.TypeFor[tree](), `{"type":"object","properties":{"name":{"type":"string"},"children":{"type":"array","items":{"anyOf":[{"$ref":"#/$defs/tree"},{"type":"null"}]}}},"required":["name"],"additionalProperties":false,"$defs":{"tree":{"type":"object","properties":{"name":{"type":"string"},"children":{"type":"array","items":{"anyOf":[{"$ref":"#/$defs/tree"},{"type":"null"}]}}},"required":["name"],"additionalProperties":false}}}`},
		{"a type that holds a recursive one", reflect.TypeFor[forest](), `{"type":"object","properties":{"trees":{"type":"array","items":{"$ref":"#/$defs/tree"}},"index":{"type":"object","additionalProperties":{"anyOf":[{"$ref":"#/$defs/tree"},{"type":"null"}]}}},"required":["trees"],"additionalProperties":false,"$defs":{"tree":{"type":"object","properties":{"name":{"type":"string"},"children":{"type":"array","items":{"anyOf":[{"$ref":"#/$defs/tree"},{"type":"null"}]}}},"required":["name"],"additionalProperties":false}}}`},
		{"no struct at all", reflect.TypeFor[map[int]bool](), `{"type":"object","additionalProperties":{"type":"boolean"}}`},
		{"raw JSON", reflect.TypeFor[json.RawMessage](), `{}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			s, err := schema.Of(c.typ)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(s.JSON()), c.want); diff != "" {
				t.Errorf("(-got +want)\n%s", diff)
			}
		})
	}
}

func TestOfRefuses(t *testing.T) {
	for _, c := range []struct {
		typ  reflect.Type
		want string
	}{
		{reflect.TypeFor[chan int](), "has no JSON form"},
		{reflect.TypeFor[struct{ F func() }](), "field .F: func() has no JSON form"},
		{reflect.TypeFor[struct{ D time.Duration }](), "time.Duration has no JSON form of its own"},
		{reflect.TypeFor[struct {
			N int `min:"x"`
		}](), `tag min: "x" is not a number`},
		{reflect.TypeFor[struct {
			N bool `max:"1"`
		}](), `tag max: bool has no bounds`},
		{reflect.TypeFor[struct {
			N int `enum:"a"`
		}](), `tag enum: "a": invalid JSON`},
		{reflect.TypeFor[struct {
			N int `min:"5" default:"1"`
		}](), `tag default: must be at least 5, got 1`},
		{reflect.TypeFor[struct {
			N int `example:"1.5"`
		}](), `tag example: expected integer, got number 1.5`},
		{reflect.TypeFor[struct {
			S string `pattern:"["`
		}](), `tag pattern`},
		{reflect.TypeFor[struct {
			S string `format:"date-tiem"`
		}](), `unknown format "date-tiem"`},
		{reflect.TypeFor[struct {
			X int
			A int `json:"X"`
		}](), `two fields are called "X"`},
	} {
		if _, err := schema.Of(c.typ); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, want …%s…", c.typ, err, c.want)
		}
	}
}

// TestValuesFitTheSchemaOfTheirType encodes values and checks them.
func TestValuesFitTheSchemaOfTheirType(t *testing.T) {
	for _, v := range []any{
		base{}, tree{Name: "a", Children: []*tree{{}, nil}}, forest{}, struct{ P *int }{}, struct{ S []string }{}, struct{ M map[string]int }{},
		struct{ T time.Time }{time.Unix(0, 0)}, struct{ B []byte }{[]byte("x")}, struct{ A any }{}, struct{ E *tree }{},
		struct {
			N int `json:",string"`
		}{5},
	} {
		s, err := schema.Of(reflect.TypeOf(v))
		if err != nil {
			t.Fatal(err)
		}
		b, err := schema.Encode(v)
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Check(b); err != nil {
			t.Errorf("%s does not fit %s: %v", b, s.JSON(), err)
		}
		back := reflect.New(reflect.TypeOf(v))
		if err := schema.Decode(b, back.Interface()); err != nil {
			t.Errorf("decoding %s: %v", b, err)
		}
	}
}

func TestFormatsOfInferredSchemasAreAsserted(t *testing.T) {
	s, err := schema.For[struct {
		At time.Time `json:"at"`
	}]()
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Check([]byte(`{"at":"tomorrow"}`)); err == nil {
		t.Error("tomorrow is accepted as a date-time")
	}
	if err := s.Check([]byte(`{"at":"2026-01-31T12:00:00Z"}`)); err != nil {
		t.Error(err)
	}
}
