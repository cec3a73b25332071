package audit

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/toolpost/toolpost/tool"
)

// A Tree is the files that the effects of a run name.
type Tree interface {
	// Etag is the tag of the file's content as effects have it, "" if there is
	// nothing, Folder if it is one.
	Etag(path string) (string, error)
	// Write has the file hold data if its tag is still etag; "" where nothing is.
	Write(path string, data []byte, etag string) error
	// Remove removes a file that has this tag, or an empty folder.
	Remove(path, etag string) error
	Rename(from, to string) error
}

// Folder is what Tree.Etag says of a folder.
const Folder = "folder"

// A Reversal takes one effect of a call back.
type Reversal struct {
	Call int    `json:"n"` // its number in the run
	Do   Redo   `json:"do"`
	Path string `json:"path"`
	From string `json:"from,omitzero"` // of a rename: what Path is called now
	Now  string `json:"now,omitzero"`  // the tag that the file must have now
	Back string `json:"back,omitzero"` // and that it will have

	artifact string
	tree     Tree
}

// Redo says how an effect is taken back.
type Redo string

// Ways to take an effect back.
const (
	RedoRestore Redo = "restore" // the content from before is written
	RedoRemove  Redo = "remove"  // what was made is removed; a folder only if it is empty
	RedoRename  Redo = "rename"  // it gets its name from before
)

// An Undo is how the effects of a run on files are taken back, the last first.
type Undo struct {
	Run      string     `json:"runId"`
	Steps    []Reversal `json:"steps"`
	Refusals []string   `json:"refusals"` // why it cannot be done; nothing is done then
	Left     []string   `json:"left"`     // effects that are no files' and stay: commands, what was sent

	store *Store
	state map[spot]string
	in    func(*Call) Tree
	tree  Tree // of the call that is looked at
}

// spot is a path in a tree.
type spot struct {
	tree Tree
	path string
}

// Undo works out how the run's effects on files are taken back, and looks whether
// that can be done: whether each file is still as the run left it, and what was
// there before was kept. In is the tree in which a call's paths lie, the same one
// for equal places. It changes nothing: see Undo.Apply.
func (s *Store) Undo(v *View, in func(*Call) Tree) (*Undo, error) {
	u := &Undo{Run: v.ID, Steps: []Reversal{}, Refusals: []string{}, Left: []string{}, store: s, state: map[spot]string{}, in: in}
	for _, c := range slices.Backward(v.Calls) {
		if c.Unknown {
			u.Left = append(u.Left, fmt.Sprintf("call %d (%s) was running when the record breaks off: what it did is not known", c.N, c.Tool()))
		}
		if c.Result.Effects == nil {
			continue
		}
		u.tree = in(c)
		if err := u.call(c, c.Result.Effects); err != nil {
			return nil, fmt.Errorf("undo call %d of run %s: %w", c.N, v.ID, err)
		}
	}
	return u, nil
}

func (u *Undo) call(c *Call, e *tool.Effects) error {
	for _, cmd := range e.Commands {
		u.Left = append(u.Left, fmt.Sprintf("call %d ran a command: %s", c.N, strings.Join(cmd.Argv, " ")))
	}
	for _, peer := range e.Network {
		u.Left = append(u.Left, fmt.Sprintf("call %d spoke to %s:%d", c.N, peer.Host, peer.Port))
	}
	for _, r := range slices.Backward(e.Renamed) {
		if err := u.rename(c, r.To, r.From); err != nil {
			return err
		}
	}
	for _, f := range slices.Backward(e.Deleted) {
		if err := u.deleted(c, f); err != nil {
			return err
		}
	}
	for _, f := range slices.Backward(e.Modified) {
		if err := u.restore(c, f.Path, f.After, f.Before); err != nil {
			return err
		}
	}
	for _, f := range slices.Backward(e.Created) {
		if err := u.created(c, f); err != nil {
			return err
		}
	}
	return nil
}

// now is the tag of a path after the steps so far.
func (u *Undo) now(path string) (string, error) {
	if tag, ok := u.state[spot{u.tree, path}]; ok {
		return tag, nil
	}
	tag, err := u.tree.Etag(path)
	if err != nil {
		return "", fmt.Errorf("look at %s: %w", path, err)
	}
	u.state[spot{u.tree, path}] = tag
	return tag, nil
}

func (u *Undo) refuse(c *Call, format string, args ...any) {
	u.Refusals = append(u.Refusals, fmt.Sprintf("call %d (%s): ", c.N, c.Tool())+fmt.Sprintf(format, args...))
}

