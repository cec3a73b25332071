package filetool

import (
	"context"

	"github.com/toolpost/toolpost/sandbox"
	"github.com/toolpost/toolpost/tool"
)

// Observe reports what the workspace saw happen. A dry run and a write of what
// was there already have no effect.
func Observe(ctx context.Context, c sandbox.Change) {
	if e := effects(c); len(e.Observed) > 0 {
		tool.Observe(ctx, e)
	}
}

// ObserveTrashed reports a move into a trash folder as what it is to those who
// look for the file: a deletion that can be taken back.
func ObserveTrashed(ctx context.Context, c sandbox.Change) {
	if c.DryRun {
		return
	}
	e := folders(c)
	e.Deleted = []tool.FileEffect{{Path: c.From, Kind: KindName(c.Kind), Before: c.BeforeEtag, Trashed: true}}
	e.Observed = append(e.Observed, "trash-"+noun(c.Kind))
	tool.Observe(ctx, e)
}

func effects(c sandbox.Change) tool.Effects {
	if c.DryRun || c.Op == sandbox.OpNone {
		return tool.Effects{}
	}
	e := folders(c)
	it := tool.FileEffect{Path: c.Path, Kind: KindName(c.Kind), Before: c.BeforeEtag, After: c.AfterEtag}
	switch c.Op {
	case sandbox.OpCreated:
		e.Created = append(e.Created, it)
		e.Observed = append(e.Observed, "create-"+noun(c.Kind))
	case sandbox.OpModified:
		e.Modified = append(e.Modified, it)
		e.Observed = append(e.Observed, "modify-"+noun(c.Kind))
	case sandbox.OpDeleted:
		e.Deleted = append(e.Deleted, it)
		e.Observed = append(e.Observed, "delete-"+noun(c.Kind))
	case sandbox.OpRenamed:
		e.Renamed = append(e.Renamed, tool.Rename{From: c.From, To: c.Path})
		e.Observed = append(e.Observed, "rename-"+noun(c.Kind))
	}
	return e
}

// folders is the effect of making folders on the way.
func folders(c sandbox.Change) tool.Effects {
	var e tool.Effects
	for _, dir := range c.Folders {
		e.Created = append(e.Created, tool.FileEffect{Path: dir, Kind: "folder"})
		e.Observed = []string{"create-folder"}
	}
	return e
}

// noun is the word for a kind in the names of effects.
func noun(k sandbox.EntryKind) string {
	if k == sandbox.EntryDir {
		return "folder"
	}
	return "file"
}

// KindName is the word that records and results use for a kind of entry.
func KindName(k sandbox.EntryKind) string {
	if k == sandbox.EntryDir {
		return "folder"
	}
	return string(k)
}
