//go:build unix

package sandbox

import (
	"io/fs"
	"os"
	"strconv"
	"syscall"
)

// openNonblock keeps an open from waiting on a FIFO and from taking a terminal.
const openNonblock = syscall.O_NONBLOCK | syscall.O_NOCTTY

// identity names an inode.
func identity(info fs.FileInfo) string {
	st, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return ""
	}
	return strconv.FormatUint(uint64(st.Dev), 16) + ":" + strconv.FormatUint(uint64(st.Ino), 16)
}

// links is the number of names that the file at the place has.
func (p *place) links() uint64 {
	if st, ok := p.info.Sys().(*syscall.Stat_t); ok {
		return uint64(st.Nlink)
	}
	return 1
}

// keepOwner gives a replacement the owner of the file it replaces. Only root
// can; for others the file belongs to who wrote it last, as with any rename.
func keepOwner(f *os.File, old fs.FileInfo) {
	st, ok := old.Sys().(*syscall.Stat_t)
	if !ok || int(st.Uid) == os.Geteuid() && int(st.Gid) == os.Getegid() {
		return
	}
	if f.Chown(int(st.Uid), int(st.Gid)) != nil {
		_ = f.Chown(-1, int(st.Gid))
	}
}

// tryLock takes an exclusive lock on an open file if no one has it.
func tryLock(f *os.File) bool {
	return syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) == nil
}

// syncDir makes a rename in the folder durable.
func syncDir(dir *os.Root) {
	f, err := dir.Open(".")
	if err != nil {
		return
	}
	defer f.Close()
	_ = f.Sync() // some file systems cannot sync a folder; the file itself is synced
}
