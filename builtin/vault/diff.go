package vault

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/toolpost/toolpost/tool"
)

// hunk is one change of a unified diff. Its lines have no line ends.
type hunk struct {
	line  int    // where it begins in the old file, from 1; 0 if the diff does not say
	left  [2]int // old and new lines that are to come by its head
	lines []hunkLine
	bare  [2]bool // the last old line, the last new line: has no line end
}

type hunkLine struct {
	op   byte // ' ', '-' or '+'
	text string
}

type hunks []hunk

var hunkHead = regexp.MustCompile(`^@@(?: -(\d+)(?:,(\d+))? \+\d+(?:,(\d+))? @@.*| .*|)$`)

// parseDiff reads a unified diff of one file. The counts in the heads of hunks are
// not relied on, since models get them wrong: a hunk ends where the next begins.
func parseDiff(diff string) (hunks, error) {
	var out hunks
	files := 0
	lines := strings.Split(strings.TrimRight(diff, "\r\n"), "\n")
	for i := 0; i < len(lines); i++ {
		line := strings.TrimSuffix(lines[i], "\r")
		switch {
		case strings.HasPrefix(line, "--- ") && i+1 < len(lines) && strings.HasPrefix(lines[i+1], "+++ ") && !out.open():
			if files++; files > 1 {
				return nil, badDiff(i, "another file begins; give one diff for each file")
			}
			i++
		case strings.HasPrefix(line, "@@"):
			m := hunkHead.FindStringSubmatch(line)
			if m == nil {
				return nil, badDiff(i, "%q is no head of a hunk, such as @@ -3,2 +3,4 @@", clip(line))
			}
			at, _ := strconv.Atoi(m[1]) // 0 if it is left out, and also if it is no line of any file
			out = append(out, hunk{line: at, left: [2]int{count(m[1], m[2]), count(m[1], m[3])}})
		case len(out) == 0:
			// What stands before the first hunk is for people.
		default:
			if err := out[len(out)-1].add(line); err != nil {
				return nil, badDiff(i, "%w", err)
			}
		}
	}
	if len(out) == 0 {
		return nil, badDiff(0, "it has no hunk, which begins with @@")
	}
	for i, h := range out {
		if len(h.lines) == 0 {
			return nil, badDiff(0, "hunk %d is empty", i+1)
		}
	}
	return out, nil
}

// count is how many lines the head of a hunk tells of: one if it names no number.
func count(line, n string) int {
	switch {
	case line == "":
		return 0
	case n == "":
		return 1
	}
	lines, _ := strconv.Atoi(n)
	return lines
}

// open reports whether the last hunk is to have more lines, so that what looks
// like the head of a file is two lines of it.
func (hs hunks) open() bool {
	return len(hs) > 0 && hs[len(hs)-1].left[0] > 0 && hs[len(hs)-1].left[1] > 0
}

func badDiff(line int, format string, args ...any) error {
	return tool.Errorf(tool.CodeInvalid, "diff: line %d: %w", line+1, fmt.Errorf(format, args...))
}

func (h *hunk) add(line string) error {
	switch {
	case line == "": // an empty line of context whose space was lost
		h.lines = append(h.lines, hunkLine{' ', ""})
	case line[0] == ' ' || line[0] == '-' || line[0] == '+':
		h.lines = append(h.lines, hunkLine{line[0], line[1:]})
		if line[0] != '+' {
			h.left[0]--
		}
		if line[0] != '-' {
			h.left[1]--
		}
	case line[0] == '\\' && len(h.lines) > 0: // \ No newline at end of file
		op := h.lines[len(h.lines)-1].op
		h.bare[0] = h.bare[0] || op != '+'
		h.bare[1] = h.bare[1] || op != '-'
	default:
		return fmt.Errorf("%q begins with none of space, - and +", clip(line))
	}
	return nil
}

func clip(s string) string {
	if r := []rune(s); len(r) > 60 {
		return string(r[:60]) + "…"
	}
	return s
}

