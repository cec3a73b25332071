package schema

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// maxExplain bounds what a model is told about one call, in bytes.
const maxExplain = 1500

// Explain writes what a model needs to call again: which tool was not run, each
// problem with its place, the names that exist, and an example that fits. err
// is the error of [Schema.Check] or [Schema.Fit] about doc; s may be nil. The
// text has at most 1,500 bytes; problems that find no room are counted.
func Explain(tool string, s *Schema, doc []byte, err error) string {
	head := fmt.Sprintf("Tool %s was not run: the arguments do not match its schema.\n", quote(cut(tool)))
	invalid, ok := errors.AsType[*Invalid](err)
	if !ok {
		text := "unknown reason"
		if err != nil {
			text = cutTo(err.Error(), 600)
		}
		return fmt.Sprintf("Tool %s was not run: %s.", quote(cut(tool)), text)
	}
	if len(invalid.Problems) == 1 && invalid.Problems[0].Rule == "json" {
		head = fmt.Sprintf("Tool %s was not run: the arguments are not valid JSON (%d bytes received).\n", quote(cut(tool)), len(doc))
	}
	tail := "Send the complete call again with all arguments."
	if example := s.Example(); s != nil && len(example) > 0 && len(example) <= 500 {
		tail += " Valid example: " + string(example)
	}
	return head + problemList(invalid.Problems, maxExplain-len(head)-len(tail)) + tail
}

// problemList numbers the problems, as many as fit into room bytes.
func problemList(problems []Problem, room int) string {
	const rest = "… and 99999 more problems.\n"
	var b strings.Builder
	var told []string // known properties that were listed
	for i, p := range problems {
		line := p.String()
		if known := knownList(p.known); known != "" && !slices.Contains(told, known) {
			line += ". Known properties: " + known
			told = append(told, known)
		}
		line = fmt.Sprintf("%d. %s.\n", i+1, cutBytes(line, 600))
		need := b.Len() + len(line)
		if i < len(problems)-1 {
			need += len(rest)
		}
		if need > room {
			fmt.Fprintf(&b, "… and %d more problems.\n", len(problems)-i)
			break
		}
		b.WriteString(line)
	}
	return b.String()
}

func knownList(names []string) string {
	if len(names) > 30 {
		return strings.Join(names[:30], ", ") + ", …"
	}
	return strings.Join(names, ", ")
}

// cutBytes shortens s to n bytes without splitting a character.
func cutBytes(s string, n int) string {
	if len(s) <= n {
		return s
	}
	n -= len("…")
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n] + "…"
}
