// Package jsonx is JSON as strictly as RFC 8259 and I-JSON (RFC 7493) allow it
// to be read: one value, no duplicate member names, names compared with case,
// valid UTF-8, no lone surrogates, no more than [MaxDepth] levels.
//
// The reason is safety: a parser that lets the last of two equal names win and
// a screen that shows the first one would let a person approve one call and a
// tool run another.
//
//   - [Unmarshal], [UnmarshalStrict] and [Marshal] move between Go and JSON
//     with the semantics of encoding/json/v2.
//   - [Check] says whether a text is JSON in that sense, [Canonical] writes the
//     form of RFC 8785, [Hash] names a value.
//   - [Scanner] follows arguments that arrive in fragments and never reads a
//     byte twice.
//   - [Space], [String], [Number], [Value], [Keys] and [Decimal] are the
//     lexical parts, for readers that walk the bytes themselves.
//
// It does not repair anything and it does not build trees.
package jsonx
