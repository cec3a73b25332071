package sandbox

import "golang.org/x/sys/unix"

const auditArch = unix.AUDIT_ARCH_X86_64

var moreRefusedCalls = []uint32{unix.SYS_KEXEC_FILE_LOAD, unix.SYS_IOPL, unix.SYS_IOPERM, unix.SYS_MODIFY_LDT, unix.SYS__SYSCTL, unix.SYS_USELIB, unix.SYS_USTAT}

// modeCalls are the calls that set the mode of a file, with the argument that
// holds it.
func modeCalls() map[uint32]uint32 {
	return map[uint32]uint32{
		unix.SYS_CHMOD: 1, unix.SYS_FCHMOD: 1, unix.SYS_FCHMODAT: 2, unix.SYS_FCHMODAT2: 2,
		unix.SYS_CREAT: 1, unix.SYS_MKNOD: 1, unix.SYS_MKNODAT: 2, unix.SYS_MKDIR: 1, unix.SYS_MKDIRAT: 2,
	}
}

// openCalls are the calls that may make a file, with the argument that holds
// the flags; the mode follows it.
func openCalls() map[uint32]uint32 {
	return map[uint32]uint32{unix.SYS_OPEN: 1, unix.SYS_OPENAT: 2}
}
