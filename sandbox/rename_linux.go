package sandbox

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// move renames by the descriptors of the two folders that were checked.
func (r *Root) move(a, b *place, opts RenameOptions) error {
	flags := uint(unix.RENAME_NOREPLACE)
	if opts.Replace || b.info != nil {
		flags = 0
	}
	return betweenFolders(a, b, func(from, to int) error {
		err := unix.Renameat2(from, a.base, to, b.base, flags)
		if flags != 0 && (errors.Is(err, unix.EINVAL) || errors.Is(err, unix.ENOSYS)) {
			return unix.Renameat(from, a.base, to, b.base) // the file system cannot refuse to replace
		}
		return err
	})
}

func betweenFolders(a, b *place, do func(from, to int) error) error {
	from, err := a.folder().Open(".")
	if err != nil {
		return err
	}
	defer from.Close()
	to, err := b.folder().Open(".")
	if err != nil {
		return err
	}
	defer to.Close()
	return os.NewSyscallError("rename", do(int(from.Fd()), int(to.Fd())))
}
