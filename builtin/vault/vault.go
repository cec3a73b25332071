package vault

import (
	"cmp"
	"context"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/toolpost/toolpost/builtin/internal/filetool"
	"github.com/toolpost/toolpost/sandbox"
	"github.com/toolpost/toolpost/tool"
)

// Vault is the tools over one folder of notes. It is safe for concurrent use and
// is not to be changed after Tools.
type Vault struct {
	// Root is the folder of the notes. It stays the caller's, who closes it.
	Root *sandbox.Root

	// Collision is what createFile and rename do about a path that is taken,
	// when a call does not say.
	Collision Collision
}

// Collision says what is done about a path that is taken.
type Collision string

// Ways to deal with a collision. The zero Collision is CollisionError.
const (
	CollisionError     Collision = "error"         // nothing is done, and the call fails with CONFLICT
	CollisionUnique    Collision = "create-unique" // "Note.md" becomes "Note 1.md"
	CollisionOverwrite Collision = "overwrite"
)

// Tools returns the nine tools.
func (v *Vault) Tools() []tool.Tool {
	return []tool.Tool{
		v.ensureTool(),
		v.listTool(),
		v.readTool(),
		v.createTool(),
		v.writeTool(),
		v.patchTool(),
		v.renameTool(),
		v.deleteTool(),
		v.searchTool(),
	}
}

const category = "vault"

// collision is what a call does about a path that is taken.
func (v *Vault) collision(asked Collision) Collision {
	return cmp.Or(asked, v.Collision, CollisionError)
}

// clean applies the rules for paths of a vault, which are stricter than those of
// the sandbox: a plan is read by people, and a path is to be what it looks like.
func (v *Vault) clean(name string) (string, error) {
	slashed := strings.ReplaceAll(name, `\`, "/")
	switch {
	case strings.HasPrefix(slashed, "/"):
		return "", badPath(name, "begins with a slash; paths start at the vault, such as Folder/Note.md")
	case strings.Contains(name, "://"):
		return "", badPath(name, "is a URL; give the path in the vault, such as Folder/Note.md")
	case slices.Contains(strings.Split(slashed, "/"), ".."):
		return "", badPath(name, `has ".." in it; give the path from the vault down`)
	}
	clean, err := v.Root.Clean(name)
	return clean, filetool.Fault(err)
}

func badPath(name, why string) error {
	return tool.Errorf(tool.CodePath, "path %q %s", filetool.Clip(name, 200), why)
}

// cleanTarget is clean for a path that is to be changed.
func (v *Vault) cleanTarget(name string) (string, error) {
	clean, err := v.clean(name)
	switch {
	case err != nil:
		return "", err
	case clean == ".":
		return "", badPath(name, "is the vault itself; name a file or folder in it")
	case slices.ContainsFunc(strings.Split(clean, "/"), func(s string) bool { return strings.EqualFold(s, ".obsidian") }):
		return "", tool.Errorf(tool.CodeDenied, "path %q is Obsidian's own configuration, which may run code: tools may read it and not change it", clean)
	}
	return clean, nil
}

// missing is filetool.Fault for a path that a caller believed to exist, with the
// names nearest to it.
func (v *Vault) missing(ctx context.Context, name string, err error) error {
	return filetool.Missing(ctx, v.Root, name, hidden, err)
}

// hidden leaves out of a walk what Obsidian does not show.
func hidden(e sandbox.Entry) bool { return strings.HasPrefix(e.Name, ".") }

// mtime is when a file was changed last, in milliseconds; 0 if that is not known.
func (v *Vault) mtime(name string) int64 {
	e, err := v.Root.Stat(name)
	if err != nil {
		return 0
	}
	return e.ModTime.UnixMilli()
}

// mostNames bounds the search for a name that is free.
const mostNames = 10_000

// unique calls try with name and, as long as that finds it taken, with "name 1",
// "name 2" and so on in front of the extension.
func unique(name string, try func(string) error) error {
	dir, base := path.Split(name)
	ext := path.Ext(base)
	if ext == base { // .hidden
		ext = ""
	}
	stem := strings.TrimSuffix(base, ext)
	err := try(name)
	for n := 1; sandbox.KindOf(err) == sandbox.KindExists && n <= mostNames; n++ {
		err = try(dir + stem + " " + strconv.Itoa(n) + ext)
	}
	return err
}
