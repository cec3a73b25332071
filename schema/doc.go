// Package schema says what a value may look like, and what to tell a model whose
// value does not.
//
// A [Schema] is a compiled JSON Schema (draft 2020-12 and draft-07; older ones by
// their $schema). [Parse] reads one, [For] infers one from a Go type. Three
// methods use it: [Schema.Check] says all that is wrong with a document at once,
// as [Problem] values; [Schema.Fit] first undoes what models are known to do
// (names in another case, a number in quotes, arguments inside a string); and
// [Explain] writes the problems down for the model.
//
//	s, err := schema.For[struct {
//		Path  string `json:"path" desc:"the file to read"`
//		Limit int    `json:"limit,omitempty" min:"1" default:"200"`
//	}]()
//	fitted, err := s.Fit(args)
//	if err != nil {
//		return schema.Explain("read_file", s, args, err)
//	}
//	err = schema.Decode(fitted.Doc, &in)
//
// A document that fits is checked in one walk over its bytes, without decoding
// and without allocation. Keywords that this walk does not know (unevaluated
// properties, dynamic references, …), and the reasons of a refusal, are left to
// a complete validator, which is set up only when it is first needed.
//
// Providers of models take less than JSON Schema, each something else. A
// [Dialect] is what one of them takes, as data; [Normalize] makes the [View] of a
// schema that is sent there, with its losses, and [View.Restore] takes arguments
// back to what the author wrote of. [Lint] says what to mend in a tool, [Repair]
// mends arguments that are JSON but for their writing.
//
//	d, err := schema.DialectNamed("gemini")
//	view, err := schema.Normalize(s, d)
//	send(view.Schema, view.Describe(description))
//	fitted, err := s.Fit(view.Restore(args))
//
// What it does not do: it never fetches a schema, it never guesses a value, it
// never closes a text that was cut off, and it treats format as a note unless a
// [Parser] or [For] asks for more.
//
// The rules come from the JSON Schema drafts and their published test suite; the
// canonical form is RFC 8785, pointers are RFC 6901. What providers take comes
// from their documents, client libraries, recorded replies and error texts; the
// tables are in docs/providers.md.
package schema
