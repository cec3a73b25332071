package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"github.com/toolpost/toolpost/audit"
	"github.com/toolpost/toolpost/event"
	"github.com/toolpost/toolpost/sandbox"
	"github.com/toolpost/toolpost/tool"
)

type runsUndoCommand struct {
	Name   name `arg:"" name:"run" help:"Full id, unique prefix, -1 for the last, or @label."`
	DryRun bool `name:"dry-run" help:"Say what would be undone, and do nothing."`
}

// Run takes the effects of a run on files back, as a run of its own on record.
func (c *runsUndoCommand) Run(p *program) error {
	b, err := p.lookBack(c.Name)
	if err != nil {
		return err
	}
	if b.view.Live {
		return &problem{code: string(tool.CodeConflict), exit: exitTool, message: "run " + shortID(b.view.ID) + " goes on; nothing was undone", run: b.view.ID}
	}
	shop, err := p.openShop(shopFacts{foreground: true})
	if err != nil {
		return err
	}
	defer shop.close()
	work, notes := &rootTree{root: shop.root}, &rootTree{root: shop.notes}
	undo, err := b.store.Undo(b.view, func(call *audit.Call) audit.Tree {
		if strings.HasPrefix(call.Tool(), "vault.") && shop.notes != nil {
			return notes
		}
		return work
	})
	if err != nil {
		return err
	}
	if len(undo.Refusals) > 0 {
		return &problem{code: string(tool.CodeConflict), exit: exitTool, message: fmt.Sprintf("run %s cannot be undone; nothing was changed", shortID(b.view.ID)),
			facts: undo.Refusals, run: b.view.ID, try: []string{"toolpost runs show " + shortID(b.view.ID) + " --effects"}}
	}
	if !c.DryRun && len(undo.Steps) > 0 {
		if err := c.apply(p, shop, undo, work, notes); err != nil {
			return err
		}
	}
	return c.tell(p, undo)
}

// apply undoes on record: a run whose one call has the effects, which can be undone
// in turn.
func (c *runsUndoCommand) apply(p *program, s *shop, undo *audit.Undo, trees ...*rootTree) error {
	if err := p.readyStore(s.config); err != nil {
		return err
	}
	f, err := p.facts(s, audit.KindCall)
	if err != nil {
		return err
	}
	f.Parent, f.Prompt = undo.Run, "runs undo "+shortID(undo.Run)
	record, err := s.store.Create(f)
	if err != nil {
		return p.recordProblem(s, err)
	}
	for _, t := range trees {
		t.keep = func(data []byte) error {
			_, err := s.store.Put(record.ID(), data, "application/octet-stream")
			return err
		}
	}
	ctx, stop := p.interruptible(func() {})
	defer stop()
	var failed error
	drive := func(ctx context.Context, r *event.Run) error {
		r.Emit(event.Event{Type: event.RunStarted, Message: f.Prompt})
		call := tool.NewCall("undo", string(asJSON(map[string]string{"runId": undo.Run})))
		res := r.Do(ctx, func(ctx context.Context, call *tool.Call) (*tool.Result, error) {
			tool.Notify(ctx, tool.Note{Kind: tool.NoteStarted, Call: call})
			err := undo.Apply(nil)
			var e tool.Effects
			for _, t := range trees {
				e.Add(t.effects)
			}
			res := tool.JSON(map[string]int{"steps": len(undo.Steps)})
			if err != nil {
				res = tool.Fail(err)
			}
			res.Effects = &e
			return res, nil
		}, call)
		end := event.Event{Type: event.RunFinished, Message: string(res.Status)}
		if res.IsError() {
			end.Level, failed = event.LevelError, res.Err
		}
		r.Emit(end)
		return nil
	}
	for _, err := range audit.Record(record, event.Go(ctx, record.ID(), drive)) {
		if err != nil {
			return p.recordProblem(s, err)
		}
	}
	return failed
}

