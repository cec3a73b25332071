//go:build !linux

package sandbox

// move renames by canonical paths below the workspace.
func (r *Root) move(a, b *place, _ RenameOptions) error {
	return r.root.Rename(a.path(), b.path())
}
