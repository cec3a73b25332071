package sse

import (
	"bytes"
	"errors"
	"fmt"
	"io"
)

// An Event is what a server sends at a time. What a Reader returns is valid
// until its next call.
type Event struct {
	Name  []byte // of the event; empty means "message"
	Data  []byte // its lines joined by LF
	ID    []byte // the last id of the stream, of this event or one before
	Retry int    // milliseconds to wait before connecting again; 0 if not said

	// Cut says that the stream ended before the blank line behind the event. The
	// standard has such an event thrown away; some servers end so.
	Cut bool
}

// DefaultMax is the largest event that a Reader takes if it is not told.
const DefaultMax = 32 << 20

// ErrTooLong is in the error of an event that is larger than Reader.Max.
var ErrTooLong = errors.New("event too long")

// A Reader reads events. It is for one goroutine.
type Reader struct {
	R   io.Reader
	Max int // bytes of an event with its field names; DefaultMax if zero

	buf     []byte
	pos     int  // where the next line begins
	seen    int  // up to where no line end was found
	skipLF  bool // the last line ended in CR: an LF that follows belongs to it
	begun   bool
	err     error // of R, kept until the lines before it are read
	data    []byte
	name    []byte
	id      []byte
	retry   int
	hasData bool
	size    int // of the event so far
}

var bom = []byte("\xef\xbb\xbf")

// Next is the next event that has data. The error is io.EOF at the end of the
// stream, that of the underlying reader, or one that wraps ErrTooLong; after an
// error there are no more events.
func (r *Reader) Next() (Event, error) {
	r.data, r.name, r.retry, r.hasData, r.size = r.data[:0], r.name[:0], 0, false, 0
	for {
		line, err := r.line()
		if err != nil {
			if err == io.EOF && r.hasData {
				return r.event(true), nil
			}
			return Event{}, err
		}
		if len(line) == 0 {
			if r.hasData {
				return r.event(false), nil
			}
			r.name, r.size = r.name[:0], 0
			continue
		}
		if r.size += len(line); r.size > r.max() {
			return Event{}, r.tooLong()
		}
		r.field(line)
	}
}

func (r *Reader) max() int {
	if r.Max > 0 {
		return r.Max
	}
	return DefaultMax
}

func (r *Reader) tooLong() error {
	r.err = fmt.Errorf("read event: %w: it is larger than %d bytes", ErrTooLong, r.max())
	r.pos, r.seen, r.buf = 0, 0, r.buf[:0]
	r.hasData = false
	return r.err
}

func (r *Reader) event(cut bool) Event {
	return Event{Name: r.name, Data: r.data[:len(r.data)-1], ID: r.id, Retry: r.retry, Cut: cut}
}

// field takes one line that is not empty.
func (r *Reader) field(line []byte) {
	name, value, _ := bytes.Cut(line, []byte(":"))
	if len(value) > 0 && value[0] == ' ' {
		value = value[1:]
	}
	switch string(name) {
	case "data":
		r.data = append(append(r.data, value...), '\n')
		r.hasData = true
	case "event":
		r.name = append(r.name[:0], value...)
	case "id":
		if bytes.IndexByte(value, 0) < 0 {
			r.id = append(r.id[:0], value...)
		}
	case "retry":
		if n, ok := digits(value); ok {
			r.retry = n
		}
	}
}

func digits(b []byte) (n int, ok bool) {
	if len(b) == 0 || len(b) > 9 {
		return 0, false
	}
	for _, c := range b {
		if c < '0' || c > '9' {
			return 0, false
		}
		n = n*10 + int(c-'0')
	}
	return n, true
}

// line is the next line without its end; a last line without one counts.
func (r *Reader) line() ([]byte, error) {
	for {
		if r.skipLF && r.pos < len(r.buf) {
			r.skipLF = false
			if r.buf[r.pos] == '\n' {
				r.pos++
			}
		}
		r.seen = max(r.seen, r.pos)
		if i := lineEnd(r.buf[r.seen:]); i >= 0 {
			end := r.seen + i
			line := r.buf[r.pos:end]
			r.skipLF = r.buf[end] == '\r'
			r.pos = end + 1
			return r.first(line), nil
		}
		r.seen = len(r.buf)
		if r.err != nil {
			if r.err == io.EOF && r.pos < len(r.buf) {
				line := r.buf[r.pos:]
				r.pos = len(r.buf)
				return r.first(line), nil
			}
			return nil, r.err
		}
		if len(r.buf)-r.pos > r.max() {
			return nil, r.tooLong()
		}
		r.fill()
	}
}

// first strips the byte order mark that a stream may begin with.
func (r *Reader) first(line []byte) []byte {
	if !r.begun {
		r.begun = true
		line = bytes.TrimPrefix(line, bom)
	}
	return line
}

// lineEnd is where the first CR or LF is. Lines end in LF but for the odd
// server, so CR is looked for only before the LF.
func lineEnd(b []byte) int {
	lf := bytes.IndexByte(b, '\n')
	if lf >= 0 {
		b = b[:lf]
	}
	if cr := bytes.IndexByte(b, '\r'); cr >= 0 {
		return cr
	}
	return lf
}

const firstBuf = 4 << 10

// fill reads once more behind what is there.
func (r *Reader) fill() {
	if r.pos > 0 {
		n := copy(r.buf, r.buf[r.pos:])
		r.buf, r.seen, r.pos = r.buf[:n], r.seen-r.pos, 0
	}
	if len(r.buf) == cap(r.buf) {
		grown := make([]byte, len(r.buf), max(firstBuf, 2*cap(r.buf)))
		copy(grown, r.buf)
		r.buf = grown
	}
	for range 100 { // as bufio does, against readers that give nothing
		n, err := r.R.Read(r.buf[len(r.buf):cap(r.buf)])
		r.buf = r.buf[:len(r.buf)+n]
		if err != nil {
			r.err = err
		}
		if n > 0 || err != nil {
			return
		}
	}
	r.err = io.ErrNoProgress
}
