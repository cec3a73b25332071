package builtin

import (
	"context"

	"github.com/toolpost/toolpost/sandbox"
	"github.com/toolpost/toolpost/schema"
	"github.com/toolpost/toolpost/tool"
)

// Files is the tools that work on the files of one workspace: read_file,
// write_file, edit_file, list_directory, search_files and image. It is safe
// for concurrent use and is not to be changed after Tools.
type Files struct {
	// Root is the workspace. It stays the caller's, who closes it.
	Root *sandbox.Root

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

// outputOf is the schema of a tool's data.
func filetool.OutputOf[T any]() *schema.Schema {
	s, err := schema.For[T]()
	if err != nil {
		panic(err) // a bug in the type, which the first test meets
	}
	return s
}

// answer is a result with text for the model and data for programs.
func answer[T any](text string, data T) *tool.Result {
	r := tool.JSON(data)
	if r.OK() {
		r.Content = []tool.Content{{Type: tool.ContentText, Text: text}}
	}
	return r
}

// dryRun reports whether the call of ctx only asks what would be done.
func filetool.DryRun(ctx context.Context) bool {
	c := tool.Current(ctx)
	return c != nil && c.DryRun
}
