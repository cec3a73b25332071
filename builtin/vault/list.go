package vault

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
	listLimit  = 1000    // items of a page, when the caller names no limit
	etagsUpTo  = 1 << 20 // bytes of a file whose etag a list tells
	wholeBytes = 4 << 20 // bytes of a file that is read whole, decoded, searched or patched
)

type listIn struct {
	Prefix     string   `json:"prefix,omitzero" desc:"Folder to list, relative to the vault; the vault itself if left out."`
	Recursive  bool     `json:"recursive,omitzero" desc:"List all below it, not only its own entries."`
	Extensions []string `json:"extensions,omitzero" desc:"Only files with one of these extensions, such as md. Folders are then left out."`
	Limit      int      `json:"limit,omitzero" desc:"Most items to return." min:"1" max:"10000" default:"1000"`
	Offset     int      `json:"offset,omitzero" desc:"How many items to pass over: the nextOffset of the page before." min:"0"`
}

type listOut struct {
	Items      []listItem `json:"items"`
	NextOffset int        `json:"nextOffset,omitzero"` // left out on the last page
	Truncated  bool       `json:"truncated"`
}

type listItem struct {
	Path      string `json:"path"`
	Kind      string `json:"kind" enum:"file,folder"`
	SizeBytes *int64 `json:"sizeBytes,omitzero"` // of a file
	MtimeMS   int64  `json:"mtimeMs,omitzero"`
	Etag      string `json:"etag,omitzero"` // of a file of at most 1 MiB
}

func (v *Vault) listTool() tool.Tool {
	return tool.New(tool.Spec{
		Name:  "vault.listFiles",
		Label: "List notes",
		Description: "List the files and folders of the vault or of one folder in it, sorted by path, " +
			"with size, time and etag. Narrow it with extensions. A long list comes in pages: go on with nextOffset.",
		Output:        filetool.OutputOf[listOut](),
		Examples:      filetool.Examples(`{}`, `{"prefix":"Projects","recursive":true,"extensions":["md"]}`),
		Risk:          tool.RiskReads,
		Category:      category,
		Idempotent:    true,
		WorkspaceOnly: true,
	}, v.list)
}

func (v *Vault) list(ctx context.Context, in listIn) (*tool.Result, error) {
	start, err := v.folder(in.Prefix)
	if err != nil {
		return nil, err
	}
	limit := cmp.Or(in.Limit, listLimit)
	opts := sandbox.WalkOptions{Skip: hidden}
	if !in.Recursive {
		opts.Depth = 1
	}
	out := listOut{Items: []listItem{}}
	seen := 0
	for e, err := range v.Root.Walk(start, opts) {
		if err == nil {
			err = ctx.Err()
		}
		if err != nil {
			return nil, v.missing(ctx, start, err)
		}
		if !listed(e, in.Extensions) {
			continue
		}
		if seen++; seen <= in.Offset {
			continue
		}
		if len(out.Items) == limit {
			out.Truncated, out.NextOffset = true, in.Offset+limit
			break
		}
		out.Items = append(out.Items, v.item(e))
	}
	return filetool.Answer(out.text(start), out), nil
}

// folder is the path of a folder that a caller names by "", "/" or its path.
func (v *Vault) folder(name string) (string, error) {
	if name == "" || name == "/" {
		return ".", nil
	}
	return v.clean(name)
}

// listed reports whether an entry is shown: files, and folders when the extension
// does not matter.
func listed(e sandbox.Entry, extensions []string) bool {
	switch e.Kind {
	case sandbox.EntryDir:
		return len(extensions) == 0
	case sandbox.EntryFile:
	default:
		return false
	}
	for _, x := range extensions {
		if strings.EqualFold(path.Ext(e.Name), "."+strings.TrimPrefix(x, ".")) {
			return true
		}
	}
	return len(extensions) == 0
}

func (v *Vault) item(e sandbox.Entry) listItem {
	it := listItem{Path: e.Path, Kind: filetool.KindName(e.Kind)}
	if e.Kind != sandbox.EntryFile {
		return it
	}
	it.SizeBytes, it.MtimeMS = &e.Size, e.ModTime.UnixMilli()
	if e.Size <= etagsUpTo {
		if f, err := v.Root.Read(e.Path, sandbox.ReadOptions{MaxBytes: etagsUpTo}); err == nil {
			it.Etag = f.Etag
		}
	}
	return it
}

// text is the list as a model reads it.
func (l listOut) text(start string) string {
	var b strings.Builder
	for _, it := range l.Items {
		if it.Kind == "folder" {
			fmt.Fprintf(&b, "%s/\n", it.Path)
			continue
		}
		fmt.Fprintf(&b, "%s (%d bytes)\n", it.Path, *it.SizeBytes)
	}
	switch {
	case len(l.Items) == 0:
		fmt.Fprintf(&b, "[nothing there in %s]", start)
	case l.Truncated:
		fmt.Fprintf(&b, "[there is more; go on with offset=%d]", l.NextOffset)
	}
	return strings.TrimSuffix(b.String(), "\n")
}
