package sandbox

import (
	"io/fs"
	"os"

	"golang.org/x/sys/windows"
)

// openNonblock has no counterpart: pipes are not in the file system.
const openNonblock = 0

// identity is not known from a FileInfo here; locks go by path.
func identity(fs.FileInfo) string { return "" }

// links is the number of names that the file at the place has.
func (p *place) links() uint64 {
	f, err := p.folder().Open(p.base)
	if err != nil {
		return 1
	}
	defer f.Close()
	var info windows.ByHandleFileInformation
	if windows.GetFileInformationByHandle(windows.Handle(f.Fd()), &info) != nil {
		return 1
	}
	return uint64(info.NumberOfLinks)
}

// keepOwner does nothing: a file takes the access list of its folder.
func keepOwner(*os.File, fs.FileInfo) {}

// tryLock always succeeds: an open file of another process cannot be removed.
func tryLock(*os.File) bool { return true }

// syncDir does nothing: folders cannot be synced.
func syncDir(*os.Root) {}
