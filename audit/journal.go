package audit

import "iter"

// A Journal keeps the records of one run, in order. A record is one line of
// JSON without its line end; a journal keeps its bytes and does not look inside.
//
// Append and Commit are called by one goroutine at a time. After any of them
// has failed, both fail with the same error until the journal is opened again:
// what may be half on disk is never acknowledged.
type Journal interface {
	// Append adds a record at the end. Others may see it from then on, but only
	// Commit says that it stays. The journal keeps no reference to the record.
	Append(record []byte) error
	// Commit returns once all that was appended is on stable storage.
	Commit() error
	// Records is all records from the first, as they were appended, with those
	// that are not committed. It may be called at any time, from any goroutine.
	Records() iter.Seq2[[]byte, error]
	// Close commits, and lets go of what the journal holds. A second Close does
	// nothing.
	Close() error
}
