// Package audit keeps runs on record: what was asked, every event, every call
// with the arguments it ran with, every result, and what was too large to show.
//
// A [Store] is a folder of runs. [Store.Create] makes a [Run], [Record] writes a
// stream of events to it, and [Store.Load] reads it back:
//
//	store := &audit.Store{Dir: dir}
//	run, err := store.Create(audit.Facts{Kind: audit.KindRun, Prompt: "bump the version"})
//	if err != nil {
//		return err
//	}
//	for e, err := range audit.Record(run, loop.Run(ctx, session)) {
//		if err != nil {
//			return err
//		}
//		fmt.Println(e.Message)
//	}
//
// An event is written before it is passed on, and one that is durable
// ([event.Type.Durable]) is on disk before; so a call is on record before its
// tool starts, and a result before anyone hears of it. A record that cannot be
// written ends the run. Runs of one Store that wait at the same time share syncs
// of the disk. [Calls] makes each call that comes through a door a run of its
// own, and [Memory] keeps runs that need not survive the program.
//
// A run is a folder named by its id:
//
//	run.json       what was asked and how it ended; small, for lists
//	events.jsonl   the journal: one record a line, chained by hash
//	calls.jsonl    the calls, in the form of seed 003's ToolCall
//	results.jsonl  their results
//	messages.jsonl what the model and others said
//	artifacts/     what results point at, named by content
//
// The journal alone is synced and alone is true. Each record has its whole
// payload, so that [Store.Rebuild] makes the projections again, byte for
// byte. A line of it is one JSON object: the members of the event, and before
// them "v" (1), "seq" (from 1, without gaps), "crc" (CRC-32C of the line without
// this member) and "prev" (SHA-256 of the line before), so that a torn tail is
// told from damage. "us" is the microseconds since the first record, and the
// first record of each recording has the "facts". Text comes back as it was: line
// ends, NUL and U+2028 are escaped, and bytes that are not UTF-8 stand in the
// member "bytes". The projections follow the journal by at most a twentieth of a
// second.
//
// Where many runs wait for the disk at once, the store commits them together
// with one sync of a log of its own (.commit), and syncs the journals when that
// is full and when they end. After a power cut the next to use the store puts
// into the journals what only the log has. A Store that is used by a server is
// closed at its end.
//
// It does not decide what is recorded, does not show anything to people, and
// keeps no conversations: those are package session's. The layout follows seed
// 003; journal and recovery follow what databases do with a write-ahead log.
package audit
