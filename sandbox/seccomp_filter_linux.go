//go:build linux && (amd64 || arm64)

package sandbox

import (
	"runtime"
	"unsafe"

	"golang.org/x/sys/unix"
)

// sockets says which sockets a filter lets be made.
type sockets int

const (
	socketsInside sockets = iota // unix and IP: the network namespace is the wall
	socketsNone                  // only pairs, which lead nowhere
)

// refusedCalls have no use in a command that is not to administer the machine,
// and a history of faults. Most need capabilities that no command has; the
// filter is there for the day on which one is missing a check.
var refusedCalls = []uint32{
	// mounts and namespaces
	unix.SYS_MOUNT, unix.SYS_UMOUNT2, unix.SYS_PIVOT_ROOT, unix.SYS_CHROOT, unix.SYS_MOVE_MOUNT, unix.SYS_OPEN_TREE, unix.SYS_OPEN_TREE_ATTR,
	unix.SYS_FSOPEN, unix.SYS_FSCONFIG, unix.SYS_FSMOUNT, unix.SYS_FSPICK, unix.SYS_MOUNT_SETATTR, unix.SYS_UNSHARE, unix.SYS_SETNS,
	// other processes
	unix.SYS_PTRACE, unix.SYS_PROCESS_VM_READV, unix.SYS_PROCESS_VM_WRITEV, unix.SYS_PROCESS_MADVISE, unix.SYS_PIDFD_GETFD, unix.SYS_KCMP,
	// the kernel
	unix.SYS_INIT_MODULE, unix.SYS_FINIT_MODULE, unix.SYS_DELETE_MODULE, unix.SYS_KEXEC_LOAD, unix.SYS_BPF, unix.SYS_PERF_EVENT_OPEN,
	unix.SYS_USERFAULTFD, unix.SYS_KEYCTL, unix.SYS_ADD_KEY, unix.SYS_REQUEST_KEY, unix.SYS_LOOKUP_DCOOKIE, unix.SYS_NFSSERVCTL,
	unix.SYS_ACCT, unix.SYS_QUOTACTL, unix.SYS_QUOTACTL_FD, unix.SYS_SYSLOG, unix.SYS_REBOOT, unix.SYS_SWAPON, unix.SYS_SWAPOFF, unix.SYS_VHANGUP,
	unix.SYS_SETTIMEOFDAY, unix.SYS_CLOCK_SETTIME, unix.SYS_CLOCK_ADJTIME, unix.SYS_ADJTIMEX, unix.SYS_SETHOSTNAME, unix.SYS_SETDOMAINNAME,
	unix.SYS_OPEN_BY_HANDLE_AT, unix.SYS_NAME_TO_HANDLE_AT, unix.SYS_FANOTIFY_INIT, unix.SYS_MEMFD_SECRET,
}

// absentCalls are answered as an old kernel would, so that programs take the
// older call, whose arguments a filter can see.
var absentCalls = []uint32{
	unix.SYS_CLONE3, unix.SYS_OPENAT2, unix.SYS_IO_URING_SETUP, unix.SYS_IO_URING_ENTER, unix.SYS_IO_URING_REGISTER,
}

const (
	newNamespaces = unix.CLONE_NEWNS | unix.CLONE_NEWCGROUP | unix.CLONE_NEWUTS | unix.CLONE_NEWIPC | unix.CLONE_NEWUSER | unix.CLONE_NEWPID | unix.CLONE_NEWNET | unix.CLONE_NEWTIME
	setIDBits     = unix.S_ISUID | unix.S_ISGID
	makesFile     = unix.O_CREAT | unix.O_TMPFILE&^unix.O_DIRECTORY
)

// Where seccomp_data holds what; see seccomp(2). Both architectures are
// little-endian, so that the low half of an argument comes first.
const (
	offNumber = 0
	offArch   = 4
	offArgs   = 16
)

// callFilter is a seccomp program being written.
type callFilter []unix.SockFilter

func (f *callFilter) add(code uint16, k uint32, jt, jf uint8) {
	*f = append(*f, unix.SockFilter{Code: code, Jt: jt, Jf: jf, K: k})
}

func (f *callFilter) load(off uint32)  { f.add(unix.BPF_LD|unix.BPF_W|unix.BPF_ABS, off, 0, 0) }
func (f *callFilter) loadArg(i uint32) { f.load(offArgs + 8*i) }
func (f *callFilter) allow()           { f.add(unix.BPF_RET|unix.BPF_K, unix.SECCOMP_RET_ALLOW, 0, 0) }
func (f *callFilter) fail(e unix.Errno) {
	f.add(unix.BPF_RET|unix.BPF_K, unix.SECCOMP_RET_ERRNO|uint32(e), 0, 0)
}
func (f *callFilter) skipUnless(k uint32) { f.add(unix.BPF_JMP|unix.BPF_JEQ|unix.BPF_K, k, 0, 1) }
func (f *callFilter) skipUnset(k uint32)  { f.add(unix.BPF_JMP|unix.BPF_JSET|unix.BPF_K, k, 0, 1) }

