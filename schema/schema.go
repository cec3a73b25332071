package schema

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"sync"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/toolpost/toolpost/internal/jsonx"
)

// maxSchemaSize bounds a schema document, in bytes.
const maxSchemaSize = 256 << 10

// Formats says what the keyword format means.
type Formats int

const (
	// FormatsNoted makes format a note for readers, as draft 2020-12 has it.
	FormatsNoted Formats = iota
	// FormatsAsserted makes a string of another format a mistake. Unknown
	// formats stay notes.
	FormatsAsserted
)

// A Parser says how schemas are read. The zero Parser is the one of [Parse].
// It is a value; it may be used by several goroutines.
type Parser struct {
	Formats Formats

	// Load returns the schema document at an absolute URL that a $ref names.
	// With nil, which is the default, a $ref that leaves the document is an
	// error, and nothing is ever fetched. The metaschemas of the drafts are
	// built in.
	Load func(url string) ([]byte, error)
}

// A Schema is a compiled JSON Schema. It is immutable and safe for concurrent
// use. A nil *Schema allows anything.
type Schema struct {
	text      []byte
	root      *node
	raw       *val
	nodes     map[string]*node
	unchecked []string
	parser    Parser
	draft     draft
	reason    string // why the slow validator decides, "" when it does not
	defaults  bool   // some node has one
	secrets   bool
	branches  bool // some node applies others to the same value

	slowOnce sync.Once
	slow     *jsonschema.Schema
	slowErr  error

	exampleOnce sync.Once
	example     []byte

	viewsMu sync.Mutex
	views   map[Dialect]viewed // what Normalize has made
}

// Parse compiles a schema of draft 2020-12, or of the draft that its $schema
// names (draft-04, -06, -07 and 2019-09 are known). The document is at most
// 256 KiB and 64 levels deep. A $ref that leaves the document is an error.
// format is a note; a [Parser] can make it an assertion. A pattern that no
// engine reads does not fail: see [Schema.Unchecked].
func Parse(src []byte) (*Schema, error) { return Parser{}.Parse(src) }

// MustParse is [Parse] for schemas that are part of the program. It panics when
// src is not a schema.
func MustParse(src string) *Schema {
	s, err := Parse([]byte(src))
	if err != nil {
		panic(err)
	}
	return s
}

// Parse compiles src; see the function [Parse].
func (p Parser) Parse(src []byte) (*Schema, error) {
	if len(src) > maxSchemaSize {
		return nil, fmt.Errorf("schema has %d bytes; at most %d are allowed", len(src), maxSchemaSize)
	}
	if err := jsonx.Check(src); err != nil {
		return nil, fmt.Errorf("reading schema: %w", err)
	}
	s := &Schema{text: jsonx.AppendCompact(nil, src), parser: p, draft: draft2020}
	s.raw = parseVal(s.text)
	if err := checkDepth(s.raw, 1); err != nil {
		return nil, err
	}
	if url := s.raw.get("$schema"); url.is(kindString) {
		d, ok := draftOf(url.text)
		if !ok && p.Load == nil {
			return nil, fmt.Errorf("schema: unknown $schema %q; use https://json-schema.org/draft/2020-12/schema or leave it out", url.text)
		}
		if ok {
			s.draft = d
		} else {
			s.reason = "$schema " + url.text
		}
	}
	if err := s.compile(); err != nil {
		return nil, err
	}
	return s, nil
}

func (s *Schema) compile() error {
	c := &compiler{root: s.raw, draft: s.draft, formats: s.parser.Formats, nodes: map[string]*node{}, slow: s.reason}
	if s.draft != draft7 && s.draft != draft2020 {
		c.slowFor("its draft")
	}
	root, err := c.compile()
	s.root, s.reason, s.nodes = root, c.slow, c.nodes
	slices.Sort(c.weak)
	s.unchecked = slices.Compact(c.weak)
	for _, n := range c.nodes {
		s.defaults = s.defaults || n.fallback != nil
		s.secrets = s.secrets || n.secret
		s.branches = s.branches || len(n.applied()) > 1
	}
	if s.reason == "" {
		return err
	}
	_, err = s.validator()
	return err
}

// JSON returns the author's own text, without its white space; "true" for a nil
// Schema. The caller must not write into it.
func (s *Schema) JSON() json.RawMessage {
	if s == nil {
		return json.RawMessage("true")
	}
	return slices.Clip(s.text)
}

// MarshalJSON returns [Schema.JSON].
func (s *Schema) MarshalJSON() ([]byte, error) { return s.JSON(), nil }

// UnmarshalJSON is [Parse] into s, which must be new: a schema that is in use
// must not be decoded into.
func (s *Schema) UnmarshalJSON(b []byte) error {
	p, err := Parse(b)
	if err != nil {
		return err
	}
	s.text, s.root, s.raw, s.nodes = p.text, p.root, p.raw, p.nodes
	s.unchecked, s.parser, s.draft, s.reason = p.unchecked, p.parser, p.draft, p.reason
	s.defaults, s.secrets, s.branches = p.defaults, p.secrets, p.branches
	s.slowOnce, s.slow, s.slowErr = sync.Once{}, nil, nil
	s.exampleOnce, s.example, s.views = sync.Once{}, nil, nil
	return nil
}

// Unchecked lists the patterns that no engine reads, which therefore constrain
// nothing. Whoever registers a tool should say so in its diagnostics.
func (s *Schema) Unchecked() []string {
	if s == nil {
		return nil
	}
	return slices.Clone(s.unchecked)
}

func itoa(i int) string { return strconv.Itoa(i) }

// cut shortens a text to 80 characters, the last of which is then an ellipsis.
func cut(s string) string { return cutTo(s, 80) }

func cutTo(s string, n int) string {
	count, end := 0, 0
	for i := range s {
		if count++; count == n {
			end = i
		} else if count > n {
			return s[:end] + "…"
		}
	}
	return s
}