func (u *Undo) rename(c *Call, from, to string) error {
	there, err := u.now(from)
	if err != nil {
		return err
	}
	taken, err := u.now(to)
	switch {
	case err != nil:
		return err
	case there == "" && taken != "":
		return nil // it has its name from before
	case there == "":
		u.refuse(c, "%s is not there any more", from)
	case taken != "":
		u.refuse(c, "%s cannot be called %s again: something else is called so", from, to)
	default:
		u.step(Reversal{Call: c.N, Do: RedoRename, Path: to, From: from, Now: there, Back: there})
		u.state[spot{u.tree, from}] = ""
	}
	return nil
}

// deleted takes a deletion back: from the trash if it went there.
func (u *Undo) deleted(c *Call, f tool.FileEffect) error {
	var data struct {
		Trash string `json:"trashPath"`
	}
	if f.Trashed && json.Unmarshal(c.Result.Data, &data) == nil && data.Trash != "" {
		return u.rename(c, data.Trash, f.Path)
	}
	if f.Kind == Folder {
		u.Left = append(u.Left, fmt.Sprintf("call %d deleted the empty folder %s", c.N, f.Path))
		return nil
	}
	return u.restore(c, f.Path, "", f.Before)
}

// restore has a file hold what it held before.
func (u *Undo) restore(c *Call, path, after, before string) error {
	tag, err := u.now(path)
	if err != nil {
		return err
	}
	id := u.store.original(u.Run, before)
	switch {
	case tag == before && before != "":
	case tag != after:
		u.refuse(c, "%s was changed since (it has etag %s, the call left %s)", path, orNothing(tag), orNothing(after))
	case id == "":
		u.refuse(c, "what %s held before (etag %s) was not kept", path, orNothing(before))
	default:
		u.step(Reversal{Call: c.N, Do: RedoRestore, Path: path, Now: tag, Back: before, artifact: id})
	}
	return nil
}

func (u *Undo) created(c *Call, f tool.FileEffect) error {
	tag, err := u.now(f.Path)
	switch {
	case err != nil:
		return err
	case tag == "":
		return nil
	case f.Kind == Folder && tag == Folder:
		u.step(Reversal{Call: c.N, Do: RedoRemove, Path: f.Path, Now: Folder})
		return nil // it may stay, if somebody has put something into it
	case tag != f.After || f.After == "":
		u.refuse(c, "%s was changed since (it has etag %s, the call left %s)", f.Path, tag, orNothing(f.After))
		return nil
	}
	u.step(Reversal{Call: c.N, Do: RedoRemove, Path: f.Path, Now: tag})
	return nil
}

// step adds a reversal, after which its path has the tag Back.
func (u *Undo) step(r Reversal) {
	r.tree = u.tree
	u.Steps = append(u.Steps, r)
	u.state[spot{u.tree, r.Path}] = r.Back
}

func orNothing(tag string) string {
	if tag == "" {
		return "nothing"
	}
	return tag
}

// original is the artifact of a run whose content has this tag, "" if there is
// none: a tag is the beginning of the hash by which artifacts are named.
func (s *Store) original(run, tag string) string {
	dir, err := s.runDir(run)
	if err != nil || len(tag) < 16 {
		return ""
	}
	names, err := os.ReadDir(filepath.Join(dir, artifactsName))
	if err != nil {
		return ""
	}
	for _, e := range names {
		if strings.HasPrefix(e.Name(), tag) && !strings.Contains(e.Name(), ".") {
			return e.Name()
		}
	}
	return ""
}

// Apply takes the effects back, one by one; done hears of each. If Refusals is not
// empty it does nothing and is a CONFLICT. What a step finds changed meanwhile ends
// it; the steps before that are done then.
func (u *Undo) Apply(done func(Reversal)) error {
	if len(u.Refusals) > 0 {
		return tool.Errorf(tool.CodeConflict, "nothing was undone: %s", strings.Join(u.Refusals, "; "))
	}
	for _, r := range u.Steps {
		if err := u.apply(r); err != nil {
			return fmt.Errorf("undo call %d: %w", r.Call, err)
		}
		if done != nil {
			done(r)
		}
	}
	return nil
}

func (u *Undo) apply(r Reversal) error {
	switch r.Do {
	case RedoRename:
		return r.tree.Rename(r.From, r.Path)
	case RedoRemove:
		return r.tree.Remove(r.Path, r.Now)
	}
	a, err := u.store.OpenArtifact(u.Run, r.artifact)
	if err != nil {
		return err
	}
	defer a.Close()
	data := make([]byte, a.Bytes)
	if _, err := a.ReadAt(data, 0); err != nil && len(data) > 0 {
		return fmt.Errorf("read what %s held before: %w", r.Path, plainError(err))
	}
	if describe(data, "").ID != r.artifact {
		return tool.Errorf(tool.CodePrecondition, "what %s held before was kept as artifact %s, which is damaged", r.Path, r.artifact)
	}
	return r.tree.Write(r.Path, data, r.Now)
}
