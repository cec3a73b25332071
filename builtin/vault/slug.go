package vault

import (
	"cmp"
	"context"
	"strings"
	"unicode"

	"github.com/toolpost/toolpost/builtin/internal/filetool"
	"github.com/toolpost/toolpost/tool"
)

const slugLength = 80 // characters, when the caller names no maxLength

type slugIn struct {
	Title     string `json:"title" desc:"Any text, such as the title of a note."`
	MaxLength int    `json:"maxLength,omitzero" desc:"Most characters of the slug." min:"1" max:"200" default:"80"`
}

type slugOut struct {
	Slug string `json:"slug"`
}

func slugTool() tool.Tool {
	return tool.New(tool.Spec{
		Name:  "util.slugifyTitle",
		Label: "Slugify title",
		Description: "Make a title into a name that is safe for a file: lower case, words joined by hyphens, nothing but letters and digits. " +
			"Letters of every script stay. A title without any becomes untitled.",
		Output:     filetool.OutputOf[slugOut](),
		Examples:   filetool.Examples(`{"title":"Hello, World!"}`),
		Risk:       tool.RiskReads,
		Category:   "util",
		Idempotent: true,
	}, func(_ context.Context, in slugIn) (*tool.Result, error) {
		out := slugOut{slugOf(in.Title, cmp.Or(in.MaxLength, slugLength))}
		return filetool.Answer(out.Slug, out), nil
	})
}

// slugOf is the words of a title, cut between words where that leaves at least
// half of what there is room for.
func slugOf(title string, most int) string {
	var out []rune
	gap := false
	for _, r := range strings.ToLower(title) {
		switch {
		case unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r) && len(out) > 0 && !gap:
			if gap && len(out) > 0 {
				out = append(out, '-')
			}
			gap = false
			out = append(out, r)
		case r == '\'' || r == '’': // don't is one word
		default:
			gap = true
		}
	}
	if len(out) == 0 {
		out = []rune("untitled")
	}
	if len(out) > most {
		cut := most
		for i := most; i > most/2; i-- {
			if out[i] == '-' {
				cut = i
				break
			}
		}
		out = out[:cut]
	}
	return strings.Trim(string(out), "-")
}
