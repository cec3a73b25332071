package schema

import (
	"fmt"
	"slices"
	"strings"
)

// A Dialect is what one provider takes for the schema of a tool's arguments, as
// data: which keywords, in which spelling, within which limits. [DialectNamed]
// knows the usual ones. A Dialect is a value that may be changed and compared;
// the zero Dialect takes hardly anything.
type Dialect struct {
	Name     string   `json:"name"`
	Keywords Keywords `json:"keywords"`
	Formats  string   `json:"formats,omitzero"` // names of format that are taken, separated by spaces; * is all

	Strict Strictness `json:"strict,omitzero"`
	Loose  string     `json:"loose,omitzero"`  // the dialect for what Strict cannot express
	Prefer string     `json:"prefer,omitzero"` // the strict dialect that is used instead where it loses nothing

	Refs      RefRule       `json:"refs,omitzero"`
	Recursion RecursionRule `json:"recursion,omitzero"`
	Unions    UnionRule     `json:"unions,omitzero"`
	Types     TypeRule      `json:"types,omitzero"`
	Enums     EnumRule      `json:"enums,omitzero"`
	Patterns  PatternRule   `json:"patterns,omitzero"`
	Root      RootRule      `json:"root,omitzero"`
	Maps      MapRule       `json:"maps,omitzero"`

	MaxMinItems   int `json:"maxMinItems,omitzero"`   // the greatest minItems that is taken; any if zero
	MaxProperties int `json:"maxProperties,omitzero"` // in the whole schema
	MaxDepth      int `json:"maxDepth,omitzero"`      // of objects and arrays in one another
	MaxEnum       int `json:"maxEnum,omitzero"`       // enum values in the whole schema
	MaxText       int `json:"maxText,omitzero"`       // characters of names, enum and const values in the whole schema

	MaxTools       int `json:"maxTools,omitzero"`       // in one request
	MaxStrictTools int `json:"maxStrictTools,omitzero"` // in one request, as are the next two
	MaxOptional    int `json:"maxOptional,omitzero"`    // optional properties of strict tools
	MaxUnions      int `json:"maxUnions,omitzero"`      // unions of strict tools; a list of types is one

	Properties NameRule `json:"properties,omitzero"` // names of properties
	Tools      NameRule `json:"tools,omitzero"`      // names of tools
}

// Strictness says whether the provider is asked to hold the model to the schema.
type Strictness string

// Kinds of strictness. With the zero one the schema is advice.
const (
	StrictAll      Strictness = "all"      // objects are closed and every property is required
	StrictOptional Strictness = "optional" // objects are closed; properties may be optional
)

// A RefRule says what becomes of $ref. The zero rule writes out what it names.
type RefRule string

// Rules for $ref.
const (
	RefsAlone RefRule = "alone" // kept, with no keyword beside it
	RefsFree  RefRule = "free"  // kept as the author wrote it
)

// A RecursionRule says which schemas may contain themselves, where $ref is
// kept. The zero rule writes them out a few times and then allows anything.
type RecursionRule string

// Rules for recursion.
const (
	RecursionOptional RecursionRule = "optional" // through optional properties alone
	RecursionFree     RecursionRule = "free"
)

// A UnionRule says how anyOf and oneOf stand beside other keywords. The zero
// rule lets them stand as they are.
type UnionRule string

// Rules for unions.
const (
	UnionsWhole UnionRule = "whole" // every variant is a schema of its own
	UnionsAlone UnionRule = "alone" // and nothing stands beside them, not even a description
)

// A TypeRule says how several types are written. The zero rule makes a list.
type TypeRule string

// Rules for types.
const (
	TypesSplit  TypeRule = "split"  // objects and arrays have variants of their own
	TypesSingle TypeRule = "single" // one name alone; null is the keyword nullable
)

// An EnumRule says which values an enum may have. The zero rule takes all.
type EnumRule string

// Rules for enums.
const (
	EnumsScalar  EnumRule = "scalar"  // no arrays and objects
	EnumsSimple  EnumRule = "simple"  // strings and numbers, and null beside them
	EnumsStrings EnumRule = "strings" // strings that are not empty; others are sent as strings
)

// A PatternRule says which patterns are taken. The zero rule takes all that are
// at most 1,024 characters long.
type PatternRule string

// Rules for patterns.
const (
	PatternsRegular  PatternRule = "regular"  // without look-around and back-references
	PatternsAnchored PatternRule = "anchored" // likewise, from ^ to $
)

// A RootRule says what may stand at the root beside type, properties and
// required. The zero rule takes what the rest of the schema takes.
type RootRule string

// RootBare takes nothing else.
const RootBare RootRule = "bare"

// A MapRule says how an object of any properties is written. The zero rule
// leaves additionalProperties out.
type MapRule string

// MapsTold writes additionalProperties: true, because its absence means false.
const MapsTold MapRule = "told"

// A NameRule says which names are legal. The zero rule allows all.
type NameRule struct {
	First string `json:"first,omitzero"` // the first character, as in a regular expression's class: a-z_; as Rest if empty
	Rest  string `json:"rest,omitzero"`  // the others
	Max   int    `json:"max,omitzero"`   // characters
}

// Legal reports whether name keeps the rule. The empty name never does, unless
// all are allowed.
func (r NameRule) Legal(name string) bool {
	if r.Rest == "" {
		return r.Max == 0 || len(name) <= r.Max
	}
	if name == "" || r.Max > 0 && len(name) > r.Max || !inClass(r.first(), rune(name[0])) {
		return false
	}
	for _, c := range name {
		if !inClass(r.Rest, c) {
			return false
		}
	}
	return true
}

func (r NameRule) first() string {
	if r.First == "" {
		return r.Rest
	}
	return r.First
}

// String is the rule as a regular expression.
func (r NameRule) String() string {
	if r.Rest == "" {
		return ".*"
	}
	if r.Max == 0 {
		return fmt.Sprintf("^[%s][%s]*$", r.first(), r.Rest)
	}
	return fmt.Sprintf("^[%s][%s]{0,%d}$", r.first(), r.Rest, r.Max-1)
}

// inClass reports whether c is in the class of characters and ranges.
func inClass(class string, c rune) bool {
	list := []rune(class)
	for i := 0; i < len(list); i++ {
		if i+2 < len(list) && list[i+1] == '-' {
			if list[i] <= c && c <= list[i+2] {
				return true
			}
			i += 2
		} else if list[i] == c {
			return true
		}
	}
	return false
}

// DialectNamed is the dialect of that name. The error names the known ones.
func DialectNamed(name string) (Dialect, error) {
	list := dialects()
	if i := slices.IndexFunc(list, func(d Dialect) bool { return d.Name == name }); i >= 0 {
		return list[i], nil
	}
	var known []string
	for _, d := range list {
		known = append(known, d.Name)
	}
	hint := ""
	if near := Nearest(name, known, 1); len(near) > 0 {
		hint = "; did you mean " + near[0] + "?"
	}
	return Dialect{}, fmt.Errorf("unknown schema dialect %q%s (known: %s)", name, hint, strings.Join(known, ", "))
}

// takesFormat reports whether the dialect takes that format.
func (d *Dialect) takesFormat(name string) bool {
	return d.Formats == "*" || slices.Contains(strings.Fields(d.Formats), name)
}

// keeps reports whether a keyword stays in the schema.
func (d *Dialect) keeps(keyword string) bool { return d.Keywords.Of(keyword) >= Accepted }
