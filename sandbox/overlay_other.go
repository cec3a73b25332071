//go:build !linux

package sandbox

import "os"

func (c *Cell) layer() (*os.Root, error) {
	return nil, fail(KindInvalid, "", "there are no overlays on this system")
}

func (c *Cell) drop() {}

func whiteout(os.FileInfo) bool { return false }

func opaque(*os.Root, string) bool { return false }
