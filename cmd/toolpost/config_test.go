package main

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/toolpost/toolpost/schema"
)

func TestDefaultsOfAllSettingsCanBeRead(t *testing.T) {
	b := newBook()
	got := defaults(b) // panics if one cannot
	for i := range b.list {
		s := &b.list[i]
		if s.doc == "" {
			t.Errorf("%s has no description", s.key)
		}
		if s.def != "" && !strings.Contains(s.key, "*") && got[s.key].layer != layerDefaults {
			t.Errorf("the default of %s is lost", s.key)
		}
	}
}

func TestValuesOfEachKind(t *testing.T) {
	for _, tt := range []struct {
		name string
		kind kind
		in   any
		want any
		bad  string
	}{
		{name: "a text", kind: kindText, in: "x", want: "x"},
		{name: "a number is no text", kind: kindText, in: int64(1), bad: "wants a text, got 1"},
		{name: "a list", kind: kindList, in: []any{"a", "b"}, want: []string{"a", "b"}},
		{name: "a list with a number", kind: kindList, in: []any{"a", int64(1)}, bad: "a list with 1"},
		{name: "one text is no list", kind: kindList, in: "a", bad: "wants a list of texts"},
		{name: "a whole number", kind: kindInt, in: int64(7), want: int64(7)},
		{name: "a number of JSON", kind: kindInt, in: json.Number("7"), want: int64(7)},
		{name: "a fraction is not whole", kind: kindInt, in: 7.5, bad: "wants a whole number"},
		{name: "a duration", kind: kindDuration, in: "90s", want: 90 * time.Second},
		{name: "a duration without a unit", kind: kindDuration, in: "90", bad: "wants a duration"},
		{name: "a negative duration", kind: kindDuration, in: "-1s", bad: "wants a duration"},
		{name: "a number is no duration", kind: kindDuration, in: int64(90), bad: "wants a duration"},
		{name: "a size with a unit", kind: kindSize, in: "64KiB", want: int64(65536)},
		{name: "a size by thousands", kind: kindSize, in: "2 MB", want: int64(2_000_000)},
		{name: "a size in bytes", kind: kindSize, in: int64(5), want: int64(5)},
		{name: "a size that overflows", kind: kindSize, in: "99999999999GiB", bad: "wants a size"},
		{name: "a size of letters", kind: kindSize, in: "many", bad: "wants a size"},
		{name: "an amount", kind: kindMoney, in: 1.5, want: 1.5},
		{name: "a negative amount", kind: kindMoney, in: -1.5, bad: "US dollars"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, err := tt.kind.from(tt.in)
			if tt.bad != "" {
				if err == nil || !strings.Contains(err.Error(), tt.bad) {
					t.Fatalf("error %v, want one with %q", err, tt.bad)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(got, tt.want); d != "" {
				t.Error(d)
			}
		})
	}
}

// TestSchemaOfTheConfigurationIsOne reads the published schema with our own
// validator and holds files against it.
func TestSchemaOfTheConfigurationIsOne(t *testing.T) {
	b, err := json.Marshal(configSchema(newBook()))
	if err != nil {
		t.Fatal(err)
	}
	s, err := schema.Parse(b)
	if err != nil {
		t.Fatal(err)
	}
	for doc, fits := range map[string]bool{
		`{"version":1,"limits":{"calls":3,"wall":"15m","output_to_model":"64KiB"}}`:        true,
		`{"agents":{"defaults":{"max_tool_iterations":20,"workspace":"~/work"}}}`:          true,
		`{"models":{"local":{"base_url":"http://127.0.0.1:1/v1"}},"tools":{"deny":["a"]}}`: true,
		`{"limts":{}}`:                                   false,
		`{"limits":{"calls":"3"}}`:                       false,
		`{"limits":{"wall":"soon"}}`:                     false,
		`{"models":{"local":{"bas_url":"http://x/v1"}}}`: false,
	} {
		if err := s.Check([]byte(doc)); (err == nil) != fits {
			t.Errorf("%s: %v, want fit %t", doc, err, fits)
		}
	}
}

func TestSizesAndTimesInThreeDigits(t *testing.T) {
	for _, tt := range []struct{ got, want string }{
		{bytesText(0), "0 B"}, {bytesText(999), "999 B"}, {bytesText(1000), "1 kB"}, {bytesText(3_050_000), "3.05 MB"}, {bytesText(999_500), "1 MB"},
		{duration(400 * time.Microsecond), "0.4ms"}, {duration(48 * time.Millisecond), "48ms"}, {duration(4810 * time.Millisecond), "4.81s"},
		{duration(123 * time.Second), "2m03s"}, {duration(2 * time.Hour), "2h00m"}, {count(126), "126"}, {count(3600), "3.6k"},
		{shortDuration(15 * time.Minute), "15m"}, {shortDuration(time.Hour), "1h"}, {shortDuration(90 * time.Second), "1m30s"},
		{plural(1, "call"), "1 call"}, {plural(2, "call"), "2 calls"},
	} {
		if tt.got != tt.want {
			t.Errorf("got %q, want %q", tt.got, tt.want)
		}
	}
}

// FuzzConfigurationFile reads files of any content: every place in a problem
// must be one of the file, and nothing may panic.
func FuzzConfigurationFile(f *testing.F) {
	for _, s := range []string{"", "a = 1", "[limits]\ncalls = 3\n", "limits = {calls = 3}", `[[rule]]
x = 1`, "limits.calls = 3\nlimits.calls = 4", "model = \"\"\"\nx\n\"\"\"", "\ufeffversion = 1", "a.b.c = [1, {x = 2}]", "{}", `{"limits":{"calls":3}}`, `{"a":[{}`, `[1]`, "\x00", `{"a":{"b":{}}}`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		for _, name := range []string{"c.toml", "c.json"} {
			d, pr := readDocument(name, data)
			if pr != nil {
				continue
			}
			c := &config{values: map[string]value{}}
			for _, pr := range newBook().set(c, d, layerUser, false) {
				if pr.exit != exitInvalid || !strings.HasPrefix(pr.message, name+":") {
					t.Fatalf("problem without a place: %+v", pr)
				}
			}
			for _, l := range d.leaves {
				for _, at := range l.at {
					if at.line < 1 || at.line > len(d.lines) || at.col < 1 {
						t.Fatalf("%s stands at %d:%d of %d lines", strings.Join(l.key, "."), at.line, at.col, len(d.lines))
					}
				}
			}
		}
	})
}
