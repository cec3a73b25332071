package builtin

import (
	"cmp"
	"context"
	"fmt"

	"github.com/toolpost/toolpost/builtin/internal/filetool"
	"github.com/toolpost/toolpost/sandbox"
	"github.com/toolpost/toolpost/tool"
)

// imageSide is the box that an image is made to fit when the caller names none.
const imageSide = 1200

type imageIn struct {
	Path      string `json:"path,omitzero" desc:"Image file (PNG, JPEG, GIF, WebP), relative to the workspace."`
	URL       string `json:"url,omitzero" desc:"Not available here: fetch the image into the workspace and give its path."`
	MaxWidth  int    `json:"maxWidth,omitzero" desc:"Widest picture wanted, in pixels." min:"16" max:"8000" default:"1200"`
	MaxHeight int    `json:"maxHeight,omitzero" desc:"Highest picture wanted, in pixels." min:"16" max:"8000" default:"1200"`
}

type imageOut struct {
	Path   string `json:"path"`
	Width  int    `json:"width"` // pixels, as shown
	Height int    `json:"height"`
	MIME   string `json:"mimeType"`
}

func (f *Files) imageTool() tool.Tool {
	return tool.New(tool.Spec{
		Name:  "image",
		Label: "Look at image",
		Description: "Look at an image file of the workspace. " +
			"Returns the picture, made smaller where it is larger than maxWidth by maxHeight, with its size in pixels.",
		Output:        filetool.OutputOf[imageOut](),
		Examples:      filetool.Examples(`{"path":"docs/screenshot.png"}`),
		Risk:          tool.RiskReads,
		Category:      "fs",
		Idempotent:    true,
		WorkspaceOnly: true,
	}, f.image)
}

func (f *Files) image(ctx context.Context, in imageIn) (*tool.Result, error) {
	switch {
	case in.URL != "":
		return nil, tool.Errorf(tool.CodePrecondition, "the url %q is not fetched: this tool reads images of the workspace only; save the image there and give its path", filetool.Clip(in.URL, 200))
	case in.Path == "":
		return nil, tool.Errorf(tool.CodeInvalid, `"path" required: the image file to look at`)
	}
	file, err := f.Root.Read(in.Path, sandbox.ReadOptions{MaxBytes: imageBytes})
	if err != nil {
		return nil, f.missing(ctx, in.Path, err)
	}
	data, mime := file.Content, mediaType(file.Content)
	if !isImage(mime) {
		return nil, tool.Errorf(tool.CodePrecondition, "%s is no PNG, JPEG, GIF or WebP image but %s; use read_file for text", file.Path, kindOfContent(data, mime))
	}
	w, h, ok := dimensions(data, mime)
	if !ok {
		return nil, tool.Errorf(tool.CodePrecondition, "%s begins like %s, but its head is damaged: no size can be read", file.Path, mime)
	}
	text := fmt.Sprintf("[%s: %s, %d × %d pixels]", file.Path, mime, w, h)
	maxW, maxH := cmp.Or(in.MaxWidth, imageSide), cmp.Or(in.MaxHeight, imageSide)
	if w > maxW || h > maxH {
		fit := f.Fit
		if fit == nil {
			fit = fitImage
		}
		if data, mime, err = fit(ctx, data, maxW, maxH); err != nil {
			return nil, fmt.Errorf("make %s smaller: %w", file.Path, err)
		}
		was := fmt.Sprintf("%d × %d", w, h)
		w, h, _ = dimensions(data, mime)
		text = fmt.Sprintf("[%s: %s, %d × %d pixels, made smaller from %s]", file.Path, mime, w, h, was)
	}
	r := filetool.Answer(text, imageOut{file.Path, w, h, mime})
	r.Content = append(r.Content, tool.Content{Type: tool.ContentImage, Data: data, MIME: mime})
	return r, nil
}

func kindOfContent(data []byte, mime string) string {
	if _, _, err := filetool.DecodeText(data); err == nil {
		return "text"
	}
	return mime
}
