package jsonx

import (
	"fmt"
	"unicode/utf8"
)

// byte takes one byte, and counts it when it is no error.
func (s *Scanner) byte(c byte) {
	if s.offset >= s.maxBytes() {
		s.fail(fmt.Sprintf("more than %d bytes", s.maxBytes()))
		return
	}
	s.step(c)
	if s.err != nil {
		return
	}
	s.offset++
	switch {
	case c == '\n':
		s.line++
		s.column = 0
	case c < utf8.RuneSelf || c >= 0xc0: // the first byte of a character
		s.column++
	}
}

func isSpace(c byte) bool { return c == ' ' || c == '\n' || c == '\r' || c == '\t' }

// step moves the automaton. It is one flat switch over what may come.
func (s *Scanner) step(c byte) {
	switch s.state {
	case stateValue, stateFirstItem:
		s.value(c)
	case stateFirstName, stateName:
		s.memberName(c)
	case stateColon:
		if c == ':' {
			s.state = stateValue
		} else if !isSpace(c) {
			s.unexpected(c, "expected : after a name")
		}
	case stateNext:
		s.next(c)
	case stateString:
		s.inString(c)
	case stateEscape:
		s.escaped(c)
	case stateHex:
		s.hexDigit(c)
	case stateLow:
		s.must(c, '\\', stateLowU)
	case stateLowU:
		s.must(c, 'u', stateHex)
	case stateWord:
		if c != s.word[0] {
			s.unexpected(c, "expected true, false or null")
			return
		}
		s.view.add(s, c)
		if s.word = s.word[1:]; s.word == "" {
			s.closeValue(1)
		}
	case stateDone:
		if s.tail == 0 && !isSpace(c) {
			s.tail = s.offset + 1
		}
	default:
		s.number(c)
	}
}

func (s *Scanner) unexpected(c byte, msg string) {
	if c < utf8.RuneSelf {
		s.fail(fmt.Sprintf("%s, found %q", msg, rune(c)))
		return
	}
	s.fail(msg)
}

// value begins a value.
func (s *Scanner) value(c byte) {
	if isSpace(c) {
		return
	}
	if c == ']' && s.state == stateFirstItem {
		s.pop()
		return
	}
	switch c {
	case '{', '[':
		if len(s.stack) >= s.maxDepth() {
			s.fail(fmt.Sprintf("nested more than %d levels deep", s.maxDepth()))
			return
		}
		s.view.token(s)
		s.stack = append(s.stack, frame{object: c == '{', path: len(s.view.path)})
		if s.state = stateFirstItem; c == '{' {
			s.state = stateFirstName
		}
	case '"':
		s.view.token(s)
		s.view.begin(KindString)
		s.name, s.state = false, stateString
	case 't':
		s.startWord(c, "rue", KindBool)
	case 'f':
		s.startWord(c, "alse", KindBool)
	case 'n':
		s.startWord(c, "ull", KindNull)
	default:
		s.startNumber(c)
	}
}

func (s *Scanner) startWord(c byte, rest string, k Kind) {
	s.view.token(s)
	s.view.begin(k)
	s.view.add(s, c)
	s.word, s.state = rest, stateWord
}

func (s *Scanner) startNumber(c byte) {
	switch {
	case c == '-':
		s.state = stateMinus
	case c == '0':
		s.state = stateZero
	case isDigit(c):
		s.state = stateInt
	default:
		s.unexpected(c, "expected a value")
		return
	}
	s.view.token(s)
	s.view.begin(KindNumber)
	s.numLen, s.exp = 0, 0
	s.count(c)
}

// count notes one byte of a number.
func (s *Scanner) count(c byte) {
	if s.numLen++; s.numLen > maxNumber {
		s.fail(numberOut)
	}
	s.view.add(s, c)
}

func (s *Scanner) memberName(c byte) {
	switch {
	case isSpace(c):
	case c == '"':
		s.view.back(s)
		s.view.begin(KindString)
		s.name, s.state = true, stateString
	case c == '}' && s.state == stateFirstName:
		s.pop()
	default:
		s.unexpected(c, "expected a name in quotes")
	}
}

// next takes what follows an element or a member.
func (s *Scanner) next(c byte) {
	top := &s.stack[len(s.stack)-1]
	switch {
	case isSpace(c):
	case c == ',' && top.object:
		s.state = stateName
	case c == ',':
		top.index++
		s.state = stateValue
	case c == '}' && top.object, c == ']' && !top.object:
		s.pop()
	case top.object:
		s.unexpected(c, "expected , or } after a member")
	default:
		s.unexpected(c, "expected , or ] after an element")
	}
}

// pop closes the innermost array or object.
func (s *Scanner) pop() {
	s.view.back(s)
	s.stack = s.stack[:len(s.stack)-1]
	s.after(1)
}

