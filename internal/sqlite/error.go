package sqlite

import (
	"errors"
	"fmt"

	"modernc.org/sqlite"
)

// Result codes of SQLite (https://www.sqlite.org/rescode.html), the low byte.
const (
	codePermission = 3
	codeBusy       = 5
	codeReadOnly   = 8
	codeIO         = 10
	codeCorrupt    = 11
	codeFull       = 13
	codeCannotOpen = 14
	codeNotADB     = 26
)

// hints says what the codes mean for whoever has to mend it.
var hints = map[int]string{
	codePermission: "the operating system does not allow it",
	codeBusy:       "another process is writing to it; try again",
	codeReadOnly:   "the file or its folder is read-only",
	codeIO:         "the disk reports an error",
	codeCorrupt:    "the file is damaged; restore it from a copy, or move it away to begin anew",
	codeFull:       "the disk is full; nothing was written",
	codeCannotOpen: "the file cannot be opened; check its folder and permissions",
	codeNotADB:     "the file is no SQLite database; name another, or move it away",
}

// explain puts what to do before what SQLite says.
func explain(err error) error {
	e, ok := errors.AsType[*sqlite.Error](err)
	if !ok {
		return err
	}
	if hint, ok := hints[e.Code()&0xff]; ok {
		return fmt.Errorf("%s: %w", hint, err)
	}
	return err
}
