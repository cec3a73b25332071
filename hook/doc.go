// Package hook is middleware that anyone who runs tools may want: hooks before
// and after a call, a debug log, a loop guard, limits on what the model reads,
// redaction of secrets, image limits.
//
// Each is a struct whose zero value works, with a method Middleware, or is a
// [tool.Middleware] itself:
//
//	loop, limit, images := &hook.Loop{}, &hook.Limit{Spill: store}, &hook.Images{}
//	var tools tool.Registry
//	tools.Use(
//		hook.Log(logger),
//		loop.Middleware,       // refuse the call that is made again and again
//		artifacts.Middleware,  // $artifact:<id> → its text
//		before.Middleware,     // replace, block, ask
//		limit.Middleware,      // cut what the model reads, keep the whole
//		redact.Middleware,     // no known secret goes further
//		hook.Sanitize,         // no control characters
//		after.Middleware,      // observe
//		images.Middleware,     // sniff, shrink or leave out
//		slots.Middleware,      // so many at once
//	)
//
// The order above is the one of rule: what stands first sees the call first and
// the result last. So hooks see arguments as they will run, observers see the
// result as the tool gave it, secrets are gone before a text is cut (a half
// secret is not found) and before the whole of it is kept.
//
// A hook that fails before a call blocks it; one that fails after it is logged.
// What the functions here do to a result they do to a copy.
//
// The package holds no policy, no approval desk and no store: they are handed
// in as funcs. Loops, truncation and their numbers follow the envelopes of
// OpenClaw (seeds 000, 002) and clawft (seed 001), with the true element count
// and a guard that the model is told of.
package hook
