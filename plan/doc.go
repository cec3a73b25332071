// Package plan runs an ActionPlan: steps that a model or a person wrote as data,
// checked before anything runs, confirmed once, and run through the same tools
// and the same pipeline as the agent loop.
//
//	p, err := plan.Parse(doc)                         // strict: every unknown field is named
//	if problems := plan.Lint(p, &tools); len(problems) > 0 { … }
//	preview, err := runner.Preview(ctx, p)            // nothing is changed
//	runner.Confirmation = preview.Confirm("ada", "terminal")
//	for e, err := range runner.Run(ctx, p) { … }      // events, as of any run
//
// A step names a tool and its arguments. Arguments may refer to the data of
// steps before it ("$steps.list.items"), to variables ("$vars.name") and, in a
// foreach, to the element ("{item.path}", "{index}"); see [Template]. A
// reference to a step orders it behind that step. What is hashed, recorded and
// run is always the arguments with references resolved.
//
// The package knows no policy, no record and no terminal: a policy is middleware
// of the tools, a record wraps the stream, and who confirms is the caller's
// affair. It does not undo: see package audit.
//
// The document and the rules are those of seed 003 ("Tool Call Envelope
// Specification") and its sibling for ActionPlans, where those are silent those
// of design/plan.md.
package plan
