package schema

import (
	"regexp"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/dlclark/regexp2"
)

const (
	maxPattern     = 1024                  // characters of a pattern
	patternTimeout = 50 * time.Millisecond // for one match of a backtracking pattern
)

// A pattern is a regular expression of ECMA-262. RE2 runs it where it can,
// because its time is linear; else a backtracking engine under a time limit.
// Where neither can read it, everything matches.
type pattern struct {
	source string
	re2    *regexp.Regexp
	ecma   *regexp2.Regexp
}

func newPattern(source string) *pattern {
	p := &pattern{source: source}
	if utf8.RuneCountInString(source) > maxPattern {
		return p
	}
	if re, err := regexp.Compile(source); err == nil && !ecmaDiffers(source) {
		p.re2 = re
		return p
	}
	if re, err := regexp2.Compile(source, regexp2.ECMAScript|regexp2.Unicode); err == nil {
		re.MatchTimeout = patternTimeout
		p.ecma = re
	}
	return p
}

// ecmaDiffers reports whether RE2 would read source as something else than
// ECMA-262 does, although it compiles.
func ecmaDiffers(source string) bool {
	for _, s := range []string{`\s`, `\S`, `\a`, `\A`, `\z`, `\Q`, `\C`, `(?i`, `(?m`, `(?s`, `(?U`, `[[:`} {
		if strings.Contains(source, s) {
			return true
		}
	}
	return false
}

// checked reports whether the pattern constrains anything.
func (p *pattern) checked() bool { return p.re2 != nil || p.ecma != nil }

func (p *pattern) match(b []byte) bool {
	if p.re2 != nil {
		return p.re2.Match(b)
	}
	return p.ecma == nil || p.MatchString(string(b))
}

// MatchString makes a pattern a jsonschema.Regexp. A match that runs out of
// time is none.
func (p *pattern) MatchString(s string) bool {
	switch {
	case p.re2 != nil:
		return p.re2.MatchString(s)
	case p.ecma != nil:
		ok, err := p.ecma.MatchString(s)
		return err == nil && ok
	}
	return true
}

// String is the source.
func (p *pattern) String() string { return p.source }
