package builtin

import (
	"context"

	"github.com/toolpost/toolpost/builtin/internal/filetool"
	"github.com/toolpost/toolpost/sandbox"
	"github.com/toolpost/toolpost/tool"
)

// Files is the tools that work on the files of one workspace: read_file,
// write_file, edit_file, list_directory, search_files and image. It is safe
// for concurrent use and is not to be changed after Tools.
type Files struct {
	// Root is the workspace. It stays the caller's, who closes it.
	Root *sandbox.Root

	// Ignore names what list_directory, when recursive, and search_files pass
	// over besides what .gitignore says, in its form: "node_modules", "*.log".
	Ignore []string

	// Fit makes an encoded image fit into a box of width × height pixels and
	// says its media type. Nil is a scaler of our own, which reads PNG, JPEG
	// and GIF and leaves a WebP alone that is within the box.
	Fit func(ctx context.Context, data []byte, width, height int) ([]byte, string, error)
}

// Tools returns the six tools.
func (f *Files) Tools() []tool.Tool {
	return []tool.Tool{
		f.readTool(),
		f.writeTool(),
		f.editTool(),
		f.listTool(),
		f.searchTool(),
		f.imageTool(),
	}
}

// missing is filetool.Fault for a path that a caller believed to exist, with the
// names nearest to it.
func (f *Files) missing(ctx context.Context, name string, err error) error {
	return filetool.Missing(ctx, f.Root, name, newIgnore(f.Root, ".", f.Ignore).skip, err)
}
