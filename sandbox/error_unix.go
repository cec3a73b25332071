//go:build unix

package sandbox

import (
	"errors"
	"syscall"
)

func isSystem(err error) bool {
	var e syscall.Errno
	return errors.As(err, &e)
}

func classifySystem(err error) (Kind, string, bool) {
	var e syscall.Errno
	if !errors.As(err, &e) {
		return "", "", false
	}
	switch e {
	case syscall.ENOSPC, syscall.EDQUOT:
		return KindNoSpace, "the disk or quota is full; free some space and try again", true
	case syscall.EROFS:
		return KindReadOnly, "the file system is read-only", true
	case syscall.ENAMETOOLONG:
		return KindInvalidPath, "the name is too long for the file system", true
	case syscall.ELOOP:
		return KindInvalidPath, "too many symbolic links", true
	case syscall.ENOTDIR:
		return KindNotDir, "a part of the path is not a folder", true
	case syscall.EISDIR:
		return KindNotRegular, "is a folder", true
	case syscall.ENOTEMPTY:
		return KindNotEmpty, "the folder is not empty", true
	case syscall.ENXIO, syscall.ENODEV:
		return KindNotRegular, "is a device, FIFO or socket", true
	case syscall.EFBIG:
		return KindTooLarge, "the file would be larger than the limit", true
	case syscall.EINVAL:
		return KindInvalidPath, "the operating system does not accept the name", true
	case syscall.EILSEQ:
		return KindInvalidPath, "the file system does not accept the characters of the name", true
	}
	return "", "", false
}
