// Package tool is the waist of toolpost: one [Call], one [Result], one
// [Handler], and one function, [Do], through which every call of every tool
// passes, whoever asks and whoever answers.
//
// A [Tool] is a [Spec] (name, description, schemas, risk) and the [Handler]
// that keeps its promise. [New] makes one of a plain Go function. A [Registry]
// holds tools and is to calls what [net/http.ServeMux] is to requests: it finds
// the tool, fits the arguments to its schema, runs the middleware and the
// handler under a deadline, and checks what comes back. [Do] turns whatever
// happens on the way (an error, a panic, a nil result, a deadline) into exactly
// one Result.
//
//	var tools tool.Registry
//	tools.Add(tool.New(tool.Spec{
//		Name:        "add",
//		Description: "Add two numbers.",
//		Risk:        tool.RiskReads,
//	}, func(_ context.Context, in struct{ A, B int }) (int, error) {
//		return in.A + in.B, nil
//	}))
//	res := tool.Do(ctx, tools.Call, tool.NewCall("add", `{"a":2,"b":3}`))
//
// A handler tells how far it has come with [Notify] and what it did to the
// world with [Observe]; both cost next to nothing when nobody listens.
//
// The package knows no policy, no hook, no record and no provider: those are
// [Middleware] and drivers in packages above it. It imports the standard
// library and package schema, and nothing else.
//
// The JSON names of Call, Result and their parts are those of the "Tool Call
// Envelope Specification" (seed 003), with fields added where the other seeds
// need them; the forms of other systems are translated at their edge.
package tool
