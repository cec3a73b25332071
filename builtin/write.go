package builtin

import (
	"context"
	"fmt"

	"github.com/toolpost/toolpost/builtin/internal/filetool"
	"github.com/toolpost/toolpost/sandbox"
	"github.com/toolpost/toolpost/tool"
)

type writeIn struct {
	Path         string `json:"path" desc:"File to write, relative to the workspace. Missing folders are made."`
	Content      string `json:"content" desc:"The whole content of the file."`
	IfNotExists  bool   `json:"ifNotExists,omitzero" desc:"Refuse when the file is there already."`
	ExpectedEtag string `json:"expectedEtag,omitzero" desc:"Refuse unless the file has this etag, as read_file returned it."`
}

type writeOut struct {
	Path    string `json:"path"`
	Bytes   int64  `json:"bytes"`
	Etag    string `json:"etag"`
	Created bool   `json:"created"` // false when a file was replaced
}

func (f *Files) writeTool() tool.Tool {
	return tool.New(tool.Spec{
		Name:    "write_file",
		Aliases: []string{"write"},
		Label:   "Write file",
		Description: "Create a text file or replace its whole content, in one step; missing folders are made. " +
			"To change a part of a file use edit_file. Returns the path, size and etag.",
		Output:        filetool.OutputOf[writeOut](),
		Examples:      filetool.Examples(`{"path":"notes/todo.md","content":"- write the tests\n"}`),
		Risk:          tool.RiskWrites,
		Category:      "fs",
		SideEffects:   []string{"create-file", "modify-file", "create-folder"},
		Idempotent:    true,
		WorkspaceOnly: true,
		Previews:      true,
		Locks:         []string{"path"},
	}, f.write)
}

func (f *Files) write(ctx context.Context, in writeIn) (*tool.Result, error) {
	defer f.Root.Lock(in.Path)()
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	opts := sandbox.WriteOptions{IfNotExists: in.IfNotExists, ExpectedEtag: in.ExpectedEtag, DryRun: filetool.DryRun(ctx)}
	before := ""
	if opts.DryRun {
		before = f.textOf(in.Path)
	}
	c, err := f.Root.Write(in.Path, []byte(in.Content), opts)
	if err != nil {
		return nil, filetool.Fault(err)
	}
	filetool.Observe(ctx, c)
	out := writeOut{Path: c.Path, Bytes: c.Bytes, Etag: c.AfterEtag, Created: c.Op == sandbox.OpCreated}
	text := fmt.Sprintf("%s %s (%d bytes, etag %s)", verb(c), c.Path, c.Bytes, c.AfterEtag)
	r := filetool.Answer(text, out)
	if opts.DryRun {
		r = filetool.Answer(text+"\n"+filetool.Unified(c.Path, before, in.Content), out)
	}
	r.User = text
	return r, nil
}

// verb says what a write did, or would do.
func verb(c sandbox.Change) string {
	switch {
	case c.Op == sandbox.OpNone:
		return "unchanged:"
	case c.DryRun && c.Op == sandbox.OpCreated:
		return "would create"
	case c.DryRun:
		return "would replace"
	case c.Op == sandbox.OpCreated:
		return "created"
	}
	return "replaced"
}

// textOf is the text of a file, empty if there is none.
func (f *Files) textOf(name string) string {
	file, err := f.Root.Read(name, sandbox.ReadOptions{MaxBytes: wholeBytes})
	if err != nil {
		return ""
	}
	text, _, _ := filetool.DecodeText(file.Content)
	return text
}
