package jsonx

import (
	"fmt"
	"unicode/utf8"
)

// A Scanner follows one JSON value that arrives in fragments: the arguments of
// a tool call as a model streams them. It reads each byte once, keeps none of
// them, and knows at any time whether the value is complete, whether something
// follows it, and whether it can still become JSON. Fragments may be cut
// anywhere, in the middle of a character or of a \u escape too.
//
// What it does not see are duplicate names: run [Check] on the whole text before
// it is used. The zero Scanner is ready. A Scanner is used by one goroutine, and
// its limits and Report are set before the first Write.
type Scanner struct {
	MaxBytes int // most bytes to accept; 0 means 4 MiB
	MaxDepth int // most open arrays and objects; 0 means MaxDepth

	// Report, when it is set, is told of scalars as they arrive; see [Piece].
	// Without it Write does not allocate.
	Report func(Piece)

	offset  int
	line    int // line breaks so far
	column  int // characters since the last of them
	state   state
	stack   []frame
	end     int // offset after the value; 0 while it is open
	tail    int // offset of what follows, plus 1; 0 when nothing does
	err     *SyntaxError
	word    string // what is left of true, false or null
	name    bool   // the open string is a name
	rune    [4]byte
	runeLen int  // bytes of an unfinished character
	hex     rune // digits of an unfinished \u escape
	hexLen  int
	high    rune // first half of a surrogate pair that waits for the other
	numLen  int
	exp     int
	view    view
}

type frame struct {
	object bool
	index  int // of an array
	path   int // length of the pointer without this level's token
}

// state is what the next byte may be.
type state uint8

const (
	stateValue     state = iota // a value
	stateFirstItem              // a value or ]
	stateFirstName              // a name or }
	stateName                   // a name
	stateColon                  // :
	stateNext                   // , or the end of the array or object
	stateString                 // inside a string
	stateEscape                 // after a backslash
	stateHex                    // inside a \u escape
	stateLow                    // after a first surrogate: the backslash of the second
	stateLowU                   // and its u
	stateWord                   // inside true, false or null
	stateMinus                  // after the sign of a number
	stateZero                   // after a leading 0
	stateInt                    // inside the digits
	statePoint                  // after the point
	stateFrac                   // inside the fraction
	stateExp                    // after e
	stateExpSign                // after the sign of the exponent
	stateExpInt                 // inside the exponent
	stateDone                   // the value is complete
)

const defaultMaxBytes = 4 << 20

// Write scans the next fragment. Its error, a [*SyntaxError], is the first one
// and stays. What follows a complete value is no error: see [Scanner.Tail].
func (s *Scanner) Write(p []byte) (int, error) { return write(s, p) }

// WriteString is [Scanner.Write] for a string.
func (s *Scanner) WriteString(p string) (int, error) { return write(s, p) }

func write[T string | []byte](s *Scanner, p T) (int, error) {
	for i := 0; i < len(p) && s.err == nil; i++ {
		if s.state == stateString && s.runeLen == 0 && s.Report == nil {
			if n := run(s, p[i:]); n > 0 {
				i += n - 1
				continue
			}
		}
		s.byte(p[i])
	}
	if s.err != nil {
		return len(p), s.err
	}
	s.flush(false)
	return len(p), nil
}

// run takes the plain ASCII bytes of a string at once.
func run[T string | []byte](s *Scanner, p T) int {
	limit := s.maxBytes() - s.offset
	if len(p) > limit {
		p = p[:max(limit, 0)]
	}
	n := 0
	for n < len(p) && p[n] >= ' ' && p[n] < utf8.RuneSelf && p[n] != '"' && p[n] != '\\' {
		n++
	}
	s.offset += n
	s.column += n
	return n
}

// Complete reports whether the value is complete. A number at the top is so
// only when something follows it, or after [Scanner.Finish].
func (s *Scanner) Complete() bool { return s.err == nil && s.end > 0 }

// End returns the offset after the complete value, or 0.
func (s *Scanner) End() int { return s.end }

// Len returns how many bytes were written.
func (s *Scanner) Len() int { return s.offset }

// Depth returns how many arrays and objects are open.
func (s *Scanner) Depth() int { return len(s.stack) }

// Tail returns the offset of the first byte after the value that is not white
// space, if there is one.
func (s *Scanner) Tail() (offset int, ok bool) { return s.tail - 1, s.tail > 0 }

// Err returns the first error, a [*SyntaxError], or nil.
func (s *Scanner) Err() error {
	if s.err == nil {
		return nil
	}
	return s.err
}

// Finish says that no more will come. It fails when the value is not complete,
// naming what is open. Text after the value is no error.
func (s *Scanner) Finish() error {
	if s.err == nil && s.end == 0 {
		switch s.state {
		case stateZero, stateInt, stateFrac, stateExpInt:
			if len(s.stack) == 0 {
				s.closeNumber()
				return s.Err()
			}
		}
		s.fail(s.open())
	}
	return s.Err()
}

// open says in what the text ends.
func (s *Scanner) open() string {
	switch {
	case s.state == stateString || s.state >= stateEscape && s.state <= stateLowU:
		return "the text ends inside a string"
	case s.state == stateWord, s.state >= stateMinus && s.state <= stateExpInt && len(s.stack) == 0:
		return "the text ends inside a value"
	case len(s.stack) == 0:
		return "the text is empty"
	case s.stack[len(s.stack)-1].object:
		return fmt.Sprintf("the text ends inside an object, %d levels deep", len(s.stack))
	}
	return fmt.Sprintf("the text ends inside an array, %d levels deep", len(s.stack))
}

// Reset makes the Scanner ready for another value, with the same limits and
// Report. It keeps its memory.
func (s *Scanner) Reset() {
	*s = Scanner{
		MaxBytes: s.MaxBytes, MaxDepth: s.MaxDepth, Report: s.Report,
		stack: s.stack[:0], view: view{path: s.view.path[:0], text: s.view.text[:0]},
	}
}

func (s *Scanner) fail(msg string) {
	if s.err == nil {
		s.err = &SyntaxError{Offset: s.offset, Line: s.line + 1, Column: s.column + 1, Msg: msg}
	}
}

func (s *Scanner) maxBytes() int {
	if s.MaxBytes > 0 {
		return s.MaxBytes
	}
	return defaultMaxBytes
}

func (s *Scanner) maxDepth() int {
	if s.MaxDepth > 0 {
		return s.MaxDepth
	}
	return MaxDepth
}
