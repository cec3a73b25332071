package vault

import (
	"cmp"
	"context"
	"fmt"
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/toolpost/toolpost/builtin/internal/filetool"
	"github.com/toolpost/toolpost/sandbox"
	"github.com/toolpost/toolpost/tool"
)

const (
	searchLimit   = 50
	snippetLength = 120
)

type searchIn struct {
	Query         string   `json:"query" desc:"Text to find, or with mode regex a regular expression (RE2)." min:"1"`
	Mode          string   `json:"mode,omitzero" desc:"How to read the query." enum:"plain,regex" default:"plain"`
	Paths         []string `json:"paths,omitzero" desc:"Files and folders to search, relative to the vault; all of it if left out."`
	CaseSensitive bool     `json:"caseSensitive,omitzero" desc:"Tell upper from lower case."`
	Limit         int      `json:"limit,omitzero" desc:"Most matches to return." min:"1" max:"1000" default:"50"`
	Offset        int      `json:"offset,omitzero" desc:"How many matches to pass over: the nextOffset of the page before." min:"0"`
	SnippetLength int      `json:"snippetLength,omitzero" desc:"Most characters of a snippet." min:"1" max:"2000" default:"120"`
}

type searchOut struct {
	Matches    []searchMatch `json:"matches"`
	NextOffset int           `json:"nextOffset,omitzero"` // left out on the last page
	Truncated  bool          `json:"truncated"`
}

type searchMatch struct {
	Path    string `json:"path"`
	Line    int    `json:"line"`  // from 1
	Start   int64  `json:"start"` // characters into the file
	End     int64  `json:"end"`
	Snippet string `json:"snippet"` // of the line, around the match
}

func (v *Vault) searchTool() tool.Tool {
	return tool.New(tool.Spec{
		Name:  "vault.searchText",
		Label: "Search notes",
		Description: "Find text in the files of the vault, plain or by regular expression, in all of it or in some paths. " +
			"Returns for each match the path, line, character positions, and a snippet. Go on with nextOffset when truncated is set.",
		Output:        filetool.OutputOf[searchOut](),
		Examples:      filetool.Examples(`{"query":"deadline"}`, `{"query":"^#+ .*plan","mode":"regex","paths":["Projects"],"limit":10}`),
		Risk:          tool.RiskReads,
		Category:      category,
		Idempotent:    true,
		WorkspaceOnly: true,
	}, v.search)
}

func (v *Vault) search(ctx context.Context, in searchIn) (*tool.Result, error) {
	re, err := pattern(in)
	if err != nil {
		return nil, err
	}
	s := search{want: re, skip: in.Offset, limit: cmp.Or(in.Limit, searchLimit), snippet: cmp.Or(in.SnippetLength, snippetLength), out: searchOut{Matches: []searchMatch{}}}
	if in.Mode != "regex" {
		s.plain = newFolded(in.Query)
	}
	if len(in.Paths) == 0 {
		in.Paths = []string{""}
	}
	seen := map[string]bool{}
	for _, p := range in.Paths {
		if err := v.searchBelow(ctx, p, &s, seen); err != nil {
			return nil, err
		}
	}
	if s.out.Truncated {
		s.out.NextOffset = in.Offset + len(s.out.Matches)
	}
	return filetool.Answer(s.out.text(), s.out), nil
}

// pattern is the query as a regular expression in which ^ and $ are line ends.
func pattern(in searchIn) (*regexp.Regexp, error) {
	text, flags := in.Query, "(?mi)"
	if in.Mode != "regex" {
		text = regexp.QuoteMeta(text)
	}
	if in.CaseSensitive {
		flags = "(?m)"
	}
	re, err := regexp.Compile(flags + "(?:" + text + ")")
	if err != nil {
		return nil, tool.Errorf(tool.CodeInvalid, "query %q is no regular expression of RE2: %s; correct it, or search with mode plain",
			filetool.Clip(in.Query, 80), strings.TrimPrefix(err.Error(), "error parsing regexp: "))
	}
	return re, nil
}

