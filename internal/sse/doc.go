// Package sse reads and writes server-sent events as the HTML Living Standard
// defines them (section 9.2, "text/event-stream").
//
//	r := sse.Reader{R: body}
//	for {
//		e, err := r.Next()
//		if err == io.EOF {
//			break
//		}
//		…
//	}
//
// A [Reader] takes lines that end in LF, CRLF or CR, a byte order mark,
// comments, data over many lines, id, event and retry, and allocates nothing
// for an event once its buffers have grown. A [Writer] writes events and
// comments so that any data survives.
//
// The package does not reconnect, and it knows nothing of what the data means.
package sse
