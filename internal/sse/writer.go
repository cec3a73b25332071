package sse

import (
	"bytes"
	"fmt"
	"io"
	"strconv"
)

// A Writer writes events, each with one Write of W, and flushes W after it if W
// has a method Flush() or FlushError() error, as http.ResponseWriters do. It is
// for one goroutine.
type Writer struct {
	W io.Writer

	buf []byte
}

// Write writes an event. Names and ids cannot hold line ends or, in ids, NUL:
// they are refused. An event without data is written with one empty line of it,
// since readers throw away events that have none.
func (w *Writer) Write(e Event) error {
	if bytes.ContainsAny(e.Name, "\r\n") || bytes.ContainsAny(e.ID, "\r\n\x00") {
		return fmt.Errorf("write event: name %q and id %q must not hold line ends or NUL", e.Name, e.ID)
	}
	b := w.buf[:0]
	b = field(b, "event", e.Name)
	b = field(b, "id", e.ID)
	if e.Retry > 0 {
		b = append(strconv.AppendInt(append(b, "retry: "...), int64(e.Retry), 10), '\n')
	}
	for rest := e.Data; ; {
		n := lineEnd(rest)
		if n < 0 {
			b = append(append(append(b, "data: "...), rest...), '\n')
			break
		}
		b = append(append(append(b, "data: "...), rest[:n]...), '\n')
		if rest[n] == '\r' && n+1 < len(rest) && rest[n+1] == '\n' {
			n++
		}
		rest = rest[n+1:]
	}
	return w.send(append(b, '\n'))
}

func field(b []byte, name string, value []byte) []byte {
	if len(value) == 0 {
		return b
	}
	return append(append(append(append(b, name...), ": "...), value...), '\n')
}

// Comment writes a line that readers skip, to keep a connection alive.
func (w *Writer) Comment(text string) error {
	b := append(w.buf[:0], ": "...)
	for i := range len(text) {
		if c := text[i]; c != '\r' && c != '\n' {
			b = append(b, c)
		}
	}
	return w.send(append(b, "\n\n"...))
}

func (w *Writer) send(b []byte) error {
	w.buf = b[:0]
	if _, err := w.W.Write(b); err != nil {
		return fmt.Errorf("write event: %w", err)
	}
	switch f := w.W.(type) {
	case interface{ FlushError() error }:
		if err := f.FlushError(); err != nil {
			return fmt.Errorf("flush event: %w", err)
		}
	case interface{ Flush() }:
		f.Flush()
	}
	return nil
}