// searchBelow searches a file, or all files below a folder, once each.
func (v *Vault) searchBelow(ctx context.Context, name string, s *search, seen map[string]bool) error {
	start, err := v.folder(name)
	if err != nil {
		return err
	}
	e, err := v.Root.Stat(start)
	if err != nil {
		return v.missing(ctx, start, err)
	}
	if e.Kind != sandbox.EntryDir {
		v.searchFile(e, s, seen)
		return ctx.Err()
	}
	for e, err := range v.Root.Walk(start, sandbox.WalkOptions{Skip: hidden}) {
		if err == nil {
			err = ctx.Err()
		}
		if err != nil {
			return v.missing(ctx, start, err)
		}
		if e.Kind == sandbox.EntryFile {
			v.searchFile(e, s, seen)
		}
		if s.out.Truncated {
			break
		}
	}
	return nil
}

// searchFile adds the matches of a file. One that is too large, binary or cannot be
// read has none.
func (v *Vault) searchFile(e sandbox.Entry, s *search, seen map[string]bool) {
	if seen[e.Path] || e.Size > wholeBytes {
		return
	}
	seen[e.Path] = true
	f, err := v.Root.Read(e.Path, sandbox.ReadOptions{MaxBytes: wholeBytes})
	if err != nil {
		return
	}
	if text, _, err := filetool.DecodeText(f.Content); err == nil && s.plain.mayMatch(text) {
		s.file(e.Path, text)
	}
}

// search is the state of a search.
type search struct {
	want    *regexp.Regexp
	plain   folded
	skip    int
	limit   int
	snippet int
	out     searchOut
}

// file adds the matches in a text, but for empty ones.
func (s *search) file(path, text string) {
	at, line, chars := 0, 1, int64(0)
	for from := 0; from <= len(text) && !s.out.Truncated; {
		loc := s.want.FindStringIndex(text[from:])
		if loc == nil {
			return
		}
		start, end := from+loc[0], from+loc[1]
		from = end
		if start == end {
			_, size := utf8.DecodeRuneInString(text[end:])
			from = end + max(size, 1)
			continue
		}
		if s.skip > 0 {
			s.skip--
			continue
		}
		if s.out.Truncated = len(s.out.Matches) == s.limit; s.out.Truncated {
			return
		}
		line += strings.Count(text[at:start], "\n")
		chars += charsIn(text[at:start])
		at = start
		s.out.Matches = append(s.out.Matches, searchMatch{
			Path: path, Line: line, Start: chars, End: chars + charsIn(text[start:end]), Snippet: snippet(text, start, end, s.snippet),
		})
	}
}

// snippet is up to n characters of the line on which a match begins, with the match
// in the middle where there is room.
func snippet(text string, start, end, n int) string {
	head := text[strings.LastIndexByte(text[:start], '\n')+1 : start]
	tail := text[start:]
	if i := strings.IndexByte(tail, '\n'); i >= 0 {
		tail = tail[:i]
	}
	before, after := []rune(head), []rune(strings.TrimSuffix(tail, "\r"))
	match := min(utf8.RuneCountInString(text[start:end]), len(after))
	lead := min(len(before), max((n-match)/2, n-len(after), 0))
	out := append(before[len(before)-lead:], after...)
	return strings.TrimSpace(string(out[:min(n, len(out))]))
}

// text is the matches as a model reads them.
func (o searchOut) text() string {
	var b strings.Builder
	for _, m := range o.Matches {
		fmt.Fprintf(&b, "%s:%d: %s\n", m.Path, m.Line, m.Snippet)
	}
	switch {
	case len(o.Matches) == 0:
		b.WriteString("[no matches]")
	case o.Truncated:
		fmt.Fprintf(&b, "[there are more; go on with offset=%d]", o.NextOffset)
	}
	return strings.TrimSuffix(b.String(), "\n")
}
