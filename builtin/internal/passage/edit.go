package passage

import (
	"cmp"

	"github.com/toolpost/toolpost/tool"
)

// An Edit puts one text in the place of another.
type Edit struct {
	Old, New string
	All      bool   // every place, apart from one another; else Old must occur exactly once
	Name     string // of the argument that Old comes from, for messages: old_text if empty
	AllName  string // of the argument that All comes from: replace_all if empty
}

// Apply makes the edit in the text of the file at path, which is only named. It
// returns the text and how many passages were replaced, which get the line ends
// that are used there. The codes are VALIDATION_ERROR for an edit that changes
// nothing and PRECONDITION_FAILED for one that does not fit.
func (e Edit) Apply(path, text string) (string, int, error) {
	name, all := cmp.Or(e.Name, "old_text"), cmp.Or(e.AllName, "replace_all")
	if e.Old == "" {
		return "", 0, tool.Errorf(tool.CodeInvalid, "%s is empty; give the text to find, or write the whole file instead", name)
	}
	if e.Old == e.New {
		return "", 0, tool.Errorf(tool.CodeInvalid, "%s and what replaces it are the same, so that nothing would change", name)
	}
	spans := find(text, e.Old, e.All)
	switch {
	case len(spans) == 0:
		return "", 0, tool.Errorf(tool.CodePrecondition, "%s does not occur in %s%s", name, path, nearestPassage(text, e.Old))
	case len(spans) > 1 && !e.All:
		return "", 0, tool.Errorf(tool.CodePrecondition, "%s occurs %d times in %s (lines %s); add lines around it until it is unique, or set %s",
			name, len(spans), path, lineList(text, spans), all)
	}
	return replaceSpans(text, spans, e.New), len(spans), nil
}