func (c *runsUndoCommand) tell(p *program, u *audit.Undo) error {
	if p.out.json() {
		return p.out.document(struct {
			V      int  `json:"v"`
			DryRun bool `json:"dryRun,omitempty"`
			*audit.Undo
		}{1, c.DryRun, u})
	}
	for _, r := range u.Steps {
		switch r.Do {
		case audit.RedoRename:
			p.out.printf("→ %s to %s   (call %d)\n", r.From, r.Path, r.Call)
		case audit.RedoRemove:
			p.out.printf("− %s   (call %d made it)\n", r.Path, r.Call)
		default:
			p.out.printf("~ %s   etag %s as before call %d\n", r.Path, r.Back, r.Call)
		}
	}
	for _, l := range u.Left {
		p.out.printf("left: %s\n", clip(l, 200))
	}
	word := "undone"
	if c.DryRun {
		word = "would be undone; nothing was changed"
	}
	p.out.printf("%s %s\n", plural(len(u.Steps), "effect"), word)
	return nil
}

// rootTree is a sandboxed folder as audit.Undo wants it. It observes what it does.
type rootTree struct {
	root    *sandbox.Root
	keep    func([]byte) error // what is overwritten or removed, before it is
	effects tool.Effects
}

// mostKept is how large an original may be to be kept.
const mostKept = 64 << 20

// Etag implements audit.Tree.
func (t *rootTree) Etag(path string) (string, error) {
	f, err := t.root.Read(path, sandbox.ReadOptions{MaxBytes: mostKept})
	switch {
	case err == nil:
		return f.Etag, nil
	case errors.Is(err, fs.ErrNotExist) || sandbox.KindOf(err) == sandbox.KindNotFound:
		return "", nil
	}
	if _, lerr := t.root.List(path); lerr == nil {
		return audit.Folder, nil
	}
	return "", err
}

// keepNow keeps what a path holds.
func (t *rootTree) keepNow(path, etag string) error {
	if t.keep == nil || etag == "" || etag == audit.Folder {
		return nil
	}
	f, err := t.root.Read(path, sandbox.ReadOptions{MaxBytes: mostKept})
	if err != nil {
		return err
	}
	return t.keep(f.Content)
}

// Write implements audit.Tree.
func (t *rootTree) Write(path string, data []byte, etag string) error {
	if err := t.keepNow(path, etag); err != nil {
		return err
	}
	change, err := t.root.Write(path, data, sandbox.WriteOptions{ExpectedEtag: etag, IfNotExists: etag == ""})
	if err != nil {
		return err
	}
	for _, dir := range change.Folders {
		t.effects.Created = append(t.effects.Created, tool.FileEffect{Path: dir, Kind: "folder"})
	}
	f := tool.FileEffect{Path: path, Kind: "file", Before: change.BeforeEtag, After: change.AfterEtag}
	if etag == "" {
		t.effects.Created = append(t.effects.Created, f)
	} else {
		t.effects.Modified = append(t.effects.Modified, f)
	}
	return nil
}

// Remove implements audit.Tree.
func (t *rootTree) Remove(path, etag string) error {
	if etag == audit.Folder {
		_, err := t.root.Remove(path, sandbox.RemoveOptions{})
		if sandbox.KindOf(err) == sandbox.KindNotEmpty {
			return nil // somebody has put something into it
		}
		if err == nil {
			t.effects.Deleted = append(t.effects.Deleted, tool.FileEffect{Path: path, Kind: "folder"})
		}
		return err
	}
	if err := t.keepNow(path, etag); err != nil {
		return err
	}
	if _, err := t.root.Remove(path, sandbox.RemoveOptions{ExpectedEtag: etag}); err != nil {
		return err
	}
	t.effects.Deleted = append(t.effects.Deleted, tool.FileEffect{Path: path, Kind: "file", Before: etag})
	return nil
}

// Rename implements audit.Tree.
func (t *rootTree) Rename(from, to string) error {
	if _, err := t.root.Rename(from, to, sandbox.RenameOptions{}); err != nil {
		return err
	}
	t.effects.Renamed = append(t.effects.Renamed, tool.Rename{From: from, To: to})
	return nil
}
