package schema_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/toolpost/toolpost/schema"
)

func TestPatternsAreThoseOfECMA262(t *testing.T) {
	for _, c := range []struct {
		pattern, text string
		want          bool
	}{
		{`^\d+$`, "12", true},
		{`^\d+$`, "१२", false},
		{`^\w+$`, "é", false},
		{`^\s$`, "\u00a0", true},
		{`^\s$`, "\ufeff", true},
		{`^[\sx]+$`, "x\v\u2003", true},
		{`^\S$`, "\u2003", false},
		{`^[\Sa]$`, "b", true},
		{`^\\s$`, `\s`, true},
		{`^a$`, "a\n", false},
		{`^(?!no)`, "nothing", false},
		{`^(?=y)`, "yes", true},
		{`^\u0041$`, "A", true},
		{`^[^\u0000-\u001f]*$`, "text", true},
		{`\u0000`, "a\x00b", true},
		{`^\cA$`, "\x01", true},
		{`(a)\1`, "aa", true},
		{`^.{2}$`, "😀x", true},
		{`^\p{L}+$`, "äß", true},
		{`b`, "abc", true},
	} {
		s, err := schema.Parse(fmt.Appendf(nil, `{"pattern":%q}`, c.pattern))
		if err != nil || len(s.Unchecked()) > 0 {
			t.Errorf("%s: %v, unchecked %v", c.pattern, err, s.Unchecked())
			continue
		}
		doc, err := schema.Encode(c.text)
		if err != nil {
			t.Fatal(err)
		}
		if got := s.Check(doc) == nil; got != c.want {
			t.Errorf("%s on %q: %v", c.pattern, c.text, got)
		}
	}
}

func TestPatternsThatNobodyReadsAreReported(t *testing.T) {
	for _, pattern := range []string{`[`, `(?<x`, strings.Repeat("a", 1025)} {
		s := schema.MustParse(fmt.Sprintf(`{"properties":{"a":{"pattern":%q}}}`, pattern))
		if got := s.Unchecked(); len(got) != 1 || got[0] != pattern {
			t.Errorf("%.20s: %v", pattern, got)
		}
		if err := s.Check([]byte(`{"a":"x"}`)); err != nil {
			t.Errorf("%.20s: %v", pattern, err)
		}
	}
}

func TestAPatternThatBacktracksForEverIsStopped(t *testing.T) {
	s := schema.MustParse(`{"pattern":"^(?=x)(a+)+$|^(x+x+)+(?=y)y$"}`)
	start := time.Now()
	err := s.Check([]byte(`"` + strings.Repeat("x", 200) + `"`))
	if took := time.Since(start); err == nil || took > 5*time.Second {
		t.Errorf("%v after %v", err, took)
	}
}

func TestFormats(t *testing.T) {
	for _, c := range []struct{ format, good, bad string }{
		{"date-time", "1998-12-31T23:59:60Z 2026-01-31T12:00:00.5+01:00 1990-12-31t15:59:60-08:00", "2026-01-31 2026-02-30T00:00:00Z 1998-12-31T22:59:60Z 2026-01-31T24:00:00Z 2026-01-31T12:00:00 2026-01-31T12:00:00.Z"},
		{"date", "2024-02-29", "2023-02-29 2024-2-9 24-02-29"},
		{"time", "12:00:00Z 23:59:60Z 08:30:06.283185Z 12:00:00+23:59", "12:00:00 24:00:00Z 12:60:00Z 12:00:61Z 12:00:00+24:00 12:00Z"},
		{"email", "a@b.co a.b+c@example.org te~st@example.com", "a a@ @b a@b_c .a@b.co a..b@c.de a@-b.c <a@b.co>"},
		{"hostname", "a example.org xn--4gbwdl.xn--wgbh1c a-b", "-a a- a..b a_b ."},
		{"ipv4", "192.0.2.1", "192.0.2 192.0.2.256 192.0.02.1 ::1"},
		{"ipv6", "::1 2001:db8::1 ::ffff:192.0.2.1", "1 ::1%eth0 192.0.2.1 12345::"},
		{"uri", "https://example.org/a?b=c#d urn:isbn:1 mailto:a@b.co", "/a example.org http://[::1 https://a/<b> a\\b"},
		{"uuid", "01890a5d-ac96-774b-bcce-b302099a8057 01890A5D-AC96-774B-BCCE-B302099A8057", "01890a5dac96774bbcceb302099a8057 01890a5d-ac96-774b-bcce-b302099a805g"},
		{"duration", "PT1H", "1h"},
		{"json-pointer", "/a", "a"},
	} {
		s, err := schema.Parser{Formats: schema.FormatsAsserted}.Parse(fmt.Appendf(nil, `{"format":%q}`, c.format))
		if err != nil {
			t.Fatal(err)
		}
		noted := schema.MustParse(fmt.Sprintf(`{"$schema":"http://json-schema.org/draft-07/schema#","format":%q}`, c.format))
		check := func(text string, want bool) {
			doc, err := schema.Encode(text)
			if err != nil {
				t.Fatal(err)
			}
			if got := s.Check(doc) == nil; got != want {
				t.Errorf("%s %q: %v", c.format, text, got)
			}
			if err := noted.Check(doc); err != nil {
				t.Errorf("%s %q is refused where format is a note: %v", c.format, text, err)
			}
		}
		for text := range strings.FieldsSeq(c.good) {
			check(text, true)
		}
		for text := range strings.FieldsSeq(c.bad) {
			check(text, false)
		}
		if err := s.Check([]byte(`5`)); err != nil {
			t.Errorf("%s on a number: %v", c.format, err)
		}
	}
}
