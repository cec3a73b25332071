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
	if portable, ok := toRE2(source); ok {
		if re, err := regexp.Compile(portable); err == nil {
			p.re2 = re
			return p
		}
	}
	if re, err := regexp2.Compile(source, regexp2.ECMAScript|regexp2.Unicode); err == nil {
		re.MatchTimeout = patternTimeout
		p.ecma = re
	}
	return p
}

// spaceClass is what \s means in ECMA-262: WhiteSpace and LineTerminator.
const spaceClass = `\t\n\v\f\r \x{a0}\x{1680}\x{2000}-\x{200a}\x{2028}\x{2029}\x{202f}\x{205f}\x{3000}\x{feff}`

// toRE2 rewrites the escapes that RE2 reads as something else than ECMA-262
// does. It reports false where that needs more than rewriting.
func toRE2(source string) (string, bool) {
	if !strings.Contains(source, `\s`) && !strings.Contains(source, `\S`) {
		return source, true
	}
	var b strings.Builder
	class := false
	for i := 0; i < len(source); i++ {
		c := source[i]
		if c != '\\' || i+1 == len(source) {
			switch {
			case c == '[' && !class:
				class = true
			case c == ']' && class:
				class = false
			}
			b.WriteByte(c)
			continue
		}
		i++
		switch e := source[i]; {
		case e == 's' && class:
			b.WriteString(spaceClass)
		case e == 's':
			b.WriteString("[" + spaceClass + "]")
		case e == 'S' && class:
			return "", false
		case e == 'S':
			b.WriteString("[^" + spaceClass + "]")
		default:
			b.WriteByte('\\')
			b.WriteByte(e)
		}
	}
	return b.String(), true
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
