package sandbox

import (
	"errors"
	"syscall"

	"golang.org/x/sys/windows"
)

func isSystem(err error) bool {
	var e syscall.Errno
	if errors.As(err, &e) {
		return true
	}
	var s windows.NTStatus
	return errors.As(err, &s)
}

func classifySystem(err error) (Kind, string, bool) {
	var e syscall.Errno
	if !errors.As(err, &e) {
		return "", "", false
	}
	switch e {
	case windows.ERROR_DISK_FULL, windows.ERROR_HANDLE_DISK_FULL:
		return KindNoSpace, "the disk is full; free some space and try again", true
	case windows.ERROR_WRITE_PROTECT:
		return KindReadOnly, "the file system is read-only", true
	case windows.ERROR_INVALID_NAME, windows.ERROR_FILENAME_EXCED_RANGE, windows.ERROR_BAD_PATHNAME:
		return KindInvalidPath, "the operating system does not accept the name", true
	case windows.ERROR_DIRECTORY, syscall.ENOTDIR:
		return KindNotDir, "a part of the path is not a folder", true
	case windows.ERROR_DIR_NOT_EMPTY:
		return KindNotEmpty, "the folder is not empty", true
	case syscall.EISDIR:
		return KindNotRegular, "is a folder", true
	}
	return "", "", false
}
