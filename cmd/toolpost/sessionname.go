package main

import (
	"fmt"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/toolpost/toolpost/session"
	"github.com/toolpost/toolpost/tool"
)

// resolveSession finds the id that a name means: a full id, the beginning of
// one, or -1 for the session that was used last.
func resolveSession(st session.Store, word string) (string, error) {
	list, err := st.List()
	if err != nil {
		return "", err
	}
	if n, err := strconv.Atoi(word); err == nil && n < 0 {
		if -n > len(list) {
			return "", &problem{code: codeNotFound, exit: exitUsage, message: fmt.Sprintf("there is no session %s: there are %d", word, len(list)), try: []string{"toolpost session ls"}}
		}
		return list[-n-1].ID, nil
	}
	var found []string
	for i := range list {
		if list[i].ID == word {
			return word, nil
		}
		if strings.HasPrefix(list[i].ID, word) {
			found = append(found, list[i].ID)
		}
	}
	switch len(found) {
	case 1:
		return found[0], nil
	case 0:
		return "", &problem{code: codeNotFound, exit: exitUsage, message: fmt.Sprintf("there is no session %q", clip(word, 60)), try: []string{"toolpost session ls"}}
	}
	return "", &problem{code: codeAmbiguous, exit: exitUsage, message: fmt.Sprintf("%q means %d sessions", clip(word, 60), len(found)),
		facts: found[:min(len(found), 10)], try: []string{"toolpost session ls"}}
}

// shortSession reports whether a word can only be short for a session: -1, or
// the beginning of an id that we made. Any other is the id itself, so that
// "test" does not continue "test2".
func shortSession(st session.Store, word string) bool {
	if isMinusNumber(word) {
		return true
	}
	if len(word) < 8 || len(word) >= 36 || strings.Trim(word, "0123456789abcdef-") != "" {
		return false
	}
	return session.CheckID(word) == nil && !exists(filepath.Join(st.Dir, word+".jsonl"))
}

// sessionProblem is the problem for a session that cannot be opened.
func (p *program) sessionProblem(err error) error {
	e := tool.AsError(err)
	if e.Code == tool.CodeConflict {
		return &problem{code: string(e.Code), exit: exitTool, message: e.Message, cause: err,
			advice: "Wait for the other run to end, or look at it:", try: []string{"toolpost runs tail -1"}}
	}
	return &problem{code: codeStore, exit: exitInternal, message: err.Error(), cause: err,
		try: []string{"toolpost --store DIR …"}}
}