// on adds what is to be done for one call; body must end in a return.
func (f *callFilter) on(number uint32, body func(*callFilter)) {
	var b callFilter
	body(&b)
	f.add(unix.BPF_JMP|unix.BPF_JEQ|unix.BPF_K, number, 0, uint8(len(b)))
	*f = append(*f, b...)
}

// refuseBits refuses a call whose argument has one of the bits.
func (f *callFilter) refuseBits(number, arg, bits uint32) {
	f.on(number, func(f *callFilter) {
		f.loadArg(arg)
		f.skipUnset(bits)
		f.fail(unix.EPERM)
		f.allow()
	})
}

// newFilter writes the program for the sockets let through.
func newFilter(s sockets) callFilter {
	var f callFilter
	f.load(offArch)
	f.add(unix.BPF_JMP|unix.BPF_JEQ|unix.BPF_K, auditArch, 1, 0)
	f.fail(unix.ENOSYS)
	f.load(offNumber)
	if runtime.GOARCH == "amd64" { // the x32 calls, of which some have other numbers
		f.add(unix.BPF_JMP|unix.BPF_JGE|unix.BPF_K, 0x40000000, 0, 1)
		f.fail(unix.ENOSYS)
	}
	for _, call := range append(refusedCalls, moreRefusedCalls...) {
		f.skipUnless(call)
		f.fail(unix.EPERM)
	}
	for _, call := range absentCalls {
		f.skipUnless(call)
		f.fail(unix.ENOSYS)
	}
	f.refuseBits(unix.SYS_CLONE, 0, newNamespaces)
	// A file with these bits would lend its owner's rights to others on the host.
	for call, arg := range modeCalls() {
		f.refuseBits(call, arg, setIDBits)
	}
	for call, arg := range openCalls() {
		f.on(call, func(f *callFilter) {
			f.loadArg(arg)
			f.add(unix.BPF_JMP|unix.BPF_JSET|unix.BPF_K, makesFile, 1, 0)
			f.allow()
			f.loadArg(arg + 1)
			f.skipUnset(setIDBits)
			f.fail(unix.EPERM)
			f.allow()
		})
	}
	f.terminals()
	f.sockets(s)
	f.allow()
	return f
}

// terminals keeps programs from typing into a terminal.
func (f *callFilter) terminals() {
	f.on(unix.SYS_IOCTL, func(f *callFilter) {
		f.loadArg(1)
		for _, request := range []uint32{unix.TIOCSTI, tioclinux} {
			f.skipUnless(request)
			f.fail(unix.EPERM)
		}
		f.allow()
	})
}

const tioclinux = 0x541c

func (f *callFilter) sockets(s sockets) {
	only := func(families ...uint32) func(*callFilter) {
		return func(f *callFilter) {
			f.loadArg(0)
			for _, family := range families {
				f.skipUnless(family)
				f.allow()
			}
			f.fail(unix.EAFNOSUPPORT)
		}
	}
	f.on(unix.SYS_SOCKETPAIR, only(unix.AF_UNIX))
	if s == socketsInside {
		f.on(unix.SYS_SOCKET, only(unix.AF_UNIX, unix.AF_INET, unix.AF_INET6))
		return
	}
	f.on(unix.SYS_SOCKET, func(f *callFilter) { f.fail(unix.EACCES) })
}

// restrict puts the filter on the calling thread, for good. The thread must
// have given up new privileges.
func (f callFilter) restrict() error {
	prog := unix.SockFprog{Len: uint16(len(f)), Filter: &f[0]}
	_, _, errno := unix.Syscall(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER, 0, uintptr(unsafe.Pointer(&prog)))
	runtime.KeepAlive(f)
	if errno != 0 {
		return errno
	}
	return nil
}

// haveSeccomp says whether the kernel knows filters that return errors.
func haveSeccomp() error {
	action := uint32(unix.SECCOMP_RET_ERRNO)
	_, _, errno := unix.Syscall(unix.SYS_SECCOMP, unix.SECCOMP_GET_ACTION_AVAIL, 0, uintptr(unsafe.Pointer(&action)))
	if errno != 0 {
		return errno
	}
	return nil
}
