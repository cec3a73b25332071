package schema

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// A Described is a tool as [Lint] sees it.
type Described struct {
	Name        string
	Description string
	Input       *Schema
}

// A Finding is one thing that a tool's author should look at.
type Finding struct {
	Level    FindingLevel `json:"level"`
	Rule     string       `json:"rule"`
	Pointer  string       `json:"pointer,omitzero"`   // into the input schema
	Dialects []string     `json:"dialects,omitempty"` // whom it concerns; all if empty
	Message  string       `json:"message"`
}

// String is the finding in one line.
func (f Finding) String() string {
	text := string(f.Level) + " " + f.Rule
	if f.Pointer != "" {
		text += " " + f.Pointer
	}
	text += ": " + f.Message
	if len(f.Dialects) > 0 {
		text += " (" + strings.Join(f.Dialects, ", ") + ")"
	}
	return text
}

// A FindingLevel says how bad a [Finding] is.
type FindingLevel string

// Levels.
const (
	LevelRefused FindingLevel = "refused" // a provider cannot be given the tool
	LevelWarning FindingLevel = "warning" // models will make mistakes
	LevelNote    FindingLevel = "note"    // something is not said as it is written
)

// Limits of good descriptions.
const (
	maxDescribed  = 1024 // characters; some providers cut there
	maxParameters = 20   // of one tool, beyond which models forget some
)

// Lint looks at a tool as each of the dialects would be sent it; nil means all
// that [Dialects] knows. Findings come in the order of the rules below and of
// the schema:
//
//	refused      the schema has no form that the provider takes
//	name         the name is illegal at a provider, and sent as another
//	description  there is none, or it is too long
//	parameters   there are too many
//	required     a required name is not declared
//	described    a parameter has no description
//	type         a parameter may be anything
//	example      a default or an example does not fit
//	pattern      no engine reads a pattern
//	lossy        a provider is told a constraint in words only, or not at all
//	strict       a strict provider gets the schema as advice
func Lint(t Described, dialects []Dialect) []Finding {
	if dialects == nil {
		dialects = Dialects()
	}
	l := &linter{tool: t}
	l.views(dialects)
	l.names(dialects)
	l.text()
	if t.Input != nil {
		l.parameters(t.Input.root, map[*node]bool{}, 0)
		for _, p := range t.Input.Unchecked() {
			l.add(LevelWarning, "pattern", "", "no engine reads the pattern "+quote(cut(p))+"; it constrains nothing")
		}
	}
	return append(l.found, l.lossy...)
}

type linter struct {
	tool  Described
	found []Finding
	lossy []Finding
}

func (l *linter) add(level FindingLevel, rule, ptr, message string, dialects ...string) {
	l.found = append(l.found, Finding{level, rule, ptr, dialects, message})
}

// views asks for each view and gathers equal reasons.
func (l *linter) views(dialects []Dialect) {
	for _, d := range dialects {
		v, err := Normalize(l.tool.Input, d)
		if err != nil {
			l.group(&l.found, LevelRefused, "refused", "", strings.TrimPrefix(err.Error(), "schema for "+d.Name+": "), d.Name)
			continue
		}
		for _, loss := range v.Losses {
			if !loss.Class.Undone() {
				l.group(&l.lossy, LevelNote, "lossy", loss.Pointer, loss.Keyword+" is "+strings.ReplaceAll(string(loss.Class), "_", " "), d.Name)
			}
		}
		if v.NotStrict != "" {
			l.group(&l.lossy, LevelNote, "strict", "", "cannot be strict: "+v.NotStrict, d.Name)
		}
	}
}

func (l *linter) group(list *[]Finding, level FindingLevel, rule, ptr, message, dialect string) {
	for i, f := range *list {
		if f.Rule == rule && f.Pointer == ptr && f.Message == message {
			(*list)[i].Dialects = append(f.Dialects, dialect)
			return
		}
	}
	*list = append(*list, Finding{level, rule, ptr, []string{dialect}, message})
}

func (l *linter) names(dialects []Dialect) {
	for _, d := range dialects {
		if !d.Tools.Legal(l.tool.Name) {
			l.group(&l.found, LevelWarning, "name", "", quote(cut(l.tool.Name))+" is sent under another name: names match "+d.Tools.String(), d.Name)
		}
	}
}

func (l *linter) text() {
	switch n := utf8.RuneCountInString(l.tool.Description); {
	case strings.TrimSpace(l.tool.Description) == "":
		l.add(LevelWarning, "description", "", "the tool has no description; say when to use it")
	case n > maxDescribed:
		l.add(LevelWarning, "description", "", "the description has "+itoa(n)+" characters; keep it within "+itoa(maxDescribed))
	}
	if l.tool.Input != nil && len(l.tool.Input.root.props) > maxParameters {
		l.add(LevelWarning, "parameters", "", itoa(len(l.tool.Input.root.props))+" parameters; models forget some beyond "+itoa(maxParameters))
	}
}

// parameters looks at every property that is described in n.
func (l *linter) parameters(n *node, seen map[*node]bool, depth int) {
	if n == nil || seen[n] || depth > maxSchemaDepth {
		return
	}
	seen[n] = true
	for i, p := range n.props {
		if p.node == nil {
			if i < maxFastProps && n.required.has(i) && !n.declares(p.name) {
				l.add(LevelWarning, "required", n.ptr, quote(p.name)+" is required but not declared under properties")
			}
			continue
		}
		l.parameter(p)
		l.parameters(p.node, seen, depth+1)
	}
	for _, o := range append(n.applied(), n.children()...) {
		l.parameters(o, seen, depth+1)
	}
}

// declares reports whether a part of n that applies to the same value describes
// the property.
func (n *node) declares(name string) bool {
	found := false
	n.inPlace(func(o *node) {
		found = found || slices.ContainsFunc(o.props, func(p prop) bool { return p.name == name && p.node != nil })
	})
	return found
}

func (l *linter) parameter(p prop) {
	described := false
	typed := p.node.never
	p.node.inPlace(func(o *node) {
		described = described || strings.TrimSpace(textIn(o.raw, "description")) != "" || textIn(o.raw, "title") != ""
		typed = typed || o.types != 0 || o.hasEnum || o.constant != nil
	})
	if !described {
		l.add(LevelWarning, "described", p.node.ptr, quote(p.name)+" has no description")
	}
	if !typed && len(p.node.applied()) == 0 {
		l.add(LevelWarning, "type", p.node.ptr, quote(p.name)+" may be anything; say what it is")
	}
	values := p.node.raw.get("examples").list()
	if v := p.node.raw.get("default"); v != nil && !v.is(kindNull) {
		values = append(slices.Clone(values), v)
	}
	for _, v := range values {
		if !p.node.fitsVal(v) {
			l.add(LevelWarning, "example", p.node.ptr, "the example or default "+v.brief()+" does not fit")
		}
	}
}

func textIn(v *val, name string) string {
	if t := v.get(name); t.is(kindString) {
		return t.text
	}
	return ""
}
