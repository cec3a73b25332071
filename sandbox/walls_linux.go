package sandbox

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/sys/unix"
)

// putUp puts up the best walls up to the level wanted, and says what each
// layer lacks.
func (c *Cell) putUp() (walls, []Layer) {
	if rank(c.wanted.Level) == 0 {
		return noWalls{}, nil
	}
	layers := kernelLayers()
	able := !slices.ContainsFunc(layers, func(l Layer) bool { return !l.OK })
	if c.wanted.Level == LevelFull {
		w, more := c.enclose(able)
		layers = append(layers, more...)
		if w != nil {
			return w, layers
		}
	}
	if able && !c.wanted.Overlay {
		w, err := c.landlock()
		if err == nil {
			return w, layers
		}
		layers = append(layers, Layer{Name: "thread", Lacks: err.Error()})
	}
	return noWalls{}, layers
}

// kernelLayers are those that both levels stand on.
func kernelLayers() []Layer {
	landlock := Layer{Name: "landlock", OK: landlockABI() >= 1}
	if !landlock.OK {
		landlock.Lacks = "the kernel has no Landlock, or it is switched off; use Linux 5.13 or later and add landlock to the lsm= boot parameter"
	}
	seccomp := Layer{Name: "seccomp", OK: true}
	if err := haveSeccomp(); err != nil {
		seccomp = Layer{Name: "seccomp", Lacks: "the kernel or an outer sandbox does not allow filters of system calls: " + err.Error()}
	}
	return []Layer{landlock, seccomp}
}

// Probe says which layers a cell at [LevelFull] would have here, by making one
// in a temporary folder and taking it down.
func Probe() []Layer {
	dir, err := os.MkdirTemp("", "toolpost-probe")
	if err != nil {
		return append(kernelLayers(), Layer{Name: "root", Lacks: "no temporary folder can be made: " + bare(err).Error()})
	}
	defer os.RemoveAll(dir)
	root, err := Open(Profile{Workspace: dir})
	if err != nil {
		return append(kernelLayers(), Layer{Name: "root", Lacks: err.Error()})
	}
	defer root.Close()
	c, err := NewCell(root, Profile{Workspace: dir, Confine: Confine{Level: LevelFull}})
	if err != nil {
		return append(kernelLayers(), Layer{Name: "root", Lacks: err.Error()})
	}
	defer c.Close()
	return c.Layers()
}

// enclose makes a standing cell, or says what it lacks.
func (c *Cell) enclose(able bool) (walls, []Layer) {
	if !able {
		return nil, []Layer{{Name: "namespaces", Lacks: "not tried, for want of the layers before"}}
	}
	if !passedInit() {
		return nil, []Layer{{Name: "namespaces", Lacks: "the program does not call sandbox.Init first thing in its main function"}}
	}
	w, err := c.newEnclosure()
	if err == nil {
		return w, []Layer{{Name: "namespaces", OK: true}, {Name: "root", OK: true}, {Name: "user", OK: true}}
	}
	name := "root"
	if e, ok := err.(*stepError); ok && (strings.HasPrefix(e.step, "making namespaces") || strings.HasPrefix(e.step, "detaching")) {
		name = "namespaces"
		return nil, []Layer{{Name: name, Lacks: "the kernel does not let this user make namespaces (" + e.err.Error() + "); see user.max_user_namespaces and, on Ubuntu, kernel.apparmor_restrict_unprivileged_userns"}}
	}
	return nil, []Layer{{Name: "namespaces", OK: true}, {Name: name, Lacks: err.Error()}}
}

// reach is which paths commands can get at.
type reach struct {
	dirs []string
	home string
	tmp  string
}

func (c *Cell) reach(home, tmp string) reach {
	return reach{dirs: slices.Concat(systemDirs, c.wanted.Readable, c.wanted.Writable, c.root.bases, []string{home, tmp}), home: home, tmp: tmp}
}

func (r reach) has(path string) bool {
	return slices.ContainsFunc(r.dirs, func(dir string) bool { return covers(dir, path) })
}

// furnish leaves out variables that lead to where commands cannot go, and
// folders of PATH that are not there for them.
func (r reach) furnish(vars map[string]string) {
	for name, value := range vars {
		if name != "PATH" && filepath.IsAbs(value) && !r.has(filepath.Clean(value)) {
			delete(vars, name)
		}
	}
	var path []string
	for _, dir := range filepath.SplitList(vars["PATH"]) {
		if filepath.IsAbs(dir) && r.has(filepath.Clean(dir)) {
			path = append(path, dir)
		}
	}
	vars["PATH"] = strings.Join(path, ":")
	vars["HOME"], vars["TMPDIR"] = r.home, r.tmp
}

// protectedHere are the protected paths of the workspace that exist, relative
// to it, and the folders that must stay where they are for them to hold.
func (r *Root) protectedHere() (locked, pinned []string) {
	add := func(name string) {
		if info, err := r.root.Lstat(name); err == nil && info.Mode()&os.ModeSymlink == 0 {
			locked = append(locked, name)
		}
	}
	for _, name := range protectedNames {
		add(name)
	}
	if info, err := r.root.Lstat(".git"); err == nil {
		switch {
		case info.IsDir():
			pinned = append(pinned, ".git")
			for _, name := range gitProtected {
				add(".git/" + name)
			}
		case info.Mode().IsRegular():
			locked = append(locked, ".git")
		}
	}
	for _, name := range r.protected {
		if name == "." {
			continue
		}
		add(name)
		for dir := filepath.Dir(name); dir != "."; dir = filepath.Dir(dir) {
			if _, err := r.root.Lstat(dir); err == nil && !slices.Contains(pinned, dir) {
				pinned = append(pinned, dir)
			}
		}
	}
	slices.SortFunc(pinned, func(a, b string) int { return len(a) - len(b) })
	return locked, pinned
}

// sameFile names an inode as the kernel does.
func sameFile(f *os.File) (dev, ino uint64, uid, gid uint32, err error) {
	var st unix.Stat_t
	err = unix.Fstat(int(f.Fd()), &st)
	return uint64(st.Dev), st.Ino, st.Uid, st.Gid, err
}
