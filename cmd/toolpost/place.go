package main

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"

	"github.com/toolpost/toolpost/audit"
	"github.com/toolpost/toolpost/session"
)

// storeFolder is where runs and sessions are kept: --store (or the setting
// store, or TOOLPOST_STORE), else $XDG_DATA_HOME/toolpost, else
// ~/.local/share/toolpost. Without a home folder it is .toolpost/store of the
// project, which tools cannot write to.
func (p *program) storeFolder(c *config) string {
	if dir := c.text("store"); dir != "" {
		return p.absolute(dir)
	}
	if dir := p.env("XDG_DATA_HOME"); filepath.IsAbs(dir) {
		return filepath.Join(dir, "toolpost")
	}
	if dir := p.env("LOCALAPPDATA"); runtime.GOOS == "windows" && dir != "" {
		return filepath.Join(dir, "toolpost")
	}
	if home := p.env("HOME"); filepath.IsAbs(home) {
		return filepath.Join(home, ".local", "share", "toolpost")
	}
	return filepath.Join(c.project, ".toolpost", "store")
}

// absolute is a path that a person wrote: ~ is their home folder, and a relative
// one begins in the folder of -C.
func (p *program) absolute(path string) string {
	if rest, ok := strings.CutPrefix(path, "~/"); ok && p.env("HOME") != "" {
		return filepath.Join(p.env("HOME"), rest)
	}
	if filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(p.dir, path)
}

// workspaceKey is the setting that names the workspace.
func (c *config) workspaceKey() string {
	if c.values["workspace.root"].layer == layerDefaults && c.text("agents.defaults.workspace") != "" {
		return "agents.defaults.workspace"
	}
	return "workspace.root"
}

// workspace is the folder that tools work in.
func (p *program) workspace(c *config) string { return p.namedFolder(c, c.workspaceKey()) }

// namedFolder is the folder that a setting names. A relative one is below the
// project where a file says so, and below the folder of -C otherwise.
func (p *program) namedFolder(c *config, key string) string {
	v := c.values[key]
	root, _ := v.v.(string)
	if filepath.IsAbs(root) || strings.HasPrefix(root, "~/") || v.layer == layerFlag || v.layer == layerEnv {
		return p.absolute(root)
	}
	return filepath.Join(c.project, root)
}

// seedWorkspace is where seed 001 has its agents work. It holds nothing else, so
// a project's file may name it although it is outside.
const seedWorkspace = "~/.clawft/workspace"

// readyWorkspace is the workspace, which a project's own file may not lay outside
// of the project, by its name or by a link: a file that came with a project must
// not open the rest of the machine.
func (p *program) readyWorkspace(c *config) (string, error) {
	key, dir := c.workspaceKey(), p.workspace(c)
	if c.values[key].v == seedWorkspace {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return "", workspaceProblem(p.shortPath(dir), err)
		}
		return dir, nil
	}
	return p.ownFolder(c, key)
}

// ownFolder is the folder that a setting names, which a project's own file may
// only lay inside of the project.
func (p *program) ownFolder(c *config, key string) (string, error) {
	v, dir := c.values[key], p.namedFolder(c, key)
	if !c.byProject(key) || within(c.project, dir) {
		return dir, nil
	}
	return "", &problem{code: codeConfigValue, exit: exitInvalid,
		message: fmt.Sprintf("%s: %q is %q, outside the project; a project's file can only name a folder inside it", v.place, key, show(v.v)),
		advice:  "If you want that, say so yourself:", try: []string{"toolpost -c " + key + "=" + shellWord(show(v.v)) + " …"}}
}

// within reports whether a folder is another or lies in it, with links followed.
func within(outer, dir string) bool {
	a, errA := filepath.EvalSymlinks(outer)
	b, errB := filepath.EvalSymlinks(dir)
	if errA != nil || errB != nil {
		a, b = outer, dir // what is not there is refused when it is opened
	}
	rel, err := filepath.Rel(a, b)
	return err == nil && filepath.IsLocal(rel)
}

// inside is where a folder, which need not be there, lies in another, with
// slashes; ok is false if it lies elsewhere or is the same.
func inside(outer, dir string) (rel string, ok bool) {
	rel, err := filepath.Rel(outer, dir)
	if err != nil || rel == "." || !filepath.IsLocal(rel) {
		return "", false
	}
	return filepath.ToSlash(rel), true
}

// runStore is the store of runs.
func (p *program) runStore(c *config) *audit.Store {
	return &audit.Store{Dir: filepath.Join(p.storeFolder(c), "runs")}
}

// sessionStore is the store of sessions.
func (p *program) sessionStore(c *config) session.Store {
	return session.Store{Dir: filepath.Join(p.storeFolder(c), "sessions"), Log: p.logger(c)}
}

// memoryPath is the file of the memory tools: one for each workspace.
func (p *program) memoryPath(c *config) string {
	if path := c.text("tools.memory.path"); path != "" {
		return p.absolute(path)
	}
	sum := sha256.Sum256([]byte(p.workspace(c)))
	return filepath.Join(p.storeFolder(c), "memory", hex.EncodeToString(sum[:8])+".db")
}

// readyStore sees to it that the store can be written, before any work is done.
func (p *program) readyStore(c *config) error {
	dir := p.storeFolder(c)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return p.storeProblem(dir, err)
	}
	if filepath.Base(dir) != "store" || filepath.Base(filepath.Dir(dir)) != ".toolpost" {
		return nil
	}
	ignore := filepath.Join(dir, ".gitignore") // a record may hold what should not be published
	if exists(ignore) {
		return nil
	}
	if err := os.WriteFile(ignore, []byte("*\n"), 0o600); err != nil {
		return p.storeProblem(dir, err)
	}
	return nil
}

// storeProblem says why the store cannot be used.
func (p *program) storeProblem(dir string, err error) error {
	return &problem{code: codeStore, exit: exitInternal, message: fmt.Sprintf("the store %s cannot be written: %s", p.shortPath(dir), reason(err)), cause: err,
		advice: "Nothing was run, since nothing could be recorded. Make room or name another folder:", try: []string{"toolpost --store DIR …"}}
}

// isNotFolder reports whether a path leads through a file.
func isNotFolder(err error) bool { return errors.Is(err, syscall.ENOTDIR) }
