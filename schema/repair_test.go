package schema_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/toolpost/toolpost/schema"
)

func TestRepairWritesTheSameValueAnew(t *testing.T) {
	for _, c := range []struct {
		name, in, want string
		what           []string
	}{
		{"text that is JSON is left alone", ` {"a": 1}`, ` {"a": 1}`, nil},
		{"a code fence goes", "```json\n{\"a\":1}\n```", `{"a":1}`, []string{schema.RepairFence}},
		{"a code fence without a language goes", "```\n[1]\n```\n", `[1]`, []string{schema.RepairFence}},
		{"a byte order mark goes", "\uFEFF{\"a\":1}", `{"a":1}`, []string{schema.RepairSpace}},
		{"a no-break space around goes", "\u00a0{}\u00a0", `{}`, []string{schema.RepairSpace}},
		{"a line break in a string is escaped", "{\"a\":\"x\ny\tz\"}", `{"a":"x\ny\tz"}`, []string{schema.RepairControl}},
		{"trailing commas go", `{"a":[1,2,],}`, `{"a":[1,2]}`, []string{schema.RepairComma}},
		{"a trailing comma before space goes", "[1 ,\n ]", "[1 \n ]", []string{schema.RepairComma}},
		{"Python literals become JSON", `{"a":True,"b":[False,None]}`, `{"a":true,"b":[false,null]}`, []string{schema.RepairLiteral}},
		{"the words stay in strings", `{"a":"True, None",}`, `{"a":"True, None"}`, []string{schema.RepairComma}},
		{"commas stay in strings", `{"a":",]",}`, `{"a":",]"}`, []string{schema.RepairComma}},
		{"the backslash of a pattern is doubled", `{"re":"^\d+\.\w$"}`, `{"re":"^\\d+\\.\\w$"}`, []string{schema.RepairBackslash}},
		{"a backslash before u without digits is doubled", `{"p":"C:\users"}`, `{"p":"C:\\users"}`, []string{schema.RepairBackslash}},
		{"several repairs are told in order", "```json\n{\"a\":True,}\n```", `{"a":true}`, []string{schema.RepairFence, schema.RepairLiteral, schema.RepairComma}},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, what, ok := schema.Repair([]byte(c.in))
			if !ok {
				t.Fatalf("Repair(%q) failed", c.in)
			}
			if diff := cmp.Diff(c.want, string(got)); diff != "" {
				t.Errorf("text (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(c.what, what); diff != "" {
				t.Errorf("what (-want +got):\n%s", diff)
			}
		})
	}
}

func TestRepairRefusesToGuess(t *testing.T) {
	for name, in := range map[string]string{
		"an open string":                       `{"path":"src/ma`,
		"an open object":                       `{"a":1`,
		"an open list":                         `[1,2`,
		"an open string in a fence":            "```json\n{\"a\":\"b\n```",
		"a fence that is not closed":           "```json\n{\"a\":1}",
		"a fence with words before it":         "Here you are:\n```json\n{}\n```",
		"two values":                           `{"a":1}{"b":2}`,
		"two values in a fence":                "```json\n{}\n{}\n```",
		"names without quotes":                 `{a:1}`,
		"single quotes":                        `{'a':1}`,
		"a missing value":                      `{"a":}`,
		"a missing value before a comma":       `{"a":,}`,
		"a list of a comma":                    `[,]`,
		"two commas":                           `[1,,]`,
		"a missing comma":                      `{"a":1 "b":2}`,
		"a leading zero":                       `{"a":007}`,
		"not a number":                         `{"a":NaN}`,
		"another word":                         `{"a":Yes}`,
		"words that run into one another":      `{"a":TrueFalse}`,
		"a duplicate name":                     `{"a":1,"a":2,}`,
		"invalid UTF-8":                        "{\"a\":\"\xff\",}",
		"a lone surrogate":                     `{"a":"\ud800",}`,
		"comments":                             `{"a":1 /* one */}`,
		"nothing":                              ``,
		"a path whose \\n may be a line break": `{"p":"C:\docs\new"}`,
		"a quote with a backslash":             `{"p":"it\'s"}`,
		"a value after a trailing comma":       `{"a":1,} 2`,
	} {
		t.Run(name, func(t *testing.T) {
			got, what, ok := schema.Repair([]byte(in))
			if ok || string(got) != in || what != nil {
				t.Errorf("Repair(%q) = %q, %v, %v; want the text as it came, and false", in, got, what, ok)
			}
		})
	}
}

// lenient reads the scalars of a text in order, with the freedoms that Repair
// allows and an eye of its own: a repaired text must have the same ones.
func lenient(text string) (list []string, ok bool) {
	text = strings.Trim(strings.TrimSpace(strings.Trim(strings.TrimSpace(text), "\uFEFF")), "`")
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '"':
			var b strings.Builder
			for i++; ; i++ {
				if i >= len(text) {
					return list, false
				}
				if text[i] == '"' {
					break
				}
				if text[i] == '\\' {
					if i+1 >= len(text) {
						return list, false
					}
					n := 2
					if text[i+1] == 'u' {
						n = 6
					}
					var s string
					if i+n <= len(text) && json.Unmarshal([]byte(`"`+text[i:i+n]+`"`), &s) == nil && n == 2 {
						b.WriteString(s)
						i++
						continue
					} else if n == 6 && s != "" {
						b.WriteString(text[i : i+n])
						i += 5
						continue
					}
				}
				b.WriteByte(text[i])
			}
			list = append(list, "s"+b.String())
		case c == '-' || c >= '0' && c <= '9':
			start := i
			for i < len(text) && strings.IndexByte("+-.0123456789eE", text[i]) >= 0 {
				i++
			}
			list = append(list, "n"+text[start:i])
			i--
		case c|0x20 >= 'a' && c|0x20 <= 'z':
			start := i
			for i < len(text) && (text[i]|0x20 >= 'a' && text[i]|0x20 <= 'z') {
				i++
			}
			word := map[string]string{"true": "true", "True": "true", "false": "false", "False": "false", "null": "null", "None": "null"}[text[start:i]]
			if word != "" {
				list = append(list, word)
			}
			i--
		}
	}
	return list, true
}

func FuzzRepair(f *testing.F) {
	for _, s := range []string{
		"```json\n{\"a\":[1,True,],}\n```", `{"re":"\d\\\"","p":"\u00e9\ud83d\ude00"}`, "{\"a\":\"x\ny\"}", "\uFEFF[None , ]", `{"a":"\`, `["\u12",]`,
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, in string) {
		got, what, ok := schema.Repair([]byte(in))
		if !ok {
			if string(got) != in {
				t.Fatalf("%q came back as %q", in, got)
			}
			return
		}
		if len(what) == 0 && string(got) != in {
			t.Fatalf("%q became %q and nothing was told", in, got)
		}
		again, more, ok := schema.Repair(got)
		if !ok || len(more) > 0 || string(again) != string(got) {
			t.Fatalf("%q: repaired twice, %q became %q", in, got, again)
		}
		before, ok1 := lenient(in)
		after, ok2 := lenient(string(got))
		if !ok1 || !ok2 || cmp.Diff(before, after) != "" {
			t.Fatalf("%q became %q:\n%s", in, got, cmp.Diff(before, after))
		}
	})
}
