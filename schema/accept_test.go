package schema_test

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/toolpost/toolpost/schema"
)

// What providers refuse, written down a second time, without the tables of the
// package: a view that these rules find fault with would be a failed request.

type object = map[string]any

// refusals lists what the provider of the view would refuse.
func refusals(v schema.View) []string {
	var root object
	if err := json.Unmarshal(v.Schema, &root); err != nil {
		return []string{err.Error()}
	}
	c := &acceptance{root: root, name: v.Dialect, strict: v.Strict}
	c.rootRules()
	c.visit(root, "", 0)
	defs, _ := root["$defs"].(object)
	for name, d := range defs {
		c.visit(d, "/$defs/"+name, 0)
	}
	if c.strict && c.name != "anthropic-strict" {
		c.limits()
	}
	return c.found
}

type acceptance struct {
	root                         object
	name                         string
	strict                       bool
	found                        []string
	properties, enums, text, max int
}

func (c *acceptance) refuse(at, format string, args ...any) {
	c.found = append(c.found, at+": "+fmt.Sprintf(format, args...))
}

func (c *acceptance) rootRules() {
	if c.root["type"] != "object" {
		c.refuse("", "root type is %v", c.root["type"])
	}
	if _, ok := c.root["properties"].(object); !ok {
		c.refuse("", "root has no properties")
	}
	for _, k := range []string{"anyOf", "oneOf", "allOf", "not", "enum", "const", "if", "then", "else", "$ref", "nullable", "dependentRequired", "dependentSchemas"} {
		if _, ok := c.root[k]; ok {
			c.refuse("", "root has %s", k)
		}
	}
	if c.name == "bedrock" || c.name == "ollama" {
		for k := range c.root {
			if k != "type" && k != "properties" && k != "required" {
				c.refuse("", "root has %s", k)
			}
		}
	}
}

// allowed are the keywords of the providers that refuse or ignore unknown ones.
var allowed = map[string]string{
	"openai-strict":     "type properties required additionalProperties enum const anyOf $ref $defs description title pattern format minimum maximum exclusiveMinimum exclusiveMaximum multipleOf items minItems maxItems",
	"anthropic-strict":  "type properties required additionalProperties enum const anyOf $ref $defs description title pattern format items minItems",
	"gemini":            "type properties required additionalProperties enum anyOf $ref $defs description title format minimum maximum items prefixItems minItems maxItems",
	"gemini-parameters": "type properties required enum anyOf nullable description title default format minimum maximum pattern items minItems maxItems minLength maxLength minProperties maxProperties",
	"deepseek-strict":   "type properties required additionalProperties enum const anyOf description title pattern format minimum maximum exclusiveMinimum exclusiveMaximum multipleOf items",
	"ollama":            "type properties required enum anyOf description items",
	"groq":              "type properties required enum const anyOf oneOf allOf not if then else $ref $defs items prefixItems dependentRequired dependentSchemas description title default examples deprecated readOnly writeOnly contentEncoding contentMediaType",
	"llamacpp":          "type properties required additionalProperties enum const anyOf oneOf pattern format items minItems maxItems minimum maximum exclusiveMinimum exclusiveMaximum minLength maxLength description title",
}

func (c *acceptance) rules() string {
	switch {
	case c.strict && (c.name == "responses" || c.name == "vllm-strict"):
		return "openai-strict"
	case c.name == "gemini-interactions":
		return "gemini"
	case strings.HasSuffix(c.name, "-strict") && !c.strict:
		return strings.TrimSuffix(c.name, "-strict")
	}
	return c.name
}

