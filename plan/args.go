package plan

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
)

// arguments is the arguments of a step with their templates taken apart.
type arguments struct {
	raw       json.RawMessage
	templates []argument // in order; only those with references or escapes
}

// argument is a string of the arguments that is a template.
type argument struct {
	literal  // where it stands
	template *Template
}

// parseArgs takes the strings of a step's arguments apart. All mistakes are told,
// by pointers into the arguments.
func parseArgs(raw json.RawMessage, item, index string) (*arguments, []Problem) {
	a := &arguments{raw: raw}
	var problems []Problem
	for _, l := range literals(raw, "{}$") {
		t, err := ParseTemplate(l.text, item, index)
		if err != nil {
			problems = append(problems, Problem{Pointer: l.pointer, Rule: "reference", Message: err.Error()})
			continue
		}
		a.templates = append(a.templates, argument{l, t})
	}
	return a, problems
}

// resolve is the arguments with every reference replaced by its value (rule P3).
// All else stays as it is written in the document.
func (a *arguments) resolve(v *Values) (json.RawMessage, error) {
	return a.with(func(t argument) (json.RawMessage, error) {
		val, err := t.template.Resolve(v)
		if err != nil {
			return nil, fmt.Errorf("args%s: %w", t.pointer, err)
		}
		return val, nil
	})
}

// with is the arguments with a value in the place of each template.
func (a *arguments) with(value func(argument) (json.RawMessage, error)) (json.RawMessage, error) {
	if len(a.templates) == 0 {
		return a.raw, nil
	}
	out := make(json.RawMessage, 0, len(a.raw)+64)
	done := 0
	for _, t := range a.templates {
		val, err := value(t)
		if err != nil {
			return nil, err
		}
		out = append(out, a.raw[done:t.start]...)
		out = append(out, val...)
		done = t.end
	}
	return append(out, a.raw[done:]...), nil
}

// references is what the arguments refer to.
func (a *arguments) references() []Reference {
	var out []Reference
	for _, t := range a.templates {
		out = append(out, t.template.References()...)
	}
	return out
}

// A literal is a string value in a JSON document, never the name of a member.
type literal struct {
	pointer    string
	text       string
	start, end int // bytes of the document, quotes included
}

// literals is the string values of doc that hold one of the characters, in order.
// It has none of a document that is not JSON.
func literals(doc json.RawMessage, chars string) []literal {
	if !strings.ContainsAny(string(doc), chars) && !strings.Contains(string(doc), `\u`) || !json.Valid(doc) {
		return nil
	}
	s := literalScanner{doc: doc, chars: chars}
	s.value("")
	return s.found
}

// literalScanner goes through a document that is known to be JSON.
type literalScanner struct {
	doc   []byte
	at    int
	chars string
	found []literal
}

func (s *literalScanner) space() byte {
	for s.at < len(s.doc) {
		switch c := s.doc[s.at]; c {
		case ' ', '\t', '\r', '\n':
			s.at++
		default:
			return c
		}
	}
	return 0
}

func (s *literalScanner) value(pointer string) {
	switch s.space() {
	case '"':
		start := s.at
		raw := s.quoted()
		if text := unquote(raw); strings.ContainsAny(text, s.chars) {
			s.found = append(s.found, literal{pointer, text, start, s.at})
		}
	case '{':
		for s.at++; s.space() != '}'; {
			name := unquote(s.quoted())
			s.space()
			s.at++ // the colon
			s.value(pointer + "/" + escape(name))
			if s.space() == ',' {
				s.at++
			}
		}
		s.at++
	case '[':
		s.at++
		for i := 0; s.space() != ']'; i++ {
			s.value(pointer + "/" + strconv.Itoa(i))
			if s.space() == ',' {
				s.at++
			}
		}
		s.at++
	default: // a number or a word
		for s.at < len(s.doc) && !strings.ContainsRune(" \t\r\n,]}", rune(s.doc[s.at])) {
			s.at++
		}
	}
}

// quoted passes over a string and returns it with its quotes.
func (s *literalScanner) quoted() []byte {
	s.space()
	start := s.at
	for s.at++; s.doc[s.at] != '"'; s.at++ {
		if s.doc[s.at] == '\\' {
			s.at++
		}
	}
	s.at++
	return s.doc[start:s.at]
}

// unquote is the text of a JSON string.
func unquote(raw []byte) string {
	inner := string(raw[1 : len(raw)-1])
	if strings.IndexByte(inner, '\\') < 0 {
		return strings.ToValidUTF8(inner, "\uFFFD")
	}
	var text string
	_ = json.Unmarshal(raw, &text) // it is known to be JSON
	return text
}

// first is the first byte of a document behind white space.
func first(doc json.RawMessage) byte {
	for _, c := range doc {
		if c != ' ' && c != '\t' && c != '\r' && c != '\n' {
			return c
		}
	}
	return 0
}

func escape(k string) string {
	if !strings.ContainsAny(k, "~/") {
		return k
	}
	return strings.ReplaceAll(strings.ReplaceAll(k, "~", "~0"), "/", "~1")
}
