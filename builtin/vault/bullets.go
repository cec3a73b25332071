package vault

import (
	"context"
	"fmt"
	"regexp"
	"strings"

	"github.com/toolpost/toolpost/builtin/internal/filetool"
	"github.com/toolpost/toolpost/tool"
)

// Utilities returns the tools that need no vault: util.parseMarkdownBullets and
// util.slugifyTitle.
func Utilities() []tool.Tool {
	return []tool.Tool{bulletsTool(), slugTool()}
}

type bulletsIn struct {
	Text        string `json:"text" desc:"Markdown with lists in it, such as a selection or a note."`
	AllowNested *bool  `json:"allowNested,omitempty" desc:"Take in the items of lists inside lists; if false only the outermost." default:"true"`
}

type bulletsOut struct {
	Items []bullet `json:"items"`
	Count int      `json:"count"`
}

type bullet struct {
	Text  string `json:"text"`  // without marker and check box, its lines joined by a space
	Raw   string `json:"raw"`   // as it stands in the text
	Depth int    `json:"depth"` // 0 for the outermost list
}

func bulletsTool() tool.Tool {
	return tool.New(tool.Spec{
		Name:  "util.parseMarkdownBullets",
		Label: "Parse bullets",
		Description: "Take the items out of the bullet lists of a Markdown text (-, *, +, also with check boxes). " +
			"Returns each item's text without its marker, the raw lines, and how deep it is nested. Code blocks are passed over.",
		Output:     filetool.OutputOf[bulletsOut](),
		Examples:   filetool.Examples(`{"text":"- Foo\n- Bar\n  - Baz"}`),
		Risk:       tool.RiskReads,
		Category:   "util",
		Idempotent: true,
	}, parseBullets)
}

func parseBullets(_ context.Context, in bulletsIn) (*tool.Result, error) {
	out := bulletsOut{Items: []bullet{}}
	for _, b := range bulletsOf(in.Text) {
		if b.Depth == 0 || in.AllowNested == nil || *in.AllowNested {
			out.Items = append(out.Items, b)
		}
	}
	out.Count = len(out.Items)
	var text strings.Builder
	for _, b := range out.Items {
		fmt.Fprintf(&text, "%s- %s\n", strings.Repeat("  ", b.Depth), b.Text)
	}
	fmt.Fprintf(&text, "[%s]", filetool.Plural(out.Count, "item"))
	return filetool.Answer(text.String(), out), nil
}

var (
	bulletLine = regexp.MustCompile(`^([ \t]*)([-*+])[ \t]+(?:\[[^\[\]]\][ \t]+)?(.*)$`)
	breakLine  = regexp.MustCompile(`^ {0,3}(?:(?:-[ \t]*){3,}|(?:\*[ \t]*){3,})$`)
	fenceLine  = regexp.MustCompile("^[ \t]*(`{3,}|~{3,})")
)

// bulletsOf is the items of all bullet lists in a text (CommonMark 0.31, "Bullet
// list marker"), in order. Items without text are left out.
func bulletsOf(text string) []bullet {
	var out []bullet
	var indents []int // of the lists that are open, outermost first
	fence, last := "", -1
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\r\n")
		if f := fenceLine.FindStringSubmatch(line); f != nil || fence != "" {
			if fence == "" {
				fence = f[1]
			} else if f != nil && strings.HasPrefix(f[1], fence) {
				fence = ""
			}
			last = -1
			continue
		}
		m := bulletLine.FindStringSubmatch(line)
		indent := columns(line)
		switch {
		case strings.TrimSpace(line) == "":
			last = -1
		case m != nil && !breakLine.MatchString(line):
			for len(indents) > 0 && indents[len(indents)-1] > indent {
				indents = indents[:len(indents)-1]
			}
			if len(indents) == 0 || indent > indents[len(indents)-1]+1 {
				indents = append(indents, indent)
			}
			if last = -1; strings.TrimSpace(m[3]) != "" {
				out = append(out, bullet{Text: strings.TrimSpace(m[3]), Raw: line, Depth: len(indents) - 1})
				last = len(out) - 1
			}
		case last >= 0 && indent > indents[len(indents)-1]: // the item goes on
			out[last].Text += " " + strings.TrimSpace(line)
			out[last].Raw += "\n" + line
		case indent == 0:
			indents, last = nil, -1
		}
	}
	return out
}

// columns is how far a line is indented, with tab stops every four columns.
func columns(line string) int {
	n := 0
	for _, r := range line {
		switch r {
		case ' ':
			n++
		case '\t':
			n += 4 - n%4
		default:
			return n
		}
	}
	return n
}
