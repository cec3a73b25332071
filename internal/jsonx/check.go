package jsonx

import (
	"bytes"
	"fmt"
	"sync"
	"unicode/utf8"
)

// MaxDepth is how many arrays and objects may be open at once, everywhere in
// this package.
const MaxDepth = 128

// A SyntaxError says where and why a text is not JSON.
type SyntaxError struct {
	Offset int    // in bytes, from 0
	Line   int    // from 1
	Column int    // from 1, in characters
	Msg    string // the rule that is broken
}

// Error has the place as line and column, and the rule.
func (e *SyntaxError) Error() string {
	return fmt.Sprintf("invalid JSON at line %d, column %d: %s", e.Line, e.Column, e.Msg)
}

// NewSyntaxError makes the error for the place offset in b.
func NewSyntaxError(b []byte, offset int, msg string) *SyntaxError {
	offset = min(offset, len(b))
	head := b[:offset]
	line := 1 + bytes.Count(head, []byte("\n"))
	begin := 1 + bytes.LastIndexByte(head, '\n')
	return &SyntaxError{Offset: offset, Line: line, Column: 1 + utf8.RuneCount(head[begin:]), Msg: msg}
}

var keysPool = sync.Pool{New: func() any { return new(Keys) }}

// Check reports whether b is exactly one JSON value, with no duplicate name in
// any object, valid UTF-8, no lone surrogate escapes, and no deeper than
// [MaxDepth]. A failure is a [*SyntaxError]. It allocates nothing for ordinary
// documents (objects of fewer than 32 members).
func Check(b []byte) error {
	keys := keysPool.Get().(*Keys)
	i, msg := Value(b, Space(b, 0), 0, keys)
	if msg == "" {
		if i = Space(b, i); i < len(b) {
			msg = "more text after the value"
		}
	} else {
		*keys = Keys{} // it may hold marks that were never closed
	}
	keysPool.Put(keys)
	if msg != "" {
		return NewSyntaxError(b, i, msg)
	}
	return nil
}

// Value scans the value at b[i], which lies under depth open arrays and
// objects, and returns the index after it. A failure has a message, and end is
// where it is; keys is then to be thrown away.
func Value(b []byte, i, depth int, keys *Keys) (end int, msg string) {
	if i >= len(b) {
		if len(bytes.TrimSpace(b)) == 0 {
			return i, "the text is empty"
		}
		return i, "the text ends where a value should stand"
	}
	switch c := b[i]; c {
	case '"':
		end, _, msg = String(b, i)
		return end, msg
	case '{':
		return object(b, i, depth+1, keys)
	case '[':
		return array(b, i, depth+1, keys)
	case 't':
		return Literal(b, i, "true")
	case 'f':
		return Literal(b, i, "false")
	case 'n':
		return Literal(b, i, "null")
	default:
		if c == '-' || isDigit(c) {
			return Number(b, i)
		}
	}
	return i, "no value begins with " + quoteByte(b, i)
}

// Literal scans one of the words true, false and null.
func Literal(b []byte, i int, word string) (end int, msg string) {
	if len(b)-i >= len(word) && string(b[i:i+len(word)]) == word {
		return i + len(word), ""
	}
	return i, "expected " + word
}

func quoteByte(b []byte, i int) string {
	r, _ := utf8.DecodeRune(b[i:])
	return fmt.Sprintf("%q", r)
}

const tooDeep = "nested more than 128 levels deep"

func array(b []byte, i, depth int, keys *Keys) (end int, msg string) {
	if depth > MaxDepth {
		return i, tooDeep
	}
	i = Space(b, i+1)
	if i < len(b) && b[i] == ']' {
		return i + 1, ""
	}
	for {
		if i, msg = Value(b, i, depth, keys); msg != "" {
			return i, msg
		}
		i = Space(b, i)
		switch {
		case i >= len(b):
			return i, "the text ends inside an array"
		case b[i] == ']':
			return i + 1, ""
		case b[i] != ',':
			return i, "expected , or ] after an element, found " + quoteByte(b, i)
		}
		i = Space(b, i+1)
		if i < len(b) && b[i] == ']' {
			return i, "comma before ]"
		}
	}
}

func object(b []byte, i, depth int, keys *Keys) (end int, msg string) {
	if depth > MaxDepth {
		return i, tooDeep
	}
	i = Space(b, i+1)
	if i < len(b) && b[i] == '}' {
		return i + 1, ""
	}
	mark := keys.Open()
	for {
		start := i
		var plain bool
		if i, plain, msg = Name(b, i); msg != "" {
			return i, msg
		}
		if keys.Add(mark, b, start, i, plain) {
			return start, "duplicate name " + string(b[start:min(i, start+80)])
		}
		if i, msg = Colon(b, i); msg != "" {
			return i, msg
		}
		if i, msg = Value(b, i, depth, keys); msg != "" {
			return i, msg
		}
		var more bool
		if i, more, msg = Next(b, i); msg != "" {
			return i, msg
		}
		if !more {
			keys.Close(mark)
			return i, ""
		}
	}
}

// Name scans the member name at b[i], as [String] does.
func Name(b []byte, i int) (end int, plain bool, msg string) {
	switch {
	case i >= len(b):
		return i, false, "the text ends inside an object"
	case b[i] != '"':
		return i, false, "expected a name in quotes, found " + quoteByte(b, i)
	}
	return String(b, i)
}

// Colon scans the colon after a name and the space around it.
func Colon(b []byte, i int) (end int, msg string) {
	i = Space(b, i)
	switch {
	case i >= len(b):
		return i, "the text ends inside an object"
	case b[i] != ':':
		return i, "expected : after a name, found " + quoteByte(b, i)
	}
	return Space(b, i+1), ""
}

// Next scans what follows a member: a comma, then more is true and end is at
// the next name, or the closing brace, then end is after it.
func Next(b []byte, i int) (end int, more bool, msg string) {
	i = Space(b, i)
	switch {
	case i >= len(b):
		return i, false, "the text ends inside an object"
	case b[i] == '}':
		return i + 1, false, ""
	case b[i] != ',':
		return i, false, "expected , or } after a member, found " + quoteByte(b, i)
	}
	i = Space(b, i+1)
	if i < len(b) && b[i] == '}' {
		return i, false, "comma before }"
	}
	return i, true, ""
}
