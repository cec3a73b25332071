package vault

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"

	"github.com/toolpost/toolpost/builtin/internal/filetool"
	"github.com/toolpost/toolpost/sandbox"
	"github.com/toolpost/toolpost/tool"
)

// createArgs is what the schema of the arguments is made of; createIn is what they
// are decoded into, which keeps the order of the properties.
type createArgs struct {
	Path        string         `json:"path" desc:"File to make, relative to the vault. Missing folders are made." min:"1"`
	Content     string         `json:"content" desc:"The whole content, without front matter if frontmatter is given."`
	IfNotExists bool           `json:"ifNotExists,omitzero" desc:"Never replace a file that is there."`
	Collision   Collision      `json:"collisionStrategy,omitzero" desc:"What to do if the path is taken: error, create-unique (Note 1.md), or overwrite." enum:"error,create-unique,overwrite"`
	Frontmatter map[string]any `json:"frontmatter,omitzero" desc:"Properties of the note, written as YAML in front of the content."`
}

type createIn struct {
	Path        string          `json:"path"`
	Content     string          `json:"content"`
	IfNotExists bool            `json:"ifNotExists"`
	Collision   Collision       `json:"collisionStrategy"`
	Frontmatter json.RawMessage `json:"frontmatter"`
}

// createOut is what createFile answers. Only path and etag are required, and
// mtime is allowed, so that the sample of seed 003 fits, too.
type createOut struct {
	Path    string `json:"path"`              // the actual one
	Created *bool  `json:"created,omitempty"` // false if a file was replaced, or had this content
	Etag    string `json:"etag"`              //
	MtimeMS int64  `json:"mtimeMs,omitzero"`  // left out in a dry run
	Mtime   int64  `json:"mtime,omitzero" desc:"Of old records; the same as mtimeMs."`
}

func (v *Vault) createTool() tool.Tool {
	return tool.New(tool.Spec{
		Name:  "vault.createFile",
		Label: "Create note",
		Description: "Create a file of the vault with the given content; missing folders are made, and frontmatter becomes its properties. " +
			"If the path is taken the call fails, or collisionStrategy says what else to do. Returns the actual path and the etag.",
		Input:  filetool.OutputOf[createArgs](),
		Output: filetool.OutputOf[createOut](),
		Examples: filetool.Examples(
			`{"path":"Inbox/Foo.md","content":"# Foo\n","collisionStrategy":"create-unique"}`,
			`{"path":"Inbox/Bar.md","content":"# Bar\n","ifNotExists":true,"frontmatter":{"tags":["idea"],"status":"open"}}`),
		Risk:          tool.RiskWrites,
		Category:      category,
		SideEffects:   []string{"create-file", "modify-file", "create-folder"},
		WorkspaceOnly: true,
		Previews:      true,
		Locks:         []string{"path"},
	}, v.create)
}

func (v *Vault) create(ctx context.Context, in createIn) (*tool.Result, error) {
	name, err := v.cleanTarget(in.Path)
	if err != nil {
		return nil, err
	}
	if in.IfNotExists && in.Collision == CollisionOverwrite {
		return nil, tool.Errorf(tool.CodeInvalid, "ifNotExists and collisionStrategy overwrite contradict each other; leave one of them out")
	}
	content, err := withFrontmatter(in.Frontmatter, in.Content)
	if err != nil {
		return nil, err
	}
	defer v.Root.Lock(name)()
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	how := v.collision(in.Collision)
	if in.IfNotExists && how == CollisionOverwrite { // that of the vault
		how = CollisionError
	}
	before := ""
	if how == CollisionOverwrite && filetool.DryRun(ctx) {
		before = v.textOf(name)
	}
	c, err := v.put(name, content, how, filetool.DryRun(ctx))
	if err != nil {
		return nil, taken(err)
	}
	filetool.Observe(ctx, c)
	made := c.Op == sandbox.OpCreated
	out := createOut{Path: c.Path, Created: &made, Etag: c.AfterEtag}
	text := fmt.Sprintf("%s %s (etag %s)", verb(c), c.Path, c.AfterEtag)
	if c.DryRun {
		return changed(text, text+"\n"+filetool.Unified(c.Path, before, content), out), nil
	}
	out.MtimeMS = v.mtime(c.Path)
	return changed(text, text, out), nil
}

// put writes a new file, under another name or over an old one if that is asked.
func (v *Vault) put(name, content string, how Collision, dry bool) (c sandbox.Change, err error) {
	write := func(name string) error {
		c, err = v.Root.Write(name, []byte(content), sandbox.WriteOptions{IfNotExists: how != CollisionOverwrite, DryRun: dry})
		return notRegular(err)
	}
	if how == CollisionUnique {
		err = unique(name, write)
	} else {
		err = write(name)
	}
	return c, err
}

// notRegular is a folder at the path of a file as what it is to a caller that
// wants to make the file: a name that is taken.
func notRegular(err error) error {
	if sandbox.KindOf(err) != sandbox.KindNotRegular {
		return err
	}
	e, _ := errors.AsType[*sandbox.Error](err)
	return &sandbox.Error{Kind: sandbox.KindExists, Path: e.Path, Msg: "is a folder, or something else that is no file; choose another name", Err: fs.ErrExist}
}

// taken is filetool.Fault that says for a path that is taken what can be done.
func taken(err error) error {
	if sandbox.KindOf(err) != sandbox.KindExists {
		return filetool.Fault(err)
	}
	return tool.Errorf(tool.CodeConflict, "%w (collisionStrategy create-unique does so by itself)", err)
}

// changed is the result of a change: one line for people, and what a model reads.
func changed[T any](line, text string, out T) *tool.Result {
	r := filetool.Answer(text, out)
	r.User = line
	return r
}

// verb says what a write did, or would do.
func verb(c sandbox.Change) string {
	switch {
	case c.Op == sandbox.OpNone:
		return "unchanged:"
	case c.DryRun && c.Op == sandbox.OpCreated:
		return "would create"
	case c.DryRun:
		return "would change"
	case c.Op == sandbox.OpCreated:
		return "created"
	}
	return "changed"
}

// textOf is the text of a file for a diff, empty if there is none.
func (v *Vault) textOf(name string) string {
	f, err := v.Root.Read(name, sandbox.ReadOptions{MaxBytes: wholeBytes})
	if err != nil {
		return ""
	}
	text, _, _ := filetool.DecodeText(f.Content)
	return text
}
