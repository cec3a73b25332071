package tooltest

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/toolpost/toolpost/tool"
)

// MaxWords is how long a description for the model may be.
const MaxWords = 60

var (
	nameRule = regexp.MustCompile(`^[a-z][a-z0-9_]*(\.[a-zA-Z0-9_]+)*$`)
	mcpName  = regexp.MustCompile(`^[A-Za-z0-9_.-]+__[A-Za-z0-9_./-]+$`)
)

// Spec holds a spec to what models and people need of it: a snake_case name (an
// MCP tool's is server__tool), a description of at most MaxWords, a risk, closed
// schemas whose every property is described, examples that fit, and locks and
// volatile members that exist.
func Spec(t *testing.T, s tool.Spec) {
	t.Helper()
	for _, p := range problems(s) {
		t.Errorf("%s: %s", s.Name, p)
	}
}

// problems is what is wrong with s.
func problems(s tool.Spec) []string {
	var out []string
	bad := func(format string, args ...any) { out = append(out, fmt.Sprintf(format, args...)) }
	if !nameRule.MatchString(s.Name) && !mcpName.MatchString(s.Name) {
		bad("the name is not in snake_case")
	}
	switch n := len(strings.Fields(s.Description)); {
	case n == 0:
		bad("there is no description")
	case n > MaxWords:
		bad("the description has %d words, more than %d", n, MaxWords)
	}
	if s.Risk != tool.RiskReads && s.Risk != tool.RiskWrites && s.Risk != tool.RiskCommands {
		bad("the risk %q is none of read-only, writes, commands", s.Risk)
	}
	if s.Input == nil {
		bad("there is no schema of the parameters")
		return out
	}
	in := node(s.Input.JSON())
	if in["type"] != "object" {
		bad("the parameters are not an object")
	}
	walk(in, "parameters", true, bad)
	props, _ := in["properties"].(map[string]any)
	for _, l := range s.Locks {
		if _, ok := props[l]; !ok {
			bad("it locks the argument %q, which does not exist", l)
		}
	}
	for i, ex := range s.Examples {
		if err := s.Input.Check(ex); err != nil {
			bad("example %d does not fit: %v", i+1, err)
		}
	}
	if s.Output != nil {
		outNode := node(s.Output.JSON())
		walk(outNode, "output", false, bad)
		for _, v := range s.Volatile {
			if !hasMember(outNode, v) {
				bad("the member %q is volatile, but the output has none of that name", v)
			}
		}
	}
	b, err := json.Marshal(s)
	if err != nil {
		bad("it has no JSON form: %v", err)
		return out
	}
	var back tool.Spec
	if err := json.Unmarshal(b, &back); err != nil {
		bad("its JSON form cannot be read: %v", err)
	} else if again, _ := json.Marshal(back); string(again) != string(b) {
		bad("its JSON form changes when it is read and written again")
	}
	return out
}

func node(doc json.RawMessage) map[string]any {
	var m map[string]any
	_ = json.Unmarshal(doc, &m) // a schema that is true or false has no members
	return m
}

// walk looks at a schema and those inside it: objects with properties are
// closed, and properties described where the model has to fill them in.
func walk(n map[string]any, at string, described bool, bad func(string, ...any)) {
	props, _ := n["properties"].(map[string]any)
	if props != nil || n["type"] == "object" && n["additionalProperties"] == nil {
		if v, ok := n["additionalProperties"]; !ok || v == true {
			bad("%s is not closed: additionalProperties is missing", at)
		}
	}
	names := make([]string, 0, len(props))
	for name := range props {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		p, ok := props[name].(map[string]any)
		if !ok {
			continue
		}
		if d, _ := p["description"].(string); described && strings.TrimSpace(d) == "" && p["$ref"] == nil {
			bad("%s.%s has no description", at, name)
		}
		walk(p, at+"."+name, described, bad)
	}
	for _, key := range [...]string{"items", "additionalProperties", "not"} {
		if p, ok := n[key].(map[string]any); ok {
			walk(p, at+"."+key, described, bad)
		}
	}
	for _, key := range [...]string{"anyOf", "oneOf", "allOf", "prefixItems"} {
		list, _ := n[key].([]any)
		for i, v := range list {
			if p, ok := v.(map[string]any); ok {
				walk(p, fmt.Sprintf("%s.%s[%d]", at, key, i), described, bad)
			}
		}
	}
	for _, key := range [...]string{"$defs", "definitions"} {
		defs, _ := n[key].(map[string]any)
		for name, v := range defs {
			if p, ok := v.(map[string]any); ok {
				walk(p, at+"."+key+"."+name, described, bad)
			}
		}
	}
}

// hasMember reports whether a schema names a property at any depth.
func hasMember(v any, name string) bool {
	switch v := v.(type) {
	case map[string]any:
		if props, ok := v["properties"].(map[string]any); ok {
			if _, ok := props[name]; ok {
				return true
			}
		}
		for _, inner := range v {
			if hasMember(inner, name) {
				return true
			}
		}
	case []any:
		return slices.ContainsFunc(v, func(inner any) bool { return hasMember(inner, name) })
	}
	return false
}
