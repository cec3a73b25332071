package sandbox

import (
	"os"
	"strconv"
	"unsafe"

	"golang.org/x/sys/unix"
)

func itoa(n int64) string { return strconv.FormatInt(n, 10) }

func own(path string, uid, gid int) error {
	return firstError(os.Chown(path, uid, gid), os.Chmod(path, 0o777|os.ModeSticky))
}

func firstError(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// etcFiles are the files of /etc that are the cell's own.
func (p *plan) etcFiles() map[string]string {
	uid, gid := strconv.Itoa(p.UID), strconv.Itoa(p.GID)
	return map[string]string{
		"passwd":        "root:x:0:0:root:/nonexistent:/usr/sbin/nologin\nuser:x:" + uid + ":" + gid + ":user:" + cellHome + ":/bin/sh\nnobody:x:65534:65534:nobody:/nonexistent:/usr/sbin/nologin\n",
		"group":         "root:x:0:\nuser:x:" + gid + ":\nnogroup:x:65534:\n",
		"hosts":         "127.0.0.1 localhost cell\n::1 localhost\n",
		"hostname":      "cell\n",
		"nsswitch.conf": "passwd: files\ngroup: files\nshadow: files\nhosts: files\nservices: files\nprotocols: files\n",
		"resolv.conf":   "",
	}
}

// nameHost names the machine that commands see and gives them a loopback of
// their own, which leads nowhere else.
func (p *plan) nameHost() error {
	if err := unix.Sethostname([]byte("cell")); err != nil {
		return step("naming the host", err)
	}
	s, err := unix.Socket(unix.AF_INET, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return nil // a kernel without IP needs no loopback
	}
	defer unix.Close(s)
	req, err := unix.NewIfreq("lo")
	if err != nil {
		return step("naming the loopback", err)
	}
	req.SetUint16(unix.IFF_UP | unix.IFF_RUNNING)
	_, _, errno := unix.Syscall(unix.SYS_IOCTL, uintptr(s), unix.SIOCSIFFLAGS, uintptr(unsafe.Pointer(req)))
	if errno != 0 {
		return step("starting the loopback", errno)
	}
	return nil
}

// surrender gives up, on the calling thread and for good, all that commands
// must not have; exe is what is executed next.
func (p *plan) surrender(exe int) error {
	if err := p.limitResources(); err != nil {
		return step("limiting resources", err)
	}
	if p.Root {
		if _, _, errno := unix.RawSyscall(unix.SYS_SETGROUPS, 0, 0, 0); errno != 0 {
			return step("leaving groups", errno)
		}
	}
	// The raw calls change this thread alone, which is the one that goes on.
	if _, _, errno := unix.RawSyscall(unix.SYS_SETRESGID, uintptr(p.GID), uintptr(p.GID), uintptr(p.GID)); errno != 0 {
		return step("changing the group", errno)
	}
	bounding := dropBounding()
	if _, _, errno := unix.RawSyscall(unix.SYS_SETRESUID, uintptr(p.UID), uintptr(p.UID), uintptr(p.UID)); errno != 0 {
		return step("changing the user", errno)
	}
	if err := firstError(bounding, dropCaps(), noNewPrivs()); err != nil {
		return step("giving up capabilities", err)
	}
	rules, err := newLandlock(p.grants(exe), true)
	if err != nil {
		return step("making Landlock rules", err)
	}
	defer rules.close()
	if err := rules.restrict(); err != nil {
		return step("applying Landlock", err)
	}
	return step("applying seccomp", newFilter(socketsInside).restrict())
}

func (p *plan) grants(exe int) []grant {
	g := []grant{
		{path: "/", rights: mayRead}, {fd: exe, rights: mayRead},
		{path: "/proc", rights: mayUse}, {path: "/dev", rights: mayUse},
		{path: "/tmp", rights: mayWrite}, {path: cellHome, rights: mayWrite}, {path: "/dev/shm", rights: mayWrite}, {path: "/run", rights: mayWrite}, {path: "/var/tmp", rights: mayWrite},
	}
	for _, path := range append(p.Writable, p.Workspace...) {
		g = append(g, grant{path: path, rights: mayWrite})
	}
	return g
}

// limitResources bounds processes as such, and core files away. The first
// process counts among them with its threads.
func (p *plan) limitResources() error {
	most := uint64(p.Processes) + 24
	if p.Processes <= 0 {
		most = 4096
	}
	var own unix.Rlimit
	if unix.Getrlimit(unix.RLIMIT_NPROC, &own) == nil {
		most = min(most, own.Max)
	}
	return firstError(
		unix.Setrlimit(unix.RLIMIT_NPROC, &unix.Rlimit{Cur: most, Max: most}),
		unix.Setrlimit(unix.RLIMIT_CORE, &unix.Rlimit{}))
}
