package filetool

import (
	"context"

	"github.com/toolpost/toolpost/sandbox"
	"github.com/toolpost/toolpost/tool"
)

// Observe reports what the workspace saw happen. A dry run and a write of what
// was there already have no effect.
func Observe(ctx context.Context, c sandbox.Change) {
	if c.DryRun {
		return
	}
	var e tool.Effects
	for _, dir := range c.Folders {
		e.Created = append(e.Created, tool.FileEffect{Path: dir, Kind: "folder"})
		e.Observed = []string{"create-folder"}
	}
	file := tool.FileEffect{Path: c.Path, Kind: KindName(c.Kind), Before: c.BeforeEtag, After: c.AfterEtag}
	switch c.Op {
	case sandbox.OpCreated:
		e.Created = append(e.Created, file)
		e.Observed = append(e.Observed, "create-file")
	case sandbox.OpModified:
		e.Modified = append(e.Modified, file)
		e.Observed = append(e.Observed, "modify-file")
	default:
		return
	}
	tool.Observe(ctx, e)
}

// KindName is the word that records and results use for a kind of entry.
func KindName(k sandbox.EntryKind) string {
	if k == sandbox.EntryDir {
		return "folder"
	}
	return string(k)
}
