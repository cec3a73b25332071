package schema

import (
	"errors"
	"fmt"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/toolpost/toolpost/internal/jsonx"
)

// baseURL is where a schema document lies for the slow validator.
const baseURL = "https://schema.toolpost.invalid/root.json"

// validator compiles the schema for the slow validator, once. Its metaschemas
// cost milliseconds, so it is asked for only when it is needed.
func (s *Schema) validator() (*jsonschema.Schema, error) {
	s.slowOnce.Do(func() {
		c := jsonschema.NewCompiler()
		c.DefaultDraft(slowDraft(s.draft))
		c.UseRegexpEngine(func(source string) (jsonschema.Regexp, error) { return newPattern(source), nil })
		c.UseLoader(loader(s.parser.Load))
		registerFormats(c, s.parser.Formats)
		if err := c.AddResource(baseURL, s.raw.decoded()); err != nil {
			s.slowErr = fmt.Errorf("reading schema: %w", err)
			return
		}
		s.slow, s.slowErr = c.Compile(baseURL)
		if s.slowErr != nil {
			s.slowErr = fmt.Errorf("reading schema: %w", withoutBase(s.slowErr))
		}
	})
	return s.slow, s.slowErr
}

// withoutBase takes the made-up base URL out of a message.
func withoutBase(err error) error {
	text := strings.ReplaceAll(err.Error(), baseURL, "")
	return errors.New(strings.ReplaceAll(text, "\n", " "))
}

func slowDraft(d draft) *jsonschema.Draft {
	switch d {
	case draft4:
		return jsonschema.Draft4
	case draft6:
		return jsonschema.Draft6
	case draft7:
		return jsonschema.Draft7
	case draft2019:
		return jsonschema.Draft2019
	}
	return jsonschema.Draft2020
}

// loader is a jsonschema.URLLoader over [Parser.Load].
type loader func(url string) ([]byte, error)

// Load returns the document at url.
func (l loader) Load(url string) (any, error) {
	if l == nil {
		return nil, fmt.Errorf("%s lies outside this document, and nothing is fetched: put it under $defs", url)
	}
	b, err := l(url)
	if err != nil {
		return nil, err
	}
	if err := jsonx.Check(b); err != nil {
		return nil, fmt.Errorf("reading %s: %w", url, err)
	}
	return parseVal(b).decoded(), nil
}
