package sandbox

import (
	"os"
	"unsafe"

	"golang.org/x/sys/unix"
)

// What Landlock calls access rights, grouped as rules are given; see
// landlock(7). Rights that a kernel does not know are left out.
const (
	mayRead  = unix.LANDLOCK_ACCESS_FS_EXECUTE | unix.LANDLOCK_ACCESS_FS_READ_FILE | unix.LANDLOCK_ACCESS_FS_READ_DIR
	mayWrite = mayRead | unix.LANDLOCK_ACCESS_FS_WRITE_FILE | unix.LANDLOCK_ACCESS_FS_TRUNCATE |
		unix.LANDLOCK_ACCESS_FS_REMOVE_DIR | unix.LANDLOCK_ACCESS_FS_REMOVE_FILE |
		unix.LANDLOCK_ACCESS_FS_MAKE_DIR | unix.LANDLOCK_ACCESS_FS_MAKE_REG | unix.LANDLOCK_ACCESS_FS_MAKE_SOCK |
		unix.LANDLOCK_ACCESS_FS_MAKE_FIFO | unix.LANDLOCK_ACCESS_FS_MAKE_SYM | unix.LANDLOCK_ACCESS_FS_REFER
	mayUse = mayRead | unix.LANDLOCK_ACCESS_FS_WRITE_FILE | unix.LANDLOCK_ACCESS_FS_TRUNCATE | unix.LANDLOCK_ACCESS_FS_IOCTL_DEV
	onFile = unix.LANDLOCK_ACCESS_FS_EXECUTE | unix.LANDLOCK_ACCESS_FS_READ_FILE | unix.LANDLOCK_ACCESS_FS_WRITE_FILE |
		unix.LANDLOCK_ACCESS_FS_TRUNCATE | unix.LANDLOCK_ACCESS_FS_IOCTL_DEV
)

// handledFS are all file rights up to an ABI version: what is handled and not
// granted by a rule is refused.
func handledFS(abi int) uint64 {
	rights := uint64(1<<13 - 1)
	for least, right := range map[int]uint64{
		2: unix.LANDLOCK_ACCESS_FS_REFER, 3: unix.LANDLOCK_ACCESS_FS_TRUNCATE,
		5: unix.LANDLOCK_ACCESS_FS_IOCTL_DEV, 9: unix.LANDLOCK_ACCESS_FS_RESOLVE_UNIX,
	} {
		if abi >= least {
			rights |= right
		}
	}
	return rights
}

// landlockABI is the version that the kernel speaks, 0 for none.
func landlockABI() int {
	v, _, errno := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, 0, 0, unix.LANDLOCK_CREATE_RULESET_VERSION)
	if errno != 0 {
		return 0
	}
	return int(v)
}

// grant is a rule: rights on a path and all below it, or on an open file.
type grant struct {
	path   string
	fd     int // used when path is empty
	rights uint64
}

// landlockRules is a set of rules, made once and applied to threads.
type landlockRules struct {
	file *os.File
}

// newLandlock makes a set. Paths that do not exist are left out: nothing is
// granted for them. With network, TCP is left to other walls.
func newLandlock(grants []grant, network bool) (*landlockRules, error) {
	abi := landlockABI()
	if abi < 1 {
		return nil, unix.ENOSYS
	}
	attr := unix.LandlockRulesetAttr{Handled_access_fs: handledFS(abi)}
	size := unsafe.Sizeof(attr.Handled_access_fs)
	if abi >= 4 {
		size = unsafe.Offsetof(attr.Scoped)
		if !network {
			attr.Handled_access_net = unix.LANDLOCK_ACCESS_NET_BIND_TCP | unix.LANDLOCK_ACCESS_NET_CONNECT_TCP
		}
	}
	if abi >= 6 {
		size = unsafe.Offsetof(attr.Scoped) + unsafe.Sizeof(attr.Scoped)
		attr.Scoped = unix.LANDLOCK_SCOPE_ABSTRACT_UNIX_SOCKET | unix.LANDLOCK_SCOPE_SIGNAL
	}
	fd, _, errno := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, uintptr(unsafe.Pointer(&attr)), size, 0)
	if errno != 0 {
		return nil, errno
	}
	rules := &landlockRules{file: os.NewFile(fd, "landlock")}
	for _, g := range grants {
		if err := rules.add(g, attr.Handled_access_fs); err != nil {
			rules.close()
			return nil, err
		}
	}
	return rules, nil
}

func (r *landlockRules) add(g grant, handled uint64) error {
	fd := g.fd
	if g.path != "" {
		var err error
		if fd, err = unix.Open(g.path, unix.O_PATH|unix.O_CLOEXEC, 0); err != nil {
			return nil // not there, or not to be entered by this user either
		}
		defer unix.Close(fd)
	}
	rights := g.rights & handled
	var st unix.Stat_t
	if unix.Fstat(fd, &st) == nil && st.Mode&unix.S_IFMT != unix.S_IFDIR {
		rights &= onFile
	}
	attr := unix.LandlockPathBeneathAttr{Allowed_access: rights, Parent_fd: int32(fd)}
	_, _, errno := unix.Syscall6(unix.SYS_LANDLOCK_ADD_RULE, r.file.Fd(), unix.LANDLOCK_RULE_PATH_BENEATH, uintptr(unsafe.Pointer(&attr)), 0, 0, 0)
	if errno != 0 {
		return errno
	}
	return nil
}

// restrict puts the rules on the calling thread, for good. The thread must
// have given up new privileges.
func (r *landlockRules) restrict() error {
	if _, _, errno := unix.Syscall(unix.SYS_LANDLOCK_RESTRICT_SELF, r.file.Fd(), 0, 0); errno != 0 {
		return errno
	}
	return nil
}

func (r *landlockRules) close() {
	if r != nil {
		r.file.Close()
	}
}
