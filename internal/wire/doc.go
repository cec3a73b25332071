// Package wire is what all providers that speak over HTTP share: a request is
// sent and its answer watched ([Client]), the answer is read as a stream of
// events or as one piece ([Body.Read]) by the provider's own [Decoder], JSON is
// read without building anything ([Cursor]) and written in a given order
// ([Object]), and text that a server cut inside a character is joined ([Carry]).
//
// It knows no API: which fields there are, and what they mean, is the
// providers'. It does not retry. Errors are *llm.Error.
package wire
