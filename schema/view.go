package schema

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// A View is a schema as one provider is sent it. It is immutable, but for what
// its owner writes into its fields, and safe for concurrent use.
type View struct {
	Dialect string          `json:"dialect"`
	Schema  json.RawMessage `json:"schema"`        // keywords by name; properties in the author's order
	Note    string          `json:"note,omitzero"` // what the schema cannot say of the arguments as a whole; see Describe
	Losses  []Loss          `json:"losses,omitempty"`
	Strict  bool            `json:"strict,omitzero"` // the provider may be asked to enforce Schema
	Boxed   bool            `json:"boxed,omitzero"`  // the arguments stand in an object, as its property value

	// NotStrict says why a strict dialect was asked for and Strict is false.
	NotStrict string `json:"notStrict,omitzero"`
	// Names has the aliases: a pointer to the property in Schema, by its alias,
	// and the author's name for it.
	Names map[string]string `json:"names,omitempty"`
	// Empty: the tool takes no arguments. Some providers want no schema then.
	Empty bool `json:"empty,omitzero"`
	// Hash is the SHA-256 of the canonical form (RFC 8785) of Schema, in
	// hexadecimal.
	Hash string `json:"hash"`

	plan *form // nil where arguments need no work
	cost cost
}

// A Loss is one thing that a [View] does not say as its author said it. Whatever
// is lost, arguments are checked against the author's schema.
type Loss struct {
	Pointer string    `json:"pointer"` // into the author's schema, "" for the root
	Keyword string    `json:"keyword"`
	Class   LossClass `json:"class"`
}

// String is the loss in one line.
func (l Loss) String() string {
	at := l.Pointer
	if at == "" {
		at = "(root)"
	}
	return at + " " + l.Keyword + ": " + string(l.Class)
}

// A LossClass says what became of a keyword.
type LossClass string

// Classes of loss. The first three lose something until the arguments are
// checked; the others are undone by [View.Restore].
const (
	MovedToText      LossClass = "moved_to_text"     // said in a description
	Approximated     LossClass = "approximated"      // wider or narrower by a shade than the author has it
	Unrolled         LossClass = "unrolled"          // recursion, written out to some depth
	Aliased          LossClass = "aliased"           // a property has another name
	Boxed            LossClass = "boxed"             // the whole stands in an object
	Renamed          LossClass = "enum_strings"      // values are sent as strings
	NullableOptional LossClass = "nullable_optional" // null stands for an absent property
)

// Undone reports whether [View.Restore] takes the change back.
func (c LossClass) Undone() bool {
	return c == Aliased || c == Boxed || c == Renamed || c == NullableOptional
}

// Lossy reports whether something is lost that Restore does not bring back.
func (v View) Lossy() bool {
	return slices.ContainsFunc(v.Losses, func(l Loss) bool { return !l.Class.Undone() })
}

// Describe adds the Note to the description of the tool, which is where models
// look for what concerns all arguments.
func (v View) Describe(description string) string {
	switch {
	case v.Note == "" || strings.Contains(description, v.Note):
		return description
	case strings.TrimSpace(description) == "":
		return v.Note
	}
	return strings.TrimSpace(description) + "\n" + v.Note
}

// view is the last two passes: the limits, and the bytes.
func (n *normalizer) view(root *form) (View, error) {
	c := n.costOf(root)
	if err := n.within(c); err != nil {
		return View{}, err
	}
	w := writer{root: true, nullable: n.d.Types == TypesSingle, told: n.d.Maps == MapsTold, defs: used(root)}
	out := w.form(nil, root)
	for _, shrink := range []func(*form){dropDeep, dropNotes} {
		if len(out) > maxView {
			n.everywhere(root, shrink)
			out = w.form(nil, root)
		}
	}
	if len(out) > maxView {
		return View{}, &tooBig{fmt.Sprintf("written for %s it has %d bytes; at most %d are sent", n.d.Name, len(out), maxView)}
	}
	hash, err := Hash(out)
	if err != nil {
		return View{}, err
	}
	v := View{
		Dialect: n.d.Name, Schema: out, Losses: n.losses, Strict: n.d.Strict != "", Boxed: root.boxed, Hash: hash,
		Note: n.note(), Empty: len(root.props) == 0 && root.rest == nil && len(root.patterns) == 0, cost: c,
	}
	if root.works(map[*def]bool{}) {
		v.plan = root
	}
	v.Names = aliasesOf(root, w.defs)
	return v, nil
}

// note is what is said of the arguments as a whole.
func (n *normalizer) note() string {
	text := strings.Join(n.says, "; ")
	if text != "" {
		text = "Arguments: " + text + "."
	}
	return cutTo(strings.TrimSpace(n.about+"\n"+text), maxNote)
}

// maxNote is the most characters that a Note has.
const maxNote = 2000

// dropDeep takes descriptions out of what lies deep.
func dropDeep(f *form) {
	for _, p := range f.props {
		p.form.parts(func(o *form) {
			o.each(func(o *form) { o.dropTerm("description") })
		})
	}
}

// dropNotes takes out all that constrains nothing.
func dropNotes(f *form) {
	f.each(func(o *form) {
		for _, name := range noteNames {
			o.dropTerm(name)
		}
	})
}

// aliasesOf lists the aliases by where they stand in the view.
func aliasesOf(root *form, defs []*def) map[string]string {
	var names map[string]string
	var walk func(f *form, at string)
	list := func(at, keyword string, forms []*form) {
		for i, o := range forms {
			walk(o, at+"/"+keyword+"/"+itoa(i))
		}
	}
	walk = func(f *form, at string) {
		for _, p := range f.props {
			ptr := join(at+"/properties", p.name)
			if p.own != "" {
				if names == nil {
					names = map[string]string{}
				}
				names[ptr] = p.own
			}
			walk(p.form, ptr)
		}
		list(at, "anyOf", f.anyOf)
		list(at, "oneOf", f.oneOf)
		list(at, "allOf", f.allOf)
		list(at, "prefixItems", f.prefix)
		for keyword, o := range map[string]*form{"items": f.items, "additionalProperties": f.rest} {
			if o != nil {
				walk(o, at+"/"+keyword)
			}
		}
	}
	walk(root, "")
	for _, d := range defs {
		walk(d.body, "/$defs/"+d.name)
	}
	return names
}
