// Package llmtest is for tests of what speaks with models.
//
// A [Server] is a stand-in for a model's server that misbehaves as it is told:
// each [Answer] is one reply, well-formed or not, quick, slow, cut or hanging.
// [Fake] is an llm.Provider made of a func. [Run] is the kit that every adapter
// under provider passes.
//
// The package is imported by tests alone. It does not check wire formats in
// full: that is what recorded streams are for.
package llmtest
