package filetool

import (
	"fmt"
	"strings"

	"github.com/aymanbagabas/go-udiff"
)

// diffBytes is how much of a diff is kept in a result.
const diffBytes = 48 << 10

// Unified is the change of a file as a Unified diff with three lines around
// each change, cut at a line when it is very long.
func Unified(path, before, after string) string {
	d := udiff.Unified("a/"+path, "b/"+path, before, after)
	if len(d) <= diffBytes {
		return d
	}
	cut := strings.LastIndexByte(d[:diffBytes], '\n') + 1
	if cut == 0 {
		cut = len(WholeRunes([]byte(d), diffBytes))
	}
	return fmt.Sprintf("%s[%d more bytes of the diff are left out]\n", d[:cut], len(d)-cut)
}