// side is the lines that the hunk takes out and keeps ('-'), or puts in and keeps ('+').
func (h *hunk) side(op byte) []string {
	var out []string
	for _, l := range h.lines {
		if l.op == op || l.op == ' ' {
			out = append(out, l.text)
		}
	}
	return out
}

// apply changes a text. Every hunk must fit: at its line, or, if it does not fit
// there, at the one other place behind the hunk before it where it does.
func (hs hunks) apply(name, text string) (string, error) {
	lines := strings.SplitAfter(text, "\n")
	if lines[len(lines)-1] == "" {
		lines = lines[:len(lines)-1]
	}
	var out strings.Builder
	done, shift := 0, 0 // lines of text that are written; how far the last hunk was from its line
	for i := range hs {
		h := &hs[i]
		at, err := h.find(lines, done, shift)
		if err != nil {
			return "", tool.Errorf(tool.CodePrecondition, "diff: hunk %d of %d does not fit %s: %w; nothing was changed, read the file again", i+1, len(hs), name, err)
		}
		for _, l := range lines[done:at] {
			out.WriteString(l)
		}
		if h.line > 0 {
			shift = at + 1 - h.line
		}
		done = h.write(&out, lines, at)
	}
	for _, l := range lines[done:] {
		out.WriteString(l)
	}
	return out.String(), nil
}

// find is the line, from 0, at which the hunk fits.
func (h *hunk) find(lines []string, from, shift int) (int, error) {
	old := h.side('-')
	if len(old) == 0 { // nothing but new lines: behind the line that the head names
		if at := h.line + shift; at >= from && at <= len(lines) {
			return at, nil
		}
		return 0, fmt.Errorf("it has no line of context, and line %d is not there", h.line)
	}
	if at := h.line - 1 + shift; at >= from && fits(lines, old, at) {
		return at, nil
	}
	var found []int
	for at := from; at+len(old) <= len(lines); at++ {
		if fits(lines, old, at) {
			found = append(found, at)
		}
	}
	switch len(found) {
	case 1:
		return found[0], nil
	case 0:
		return 0, fmt.Errorf("its lines, which begin with %q, do not follow one another there", clip(firstOf(old)))
	}
	return 0, fmt.Errorf("it fits in %d places (lines %d, %d …); give more lines of context", len(found), found[0]+1, found[1]+1)
}

// firstOf is the first line that is not empty.
func firstOf(lines []string) string {
	for _, l := range lines {
		if strings.TrimSpace(l) != "" {
			return l
		}
	}
	return ""
}

func fits(lines, old []string, at int) bool {
	if at < 0 || at+len(old) > len(lines) {
		return false
	}
	for i, want := range old {
		if strings.TrimRight(lines[at+i], "\r\n") != strings.TrimSuffix(want, "\r") {
			return false
		}
	}
	return true
}

// write puts the hunk in the place of the lines from at on, and returns where it
// ends. Lines that stay are written as they are; new ones get the line end of the
// lines around them.
func (h *hunk) write(out *strings.Builder, lines []string, at int) int {
	end := "\n"
	if i := min(at, len(lines)-1); i >= 0 && strings.HasSuffix(lines[i], "\r\n") {
		end = "\r\n"
	}
	var added []string
	for _, l := range h.lines {
		switch l.op {
		case '+':
			added = append(added, l.text+end)
			continue
		case ' ':
			added = append(added, lines[at])
		}
		at++
	}
	if s := out.String(); len(added) > 0 && s != "" && !strings.HasSuffix(s, "\n") {
		out.WriteString(end)
	}
	last := len(added) - 1
	switch {
	case last < 0:
	case h.bare[1] && at == len(lines):
		added[last] = strings.TrimRight(added[last], "\r\n")
	case !strings.HasSuffix(added[last], "\n") && at == len(lines) && h.bare[0]:
		added[last] += end // the diff says that the line end is what is added
	}
	for i, l := range added {
		if i < last && !strings.HasSuffix(l, "\n") {
			l += end
		}
		out.WriteString(l)
	}
	return at
}
