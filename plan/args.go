package plan

import (
	"bytes"
	"encoding/json"
	"fmt"
	"sort"
	"strconv"
	"strings"

	"github.com/toolpost/toolpost/schema"
)

// arguments is the arguments of a step with their templates taken apart.
type arguments struct {
	raw       json.RawMessage
	templates map[string]*Template // by JSON pointer; only those with references or escapes
}

// parseArgs takes the strings of a step's arguments apart. All mistakes are told,
// by pointers into the arguments.
func parseArgs(raw json.RawMessage, item, index string) (*arguments, []Problem) {
	a := &arguments{raw: raw, templates: map[string]*Template{}}
	var problems []Problem
	walk(raw, "", func(pointer, s string) {
		if !strings.ContainsAny(s, "{}$") {
			return
		}
		t, err := ParseTemplate(s, item, index)
		if err != nil {
			problems = append(problems, Problem{Pointer: pointer, Rule: "reference", Message: err.Error()})
			return
		}
		a.templates[pointer] = t
	})
	return a, problems
}

// walk calls fn with each string value in doc.
func walk(doc json.RawMessage, pointer string, fn func(pointer, s string)) {
	switch first(doc) {
	case '"':
		var s string
		if json.Unmarshal(doc, &s) == nil {
			fn(pointer, s)
		}
	case '[':
		var list []json.RawMessage
		if json.Unmarshal(doc, &list) == nil {
			for i, v := range list {
				walk(v, pointer+"/"+strconv.Itoa(i), fn)
			}
		}
	case '{':
		var object map[string]json.RawMessage
		if json.Unmarshal(doc, &object) == nil {
			for _, k := range sorted(object) {
				walk(object[k], pointer+"/"+escape(k), fn)
			}
		}
	}
}

func sorted(m map[string]json.RawMessage) []string {
	ks := keys(m)
	sort.Strings(ks)
	return ks
}

func first(doc json.RawMessage) byte {
	if doc = bytes.TrimLeft(doc, " \t\r\n"); len(doc) > 0 {
		return doc[0]
	}
	return 0
}

func escape(k string) string {
	return strings.NewReplacer("~", "~0", "/", "~1").Replace(k)
}

// resolve is the arguments with every reference replaced by its value (rule P3).
func (a *arguments) resolve(v *Values) (json.RawMessage, error) {
	if len(a.templates) == 0 {
		return a.raw, nil
	}
	return a.rebuild(a.raw, "", v)
}

func (a *arguments) rebuild(doc json.RawMessage, pointer string, v *Values) (json.RawMessage, error) {
	if t, ok := a.templates[pointer]; ok {
		val, err := t.Resolve(v)
		if err != nil {
			return nil, fmt.Errorf("args%s: %w", pointer, err)
		}
		return val, nil
	}
	switch first(doc) {
	case '[':
		var list []json.RawMessage
		if err := json.Unmarshal(doc, &list); err != nil {
			return nil, err
		}
		for i := range list {
			val, err := a.rebuild(list[i], pointer+"/"+strconv.Itoa(i), v)
			if err != nil {
				return nil, err
			}
			list[i] = val
		}
		return schema.Encode(list)
	case '{':
		var object map[string]json.RawMessage
		if err := json.Unmarshal(doc, &object); err != nil {
			return nil, err
		}
		for _, k := range sorted(object) {
			val, err := a.rebuild(object[k], pointer+"/"+escape(k), v)
			if err != nil {
				return nil, err
			}
			object[k] = val
		}
		return schema.Encode(object)
	}
	return doc, nil
}

// references is what the arguments refer to.
func (a *arguments) references() []Reference {
	var out []Reference
	for _, t := range a.templates {
		out = append(out, t.References()...)
	}
	return out
}
