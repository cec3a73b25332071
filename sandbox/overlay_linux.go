package sandbox

import (
	"os"
	"path/filepath"
	"strconv"
	"syscall"

	"golang.org/x/sys/unix"
)

// Where an overlay keeps what commands change, before the scratch space is
// hidden from them.
const (
	overlayUpper = scratch + "/upper"
	overlayWork  = scratch + "/work"
)

// mountOverlay puts over the workspace a layer that takes all changes. The
// runtime gets a descriptor of it, and nobody else can reach it.
func (p *plan) mountOverlay() error {
	if err := os.MkdirAll(overlayWork, 0o700); err != nil {
		return step("making a layer", err)
	}
	var st unix.Stat_t
	if err := firstError(os.Mkdir(overlayUpper, 0o755), unix.Stat(p.Workspace[0], &st), os.Chown(overlayUpper, int(st.Uid), int(st.Gid)), os.Chmod(overlayUpper, os.FileMode(st.Mode&0o777))); err != nil {
		return step("making a layer", err)
	}
	// Relative, since a path could hold the characters that part options.
	if err := os.Chdir(p.Workspace[0]); err != nil {
		return step("entering the workspace", err)
	}
	options := "lowerdir=.,upperdir=" + overlayUpper + ",workdir=" + overlayWork + ",userxattr,xino=off"
	if err := unix.Mount("overlay", p.Workspace[0], "overlay", unix.MS_NOSUID|unix.MS_NODEV, options); err != nil {
		return step("laying an overlay over the workspace", err)
	}
	return step("leaving the workspace", os.Chdir("/"))
}

// showLayer hands the layer to the runtime.
func (p *plan) showLayer(w *wire) error {
	if !p.Overlay {
		return nil
	}
	fd, err := unix.Open(overlayUpper, unix.O_RDONLY|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return step("opening the layer", err)
	}
	defer unix.Close(fd)
	return step("handing out the layer", w.send(frame{Op: opLayer}, fd))
}

// layer opens the changes of a standing overlay. It fails where none stands,
// or while commands run.
func (c *Cell) layer() (*os.Root, error) {
	c.mu.Lock()
	busy := len(c.running)
	c.mu.Unlock()
	if !c.wanted.Overlay {
		return nil, fail(KindInvalid, "", "the cell has no overlay; changes went to the workspace at once")
	}
	if busy > 0 {
		return nil, fail(KindConflict, "", strconv.Itoa(busy)+" commands still run in the overlay; end them first")
	}
	c.standMu.Lock()
	defer c.standMu.Unlock()
	e, ok := c.walls.(*enclosure)
	if !ok {
		return nil, nil // nothing was started, so nothing changed
	}
	root, err := os.OpenRoot(descriptorPath(e.layer, ""))
	return root, wrap("opening the overlay", "", err)
}

// drop ends the cell and its overlay; the next command starts with a new one.
func (c *Cell) drop() {
	c.standMu.Lock()
	defer c.standMu.Unlock()
	if c.walls != nil {
		c.walls.close()
		c.walls = nil
	}
}

// whiteout reports whether an entry of a layer says that the name is gone.
func whiteout(info os.FileInfo) bool {
	if info.Mode()&os.ModeCharDevice == 0 {
		return false
	}
	st, ok := info.Sys().(*syscall.Stat_t)
	return ok && st.Rdev == 0
}

// opaque reports whether a folder of the layer hides the one below it.
func opaque(layer *os.Root, name string) bool {
	f, err := layer.Open(filepath.FromSlash(name))
	if err != nil {
		return false
	}
	defer f.Close()
	var value [1]byte
	n, err := unix.Fgetxattr(int(f.Fd()), "user.overlay.opaque", value[:])
	return err == nil && n == 1 && value[0] == 'y'
}
