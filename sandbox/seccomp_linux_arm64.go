package sandbox

import "golang.org/x/sys/unix"

const auditArch = unix.AUDIT_ARCH_AARCH64

var moreRefusedCalls = []uint32{unix.SYS_KEXEC_FILE_LOAD}

// modeCalls are the calls that set the mode of a file, with the argument that
// holds it.
func modeCalls() map[uint32]uint32 {
	return map[uint32]uint32{
		unix.SYS_FCHMOD: 1, unix.SYS_FCHMODAT: 2, unix.SYS_FCHMODAT2: 2, unix.SYS_MKNODAT: 2, unix.SYS_MKDIRAT: 2,
	}
}

// openCalls are the calls that may make a file, with the argument that holds
// the flags; the mode follows it.
func openCalls() map[uint32]uint32 {
	return map[uint32]uint32{unix.SYS_OPENAT: 2}
}
