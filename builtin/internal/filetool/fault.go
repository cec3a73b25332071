package filetool

import (
	"context"
	"errors"
	"path"
	"strings"

	"github.com/toolpost/toolpost/sandbox"
	"github.com/toolpost/toolpost/schema"
	"github.com/toolpost/toolpost/tool"
)

// codes says by which code the failures of package sandbox reach a caller.
var codes = map[sandbox.Kind]tool.Code{
	sandbox.KindInvalidPath: tool.CodePath,
	sandbox.KindNotFound:    tool.CodeNotFound,
	sandbox.KindExists:      tool.CodeConflict,
	sandbox.KindConflict:    tool.CodeConflict,
	sandbox.KindNotRegular:  tool.CodePrecondition,
	sandbox.KindNotDir:      tool.CodePrecondition,
	sandbox.KindHardLink:    tool.CodeDenied,
	sandbox.KindProtected:   tool.CodeDenied,
	sandbox.KindTooLarge:    tool.CodeLimit,
	sandbox.KindNoSpace:     tool.CodeFailed,
	sandbox.KindReadOnly:    tool.CodeFailed,
	sandbox.KindPermission:  tool.CodeFailed,
	sandbox.KindNotEmpty:    tool.CodePrecondition,
	sandbox.KindInvalid:     tool.CodeInvalid,
	sandbox.KindClosed:      tool.CodeUnavailable,
	sandbox.KindIO:          tool.CodeFailed,
}

// Fault is an error of package sandbox as one of package tool.
func Fault(err error) error {
	e, ok := errors.AsType[*sandbox.Error](err)
	if !ok {
		return err
	}
	code, ok := codes[e.Kind]
	if !ok {
		code = tool.CodeFailed
	}
	return tool.Errorf(code, "%w", err)
}

// mostScanned bounds the entries looked at for a name like a missing one.
const mostScanned = 2000

// Missing is Fault for a path that a caller believed to exist: one that does not
// comes with the names nearest to it, other than those that skip names.
func Missing(ctx context.Context, root *sandbox.Root, name string, skip func(sandbox.Entry) bool, err error) error {
	if sandbox.KindOf(err) != sandbox.KindNotFound {
		return Fault(err)
	}
	near := nearest(ctx, root, name, skip)
	if len(near) == 0 {
		return tool.Errorf(tool.CodeNotFound, "%w; list the folder to see what is there", err)
	}
	return tool.Errorf(tool.CodeNotFound, "%w; nearest: %s", err, strings.Join(near, ", "))
}

// nearest is up to three paths that may have been meant: those of the same
// name elsewhere, then those of a similar name in the same folder.
func nearest(ctx context.Context, root *sandbox.Root, name string, skip func(sandbox.Entry) bool) []string {
	clean, err := root.Clean(name)
	if err != nil {
		return nil
	}
	var near []string
	left := mostScanned
	for e, err := range root.Walk(".", sandbox.WalkOptions{Skip: skip}) {
		if left--; left < 0 || err != nil || ctx.Err() != nil || len(near) == 3 {
			break
		}
		if e.Path != clean && strings.EqualFold(e.Name, path.Base(clean)) {
			near = append(near, e.Path)
		}
	}
	if len(near) > 0 {
		return near
	}
	return siblings(root, clean)
}

// siblings is similar names in the deepest folder of the path that exists.
func siblings(root *sandbox.Root, clean string) []string {
	for clean != "." {
		dir, base := path.Dir(clean), path.Base(clean)
		entries, err := root.List(dir)
		if err != nil {
			clean = dir
			continue
		}
		var names []string
		for _, e := range entries {
			names = append(names, e.Name)
		}
		near := schema.Nearest(base, names, 3)
		for i := range near {
			near[i] = path.Join(dir, near[i])
		}
		return near
	}
	return nil
}
