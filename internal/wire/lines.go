package wire

import (
	"bufio"
	"bytes"
	"fmt"
	"io"

	"github.com/toolpost/toolpost/internal/sse"
)

// A lineReader reads JSON that comes one value a line, as events. A value that
// is written over several lines, as servers do that do not stream, is one event.
type lineReader struct {
	r   *bufio.Reader
	max int
	buf []byte
	err error
}

// Next is the next value. A last line without its end is Cut.
func (l *lineReader) Next() (sse.Event, error) {
	l.buf = l.buf[:0]
	var open extent
	for l.err == nil {
		var piece []byte
		piece, l.err = l.r.ReadSlice('\n')
		if len(l.buf)+len(piece) > l.max {
			l.err = fmt.Errorf("read line: %w: it is larger than %d bytes", sse.ErrTooLong, l.max)
			return sse.Event{}, l.err
		}
		l.buf = append(l.buf, piece...)
		open.look(piece)
		if l.err == bufio.ErrBufferFull {
			l.err = nil
			continue
		}
		if l.err == nil && !open.inside() && len(bytes.TrimSpace(l.buf)) > 0 {
			return sse.Event{Data: l.buf}, nil
		}
	}
	if l.err == io.EOF && len(bytes.TrimSpace(l.buf)) > 0 {
		return sse.Event{Data: l.buf, Cut: true}, nil
	}
	return sse.Event{}, l.err
}

// An extent follows brackets and quotes, to tell whether a value is whole.
type extent struct {
	depth    int
	str, esc bool
}

func (e *extent) inside() bool { return e.depth > 0 || e.str }

func (e *extent) look(b []byte) {
	for _, c := range b {
		switch {
		case e.esc:
			e.esc = false
		case e.str:
			e.esc = c == '\\'
			e.str = c != '"'
		case c == '"':
			e.str = true
		case c == '{' || c == '[':
			e.depth++
		case c == '}' || c == ']':
			e.depth--
		}
	}
}