// after moves on from a complete value; more is the number of bytes of it that
// are not counted yet.
func (s *Scanner) after(more int) {
	if len(s.stack) == 0 {
		s.state, s.end = stateDone, s.offset+more
		return
	}
	s.state = stateNext
}

// closeValue ends a scalar.
func (s *Scanner) closeValue(more int) {
	s.flush(true)
	s.after(more)
}

func (s *Scanner) closeNumber() { s.closeValue(0) }

func (s *Scanner) must(c, want byte, then state) {
	if c != want {
		s.fail("lone surrogate in a string")
		return
	}
	s.hexLen, s.hex, s.state = 0, 0, then
}

// inString takes one byte between the quotes.
func (s *Scanner) inString(c byte) {
	if s.runeLen > 0 || c >= utf8.RuneSelf {
		s.partRune(c)
		return
	}
	switch {
	case c == '"':
		s.closeString()
	case c == '\\':
		s.state = stateEscape
	case c < ' ':
		s.fail("control character in a string: write it as an escape")
	default:
		s.view.add(s, c)
	}
}

// partRune collects the bytes of one character.
func (s *Scanner) partRune(c byte) {
	s.rune[s.runeLen] = c
	s.runeLen++
	if !utf8.FullRune(s.rune[:s.runeLen]) {
		return
	}
	if r, n := utf8.DecodeRune(s.rune[:s.runeLen]); n != s.runeLen || r == utf8.RuneError && n == 1 {
		s.fail("invalid UTF-8 in a string")
		return
	}
	for _, b := range s.rune[:s.runeLen] {
		s.view.add(s, b)
	}
	s.runeLen = 0
}

func (s *Scanner) closeString() {
	if s.name {
		s.view.named(s)
		s.state = stateColon
		return
	}
	s.closeValue(1)
}

func (s *Scanner) escaped(c byte) {
	switch c {
	case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		s.view.add(s, simpleEscape(c))
		s.state = stateString
	case 'u':
		s.hex, s.hexLen, s.state = 0, 0, stateHex
	default:
		s.fail("unknown escape in a string")
	}
}

func (s *Scanner) hexDigit(c byte) {
	d := hexDigit(c)
	if d < 0 {
		s.fail(`\u needs four hexadecimal digits`)
		return
	}
	s.hex = s.hex<<4 | d
	if s.hexLen++; s.hexLen < 4 {
		return
	}
	r := s.hex
	switch {
	case s.high != 0 && (r < 0xdc00 || r > 0xdfff), s.high == 0 && r >= 0xdc00 && r <= 0xdfff:
		s.fail("lone surrogate in a string")
		return
	case s.high != 0:
		r = (s.high-0xd800)<<10 + (r - 0xdc00) + 0x10000
	case r >= 0xd800 && r < 0xdc00:
		s.high, s.state = r, stateLow
		return
	}
	s.high, s.state = 0, stateString
	s.view.rune(s, r)
}

// number takes what follows the first byte of a number.
func (s *Scanner) number(c byte) {
	then := s.state
	switch s.state {
	case stateMinus:
		switch {
		case c == '0':
			then = stateZero
		case isDigit(c):
			then = stateInt
		default:
			s.unexpected(c, "a number needs a digit")
			return
		}
	case stateZero, stateInt:
		switch {
		case isDigit(c) && s.state == stateInt:
		case isDigit(c):
			s.fail("a number must not begin with 0")
			return
		case c == '.':
			then = statePoint
		case c == 'e' || c == 'E':
			then = stateExp
		default:
			s.endNumber(c)
			return
		}
	case statePoint, stateFrac:
		switch {
		case isDigit(c):
			then = stateFrac
		case s.state == statePoint:
			s.unexpected(c, "a number needs a digit after its point")
			return
		case c == 'e' || c == 'E':
			then = stateExp
		default:
			s.endNumber(c)
			return
		}
	default:
		if then = s.exponent(c); then == stateDone {
			return
		}
	}
	s.state = then
	s.count(c)
}

// exponent takes a byte of an exponent. It returns stateDone when the number is
// over, or broken.
func (s *Scanner) exponent(c byte) state {
	switch {
	case isDigit(c):
		if s.exp = s.exp*10 + int(c-'0'); s.exp > maxNumber {
			s.fail(numberOut)
		}
		return stateExpInt
	case s.state == stateExp && (c == '+' || c == '-'):
		return stateExpSign
	case s.state == stateExpInt:
		s.endNumber(c)
		return stateDone
	}
	s.unexpected(c, "a number needs a digit in its exponent")
	return stateDone
}

// endNumber closes a number at c, which is no part of it.
func (s *Scanner) endNumber(c byte) {
	s.closeNumber()
	s.step(c)
}
