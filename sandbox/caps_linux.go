package sandbox

import "golang.org/x/sys/unix"

// lastCap is above every capability there is; the kernel says where they end.
const lastCap = 63

// noNewPrivs has the calling thread, and what it starts, never gain rights by
// executing a file.
func noNewPrivs() error { return unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) }

// dropBounding takes every capability out of what the calling thread could get
// by executing a file. It ends at the first that the kernel does not know.
func dropBounding() error {
	for c := uintptr(0); c <= lastCap; c++ {
		switch err := unix.Prctl(unix.PR_CAPBSET_DROP, c, 0, 0, 0); err {
		case nil:
		case unix.EINVAL:
			return nil
		default:
			return err
		}
	}
	return nil
}

// dropCaps takes every capability from the calling thread.
func dropCaps() error {
	if err := unix.Prctl(unix.PR_CAP_AMBIENT, unix.PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0); err != nil && err != unix.EINVAL {
		return err
	}
	head := unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}
	var none [2]unix.CapUserData
	return unix.Capset(&head, &none[0])
}

// Securebits that keep uid 0 from getting capabilities by executing a file.
const (
	secbitNoRoot             = 1 << 0
	secbitNoRootLocked       = 1 << 1
	secbitNoSetuidFixup      = 1 << 2
	secbitNoSetuidFixupLock  = 1 << 3
	secbitNoAmbient          = 1 << 6
	secbitNoAmbientLocked    = 1 << 7
	secbitsOfARootWithNoCaps = secbitNoRoot | secbitNoRootLocked | secbitNoSetuidFixup | secbitNoSetuidFixupLock | secbitNoAmbient | secbitNoAmbientLocked
)
