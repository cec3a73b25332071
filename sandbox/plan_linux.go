package sandbox

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/sys/unix"
)

// plan is the cell that the runtime wants, for the process that builds it.
type plan struct {
	UID, GID  int      // of commands, as they see it
	Root      bool     // the runtime is root, and so groups can and must be given up
	Workspace []string // where it is to be found, the source first
	Dev, Ino  uint64   // what the source must be
	Handed    []string // targets whose trees come as descriptors, in order
	Readable  []string
	Writable  []string
	Locked    []string // below the workspace, read-only
	Pinned    []string // below the workspace, not to be moved
	TmpBytes  int64
	Processes int
	Overlay   bool
}

const (
	cellHome = "/home/user"
	oldRoot  = "/.old"
	scratch  = "/.scratch"
)

// systemDirs are what programs are made of. What is a link is made one again.
var systemDirs = []string{"/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/nix/store", "/gnu/store"}

// systemFiles are what programs read of /etc, and nothing that tells of the
// machine's people or services.
var systemFiles = []string{
	"ld.so.cache", "ld.so.conf", "ld.so.conf.d", "ssl", "pki", "ca-certificates", "ca-certificates.conf", "crypto-policies",
	"alternatives", "localtime", "timezone", "locale.alias", "locale.conf", "default/locale", "inputrc", "terminfo", "mime.types", "magic", "magic.mime",
	"services", "protocols", "rpc", "ethertypes", "os-release", "debian_version", "lsb-release", "alpine-release", "redhat-release",
	"fonts", "java", "java-8-openjdk", "java-11-openjdk", "java-17-openjdk", "java-21-openjdk", "perl", "python3", "python3.11", "python3.12", "python3.13",
	"bash.bashrc", "profile", "profile.d", "skel", "papersize", "nanorc", "vim", "manpath.config", "mailcap", "gai.conf", "host.conf", "request-key.conf", "ghostscript", "texmf", "R", "openmpi", "maven", "gradle", "php", "static",
}

var deviceFiles = []string{"null", "zero", "full", "random", "urandom", "tty"}

// build makes the cell's root around the calling process and enters it.
func (p *plan) build(files []*os.File, w *wire) error {
	if err := p.beginRoot(); err != nil {
		return err
	}
	steps := []func() error{p.mountSystem, p.mountEtc, p.mountProc, p.mountDev, p.mountScratch, func() error { return p.mountShares(files) },
		p.lockPaths, func() error { return p.showLayer(w) }, p.finishRoot, p.nameHost}
	for _, do := range steps {
		if err := do(); err != nil {
			return err
		}
	}
	return nil
}

// beginRoot puts an empty root before the old one, which is then at oldRoot.
func (p *plan) beginRoot() error {
	unix.Umask(0)
	if err := unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, ""); err != nil {
		return step("detaching mounts from the host's", err)
	}
	base := "/tmp"
	if info, err := os.Stat(base); err != nil || !info.IsDir() {
		base = "/usr"
	}
	if err := unix.Mount("cell", base, "tmpfs", unix.MS_NOSUID|unix.MS_NODEV, "mode=0755,size=4m"); err != nil {
		return step("mounting a root", err)
	}
	if err := os.Mkdir(base+oldRoot, 0o700); err != nil {
		return step("making the old root's place", err)
	}
	if err := unix.PivotRoot(base, base+oldRoot); err != nil {
		return step("changing the root", err)
	}
	return step("entering the root", os.Chdir("/"))
}

// bind attaches what is at source, in the old root, to target.
func bind(source, target string, attrs uint64) error {
	tree, err := unix.OpenTree(unix.AT_FDCWD, oldRoot+source, unix.OPEN_TREE_CLONE|unix.OPEN_TREE_CLOEXEC|unix.AT_RECURSIVE)
	if err != nil {
		return step("taking "+source, err)
	}
	defer unix.Close(tree)
	return attach(tree, target, attrs)
}

// attach puts a detached tree at target, with the attributes everywhere in it.
func attach(tree int, target string, attrs uint64) error {
	attr := unix.MountAttr{Attr_set: attrs | unix.MOUNT_ATTR_NOSUID | unix.MOUNT_ATTR_NODEV, Propagation: unix.MS_PRIVATE}
	if err := unix.MountSetattr(tree, "", unix.AT_EMPTY_PATH|unix.AT_RECURSIVE, &attr); err != nil {
		return step("limiting the mount at "+target, err)
	}
	if err := mountPoint(tree, target); err != nil {
		return step("making a place at "+target, err)
	}
	return step("mounting "+target, unix.MoveMount(tree, "", unix.AT_FDCWD, target, unix.MOVE_MOUNT_F_EMPTY_PATH))
}

