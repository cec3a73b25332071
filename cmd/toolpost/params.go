package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/toolpost/toolpost/tool"
)

// A param is one parameter of a tool, for people.
type param struct {
	name     string
	kind     string // string, integer, list of strings, …
	required bool
	doc      string
	def      string
	limits   string
}

// params is the parameters of a tool in the order in which its schema has them.
func params(spec *tool.Spec) []param {
	if spec.Input == nil {
		return nil
	}
	var s struct {
		Properties json.RawMessage `json:"properties"`
		Required   []string        `json:"required"`
	}
	if json.Unmarshal(spec.Input.JSON(), &s) != nil || len(s.Properties) == 0 {
		return nil
	}
	var list []param
	dec := json.NewDecoder(bytes.NewReader(s.Properties))
	if _, err := dec.Token(); err != nil {
		return nil
	}
	for dec.More() {
		t, err := dec.Token()
		if err != nil {
			return list
		}
		name, _ := t.(string)
		var p paramSchema
		if dec.Decode(&p) != nil {
			return list
		}
		list = append(list, param{name, p.kind(), slices.Contains(s.Required, name), p.Description, string(p.Default), p.limits()})
	}
	return list
}

// paramSchema is the part of a parameter's schema that people are shown.
type paramSchema struct {
	Type        json.RawMessage   `json:"type"`
	Enum        []json.RawMessage `json:"enum"`
	Items       *paramSchema      `json:"items"`
	Description string            `json:"description"`
	Default     json.RawMessage   `json:"default"`
	Minimum     json.Number       `json:"minimum"`
	Maximum     json.Number       `json:"maximum"`
	MinLength   json.Number       `json:"minLength"`
	MaxLength   json.Number       `json:"maxLength"`
	Pattern     string            `json:"pattern"`
}

func (s *paramSchema) kind() string {
	if len(s.Enum) > 0 {
		var words []string
		for _, e := range s.Enum {
			words = append(words, strings.Trim(string(e), `"`))
		}
		return strings.Join(words, "|")
	}
	var one string
	var many []string
	switch {
	case json.Unmarshal(s.Type, &one) == nil && one == "array" && s.Items != nil:
		return "list of " + s.Items.kind()
	case one != "":
		return one
	case json.Unmarshal(s.Type, &many) == nil:
		return strings.Join(slices.DeleteFunc(many, func(t string) bool { return t == "null" }), " or ")
	}
	return "any"
}

func (s *paramSchema) limits() string {
	switch {
	case s.Minimum != "" && s.Maximum != "":
		return fmt.Sprintf("%s to %s", s.Minimum, s.Maximum)
	case s.Minimum != "":
		return "at least " + s.Minimum.String()
	case s.Maximum != "":
		return "at most " + s.Maximum.String()
	case s.Pattern != "":
		return "matches " + s.Pattern
	}
	return ""
}

// String is the parameter in brief: path (string, required).
func (p param) String() string {
	words := []string{p.kind}
	if p.limits != "" {
		words = append(words, p.limits)
	}
	if p.required {
		words = append(words, "required")
	}
	return p.name + " (" + strings.Join(words, ", ") + ")"
}

// expected is all parameters of a tool in one line.
func expected(spec *tool.Spec) string {
	var words []string
	for _, p := range params(spec) {
		words = append(words, p.String())
	}
	if len(words) == 0 {
		return "no arguments"
	}
	return strings.Join(words, ", ")
}
