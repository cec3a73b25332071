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

// workspace is the folder that tools work in. A relative one is below the
// project where a file says so, and below the folder of -C otherwise.
func (p *program) workspace(c *config) string {
	key := "workspace.root"
	if v := c.values[key]; v.layer == layerDefaults && c.text("agents.defaults.workspace") != "" {
		key = "agents.defaults.workspace"
	}
	v := c.values[key]
	root, _ := v.v.(string)
	if filepath.IsAbs(root) || strings.HasPrefix(root, "~/") || v.layer == layerFlag || v.layer == layerEnv {
		return p.absolute(root)
	}
	return filepath.Join(c.project, root)
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
