package vault

import (
	"context"
	"fmt"

	"github.com/toolpost/toolpost/builtin/internal/filetool"
	"github.com/toolpost/toolpost/sandbox"
	"github.com/toolpost/toolpost/tool"
)

type patchIn struct {
	Path         string `json:"path" desc:"File to change, relative to the vault." min:"1"`
	Patch        patch  `json:"patch" desc:"What to change: exactly one of range, diff and operations."`
	ExpectedEtag string `json:"expectedEtag,omitzero" desc:"Refuse unless the file has this etag, as readFile returned it."`
}

// patch is one of its members. ReplaceRange is the name that the conventions of
// seed 003 have for Range.
type patch struct {
	Range        *rangePatch `json:"range,omitzero" desc:"Put text in the place of some characters."`
	ReplaceRange *rangePatch `json:"replaceRange,omitzero" desc:"The same as range."`
	Diff         string      `json:"diff,omitzero" desc:"A unified diff of this one file. Line numbers may be off; the context must be right."`
	Operations   []operation `json:"operations,omitzero" desc:"Changes made in order, each in the text that those before have left; all or none." min:"1" max:"1000"`
}

type rangePatch struct {
	Start int64  `json:"start" desc:"First character to replace, from 0." min:"0"`
	End   int64  `json:"end" desc:"First character behind what is replaced; the same as start to insert." min:"0"`
	Text  string `json:"text" desc:"What is put there."`
}

type patchOut struct {
	Path    string `json:"path"`
	Etag    string `json:"etag"`
	MtimeMS int64  `json:"mtimeMs,omitzero"` // left out in a dry run
	Applied bool   `json:"applied"`          // false if the file had this content
	Diff    string `json:"diff"`
}

func (v *Vault) patchTool() tool.Tool {
	return tool.New(tool.Spec{
		Name:  "vault.patchFile",
		Label: "Patch note",
		Description: "Change parts of a text file of the vault: replace a range of characters, apply a unified diff, or run operations " +
			"(insert, delete, replace) that find their place by text or position. All of the patch is applied, or nothing. " +
			"Returns the new etag and a diff.",
		Output: filetool.OutputOf[patchOut](),
		Examples: filetool.Examples(
			`{"path":"Inbox/Draft.md","patch":{"operations":[{"op":"replace","find":"draft","text":"final"},{"op":"insert","after":"# Title\n","text":"\nBy me.\n"}]}}`,
			`{"path":"Inbox/Draft.md","patch":{"range":{"start":0,"end":1,"text":"##"}}}`,
			`{"path":"Inbox/Draft.md","patch":{"diff":"@@ -1,1 +1,1 @@\n-## Title\n+# Heading\n"}}`),
		Risk:          tool.RiskWrites,
		Category:      category,
		SideEffects:   []string{"modify-file"},
		WorkspaceOnly: true,
		Previews:      true,
		Locks:         []string{"path"},
	}, v.patch)
}

func (v *Vault) patch(ctx context.Context, in patchIn) (*tool.Result, error) {
	name, err := v.cleanTarget(in.Path)
	if err != nil {
		return nil, err
	}
	apply, err := in.Patch.only()
	if err != nil {
		return nil, err
	}
	defer v.Root.Lock(name)()
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	f, err := v.Root.Read(name, sandbox.ReadOptions{})
	if err != nil {
		return nil, v.missing(ctx, name, err)
	}
	if err := expect(name, f.Etag, in.ExpectedEtag); err != nil {
		return nil, err
	}
	before, enc, err := filetool.DecodeText(f.Content)
	if err != nil {
		return nil, tool.Errorf(tool.CodePrecondition, "%s is a binary file; vault.patchFile changes text only", name)
	}
	after, err := apply(name, before)
	if err != nil {
		return nil, err
	}
	data, err := filetool.EncodeText(name, after, enc)
	if err != nil {
		return nil, err
	}
	c, err := v.Root.Write(name, data, sandbox.WriteOptions{ExpectedEtag: f.Etag, DryRun: filetool.DryRun(ctx)})
	if err != nil {
		return nil, filetool.Fault(err)
	}
	filetool.Observe(ctx, c)
	out := patchOut{Path: c.Path, Etag: c.AfterEtag, Applied: c.Op != sandbox.OpNone, Diff: filetool.Unified(c.Path, before, after)}
	if !c.DryRun {
		out.MtimeMS = v.mtime(c.Path)
	}
	text := fmt.Sprintf("%s %s (etag %s)", verb(c), c.Path, c.AfterEtag)
	return changed(text, text+"\n"+out.Diff, out), nil
}

// only is what the one member that is set does to the text of a file.
func (p *patch) only() (func(name, text string) (string, error), error) {
	var all []func(name, text string) (string, error)
	for _, r := range []*rangePatch{p.Range, p.ReplaceRange} {
		if r != nil {
			all = append(all, r.apply)
		}
	}
	if p.Diff != "" {
		hunks, err := parseDiff(p.Diff)
		if err != nil {
			return nil, err
		}
		all = append(all, hunks.apply)
	}
	if len(p.Operations) > 0 {
		all = append(all, operations(p.Operations).apply)
	}
	if len(all) != 1 {
		return nil, tool.Errorf(tool.CodeInvalid, "patch: exactly one of range, diff and operations is needed, and %d are given", len(all))
	}
	return all[0], nil
}

func (r *rangePatch) apply(name, text string) (string, error) {
	start, end, err := span(name, text, r.Start, r.End)
	if err != nil {
		return "", err
	}
	return text[:start] + r.Text + text[end:], nil
}

// span is a range of characters in bytes.
func span(name, text string, start, end int64) (from, to int, err error) {
	switch n := charsIn(text); {
	case end < start:
		return 0, 0, tool.Errorf(tool.CodeInvalid, "range: end %d is before start %d", end, start)
	case end > n:
		return 0, 0, tool.Errorf(tool.CodePrecondition, "range: %d to %d goes past the end of %s, which has %d characters; read it again", start, end, name, n)
	}
	from = byteAt(text, start)
	return from, from + byteAt(text[from:], end-start), nil
}
