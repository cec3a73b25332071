package jsonx

import (
	"strconv"
	"unicode/utf8"
)

// Kind is the type of a scalar in a [Piece].
type Kind string

// The kinds of scalars.
const (
	KindString Kind = "string"
	KindNumber Kind = "number"
	KindBool   Kind = "boolean"
	KindNull   Kind = "null"
)

// A Piece is what a [Scanner] reports: a scalar that is complete, or what a
// string has grown by since the last Piece of the same Pointer. A string that
// is complete has exactly one Piece with Done, whose Text may be empty.
type Piece struct {
	Pointer string // JSON pointer (RFC 6901) of the scalar
	Kind    Kind
	Text    string // without quotes and escapes; of a string only what is new
	Done    bool   // the scalar is complete
}

// A view keeps what Report needs: the pointer of the open scalar and its text
// that was not reported yet. It does nothing when there is no Report.
type view struct {
	path []byte
	text []byte
	kind Kind
	open bool // a scalar is open
}

func (v *view) begin(k Kind) { v.kind, v.open, v.text = k, true, v.text[:0] }

func (v *view) add(s *Scanner, c byte) {
	if s.Report != nil {
		v.text = append(v.text, c)
	}
}

func (v *view) rune(s *Scanner, r rune) {
	if s.Report != nil {
		v.text = utf8.AppendRune(v.text, r)
	}
}

// token puts the index of an element at the end of the pointer; a name was put
// there when it ended.
func (v *view) token(s *Scanner) {
	if s.Report == nil || len(s.stack) == 0 {
		return
	}
	if top := s.stack[len(s.stack)-1]; !top.object {
		v.path = strconv.AppendInt(append(v.path[:top.path], '/'), int64(top.index), 10)
	}
}

// back takes the token of the last member or element off the pointer.
func (v *view) back(s *Scanner) {
	if s.Report != nil {
		v.path = v.path[:s.stack[len(s.stack)-1].path]
	}
}

// named puts the name that has just ended at the end of the pointer.
func (v *view) named(s *Scanner) {
	v.open = false
	if s.Report == nil {
		return
	}
	v.path = append(v.path, '/')
	for _, c := range v.text {
		switch c {
		case '~':
			v.path = append(v.path, "~0"...)
		case '/':
			v.path = append(v.path, "~1"...)
		default:
			v.path = append(v.path, c)
		}
	}
	v.text = v.text[:0]
}

// flush reports what is new of the open scalar. Only strings are reported
// before they are done.
func (s *Scanner) flush(done bool) {
	v := &s.view
	if s.Report != nil && v.open && (done || v.kind == KindString && !s.name && len(v.text) > 0) {
		s.Report(Piece{Pointer: string(v.path), Kind: v.kind, Text: string(v.text), Done: done})
		v.text = v.text[:0]
	}
	if done {
		v.open = false
	}
}
