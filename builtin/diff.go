package builtin

import (
	"fmt"
	"strings"

	"github.com/aymanbagabas/go-udiff"
)

// diffBytes is how much of a diff is kept in a result.
const diffBytes = 48 << 10

// unified is the change of a file as a unified diff with three lines around
// each change, cut at a line when it is very long.
func unified(path, before, after string) string {
	d := udiff.Unified("a/"+path, "b/"+path, before, after)
	if len(d) <= diffBytes {
		return d
	}
	cut := strings.LastIndexByte(d[:diffBytes], '\n') + 1
	if cut == 0 {
		cut = len(wholeRunes([]byte(d), diffBytes))
	}
	return fmt.Sprintf("%s[%d more bytes of the diff are left out]\n", d[:cut], len(d)-cut)
}
