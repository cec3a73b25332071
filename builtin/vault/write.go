package vault

import (
	"context"
	"fmt"

	"github.com/toolpost/toolpost/builtin/internal/filetool"
	"github.com/toolpost/toolpost/sandbox"
	"github.com/toolpost/toolpost/tool"
)

type writeIn struct {
	Path         string `json:"path" desc:"File to write, relative to the vault. It is made if it is missing, with its folders." min:"1"`
	Content      string `json:"content" desc:"The whole content of the file, or what is put behind it."`
	Mode         string `json:"mode,omitzero" desc:"Overwrite the file, or append to it." enum:"overwrite,append" default:"overwrite"`
	ExpectedEtag string `json:"expectedEtag,omitzero" desc:"Refuse unless the file has this etag, as readFile returned it."`
}

type writeOut struct {
	Path         string `json:"path"`
	Etag         string `json:"etag"`
	MtimeMS      int64  `json:"mtimeMs,omitzero"` // left out in a dry run
	BytesWritten int64  `json:"bytesWritten"`     // of content, as it is stored
}

func (v *Vault) writeTool() tool.Tool {
	return tool.New(tool.Spec{
		Name:  "vault.writeFile",
		Label: "Write note",
		Description: "Replace the whole content of a file of the vault, or append to it with mode append. " +
			"Give the expectedEtag of an earlier read so that nobody's change is lost. " +
			"To change a part of a file use vault.patchFile. Returns the new etag.",
		Output:        filetool.OutputOf[writeOut](),
		Examples:      filetool.Examples(`{"path":"Inbox/Today.md","content":"# Today\n"}`, `{"path":"Inbox/Log.md","content":"- done\n","mode":"append"}`),
		Risk:          tool.RiskWrites,
		Category:      category,
		SideEffects:   []string{"create-file", "modify-file", "create-folder"},
		WorkspaceOnly: true,
		Previews:      true,
		Locks:         []string{"path"},
	}, v.write)
}

func (v *Vault) write(ctx context.Context, in writeIn) (*tool.Result, error) {
	name, err := v.cleanTarget(in.Path)
	if err != nil {
		return nil, err
	}
	defer v.Root.Lock(name)()
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	n, after := []byte(in.Content), in.Content
	opts := sandbox.WriteOptions{ExpectedEtag: in.ExpectedEtag, DryRun: filetool.DryRun(ctx)}
	data, before := n, ""
	switch {
	case in.Mode == "append":
		if data, n, before, err = v.appended(name, in.Content, &opts); err != nil {
			return nil, err
		}
		after = before + in.Content
	case opts.DryRun:
		before = v.textOf(name)
	}
	c, err := v.Root.Write(name, data, opts)
	if err != nil {
		return nil, filetool.Fault(err)
	}
	filetool.Observe(ctx, c)
	out := writeOut{Path: c.Path, Etag: c.AfterEtag, BytesWritten: int64(len(n))}
	text := fmt.Sprintf("%s %s (%d bytes, etag %s)", verb(c), c.Path, c.Bytes, c.AfterEtag)
	if c.DryRun {
		return changed(text, text+"\n"+filetool.Unified(c.Path, before, after), out), nil
	}
	out.MtimeMS = v.mtime(c.Path)
	return changed(text, text, out), nil
}

// appended is the bytes of a file with content behind them, the bytes that are
// new, and the text that was there. The write is bound to what was read.
func (v *Vault) appended(name, content string, opts *sandbox.WriteOptions) (data, added []byte, before string, err error) {
	f, err := v.Root.Read(name, sandbox.ReadOptions{})
	switch {
	case sandbox.KindOf(err) == sandbox.KindNotFound && opts.ExpectedEtag == "":
		opts.IfNotExists = true
		return []byte(content), []byte(content), "", nil
	case sandbox.KindOf(err) == sandbox.KindNotFound:
		return nil, nil, "", tool.Errorf(tool.CodeConflict, "%s does not exist, but content with etag %s was expected", name, opts.ExpectedEtag)
	case err != nil:
		return nil, nil, "", filetool.Fault(err)
	}
	if err := expect(name, f.Etag, opts.ExpectedEtag); err != nil {
		return nil, nil, "", err
	}
	opts.ExpectedEtag = f.Etag
	before, enc, err := filetool.DecodeText(f.Content)
	if err != nil {
		return nil, nil, "", tool.Errorf(tool.CodePrecondition, "%s is a binary file; text cannot be put behind it", name)
	}
	if data, err = filetool.EncodeText(name, before+content, enc); err != nil {
		return nil, nil, "", err
	}
	return data, data[min(len(f.Content), len(data)):], before, nil
}

// expect compares the etag of a file with the one that a caller knows.
func expect(name, etag, expected string) error {
	if expected == "" || expected == etag {
		return nil
	}
	return tool.Errorf(tool.CodeConflict, "%s has etag %s, but %s was expected; it was changed meanwhile, read it again", name, etag, expected)
}
