package builtin

import (
	"cmp"
	"context"
	"fmt"
	"path"
	"strings"

	"github.com/toolpost/toolpost/builtin/internal/filetool"
	"github.com/toolpost/toolpost/sandbox"
	"github.com/toolpost/toolpost/tool"
)

const (
	searchLimit = 100 // matches, when the caller names no limit
	lineCut     = 500 // characters of a line that are shown
)

type searchIn struct {
	Query   string `json:"query" desc:"Regular expression (RE2), or plain text when it is not a valid one. Case counts; (?i) before it makes it not count. Empty with glob: list the files that match."`
	Path    string `json:"path,omitzero" desc:"Folder or file to search, relative to the workspace." default:"."`
	Glob    string `json:"glob,omitzero" desc:"Only files that match, such as *.go or src/**/*.ts."`
	Literal bool   `json:"literal,omitzero" desc:"Take query as plain text."`
	Limit   int    `json:"limit,omitzero" desc:"Most matches to return." min:"1" max:"5000" default:"100"`
	Context int    `json:"context,omitzero" desc:"Lines to show before and after each match." min:"0" max:"20"`
}

type searchOut struct {
	Matches   []searchMatch `json:"matches"`
	Truncated bool          `json:"truncated"`
}

type searchMatch struct {
	Path   string   `json:"path"`
	Line   int      `json:"line"` // from 1; 0 when only the file is meant
	Text   string   `json:"text"` // the line, cut at 500 characters
	Before []string `json:"before,omitempty"`
	After  []string `json:"after,omitempty"`
}

func (f *Files) searchTool() tool.Tool {
	return tool.New(tool.Spec{
		Name:    "search_files",
		Aliases: []string{"grep", "glob"},
		Label:   "Search files",
		Description: "Search the text files of the workspace by regular expression or plain text, line by line. " +
			"Returns path, line number and line of each match, in order of path. " +
			"Binary files and what .gitignore names are passed over.",
		Output:        filetool.OutputOf[searchOut](),
		Examples:      filetool.Examples(`{"query":"func main\\(","glob":"*.go"}`, `{"query":"TODO","path":"src","context":2}`),
		Risk:          tool.RiskReads,
		Category:      "fs",
		Idempotent:    true,
		WorkspaceOnly: true,
	}, f.search)
}

func (f *Files) search(ctx context.Context, in searchIn) (*tool.Result, error) {
	in.Path, in.Limit = cmp.Or(in.Path, "."), cmp.Or(in.Limit, searchLimit)
	keep, err := newGlob(in.Glob)
	if err != nil {
		return nil, err
	}
	if in.Query == "" && in.Glob == "" {
		return nil, tool.Errorf(tool.CodeInvalid, `"query" is empty; give a regular expression or plain text, or a glob to list files by name`)
	}
	start, err := f.Root.Stat(in.Path)
	if err != nil {
		return nil, f.missing(ctx, in.Path, err)
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	s := &searcher{root: f.Root, want: newQuery(in.Query, in.Literal), around: in.Context, limit: in.Limit}
	var out searchOut
	out.Matches = []searchMatch{}
	for found := range s.run(ctx, f.files(ctx, start, keep)) {
		room := in.Limit - len(out.Matches)
		if out.Truncated = len(found) > room; out.Truncated {
			out.Matches = append(out.Matches, found[:room]...)
			break
		}
		out.Matches = append(out.Matches, found...)
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	return filetool.Answer(out.text(s.want.note), out), nil
}

// files is the regular files to search, in order of path.
func (f *Files) files(ctx context.Context, start sandbox.Entry, keep glob) func(yield func(sandbox.Entry) bool) {
	return func(yield func(sandbox.Entry) bool) {
		if start.Kind != sandbox.EntryDir {
			if keep.match(path.Base(start.Path)) {
				yield(start)
			}
			return
		}
		skip := newIgnore(f.Root, start.Path, f.Ignore).skip
		for e, err := range f.Root.Walk(start.Path, sandbox.WalkOptions{Skip: skip}) {
			if err != nil || ctx.Err() != nil {
				return
			}
			if e.Kind == sandbox.EntryFile && keep.match(below(start.Path, e.Path)) && !yield(e) {
				return
			}
		}
	}
}

// text is the matches as grep prints them.
func (o searchOut) text(note string) string {
	var b strings.Builder
	if note != "" {
		fmt.Fprintf(&b, "[%s]\n", note)
	}
	for _, m := range o.Matches {
		if m.Line == 0 {
			fmt.Fprintln(&b, m.Path)
			continue
		}
		for i, l := range m.Before {
			fmt.Fprintf(&b, "%s-%d-%s\n", m.Path, m.Line-len(m.Before)+i, l)
		}
		fmt.Fprintf(&b, "%s:%d:%s\n", m.Path, m.Line, m.Text)
		for i, l := range m.After {
			fmt.Fprintf(&b, "%s-%d-%s\n", m.Path, m.Line+1+i, l)
		}
		if len(m.Before)+len(m.After) > 0 {
			b.WriteString("--\n")
		}
	}
	switch {
	case len(o.Matches) == 0:
		b.WriteString("[no matches]\n")
	case o.Truncated:
		fmt.Fprintf(&b, "[more than %d matches; narrow it with path, glob or query, or raise limit]\n", len(o.Matches))
	}
	return strings.TrimSuffix(b.String(), "\n")
}
