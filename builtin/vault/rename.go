package vault

import (
	"context"
	"fmt"
	"strings"

	"github.com/toolpost/toolpost/builtin/internal/filetool"
	"github.com/toolpost/toolpost/sandbox"
	"github.com/toolpost/toolpost/tool"
)

type renameIn struct {
	FromPath  string    `json:"fromPath" desc:"File or folder to rename or move, relative to the vault." min:"1"`
	ToPath    string    `json:"toPath" desc:"Its new path, relative to the vault. Missing folders are made." min:"1"`
	Collision Collision `json:"collisionStrategy,omitzero" desc:"What to do if toPath is taken: error, create-unique (Note 1.md), or overwrite." enum:"error,create-unique,overwrite"`
}

type renameOut struct {
	FromPath string `json:"fromPath"`
	ToPath   string `json:"toPath"` // the actual one
}

func (v *Vault) renameTool() tool.Tool {
	return tool.New(tool.Spec{
		Name:  "vault.rename",
		Label: "Rename note",
		Description: "Rename or move a file or folder of the vault; missing folders are made. " +
			"If the new path is taken the call fails, or collisionStrategy says what else to do. " +
			"Links in other notes are not changed. Returns both paths.",
		Output:        filetool.OutputOf[renameOut](),
		Examples:      filetool.Examples(`{"fromPath":"Inbox/Foo.md","toPath":"Projects/Foo.md"}`),
		Risk:          tool.RiskWrites,
		Category:      category,
		SideEffects:   []string{"rename-file", "rename-folder", "create-folder"},
		WorkspaceOnly: true,
		Previews:      true,
		Locks:         []string{"fromPath", "toPath"},
	}, v.rename)
}

func (v *Vault) rename(ctx context.Context, in renameIn) (*tool.Result, error) {
	from, err := v.cleanTarget(in.FromPath)
	if err != nil {
		return nil, err
	}
	to, err := v.cleanTarget(in.ToPath)
	switch {
	case err != nil:
		return nil, err
	case from == to:
		return nil, tool.Errorf(tool.CodeInvalid, "fromPath and toPath are both %q, so that nothing would change", from)
	case strings.HasPrefix(to, from+"/"):
		return nil, tool.Errorf(tool.CodeInvalid, "%q lies inside %q: a folder cannot be moved into itself", to, from)
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	how := v.collision(in.Collision)
	opts := sandbox.RenameOptions{Replace: how == CollisionOverwrite, DryRun: filetool.DryRun(ctx)}
	c, replaced, err := v.move(from, to, how, opts)
	if sandbox.KindOf(err) == sandbox.KindNotFound {
		return nil, v.missing(ctx, from, err)
	}
	if err != nil {
		return nil, taken(err)
	}
	filetool.Observe(ctx, c)
	if replaced.Path != "" && !c.DryRun {
		tool.Observe(ctx, tool.Effects{Deleted: []tool.FileEffect{replaced}, Observed: []string{"delete-file"}})
	}
	text := fmt.Sprintf("%s %s to %s", would(c, "renamed", "would rename"), c.From, c.Path)
	return changed(text, text, renameOut{c.From, c.Path}), nil
}

// move renames a path, to another name if that is asked, and tells of the file that
// was replaced.
func (v *Vault) move(from, to string, how Collision, opts sandbox.RenameOptions) (c sandbox.Change, replaced tool.FileEffect, err error) {
	try := func(to string) error {
		c, err = v.Root.Rename(from, to, opts)
		return err
	}
	switch how {
	case CollisionUnique:
		err = unique(to, try)
	case CollisionOverwrite:
		if old, e := v.Root.Read(to, sandbox.ReadOptions{}); e == nil {
			replaced = tool.FileEffect{Path: to, Kind: "file", Before: old.Etag}
		}
		err = try(to)
	default:
		err = try(to)
	}
	return c, replaced, err
}

func would(c sandbox.Change, did, would string) string {
	if c.DryRun {
		return would
	}
	return did
}
