package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/toolpost/toolpost/tool"
)

// toolArgs makes the JSON arguments of a call of what stands on the command
// line: key=value, key:=json, key=@file, @file.json, or - for standard input.
// What is no JSON at all is passed on as it is: the tool's schema refuses it,
// with the text that was received.
func (p *program) toolArgs(spec *tool.Spec, words []string) (json.RawMessage, error) {
	a := &argList{types: propertyTypes(spec)}
	for _, w := range words {
		if err := a.add(p, w); err != nil {
			return nil, err
		}
	}
	return a.json()
}

// argList collects the arguments of one call.
type argList struct {
	types  map[string][]string // of the tool's parameters, by name
	base   []byte              // a whole document
	from   string              // where base came from
	names  []string
	values map[string]json.RawMessage
}

func (a *argList) add(p *program, word string) error {
	switch {
	case word == "-":
		b, err := p.readStdin()
		if err != nil {
			return fmt.Errorf("read arguments from stdin: %w", err)
		}
		return a.whole(b, "stdin")
	case strings.HasPrefix(word, "@") && !strings.Contains(word, "="):
		b, err := p.readArgFile(word[1:])
		if err != nil {
			return err
		}
		return a.whole(b, word[1:])
	}
	key, text, ok := strings.Cut(word, "=")
	if !ok || key == "" || key == ":" {
		return &problem{code: codeUsage, exit: exitUsage, message: fmt.Sprintf("%q is no argument: write key=value, key:=json, @file.json, or - for JSON on stdin", clip(word, 60))}
	}
	if name, isJSON := strings.CutSuffix(key, ":"); isJSON {
		if !json.Valid([]byte(text)) {
			return &problem{code: codeInvalid, exit: exitInvalid, message: fmt.Sprintf("%s:=… wants JSON; got %s", name, clip(text, 80)),
				facts: []string{fmt.Sprintf("for plain text write %s=%s", name, clip(text, 60))}}
		}
		return a.set(name, json.RawMessage(text))
	}
	if strings.HasPrefix(text, "@") && len(text) > 1 {
		b, err := p.readArgFile(text[1:])
		if err != nil {
			return err
		}
		text = string(b)
	}
	return a.set(key, a.value(key, text))
}

// readArgFile reads a file that the command line names, from the folder of -C.
func (p *program) readArgFile(name string) ([]byte, error) {
	path := name
	if !filepath.IsAbs(path) {
		path = filepath.Join(p.dir, path)
	}
	b, err := os.ReadFile(path)
	if err != nil {
		return nil, &problem{code: codeUsage, exit: exitUsage, message: fmt.Sprintf("@%s: %s", name, reason(err)), cause: err}
	}
	return b, nil
}

func (a *argList) whole(b []byte, from string) error {
	if a.from != "" {
		return &problem{code: codeUsage, exit: exitUsage, message: fmt.Sprintf("the arguments come from %s and from %s; one is enough", a.from, from)}
	}
	a.base, a.from = b, from
	return nil
}

func (a *argList) set(name string, v json.RawMessage) error {
	if _, twice := a.values[name]; twice {
		return &problem{code: codeInvalid, exit: exitInvalid, message: fmt.Sprintf("argument %q is given twice", clip(name, 60))}
	}
	if a.values == nil {
		a.values = map[string]json.RawMessage{}
	}
	a.names, a.values[name] = append(a.names, name), v
	return nil
}

// value is a text as the kind of value that the parameter wants: JSON where it
// takes no text, else the text. What does not fit stays text, for the schema to
// judge.
func (a *argList) value(name, text string) json.RawMessage {
	types := a.types[name]
	if len(types) > 0 && !slices.Contains(types, "string") && json.Valid([]byte(text)) {
		return json.RawMessage(text)
	}
	b, err := json.Marshal(text)
	if err != nil {
		return json.RawMessage(`""`) // a string always has a JSON form
	}
	return b
}

// json is the whole document: the base with the single arguments in it.
func (a *argList) json() (json.RawMessage, error) {
	if a.from != "" && len(a.names) == 0 {
		return a.base, nil
	}
	var buf bytes.Buffer
	buf.WriteByte('{')
	if a.from != "" {
		var object map[string]json.RawMessage
		if err := json.Unmarshal(a.base, &object); err != nil {
			return nil, &problem{code: codeInvalid, exit: exitInvalid, message: fmt.Sprintf("%s must hold one JSON object to add arguments to: %v", a.from, err)}
		}
		inner := bytes.TrimSpace(a.base)
		for _, n := range a.names {
			if _, twice := object[n]; twice {
				return nil, &problem{code: codeInvalid, exit: exitInvalid, message: fmt.Sprintf("argument %q is given on the command line and in %s", n, a.from)}
			}
		}
		if inner = bytes.TrimSpace(inner[1 : len(inner)-1]); len(inner) > 0 {
			buf.Write(inner)
			buf.WriteByte(',')
		}
	}
	for i, n := range a.names {
		if i > 0 {
			buf.WriteByte(',')
		}
		key, err := json.Marshal(n)
		if err != nil {
			return nil, err
		}
		buf.Write(key)
		buf.WriteByte(':')
		buf.Write(a.values[n])
	}
	buf.WriteByte('}')
	return buf.Bytes(), nil
}

// propertyTypes is the JSON types that each parameter takes, as far as its
// schema says so plainly.
func propertyTypes(spec *tool.Spec) map[string][]string {
	if spec == nil || spec.Input == nil {
		return nil
	}
	var s struct {
		Properties map[string]struct {
			Type json.RawMessage `json:"type"`
		} `json:"properties"`
	}
	if json.Unmarshal(spec.Input.JSON(), &s) != nil {
		return nil
	}
	types := map[string][]string{}
	for name, prop := range s.Properties {
		var one string
		var many []string
		switch {
		case json.Unmarshal(prop.Type, &one) == nil:
			types[name] = []string{one}
		case json.Unmarshal(prop.Type, &many) == nil:
			types[name] = many
		}
	}
	return types
}
