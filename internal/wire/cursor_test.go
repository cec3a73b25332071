package wire_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/toolpost/toolpost/internal/wire"
	"github.com/toolpost/toolpost/schema"
	"github.com/toolpost/toolpost/tool"
)

func ExampleCursor() {
	var c wire.Cursor
	c.Reset([]byte(`{"skip":{"a":[1,2]},"text":"a\tb","n":42}`))
	c.Each(func(name []byte) {
		switch string(name) {
		case "text":
			fmt.Printf("%q\n", c.Text())
		case "n":
			fmt.Println(c.Number())
		default:
			c.Skip()
		}
	})
	fmt.Println(c.Done())
	// Output:
	// "a\tb"
	// 42
	// true
}

func ExampleCarry() {
	var c wire.Carry
	fmt.Println(c.Join([]byte("caf\xc3")), c.Join([]byte("\xa9")), c.Rest() == "")
	// Output: caf é true
}

func TestACursorStopsAtWhatCannotBe(t *testing.T) {
	for _, s := range []string{``, `{`, `{"a"`, `{"a":`, `{"a":1`, `{"a":1,`, `{"a":1,}x`, `{"a" 1}`, `{1:2}`, `{"a":[1 2]}`, `{"a":"x}`, `{"a":"\u12"}`, `{} {}`, `{"a":}`, strings.Repeat(`{"a":`, 300) + "1" + strings.Repeat("}", 300)} {
		var c wire.Cursor
		c.Reset([]byte(s))
		c.Each(func([]byte) { c.Text() })
		if c.Done() {
			t.Errorf("%.40s was read to its end", s)
		}
	}
}

// FuzzCursor reads whatever is JSON, to its end, and its texts as
// encoding/json does.
func FuzzCursor(f *testing.F) {
	f.Add(`{"a":"x\n\u00e9\ud83c\udf89","b":[1,{"c":null}],"a\"":-1.5e3}`)
	f.Add(`[{"a":[[]]}]`)
	f.Fuzz(func(t *testing.T, s string) {
		var c wire.Cursor
		c.Reset([]byte(s))
		texts := map[string]string{}
		read := func(name []byte) { texts[string(name)] = string(c.Text()) }
		if c.Peek() == '{' {
			c.Each(read)
		} else {
			c.Skip()
		}
		done := c.Done()
		if !json.Valid([]byte(s)) {
			return
		}
		if !done && !strings.Contains(s, strings.Repeat("[", 50)) && !strings.Contains(s, strings.Repeat("{", 50)) {
			t.Errorf("%q was not read to its end", s)
		}
		var m map[string]json.RawMessage
		if json.Unmarshal([]byte(s), &m) != nil || strings.Contains(s, `\`) {
			return // names are as written, and halves of pairs are kept
		}
		for k, raw := range m {
			var want string
			if json.Unmarshal(raw, &want) == nil && string(raw) != "null" && strings.ToValidUTF8(texts[k], "\uFFFD") != strings.ToValidUTF8(want, "\uFFFD") {
				if got, ok := texts[k]; ok {
					t.Errorf("%q: got %q, want %q", k, got, want)
				}
			}
		}
	})
}

func TestToolsAreOfferedInOrderAndLedBack(t *testing.T) {
	d, err := schema.DialectNamed("anthropic")
	if err != nil {
		t.Fatal(err)
	}
	tools := wire.NewTools([]tool.Spec{
		{Name: "sum", Input: schema.MustParse(`{"type":"array","items":{"type":"number"}}`)},
		{Name: "a.b"},
	}, d)
	var names []string
	for _, o := range tools.Offers() {
		names = append(names, o.Tool)
	}
	if got := strings.Join(names, " "); got != "a.b sum" {
		t.Errorf("offered %s", got)
	}
	if got := string(tools.Restore("sum", []byte(`{"value":[1,2.50]}`))); got != `[1,2.50]` {
		t.Errorf("led back to %s", got)
	}
	if got := string(tools.Express("sum", []byte(`[1,2.50]`))); got != `{"value":[1,2.50]}` {
		t.Errorf("written as %s", got)
	}
	if tools.Differs("a.b") || !tools.Differs("sum") || tools.Differs("other") {
		t.Error("it is not known whose arguments differ")
	}
}