// mountPoint makes the folder or file that a tree is put on, where there is none.
func mountPoint(tree int, target string) error {
	var st unix.Stat_t
	if err := unix.Fstat(tree, &st); err != nil {
		return err
	}
	if _, err := os.Lstat(target); err == nil {
		return nil
	}
	if st.Mode&unix.S_IFMT == unix.S_IFDIR {
		return os.MkdirAll(target, 0o755)
	}
	if err := os.MkdirAll(filepath.Dir(target), 0o755); err != nil {
		return err
	}
	return os.WriteFile(target, nil, 0o644)
}

func (p *plan) mountSystem() error {
	for _, dir := range systemDirs {
		info, err := os.Lstat(oldRoot + dir)
		if err != nil {
			continue
		}
		if info.Mode()&os.ModeSymlink != 0 {
			to, err := os.Readlink(oldRoot + dir)
			if err != nil || os.Symlink(to, dir) != nil {
				return step("linking "+dir, err)
			}
			continue
		}
		if err := bind(dir, dir, unix.MOUNT_ATTR_RDONLY); err != nil {
			return err
		}
	}
	return nil
}

// mountEtc makes an /etc of what programs need, with two people in it.
func (p *plan) mountEtc() error {
	if err := os.Mkdir("/etc", 0o755); err != nil {
		return step("making /etc", err)
	}
	for name, text := range p.etcFiles() {
		if err := os.WriteFile("/etc/"+name, []byte(text), 0o644); err != nil {
			return step("writing /etc/"+name, err)
		}
	}
	for _, name := range systemFiles {
		path := "/etc/" + name
		info, err := os.Lstat(oldRoot + path)
		switch {
		case err != nil:
			continue
		case info.Mode()&os.ModeSymlink != 0:
			if to, err := os.Readlink(oldRoot + path); err == nil {
				_ = os.Symlink(to, path)
			}
		default:
			if err := bind(path, path, unix.MOUNT_ATTR_RDONLY); err != nil {
				return err
			}
		}
	}
	return nil
}

// mountProc needs the old root's /proc to be there and whole: the kernel gives
// no new one to those who could not see all of the old.
func (p *plan) mountProc() error {
	if err := os.Mkdir("/proc", 0o755); err != nil {
		return step("making /proc", err)
	}
	if err := unix.Mount("proc", "/proc", "proc", unix.MS_NOSUID|unix.MS_NODEV|unix.MS_NOEXEC, ""); err != nil {
		return step("mounting /proc", err)
	}
	_ = os.WriteFile("/proc/sys/user/max_user_namespaces", []byte("0"), 0)
	for _, path := range []string{"/proc/sys", "/proc/sysrq-trigger", "/proc/irq", "/proc/bus", "/proc/acpi", "/proc/scsi", "/proc/fs"} {
		_ = remountReadOnly(path)
	}
	for _, path := range []string{"/proc/kcore", "/proc/keys", "/proc/timer_list", "/proc/sched_debug", "/proc/key-users"} {
		_ = unix.Mount(oldRoot+"/dev/null", path, "", unix.MS_BIND, "")
	}
	return nil
}

// remountReadOnly makes a path a read-only mount of itself.
func remountReadOnly(path string) error {
	tree, err := unix.OpenTree(unix.AT_FDCWD, path, unix.OPEN_TREE_CLONE|unix.OPEN_TREE_CLOEXEC|unix.AT_RECURSIVE|unix.AT_SYMLINK_NOFOLLOW)
	if err != nil {
		return err
	}
	defer unix.Close(tree)
	return attach(tree, path, unix.MOUNT_ATTR_RDONLY)
}

func (p *plan) mountDev() error {
	if err := os.MkdirAll("/dev/pts", 0o755); err != nil {
		return step("making /dev", err)
	}
	for _, name := range deviceFiles {
		path := "/dev/" + name
		if err := os.WriteFile(path, nil, 0o666); err != nil {
			return step("making "+path, err)
		}
		if err := unix.Mount(oldRoot+path, path, "", unix.MS_BIND, ""); err != nil {
			return step("mounting "+path, err)
		}
	}
	if err := unix.Mount("devpts", "/dev/pts", "devpts", unix.MS_NOSUID|unix.MS_NOEXEC, "newinstance,ptmxmode=0666,mode=0620"); err != nil {
		return step("mounting /dev/pts", err)
	}
	for name, to := range map[string]string{
		"ptmx": "pts/ptmx", "fd": "/proc/self/fd", "stdin": "/proc/self/fd/0", "stdout": "/proc/self/fd/1", "stderr": "/proc/self/fd/2",
	} {
		if err := os.Symlink(to, "/dev/"+name); err != nil {
			return step("linking /dev/"+name, err)
		}
	}
	return nil
}

