package sandbox

import (
	"io/fs"
	"os"
	"slices"
	"strings"
)

// protectedNames are read-only at any depth, with everything below them: our
// own configuration, and the files of other programs that run what they
// contain. A repository's own .git is in gitProtected.
var protectedNames = []string{
	".toolpost", "toolpost.toml", ".mcp.json",
	".vscode", ".idea", ".vs", ".zed", ".fleet", ".devcontainer", ".devcontainer.json",
	".claude", ".cursor", ".codex", ".gemini", ".windsurf", ".continue", ".roo", ".kiro",
	".cursorrules", ".exrc", ".nvimrc", ".nvim.lua", ".vimrc", ".dir-locals.el",
	".bashrc", ".bash_profile", ".bash_login", ".bash_logout", ".bash_aliases", ".profile",
	".zshrc", ".zshenv", ".zprofile", ".zlogin", ".zlogout",
	".gitconfig", ".gitmodules", ".ripgreprc", ".envrc",
}

// gitProtected are the parts of a .git folder that make git run something or
// look elsewhere. The rest stays writable, or a commit could not be made.
var gitProtected = []string{"hooks", "config", "config.worktree", "commondir", "modules", "worktrees"}

// Protected returns the built-in protected names. Each is read-only at any
// depth of the workspace, with all that lies below, in any letter case, and
// also when it does not exist yet. The entry .git itself can be made only as
// the folder of files that are written in it, and never replaced, moved or
// removed.
func Protected() []string {
	out := slices.Clone(protectedNames)
	for _, name := range gitProtected {
		out = append(out, ".git/"+name)
	}
	slices.Sort(out)
	return out
}

const msgProtected = "is protected: tools may read it and not change it; ask the operator to make the change"

// checkChange refuses a place that is protected, by its canonical path or by
// being the same file or folder as a protected one.
func (r *Root) checkChange(p *place) error {
	if r.protectedPath(p.parts()) {
		return fail(KindProtected, p.path(), msgProtected)
	}
	ids := r.protectedInfos()
	same := func(info fs.FileInfo) bool {
		return info != nil && slices.ContainsFunc(ids, func(id fs.FileInfo) bool { return os.SameFile(id, info) })
	}
	if same(p.info) || slices.ContainsFunc(p.dirs, func(d openDir) bool { return same(d.info) }) {
		return fail(KindProtected, p.path(), msgProtected)
	}
	return nil
}

// protectedPath judges the components of a canonical path.
func (r *Root) protectedPath(parts []string) bool {
	folded := make([]string, len(parts))
	for i, part := range parts {
		folded[i] = foldName(part)
	}
	for i, name := range folded {
		if slices.Contains(protectedNames, name) {
			return true
		}
		if name != ".git" && name != "git~1" {
			continue
		}
		if i == len(folded)-1 || slices.Contains(gitProtected, folded[i+1]) {
			return true
		}
	}
	for _, path := range r.protected {
		anchored := strings.Split(path, "/")
		if len(folded) < len(anchored) {
			continue
		}
		if slices.EqualFunc(folded[:len(anchored)], anchored, func(a, b string) bool { return a == foldName(b) }) {
			return true
		}
	}
	return slices.Contains(r.protected, ".")
}

// protectedInfos are the identities of the protected paths at the top of the
// workspace that exist, so that another name for one of them is seen through.
func (r *Root) protectedInfos() []fs.FileInfo {
	var infos []fs.FileInfo
	add := func(name string) {
		if info, err := r.root.Stat(name); err == nil {
			infos = append(infos, info)
		}
	}
	for _, name := range protectedNames {
		add(name)
	}
	if _, err := r.root.Lstat(".git"); err == nil {
		for _, name := range gitProtected {
			add(".git/" + name)
		}
	}
	for _, name := range r.protected {
		add(name)
	}
	return infos
}

// foldName maps the spellings that some file system takes for one name to one
// string: letter case, the characters HFS+ ignores, and the dots, blanks and
// stream suffixes Windows drops.
func foldName(name string) string {
	name, _, _ = strings.Cut(name, ":")
	name = strings.TrimRight(name, ". ")
	name = strings.Map(func(c rune) rune {
		switch {
		case c >= 0x200c && c <= 0x200f, c >= 0x202a && c <= 0x202e, c >= 0x206a && c <= 0x206f, c == 0xfeff:
			return -1
		case c == 'ſ':
			return 's'
		case c == 'K': // KELVIN SIGN
			return 'k'
		}
		return c
	}, name)
	return strings.ToLower(name)
}
