package sandbox

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"

	"golang.org/x/sys/unix"
)

// enclosure is [LevelFull]: a standing cell.
type enclosure struct {
	reach
	*standing
	host     int // the user that commands are, as the host sees it
	group    int
	starting sync.Mutex // the first process knows one new process at a time
}

// nobody is the user that commands of root's are, unless the workspace belongs
// to somebody.
const nobody = 65534

// insideUser is who commands are by their own lights when this process is root.
const insideUser = 1000

func (c *Cell) newEnclosure() (*enclosure, error) {
	ws, err := c.root.root.Open(".")
	if err != nil {
		return nil, step("opening the workspace", err)
	}
	defer ws.Close()
	dev, ino, uid, gid, err := sameFile(ws)
	if err != nil {
		return nil, step("examining the workspace", err)
	}
	for _, dir := range append([]string{"/", oldRoot, "/proc", "/dev", "/etc"}, systemDirs...) {
		for _, base := range c.root.bases {
			if base == dir || base == "/" {
				return nil, step("choosing "+quote(base)+" for a workspace, which is the system itself", unix.EBUSY)
			}
		}
	}
	p := &plan{
		Workspace: c.root.bases, Dev: dev, Ino: ino, Readable: c.wanted.Readable, Writable: c.wanted.Writable,
		TmpBytes: c.wanted.TmpBytes, Processes: c.limits.Processes, Overlay: c.wanted.Overlay,
	}
	if p.TmpBytes <= 0 {
		p.TmpBytes = DefaultTmpBytes
	}
	p.Locked, p.Pinned = c.root.protectedHere()
	e := &enclosure{reach: c.reach(cellHome, "/tmp"), host: os.Geteuid(), group: os.Getegid()}
	attr := e.namespaces(p, int(uid), int(gid))
	handed, err := e.handOver(p, uid)
	if err != nil {
		return nil, err
	}
	defer closeAll(handed)
	e.standing, err = stand(p, handed, attr)
	if err != nil {
		return nil, err
	}
	return e, nil
}

// namespaces decides who commands are and makes the attributes of the first
// process.
func (e *enclosure) namespaces(p *plan, owner, group int) *syscall.SysProcAttr {
	attr := &syscall.SysProcAttr{
		Setsid: true,
		Cloneflags: unix.CLONE_NEWUSER | unix.CLONE_NEWNS | unix.CLONE_NEWPID | unix.CLONE_NEWNET | unix.CLONE_NEWIPC | unix.CLONE_NEWUTS |
			unix.CLONE_NEWCGROUP,
		AmbientCaps: []uintptr{
			unix.CAP_SYS_ADMIN, unix.CAP_SETUID, unix.CAP_SETGID, unix.CAP_SETPCAP, unix.CAP_NET_ADMIN, unix.CAP_SYS_CHROOT,
			unix.CAP_CHOWN, unix.CAP_FOWNER, unix.CAP_DAC_OVERRIDE, unix.CAP_SYS_RESOURCE,
		},
	}
	if e.host != 0 || !mapsUser(nobody) {
		p.UID, p.GID = e.host, e.group
		if e.host == 0 { // of a container that knows no other user
			p.UID, p.GID = insideUser, insideUser
		}
		attr.UidMappings = []syscall.SysProcIDMap{{ContainerID: p.UID, HostID: e.host, Size: 1}}
		attr.GidMappings = []syscall.SysProcIDMap{{ContainerID: p.GID, HostID: e.group, Size: 1}}
		return attr
	}
	p.Root, p.UID, p.GID = true, insideUser, insideUser
	e.host, e.group = nobody, nobody
	if owner != 0 {
		e.host, e.group = owner, group
		if group == 0 {
			e.group = nobody
		}
	}
	attr.UidMappings = []syscall.SysProcIDMap{{ContainerID: 0, HostID: 0, Size: 1}, {ContainerID: insideUser, HostID: e.host, Size: 1}}
	attr.GidMappings = []syscall.SysProcIDMap{{ContainerID: 0, HostID: 0, Size: 1}, {ContainerID: insideUser, HostID: e.group, Size: 1}}
	attr.GidMappingsEnableSetgroups = true
	return attr
}

// mapsUser reports whether our own user namespace knows a user.
func mapsUser(uid int) bool {
	b, err := os.ReadFile("/proc/self/uid_map")
	if err != nil {
		return false
	}
	for line := range strings.Lines(string(b)) {
		f := strings.Fields(line)
		if len(f) != 3 {
			continue
		}
		first, _ := strconv.Atoi(f[0])
		size, _ := strconv.Atoi(f[2])
		if uid >= first && uid-first < size {
			return true
		}
	}
	return false
}

