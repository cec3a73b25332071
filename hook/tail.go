package hook

import "strings"

// What the end of a long text is kept for, in lower case. A word of the first
// kind says that something went wrong, one of the second that this is what it
// came to.
var (
	tailErrors = []string{
		"error", "exception", "failed", "failure", "fatal", "panic", "traceback", "errno", "segmentation fault",
		"exit code", "exit status", "exited with", "not found", "permission denied", "undefined", "killed", "abort",
	}
	tailSummaries = []string{
		"total", "summary", "result", "complete", "finished", "done", "passed", "tests:", "succeeded", "success", "in all", "\nok ",
	}
)

const (
	tailLooked = 2000 // bytes at the end that are looked at
	tailKept   = 4000 // bytes that are kept at most
)

// telling is the end of s that should be kept when only room bytes of it are:
// "" if it looks like the rest, else at most three tenths of room, in whole
// lines where that loses little.
func telling(s string, room int) string {
	end := s[max(0, len(s)-tailLooked):]
	if !tells(end, s) {
		return ""
	}
	tail := s[lastFits(s, min(room*3/10, tailKept)):]
	if i := strings.IndexByte(tail, '\n'); i >= 0 && i < len(tail)/5 {
		tail = tail[i+1:]
	}
	return tail
}

// tells reports whether end, the end of s, looks like an error, a summary, or
// the close of a JSON text.
func tells(end, s string) bool {
	low := strings.ToLower(end)
	for _, words := range [][]string{tailErrors, tailSummaries} {
		for _, w := range words {
			if strings.Contains(low, w) {
				return true
			}
		}
	}
	open, shut := strings.TrimSpace(s[:min(len(s), 16)]), strings.TrimSpace(end)
	return strings.HasPrefix(open, "{") && strings.HasSuffix(shut, "}") ||
		strings.HasPrefix(open, "[") && strings.HasSuffix(shut, "]")
}

// atLine moves a cut back to the end of a line when one is in the last fifth.
func atLine(s string, cut int) int {
	if i := strings.LastIndexByte(s[:cut], '\n'); i >= cut-cut/5 {
		return i + 1
	}
	return cut
}
