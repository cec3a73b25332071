package session

import (
	"strings"
	"unicode"

	"github.com/toolpost/toolpost/tool"
)

// MaxID is the length of the longest session id, in bytes.
const MaxID = 256

// CheckID says whether id can name a session (seed 001): not empty, at most
// MaxID bytes, without "..", separators, NUL and control characters. The error
// has the code VALIDATION_ERROR and names the rule.
func CheckID(id string) error {
	rule := ""
	switch {
	case id == "":
		rule = "it is empty"
	case len(id) > MaxID:
		rule = "it is longer than 256 bytes"
	case strings.Contains(id, ".."):
		rule = `it contains ".."`
	case strings.ContainsAny(id, `/\`):
		rule = "it contains a path separator"
	case strings.ContainsFunc(id, unicode.IsControl):
		rule = "it contains a control character"
	case id == ".":
		rule = `it is "."`
	}
	if rule == "" {
		return nil
	}
	if len(id) > 80 {
		id = id[:80] + "…"
	}
	return tool.Errorf(tool.CodeInvalid, "session id %q cannot be used: %s", id, rule)
}

// Clean is s without NUL, DEL and ASCII control characters except newline,
// carriage return and tab, and with bytes that are not UTF-8 replaced.
func Clean(s string) string {
	dirty := false
	for i := range len(s) {
		if b := s[i]; b < 0x20 && b != '\n' && b != '\r' && b != '\t' || b == 0x7f || b >= 0x80 {
			dirty = true
			break
		}
	}
	if !dirty {
		return s
	}
	return strings.Map(func(r rune) rune {
		if r < 0x20 && r != '\n' && r != '\r' && r != '\t' || r == 0x7f {
			return -1
		}
		return r
	}, strings.ToValidUTF8(s, "\uFFFD"))
}