// handOver makes mounts that this process, being root, must make: of folders
// that root owns, in which commands are to have root's place. Elsewhere the
// cell makes its own.
func (e *enclosure) handOver(p *plan, owner uint32) ([]*os.File, error) {
	if !p.Root {
		return nil, nil
	}
	var ids, mounts []*os.File
	defer func() { closeAll(ids) }()
	for _, path := range append([]string{p.Workspace[0]}, p.Writable...) {
		info, err := os.Stat(path)
		if err != nil {
			closeAll(mounts)
			return nil, step("finding "+path, err)
		}
		if st, ok := info.Sys().(*syscall.Stat_t); !ok || st.Uid != 0 {
			continue
		}
		if len(ids) == 0 {
			ns, err := swappedIDs(e.host, e.group)
			if err != nil {
				closeAll(mounts)
				return nil, step("mapping users", err)
			}
			ids = []*os.File{ns}
		}
		mount, err := mappedMount(path, ids[0])
		if err != nil {
			closeAll(mounts)
			return nil, step("lending "+filepath.Base(path)+" to another user than root; its file system must allow mapped mounts", err)
		}
		mounts = append(mounts, mount)
		p.Handed = append(p.Handed, path)
	}
	return mounts, nil
}

// mappedMount is a mount of a folder in which users are exchanged.
func mappedMount(path string, ids *os.File) (*os.File, error) {
	const tree = unix.OPEN_TREE_CLONE | unix.OPEN_TREE_CLOEXEC
	attr := unix.MountAttr{Attr_set: unix.MOUNT_ATTR_IDMAP, Userns_fd: uint64(ids.Fd())}
	var err error
	for _, deep := range []uint{unix.AT_RECURSIVE, 0} { // a mount below may not allow it
		var fd int
		if fd, err = unix.OpenTree(unix.AT_FDCWD, path, tree|deep); err != nil {
			return nil, err
		}
		if err = unix.MountSetattr(fd, "", unix.AT_EMPTY_PATH|deep, &attr); err == nil {
			return os.NewFile(uintptr(fd), "mount"), nil
		}
		unix.Close(fd)
	}
	return nil, err
}

// swappedIDs is a user namespace that exchanges root and another user, made by
// a process that ends at once.
func swappedIDs(uid, gid int) (*os.File, error) {
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		return nil, err
	}
	defer null.Close()
	proc, err := os.StartProcess("/proc/self/exe", []string{nameHolder}, &os.ProcAttr{
		Env: []string{}, Files: []*os.File{null, null, null},
		Sys: &syscall.SysProcAttr{Setsid: true, Cloneflags: unix.CLONE_NEWUSER, UidMappings: exchanged(uid), GidMappings: exchanged(gid)},
	})
	if err != nil {
		return nil, err
	}
	defer func() {
		_ = proc.Kill()
		_, _ = proc.Wait()
	}()
	return os.Open("/proc/" + strconv.Itoa(proc.Pid) + "/ns/user")
}

func exchanged(id int) []syscall.SysProcIDMap {
	return []syscall.SysProcIDMap{
		{ContainerID: 0, HostID: id, Size: 1}, {ContainerID: 1, HostID: 1, Size: id - 1},
		{ContainerID: id, HostID: 0, Size: 1}, {ContainerID: id + 1, HostID: id + 1, Size: 1 << 30},
	}
}

func (e *enclosure) level() string { return LevelFull }

func (e *enclosure) apart() bool { return true }

func (e *enclosure) fallen() bool {
	select {
	case <-e.gone:
		return true
	default:
		return false
	}
}

func (e *enclosure) start(s spawn) (child, *tree, error) {
	e.lendPipes(s.files)
	t := s.mark.next()
	t.marked = true
	f := frame{
		Path: []byte(s.path), Dir: []byte(s.dir.host), Argv: bytesOf(s.argv), Env: bytesOf(s.env),
		Mark: t.mark, TTY: s.cmd.TTY != nil,
	}
	e.starting.Lock()
	defer e.starting.Unlock()
	i, err := e.standing.start(f, s.files)
	if err != nil {
		return nil, nil, cellError(err)
	}
	t.leader = i.host
	return i, t, nil
}

// lendPipes gives pipes to the user that commands are, or /dev/stdout could not
// be opened again.
func (e *enclosure) lendPipes(files []*os.File) {
	if os.Geteuid() != 0 {
		return
	}
	for _, f := range files {
		if info, err := f.Stat(); err == nil && info.Mode()&os.ModeNamedPipe != 0 {
			_ = f.Chown(e.host, e.group)
		}
	}
}

// cellError is an error of the cell as that of a start in this process is.
func cellError(err error) error {
	if e, ok := err.(*stepError); ok && e.step == "entering the folder" {
		return wrap("entering the folder", "", e.err)
	}
	if e, ok := err.(*stepError); ok {
		return e.err
	}
	return err
}

func bytesOf(list []string) [][]byte {
	out := make([][]byte, len(list))
	for i, s := range list {
		out[i] = []byte(s)
	}
	return out
}
