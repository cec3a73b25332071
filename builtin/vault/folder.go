package vault

import (
	"context"
	"errors"
	"io/fs"
	"path"

	"github.com/toolpost/toolpost/builtin/internal/filetool"
	"github.com/toolpost/toolpost/sandbox"
	"github.com/toolpost/toolpost/tool"
)

type ensureIn struct {
	Path string `json:"path" desc:"Folder, relative to the vault, such as Projects/2026." min:"1"`
}

type ensureOut struct {
	Path    string `json:"path"`
	Created bool   `json:"created"` // false if it was there
}

func (v *Vault) ensureTool() tool.Tool {
	return tool.New(tool.Spec{
		Name:          "vault.ensureFolder",
		Label:         "Ensure folder",
		Description:   "Make a folder of the vault, with those above it, unless it is there. Returns its path and whether it was made.",
		Output:        filetool.OutputOf[ensureOut](),
		Examples:      filetool.Examples(`{"path":"Projects/2026"}`),
		Risk:          tool.RiskWrites,
		Category:      category,
		SideEffects:   []string{"create-folder"},
		Idempotent:    true,
		WorkspaceOnly: true,
		Previews:      true,
		Locks:         []string{"path"},
	}, v.ensure)
}

func (v *Vault) ensure(ctx context.Context, in ensureIn) (*tool.Result, error) {
	name, err := v.cleanTarget(in.Path)
	if err != nil {
		return nil, err
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	out := ensureOut{Path: name}
	if filetool.DryRun(ctx) {
		if out.Created, err = v.wouldMake(name); err != nil {
			return nil, err
		}
		return ensured(out, "would make"), nil
	}
	changes, err := v.Root.Mkdir(name)
	for _, c := range changes {
		filetool.Observe(ctx, c)
	}
	if err != nil {
		return nil, filetool.Fault(err)
	}
	out.Created = len(changes) > 0
	return ensured(out, "made"), nil
}

func ensured(out ensureOut, verb string) *tool.Result {
	text := "there already: " + out.Path
	if out.Created {
		text = verb + " folder " + out.Path
	}
	r := filetool.Answer(text, out)
	r.User = text
	return r
}

// wouldMake judges a folder that is not made: whether it is missing, and whether
// something could be put into it.
func (v *Vault) wouldMake(name string) (bool, error) {
	e, err := v.Root.Stat(name)
	switch {
	case err == nil && e.Kind == sandbox.EntryDir:
		return false, nil
	case err == nil:
		return false, tool.Errorf(tool.CodeConflict, "path %q exists already and is not a folder", name)
	case !errors.Is(err, fs.ErrNotExist):
		return false, filetool.Fault(err)
	}
	_, err = v.Root.Write(path.Join(name, "note"), nil, sandbox.WriteOptions{DryRun: true})
	return err == nil, filetool.Fault(err)
}