// mountScratch makes one temporary file system of all that commands may write
// outside the workspace, so that one size bounds it.
func (p *plan) mountScratch() error {
	if err := os.Mkdir(scratch, 0o700); err != nil {
		return step("making temporary space", err)
	}
	size := itoa(p.TmpBytes)
	options := "mode=0755,size=" + size + ",nr_inodes=" + itoa(max(p.TmpBytes/4096, 1024))
	if err := unix.Mount("tmp", scratch, "tmpfs", unix.MS_NOSUID|unix.MS_NODEV, options); err != nil {
		return step("mounting temporary space", err)
	}
	for name, target := range map[string]string{"tmp": "/tmp", "home": cellHome, "shm": "/dev/shm", "run": "/run", "vartmp": "/var/tmp"} {
		from := scratch + "/" + name
		if err := step("making "+target, firstError(os.Mkdir(from, 0o777), os.MkdirAll(target, 0o755), own(from, p.UID, p.GID))); err != nil {
			return err
		}
		if err := unix.Mount(from, target, "", unix.MS_BIND, ""); err != nil {
			return step("mounting "+target, err)
		}
	}
	return nil
}

// mountShares puts the workspace and what the operator named in their places.
func (p *plan) mountShares(files []*os.File) error {
	handed := map[string]int{}
	for i, target := range p.Handed {
		if i < len(files) {
			handed[target] = int(files[i].Fd())
		}
	}
	for _, path := range p.Readable {
		if _, err := os.Stat(oldRoot + path); err == nil {
			if err := bind(path, path, unix.MOUNT_ATTR_RDONLY); err != nil {
				return err
			}
		}
	}
	for _, path := range slices.Concat(p.Writable, p.Workspace[:1]) {
		if fd, ok := handed[path]; ok {
			if err := attach(fd, path, 0); err != nil {
				return err
			}
		} else if err := bind(path, path, 0); err != nil {
			return err
		}
	}
	if err := p.checkWorkspace(); err != nil {
		return err
	}
	if p.Overlay {
		if err := p.mountOverlay(); err != nil {
			return err
		}
	}
	for _, other := range p.Workspace[1:] {
		if err := os.MkdirAll(other, 0o755); err != nil {
			return step("making a place at "+other, err)
		}
		if err := unix.Mount(p.Workspace[0], other, "", unix.MS_BIND|unix.MS_REC, ""); err != nil {
			return step("mounting "+other, err)
		}
	}
	return nil
}

// checkWorkspace makes sure that the name still led to the folder that the
// runtime holds open.
func (p *plan) checkWorkspace() error {
	var st unix.Stat_t
	if err := unix.Stat(p.Workspace[0], &st); err != nil {
		return step("finding the workspace", err)
	}
	if uint64(st.Dev) != p.Dev || st.Ino != p.Ino {
		return step("finding the workspace, which is another folder by now", unix.ESTALE)
	}
	return nil
}

// lockPaths makes protected paths read-only, and keeps the folders they are in
// from being moved away: a mount point can be neither renamed nor removed.
func (p *plan) lockPaths() error {
	for _, root := range p.Workspace {
		for _, name := range p.Pinned {
			path := filepath.Join(root, name)
			if err := unix.Mount(path, path, "", unix.MS_BIND|unix.MS_REC, ""); err != nil {
				return step("keeping a protected folder in its place", err)
			}
		}
		for _, name := range p.Locked {
			if err := remountReadOnly(filepath.Join(root, name)); err != nil {
				return err
			}
		}
	}
	return nil
}

// finishRoot lets go of the old root and closes the new one.
func (p *plan) finishRoot() error {
	if err := unix.Unmount(oldRoot, unix.MNT_DETACH); err != nil {
		return step("leaving the old root", err)
	}
	if err := unix.Unmount(scratch, unix.MNT_DETACH); err != nil {
		return step("hiding temporary space", err)
	}
	_ = os.Remove(oldRoot)
	_ = os.Remove(scratch)
	attr := unix.MountAttr{Attr_set: unix.MOUNT_ATTR_RDONLY}
	return step("closing the root", unix.MountSetattr(unix.AT_FDCWD, "/", 0, &attr))
}

// covers reports whether path is dir or below it.
func covers(dir, path string) bool {
	return path == dir || strings.HasPrefix(path, strings.TrimSuffix(dir, "/")+"/")
}
