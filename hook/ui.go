package hook

import (
	"cmp"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/toolpost/toolpost/tool"
)

// Limits of ForUI, in UTF-16 units.
const (
	UIText  = 8000
	UIError = 400
)

// ForUI is a copy of r for people's screens: of a failure the first line of its
// message, at most UIError long; else the texts in lines, at most n UTF-16 units
// (UIText if n is zero or less), an image being "[image 123 KB]". What is cut
// ends with an ellipsis that is counted; a surrogate pair is never split.
func ForUI(r *tool.Result, n int) string {
	if r.IsError() && r.Err != nil {
		line, _, _ := strings.Cut(strings.TrimSpace(r.Err.Message), "\n")
		return CutUTF16(strings.TrimSuffix(line, "\r"), UIError)
	}
	if n <= 0 {
		n = UIText
	}
	var parts []string
	for i := range r.Content {
		c := &r.Content[i]
		if c.Type == tool.ContentImage {
			parts = append(parts, imageLabel(len(c.Data)))
			continue
		}
		parts = append(parts, c.Text)
	}
	if len(parts) == 0 {
		return CutUTF16(cmp.Or(string(r.Data), r.User), n)
	}
	return CutUTF16(strings.Join(parts, "\n"), n)
}

// imageLabel is what stands for an image of so many bytes.
func imageLabel(size int) string {
	return fmt.Sprintf("[image %d KB]", max(1, (size+512)/1024))
}

// CutUTF16 is s if it takes at most n UTF-16 units, as JavaScript counts, else
// the longest beginning of whole characters that fits with an ellipsis behind
// it. A byte that is not UTF-8 becomes U+FFFD.
func CutUTF16(s string, n int) string {
	if !utf8.ValidString(s) {
		s = strings.ToValidUTF8(s, "\uFFFD")
	}
	if len(s) <= n { // no character takes more units than bytes
		return s
	}
	units, cut := 0, 0
	for i, r := range s {
		if units <= n-1 {
			cut = i
		}
		units++
		if r > 0xFFFF {
			units++
		}
		if units > n {
			if n < 1 {
				return ""
			}
			return s[:cut] + "…"
		}
	}
	return s
}
