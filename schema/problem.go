package schema

import (
	"encoding/json"
	"errors"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/toolpost/toolpost/internal/jsonx"
)

// Invalid is the error of a document that does not fit its schema. It has all
// problems, at least one and at most 500, in the order of the document.
type Invalid struct{ Problems []Problem }

// A Problem is one thing that is wrong with a document.
type Problem struct {
	Pointer string          `json:"pointer"`          // JSON pointer into the document, "" for the root
	Rule    string          `json:"rule"`             // the keyword that is broken; "json" when the text does not parse
	Message string          `json:"message"`          // what is wrong, in one sentence
	Got     string          `json:"got,omitzero"`     // the value received, at most 80 characters
	Part    json.RawMessage `json:"part,omitempty"`   // the part of the schema that was broken
	Nearest string          `json:"nearest,omitzero"` // the nearest known property name or enum value, if there is one

	leaf  bool // a broken const or enum, by which variants are told apart
	known []string
}

// Error joins the problems.
func (e *Invalid) Error() string {
	var list []string
	for _, p := range e.Problems {
		list = append(list, p.String())
	}
	return strings.Join(list, "; ")
}

// String is pointer and message in one line, with the nearest name when there
// is one.
func (p Problem) String() string {
	text := p.Message
	if p.Nearest != "" {
		text += "; did you mean " + quote(p.Nearest) + "?"
	}
	if p.Pointer == "" {
		return text
	}
	return p.Pointer + ": " + text
}

func quote(s string) string { return string(jsonx.AppendString(nil, s)) }

// Check reports whether doc is JSON and fits the schema: nil, or an [*Invalid]
// that has all problems. Duplicate names and invalid UTF-8 do not fit any
// schema. It does not keep doc.
func (s *Schema) Check(doc []byte) error {
	v := s.verdict(doc)
	switch {
	case v.ok:
		return nil
	case v.tired:
		return errTired()
	}
	return s.problems(doc)
}

// fits is Check without reasons.
func (s *Schema) fits(doc []byte) bool { return s.verdict(doc).ok }

func (s *Schema) verdict(doc []byte) verdict {
	if s == nil {
		return verdict{ok: jsonx.Check(doc) == nil}
	}
	if s.reason == "" {
		return s.root.match(doc)
	}
	if jsonx.Check(doc) != nil {
		return verdict{}
	}
	if s.branches && s.root.hard(doc) {
		return verdict{tired: true}
	}
	v, err := s.validator()
	ok := err == nil && v.Validate(parseVal(doc).decoded()) == nil
	return verdict{ok: ok, wanted: true}
}

func errTired() error {
	return &Invalid{[]Problem{{Rule: "limit", Message: "checking the document against the alternatives of its schema takes too many steps; send a smaller or less deeply nested one"}}}
}

// problems says why doc, for which fits is false, does not fit.
func (s *Schema) problems(doc []byte) error {
	if err := jsonx.Check(doc); err != nil {
		return s.notJSON(doc, err)
	}
	if s == nil {
		return nil
	}
	if s.branches && s.root.hard(doc) {
		return errTired()
	}
	v, err := s.validator()
	if err != nil {
		return &Invalid{[]Problem{{Rule: "schema", Message: "the schema cannot be checked: " + err.Error()}}}
	}
	root := parseVal(doc)
	err = v.Validate(root.decoded())
	if err == nil {
		return nil
	}
	failure, ok := errors.AsType[*jsonschema.ValidationError](err)
	if !ok {
		return &Invalid{[]Problem{{Rule: "schema", Message: err.Error()}}}
	}
	r := &reporter{schema: s, doc: root}
	return &Invalid{r.sorted(r.problems(failure))}
}

// notShown stands for a value that the schema calls secret (writeOnly, or format
// password), or that may hold one.
const notShown = "(not shown)"

// notJSON is the error for a text that does not parse; it shows the text.
func (s *Schema) notJSON(doc []byte, err error) error {
	if len(doc) == 0 {
		return &Invalid{[]Problem{{Rule: "json", Message: "no arguments were received; send a JSON object"}}}
	}
	got := notShown
	if s == nil || !s.secrets {
		got = cut(strings.ToValidUTF8(string(doc[:min(len(doc), 400)]), "\uFFFD"))
	}
	return &Invalid{[]Problem{{Rule: "json", Message: err.Error() + "; received " + got, Got: got}}}
}
