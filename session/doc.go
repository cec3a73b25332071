// Package session keeps what was said: the messages of a conversation between a
// person, a model and its tools, append-only, and repaired when it is loaded so
// that no crash bricks it.
//
// A [Store] is a folder of sessions; each [Session] in it is a file of JSON
// lines, one message a line, synced before [Session.Append] returns. [Memory] is
// a session without a file. Both are what agent.Loop needs.
//
//	s, err := session.Store{Dir: dir}.Open("refactor")
//	defer s.Close()
//	for e, err := range loop.Run(ctx, s) { … }
//
// [Repair] is the pure function behind loading: a call without a result gets one
// that says so, duplicates and orphans are dropped, and results stand directly
// after their calls. [Persist] lets functions rewrite messages on their way into
// a session (the hook tool_result_persist of seed 000).
//
// The package does not cut a history to a model's context window (package agent
// does, for one request at a time) and does not fit it to a provider
// (llm.Sanitize). The rules for ids and cleaning are those of seed 001.
package session
