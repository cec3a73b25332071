package vault

import (
	"context"
	"path"
	"strings"

	"github.com/toolpost/toolpost/builtin/internal/filetool"
	"github.com/toolpost/toolpost/sandbox"
	"github.com/toolpost/toolpost/tool"
)

// trashFolder is where deleted notes go, as Obsidian's own setting has it.
const trashFolder = ".trash"

type deleteIn struct {
	Path          string `json:"path" desc:"File or folder to delete, relative to the vault." min:"1"`
	Trash         *bool  `json:"trash,omitempty" desc:"Move it to the trash of the vault. If false it is gone for good; a folder must then be empty." default:"true"`
	RequireExists *bool  `json:"requireExists,omitempty" desc:"Fail when there is nothing at the path." default:"true"`
	ExpectedEtag  string `json:"expectedEtag,omitzero" desc:"Refuse unless it is a file with this etag, as readFile returned it."`
}

type deleteOut struct {
	Path      string `json:"path"`
	Deleted   bool   `json:"deleted"` // false if there was nothing
	Trashed   bool   `json:"trashed"`
	TrashPath string `json:"trashPath,omitzero"` // where it is; vault.rename brings it back
}

func (v *Vault) deleteTool() tool.Tool {
	return tool.New(tool.Spec{
		Name:  "vault.delete",
		Label: "Delete note",
		Description: "Delete a file or folder of the vault by moving it to the trash folder, from which vault.rename brings it back. " +
			"With trash false it is gone for good. Returns whether something was deleted and where it is.",
		Output:        filetool.OutputOf[deleteOut](),
		Examples:      filetool.Examples(`{"path":"Inbox/Old.md"}`, `{"path":"Inbox/Gone.md","requireExists":false}`),
		Risk:          tool.RiskWrites,
		Category:      category,
		SideEffects:   []string{"trash-file", "trash-folder", "delete-file", "delete-folder", "create-folder"},
		WorkspaceOnly: true,
		Previews:      true,
		Locks:         []string{"path"},
	}, v.delete)
}

func (v *Vault) delete(ctx context.Context, in deleteIn) (*tool.Result, error) {
	name, err := v.cleanTarget(in.Path)
	if err != nil {
		return nil, err
	}
	defer v.Root.Lock(name)()
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	var out deleteOut
	var c sandbox.Change
	if in.Trash == nil || *in.Trash {
		out, c, err = v.trash(ctx, name, in.ExpectedEtag)
	} else {
		out, c, err = v.remove(ctx, name, in.ExpectedEtag)
	}
	if sandbox.KindOf(err) == sandbox.KindNotFound {
		if in.RequireExists != nil && !*in.RequireExists {
			text := "nothing to delete at " + name
			return changed(text, text, deleteOut{Path: name}), nil
		}
		return nil, v.missing(ctx, name, err)
	}
	if err != nil {
		return nil, filetool.Fault(err)
	}
	text := would(c, "deleted ", "would delete ") + name
	if out.Trashed {
		text += "; it is in the trash as " + out.TrashPath
	}
	return changed(text, text, out), nil
}

// trash moves a path into the trash folder, under a name that is free there.
func (v *Vault) trash(ctx context.Context, name, etag string) (deleteOut, sandbox.Change, error) {
	var c sandbox.Change
	if top, _, _ := strings.Cut(name, "/"); strings.EqualFold(top, trashFolder) {
		return deleteOut{}, c, tool.Errorf(tool.CodePrecondition, "%s is in the trash already; set trash to false to delete it for good", name)
	}
	if etag != "" {
		if f, err := v.Root.Read(name, sandbox.ReadOptions{}); err != nil {
			return deleteOut{}, c, err
		} else if err := expect(name, f.Etag, etag); err != nil {
			return deleteOut{}, c, err
		}
	}
	err := unique(path.Join(trashFolder, path.Base(name)), func(to string) (err error) {
		c, err = v.Root.Rename(name, to, sandbox.RenameOptions{DryRun: filetool.DryRun(ctx)})
		return err
	})
	if err != nil {
		return deleteOut{}, c, err
	}
	filetool.ObserveTrashed(ctx, c)
	return deleteOut{Path: name, Deleted: true, Trashed: true, TrashPath: c.Path}, c, nil
}

// remove deletes a path for good.
func (v *Vault) remove(ctx context.Context, name, etag string) (deleteOut, sandbox.Change, error) {
	changes, err := v.Root.Remove(name, sandbox.RemoveOptions{ExpectedEtag: etag, DryRun: filetool.DryRun(ctx)})
	if sandbox.KindOf(err) == sandbox.KindNotEmpty {
		return deleteOut{}, sandbox.Change{}, tool.Errorf(tool.CodePrecondition, "%w; move it to the trash instead, or delete what is in it first", err)
	}
	if err != nil {
		return deleteOut{}, sandbox.Change{}, err
	}
	for _, c := range changes {
		filetool.Observe(ctx, c)
	}
	return deleteOut{Path: name, Deleted: true}, changes[len(changes)-1], nil
}
