package builtin

import (
	"context"
	"errors"
	"fmt"

	"github.com/toolpost/toolpost/builtin/internal/filetool"
	"github.com/toolpost/toolpost/builtin/internal/passage"
	"github.com/toolpost/toolpost/sandbox"
	"github.com/toolpost/toolpost/tool"
)

// replacement is one edit of a call.
type replacement struct {
	OldText    string `json:"old_text" desc:"Text to find, exactly as in the file, with enough lines around it to be unique." min:"1"`
	NewText    string `json:"new_text" desc:"Text to put in its place."`
	ReplaceAll bool   `json:"replace_all,omitzero" desc:"Replace every match instead of exactly one."`
}

type editIn struct {
	Path         string        `json:"path" desc:"File to change, relative to the workspace."`
	OldText      *string       `json:"old_text,omitzero" desc:"Text to find, exactly as in the file, with enough lines around it to be unique."`
	NewText      *string       `json:"new_text,omitzero" desc:"Text to put in its place; empty to delete."`
	ReplaceAll   bool          `json:"replace_all,omitzero" desc:"Replace every match of old_text instead of exactly one."`
	Edits        []replacement `json:"edits,omitzero" desc:"Several edits instead of old_text and new_text, made in order, all or none."`
	ExpectedEtag string        `json:"expectedEtag,omitzero" desc:"Refuse unless the file has this etag, as read_file returned it."`
}

type editOut struct {
	Path         string `json:"path"`
	Etag         string `json:"etag"`
	Replacements int    `json:"replacements"`
	Diff         string `json:"diff"`
}

func (f *Files) editTool() tool.Tool {
	return tool.New(tool.Spec{
		Name:    "edit_file",
		Aliases: []string{"edit"},
		Label:   "Edit file",
		Description: "Replace text in a file. old_text must occur exactly once, unless replace_all is set. " +
			"Give old_text and new_text, or edits for several changes, which are made all or none. " +
			"Line ends are kept. Returns a unified diff.",
		Output: filetool.OutputOf[editOut](),
		Examples: filetool.Examples(
			`{"path":"main.go","old_text":"fmt.Println(a)","new_text":"fmt.Println(b)"}`,
			`{"path":"main.go","edits":[{"old_text":"foo","new_text":"bar","replace_all":true}]}`),
		Risk:          tool.RiskWrites,
		Category:      "fs",
		SideEffects:   []string{"modify-file"},
		WorkspaceOnly: true,
		Previews:      true,
		Locks:         []string{"path"},
	}, f.edit)
}

func (f *Files) edit(ctx context.Context, in editIn) (*tool.Result, error) {
	edits, err := in.edits()
	if err != nil {
		return nil, err
	}
	defer f.Root.Lock(in.Path)()
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	file, err := f.Root.Read(in.Path, sandbox.ReadOptions{})
	if err != nil {
		return nil, f.missing(ctx, in.Path, err)
	}
	if in.ExpectedEtag != "" && in.ExpectedEtag != file.Etag {
		return nil, tool.Errorf(tool.CodeConflict, "%s has etag %s, but %s was expected; it was changed meanwhile, read it again", file.Path, file.Etag, in.ExpectedEtag)
	}
	before, enc, err := filetool.DecodeText(file.Content)
	if errors.Is(err, sandbox.ErrBinary) {
		return nil, tool.Errorf(tool.CodePrecondition, "%s is a binary file (%s, %d bytes); edit_file changes text only", file.Path, mediaType(file.Content), file.Size)
	}
	after, n, err := applyEdits(file.Path, before, edits)
	if err != nil {
		return nil, err
	}
	data, err := filetool.EncodeText(file.Path, after, enc)
	if err != nil {
		return nil, err
	}
	c, err := f.Root.Write(in.Path, data, sandbox.WriteOptions{ExpectedEtag: file.Etag, DryRun: filetool.DryRun(ctx)})
	if err != nil {
		return nil, filetool.Fault(err)
	}
	filetool.Observe(ctx, c)
	out := editOut{Path: c.Path, Etag: c.AfterEtag, Replacements: n, Diff: filetool.Unified(c.Path, before, after)}
	said := "replaced"
	if c.DryRun {
		said = "would replace"
	}
	text := fmt.Sprintf("%s %s in %s (etag %s)", said, filetool.Plural(n, "passage"), c.Path, c.AfterEtag)
	r := filetool.Answer(text+"\n"+out.Diff, out)
	r.User = text
	return r, nil
}

// edits is the edits that the arguments ask for, in either of their two forms.
func (in *editIn) edits() ([]replacement, error) {
	single := in.OldText != nil || in.NewText != nil
	switch {
	case single && len(in.Edits) > 0:
		return nil, tool.Errorf(tool.CodeInvalid, "edit_file takes old_text and new_text, or edits, and not both; put the single edit into edits")
	case len(in.Edits) > 0:
		return in.Edits, nil
	case in.OldText == nil && in.NewText == nil:
		return nil, tool.Errorf(tool.CodeInvalid, `"old_text" and "new_text" required (or "edits", with at least one); correct the arguments before trying again`)
	case in.OldText == nil:
		return nil, tool.Errorf(tool.CodeInvalid, `"old_text" required: the text to find; to write a whole file use write_file`)
	case in.NewText == nil:
		return nil, tool.Errorf(tool.CodeInvalid, `"new_text" required: the text to put in place of old_text; it may be empty to delete`)
	}
	return []replacement{{*in.OldText, *in.NewText, in.ReplaceAll}}, nil
}

// applyEdits makes the edits one after another, each in the text that the ones
// before have left, and counts the passages replaced.
func applyEdits(path, text string, edits []replacement) (string, int, error) {
	total := 0
	for i, e := range edits {
		where := ""
		if len(edits) > 1 {
			where = fmt.Sprintf("edit %d of %d: ", i+1, len(edits))
		}
		next, n, err := passage.Edit{Old: e.OldText, New: e.NewText, All: e.ReplaceAll}.Apply(path, text)
		if err != nil {
			if where == "" {
				return "", 0, err
			}
			return "", 0, tool.Errorf(tool.AsError(err).Code, "%s%s; no edit was made", where, tool.AsError(err).Message)
		}
		text, total = next, total+n
	}
	return text, total, nil
}