var (
	geminiName    = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]{0,63}$`)
	anthropicName = regexp.MustCompile(`^[a-zA-Z0-9_.-]{1,64}$`)
)

func (c *acceptance) visit(s any, at string, depth int) {
	if _, ok := s.(bool); ok && (strings.HasSuffix(at, "/items") || strings.HasSuffix(at, "/additionalProperties") || strings.HasSuffix(at, "ies")) {
		return
	}
	m, ok := s.(object)
	if !ok {
		c.refuse(at, "is %v", s)
		return
	}
	rules := c.rules()
	if list, ok := allowed[rules]; ok {
		for k := range m {
			if !slices.Contains(strings.Fields(list), k) {
				c.refuse(at, "keyword %s", k)
			}
		}
	}
	types := typesOf(m["type"])
	if slices.Contains(types, "object") || slices.Contains(types, "array") {
		depth++
	}
	c.max = max(c.max, depth)
	if slices.Contains(types, "array") && m["items"] == nil && m["prefixItems"] == nil {
		c.refuse(at, "array without items")
	}
	c.reference(m, at, rules)
	c.values(m, at, rules, types)
	c.members(m, at, rules, types)
	if c.strict {
		c.strictRules(m, at, rules, types)
	}
	c.perProvider(m, at, rules)
	c.below(m, at, depth)
}

func typesOf(v any) []string {
	switch v := v.(type) {
	case string:
		return []string{v}
	case []any:
		var list []string
		for _, e := range v {
			list = append(list, e.(string))
		}
		return list
	}
	return nil
}

func (c *acceptance) reference(m object, at, rules string) {
	ref, ok := m["$ref"].(string)
	if !ok {
		return
	}
	defs, _ := c.root["$defs"].(object)
	name, local := strings.CutPrefix(ref, "#/$defs/")
	if !local || defs[name] == nil {
		c.refuse(at, "$ref to %s", ref)
	}
	alone := rules == "openai-strict" || rules == "anthropic-strict" || rules == "gemini"
	if alone && len(m) > 1 {
		c.refuse(at, "neighbours of $ref")
	}
	if rules == "bedrock" {
		c.refuse(at, "$ref")
	}
}

func (c *acceptance) values(m object, at, rules string, types []string) {
	list, ok := m["enum"].([]any)
	if !ok {
		return
	}
	c.enums += len(list)
	if len(list) == 0 {
		c.refuse(at, "empty enum")
	}
	for _, v := range list {
		s, isString := v.(string)
		c.text += utf8.RuneCountInString(s)
		_, isNumber := v.(float64)
		_, isList := v.([]any)
		_, isObject := v.(object)
		switch rules {
		case "gemini-parameters":
			if !isString || s == "" || m["type"] != "string" {
				c.refuse(at, "enum value %v of type %v", v, m["type"])
			}
		case "gemini":
			if !isString && !isNumber && v != nil {
				c.refuse(at, "enum value %v", v)
			}
		case "openai-strict", "anthropic-strict", "deepseek-strict":
			if isList || isObject {
				c.refuse(at, "enum value %v", v)
			}
			if v == nil && !slices.Contains(types, "null") {
				c.refuse(at, "null in an enum of %v", types)
			}
		}
	}
}

func (c *acceptance) members(m object, at, rules string, types []string) {
	props, _ := m["properties"].(object)
	for name := range props {
		c.properties++
		c.text += utf8.RuneCountInString(name)
		switch {
		case (rules == "gemini" || rules == "gemini-parameters") && !geminiName.MatchString(name),
			(strings.HasPrefix(rules, "anthropic") || rules == "bedrock") && !anthropicName.MatchString(name):
			c.refuse(at, "property name %q", name)
		}
	}
	required, _ := m["required"].([]any)
	if _, ok := m["required"]; ok && len(required) == 0 {
		c.refuse(at, "empty required")
	}
	if strings.HasPrefix(rules, "gemini") {
		for _, r := range required {
			if props[r.(string)] == nil {
				c.refuse(at, "required %v is not a property", r)
			}
		}
	}
}

func (c *acceptance) strictRules(m object, at, rules string, types []string) {
	if len(types) == 0 && m["anyOf"] == nil && m["$ref"] == nil && m["const"] == nil {
		c.refuse(at, "no type")
	}
	if slices.Contains(types, "object") {
		props, _ := m["properties"].(object)
		if m["additionalProperties"] != false && (rules != "anthropic-strict" || len(props) > 0) {
			c.refuse(at, "object is not closed")
		}
		required, _ := m["required"].([]any)
		if rules != "anthropic-strict" && len(required) != len(props) {
			c.refuse(at, "required %v of %d properties", required, len(props))
		}
	}
	formats := map[string]string{"openai-strict": "date-time time date duration email hostname ipv4 ipv6 uuid",
		"anthropic-strict": "date-time time date duration email hostname uri ipv4 ipv6 uuid", "deepseek-strict": "email hostname ipv4 ipv6 uuid"}
	if f, ok := m["format"].(string); ok && !slices.Contains(strings.Fields(formats[rules]), f) {
		c.refuse(at, "format %s", f)
	}
	if n, ok := m["minItems"].(float64); ok && rules == "anthropic-strict" && n > 1 {
		c.refuse(at, "minItems %v", n)
	}
	if rules == "deepseek-strict" && len(types) > 1 && (slices.Contains(types, "object") || slices.Contains(types, "array")) && len(types) != 2 {
		c.refuse(at, "type %v", types)
	}
}

func (c *acceptance) perProvider(m object, at, rules string) {
	switch rules {
	case "gemini-parameters":
		if _, ok := m["type"].([]any); ok || m["type"] == "null" {
			c.refuse(at, "type %v", m["type"])
		}
		if m["anyOf"] != nil && len(m) > 1 {
			c.refuse(at, "neighbours of anyOf: %v", m)
		}
		if f, ok := m["format"].(string); ok && !slices.Contains([]string{"date-time", "enum", "int32", "int64", "float", "double"}, f) {
			c.refuse(at, "format %s", f)
		}
	case "groq":
		if m["additionalProperties"] == false {
			c.refuse(at, "closed")
		}
	case "llamacpp":
		if p, ok := m["pattern"].(string); ok && (p[0] != '^' || p[len(p)-1] != '$') {
			c.refuse(at, "pattern %s", p)
		}
		if m["anyOf"] != nil && m["properties"] != nil {
			c.refuse(at, "anyOf beside properties")
		}
	}
}

func (c *acceptance) below(m object, at string, depth int) {
	for _, k := range []string{"items", "additionalProperties", "not", "if", "then", "else", "contains", "propertyNames", "unevaluatedProperties", "unevaluatedItems"} {
		if s, ok := m[k]; ok {
			c.visit(s, at+"/"+k, depth)
		}
	}
	for _, k := range []string{"anyOf", "oneOf", "allOf", "prefixItems"} {
		if list, ok := m[k].([]any); ok {
			if len(list) == 0 {
				c.refuse(at, "empty %s", k)
			}
			for i, s := range list {
				c.visit(s, fmt.Sprintf("%s/%s/%d", at, k, i), depth)
			}
		}
	}
	for _, k := range []string{"properties", "patternProperties", "dependentSchemas"} {
		if o, ok := m[k].(object); ok {
			for name, s := range o {
				c.visit(s, at+"/"+k+"/"+name, depth)
			}
		}
	}
}

func (c *acceptance) limits() {
	if c.properties > 5000 || c.enums > 1000 || c.text > 120_000 || c.max > 10 {
		c.refuse("", "%d properties, %d enum values, %d characters, %d levels", c.properties, c.enums, c.text, c.max)
	}
}
