package vault

import (
	"strings"
	"unicode/utf8"

	"github.com/toolpost/toolpost/builtin/internal/passage"
	"github.com/toolpost/toolpost/tool"
)

// operation is one change of a text. Its place is named by text that occurs there,
// or by characters.
type operation struct {
	Op     string `json:"op" desc:"What to do." enum:"insert,delete,replace"`
	Text   string `json:"text,omitzero" desc:"For insert and replace: the text that is put there."`
	Find   string `json:"find,omitzero" desc:"For delete and replace: the text to find, which must occur exactly once unless all is set."`
	All    bool   `json:"all,omitzero" desc:"With find: every occurrence."`
	Start  *int64 `json:"start,omitzero" desc:"For delete and replace instead of find: the first character, from 0." min:"0"`
	End    *int64 `json:"end,omitzero" desc:"With start: the first character behind." min:"0"`
	At     *int64 `json:"at,omitzero" desc:"For insert: the character to insert in front of, from 0; -1 is the end." min:"-1"`
	Before string `json:"before,omitzero" desc:"For insert: the text, occurring exactly once, to insert in front of."`
	After  string `json:"after,omitzero" desc:"For insert: the text, occurring exactly once, to insert behind."`
}

type operations []operation

// apply makes the operations one after another, all or none.
func (ops operations) apply(name, text string) (string, error) {
	for i := range ops {
		next, err := ops[i].apply(name, text)
		if err != nil {
			e := tool.AsError(err)
			return "", tool.Errorf(e.Code, "operation %d of %d (%s): %s; nothing was changed", i+1, len(ops), ops[i].Op, e.Message)
		}
		text = next
	}
	return text, nil
}

func (o *operation) apply(name, text string) (string, error) {
	if err := o.check(); err != nil {
		return "", err
	}
	switch {
	case o.At != nil:
		at := *o.At
		if at < 0 {
			at = charsIn(text)
		}
		return (&rangePatch{at, at, o.Text}).apply(name, text)
	case o.Before != "":
		return edited(passage.Edit{Old: o.Before, New: o.Text + o.Before, Name: "before"}, name, text)
	case o.After != "":
		return edited(passage.Edit{Old: o.After, New: o.After + o.Text, Name: "after"}, name, text)
	case o.Find != "":
		return edited(passage.Edit{Old: o.Find, New: o.Text, All: o.All, Name: "find", AllName: "all"}, name, text)
	}
	return (&rangePatch{*o.Start, *o.End, o.Text}).apply(name, text)
}

func edited(e passage.Edit, name, text string) (string, error) {
	out, _, err := e.Apply(name, text)
	return out, err
}

// check judges the members that an operation has.
func (o *operation) check() error {
	places := 0
	for _, set := range []bool{o.Find != "", o.Start != nil || o.End != nil, o.At != nil, o.Before != "", o.After != ""} {
		if set {
			places++
		}
	}
	insert := o.Op == "insert"
	switch {
	case insert && (places != 1 || o.Find != "" || o.Start != nil || o.End != nil):
		return tool.Errorf(tool.CodeInvalid, "an insert needs exactly one of at, before and after")
	case !insert && (places != 1 || o.At != nil || o.Before != "" || o.After != ""):
		return tool.Errorf(tool.CodeInvalid, "a %s needs either find, or start and end", o.Op)
	case (o.Start == nil) != (o.End == nil):
		return tool.Errorf(tool.CodeInvalid, "start and end belong together")
	case o.All && o.Find == "":
		return tool.Errorf(tool.CodeInvalid, "all belongs to find")
	case insert && o.Text == "":
		return tool.Errorf(tool.CodeInvalid, "text is empty, so that nothing would change")
	case o.Op == "delete" && o.Text != "":
		return tool.Errorf(tool.CodeInvalid, "a delete has no text; use replace")
	case strings.ContainsRune(o.Text, 0):
		return tool.Errorf(tool.CodeInvalid, "text holds a NUL character")
	}
	return nil
}

// charsIn is how many characters a text has.
func charsIn(text string) int64 { return int64(utf8.RuneCountInString(text)) }
