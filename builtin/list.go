package builtin

import (
	"cmp"
	"context"
	"fmt"
	"path"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"github.com/toolpost/toolpost/builtin/internal/filetool"
	"github.com/toolpost/toolpost/sandbox"
	"github.com/toolpost/toolpost/tool"
)

const listLimit = 1000 // entries, when the caller names no limit

type listIn struct {
	Path      string `json:"path,omitzero" desc:"Folder to list, relative to the workspace." default:"."`
	Recursive bool   `json:"recursive,omitzero" desc:"List all below it, leaving out what .gitignore names."`
	Depth     int    `json:"depth,omitzero" desc:"With recursive: how many levels to go down; all if left out." min:"1"`
	Glob      string `json:"glob,omitzero" desc:"Only paths that match, such as *.go or src/**/*.ts; a glob with a slash searches below the folder."`
	Limit     int    `json:"limit,omitzero" desc:"Most entries to return." min:"1" max:"10000" default:"1000"`
}

type listOut struct {
	Entries   []listEntry `json:"entries"`
	Truncated bool        `json:"truncated"`
}

type listEntry struct {
	Name    string `json:"name"`
	Path    string `json:"path"`
	Kind    string `json:"kind" enum:"file,folder,link,fifo,socket,device,other"`
	Size    int64  `json:"size"` // bytes; 0 for all but files
	MtimeMS int64  `json:"mtimeMs"`
}

func (f *Files) listTool() tool.Tool {
	return tool.New(tool.Spec{
		Name:    "list_directory",
		Aliases: []string{"ls"},
		Label:   "List folder",
		Description: "List a folder of the workspace, sorted by name, with kind, size and time of each entry. " +
			"Set recursive for all below it, glob to keep only matching paths. " +
			"A recursive listing leaves out what .gitignore names.",
		Output:        filetool.OutputOf[listOut](),
		Examples:      filetool.Examples(`{}`, `{"path":"src","recursive":true,"glob":"*.go"}`),
		Risk:          tool.RiskReads,
		Category:      "fs",
		Idempotent:    true,
		WorkspaceOnly: true,
	}, f.list)
}

func (f *Files) list(ctx context.Context, in listIn) (*tool.Result, error) {
	in.Path, in.Limit = cmp.Or(in.Path, "."), cmp.Or(in.Limit, listLimit)
	start, err := f.Root.Clean(in.Path)
	if err != nil {
		return nil, filetool.Fault(err)
	}
	keep, err := newGlob(in.Glob)
	if err != nil {
		return nil, err
	}
	opts := sandbox.WalkOptions{Depth: in.Depth}
	if in.Recursive || keep.deep {
		opts.Skip = newIgnore(f.Root, start, f.Ignore).skip
	} else {
		opts.Depth = 1
	}
	out := listOut{Entries: []listEntry{}}
	unread := 0
	for e, err := range f.Root.Walk(in.Path, opts) {
		if err != nil {
			return nil, f.missing(ctx, in.Path, err)
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if e.Err != nil {
			unread++
		}
		if !keep.match(below(start, e.Path)) {
			continue
		}
		if len(out.Entries) == in.Limit {
			out.Truncated = true
			break
		}
		out.Entries = append(out.Entries, listEntry{e.Name, e.Path, filetool.KindName(e.Kind), e.Size, e.ModTime.UnixMilli()})
	}
	return filetool.Answer(out.text(start, unread), out), nil
}

// text is the listing as a model reads it.
func (l listOut) text(start string, unread int) string {
	var b strings.Builder
	for _, e := range l.Entries {
		name := below(start, e.Path)
		switch e.Kind {
		case "folder":
			fmt.Fprintf(&b, "%s/\n", name)
		case "file":
			fmt.Fprintf(&b, "%s (%d bytes)\n", name, e.Size)
		default:
			fmt.Fprintf(&b, "%s (%s)\n", name, e.Kind)
		}
	}
	switch {
	case len(l.Entries) == 0:
		b.WriteString("[nothing there]\n")
	case l.Truncated:
		fmt.Fprintf(&b, "[more than %d entries; narrow it with path, glob or depth, or raise limit]\n", len(l.Entries))
	}
	if unread > 0 {
		fmt.Fprintf(&b, "[%s could not be read]\n", filetool.Plural(unread, "folder"))
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// below is a path relative to a folder above it.
func below(start, p string) string {
	if start == "." {
		return p
	}
	return strings.TrimPrefix(p, start+"/")
}

// glob is a pattern for paths; the zero glob matches all.
type glob struct {
	pattern string
	deep    bool // looks at the whole path, not only at the last component
}

func newGlob(pattern string) (glob, error) {
	pattern = strings.TrimPrefix(pattern, "./")
	if pattern != "" && !doublestar.ValidatePattern(pattern) {
		return glob{}, tool.Errorf(tool.CodeInvalid, "glob %q is no pattern: use * ? ** [a-z] {a,b}, and a backslash before a plain one of these", pattern)
	}
	return glob{pattern, strings.Contains(pattern, "/") || strings.Contains(pattern, "**")}, nil
}

func (g glob) match(rel string) bool {
	switch {
	case g.pattern == "":
		return true
	case g.deep:
		return doublestar.MatchUnvalidated(g.pattern, rel)
	}
	return doublestar.MatchUnvalidated(g.pattern, path.Base(rel))
}
