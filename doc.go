// Package toolpost is one runtime through which every tool call of an AI agent
// passes, whoever asks (a model in a loop, a plan, a client) and whoever answers
// (a Go function, a sandboxed command, a recording).
//
// This package holds no code. It is the door to the house, which is an
// hourglass: above are those who make calls, below are plain materials that know
// nothing of calls, and between them is one waist, package tool.
//
//	cmd/toolpost                                   the command line
//	agent  session  audit  provider/*              drivers, records, models
//	llm  event  hook  builtin                      what is said, told, put between, built in
//	tool                                           the waist: Call, Result, Handler, Do
//	schema  sandbox  internal/*                    materials
//
// A tour, from the waist outward:
//
//   - [github.com/toolpost/toolpost/tool] is the envelope and the one function,
//     Do, by which every call is made. tool.New makes a tool of a Go function;
//     tool.Registry finds it, checks its arguments and runs it under a deadline.
//   - [github.com/toolpost/toolpost/schema] says what arguments may look like:
//     it infers a JSON schema from a Go type, checks, coerces and explains.
//   - [github.com/toolpost/toolpost/event] tells what happens in a run, in order,
//     as an iterator: what the loop body does with an event is done before the
//     run goes on.
//   - [github.com/toolpost/toolpost/llm] is how a model is asked, and
//     provider/openai and provider/scripted are two that answer.
//   - [github.com/toolpost/toolpost/agent] is the loop: ask the model, run what it
//     calls, tell it what came of it.
//   - [github.com/toolpost/toolpost/hook] is middleware that anyone may want:
//     before and after, log, loop guard, truncation.
//   - [github.com/toolpost/toolpost/session] and
//     [github.com/toolpost/toolpost/audit] keep what was said and what was done.
//   - [github.com/toolpost/toolpost/sandbox] is the folder that file tools cannot
//     leave, and [github.com/toolpost/toolpost/builtin] the tools themselves.
//
// The example below is the house in thirty lines. DESIGN.md says why it stands
// as it does; which package may import which is a table in layers_test.go.
//
// What it deliberately is not: a framework. There is no graph, no registration
// by import, no context that holds the world. Each package can be used alone.
//
// The wire names are those of five seed specifications brought under one
// envelope; package tool says which.
package toolpost
