package builtin

import (
	"bytes"
	"context"
	"fmt"

	"github.com/toolpost/toolpost/builtin/internal/filetool"
	"github.com/toolpost/toolpost/sandbox"
	"github.com/toolpost/toolpost/tool"
)

const (
	pageLines  = 2000     // lines of a page
	pageBytes  = 50 << 10 // bytes of a page
	wholeBytes = 4 << 20  // up to here a file is read whole, and its lines and etag are known
	imageBytes = 20 << 20 // largest image that is taken in
)

type readIn struct {
	Path   string `json:"path" desc:"File to read, relative to the workspace."`
	Offset int    `json:"offset,omitzero" desc:"First line to return, counted from 1." min:"1" default:"1"`
	Limit  int    `json:"limit,omitzero" desc:"Most lines to return; at most 2000 or 50 KB come at once." min:"1" default:"2000"`
}

type readOut struct {
	Path       string `json:"path"`
	Content    string `json:"content"`             // the lines as they stand in the file, as UTF-8
	StartLine  int    `json:"startLine"`           // from 1
	Lines      int    `json:"lines"`               // how many are in content
	TotalLines int    `json:"totalLines,omitzero"` // of the file; left out for an empty or very large one
	Bytes      int64  `json:"bytes"`               // size of the file
	Etag       string `json:"etag,omitzero"`       // left out for a very large file
	Truncated  bool   `json:"truncated"`           // there is more behind the last line
	Encoding   string `json:"encoding"`            // utf-8, utf-8-bom, utf-16le, utf-16be, iso-8859-1, binary
	MIME       string `json:"mimeType,omitzero"`   // of a binary file
}

func (f *Files) readTool() tool.Tool {
	return tool.New(tool.Spec{
		Name:    "read_file",
		Aliases: []string{"read"},
		Label:   "Read file",
		Description: "Read a text file of the workspace, or see an image. Returns the lines from offset on, " +
			"up to 2000 lines or 50 KB; when more is left, a note at the end says how to go on. " +
			"Use search_files to find a place in a large file.",
		Output:        filetool.OutputOf[readOut](),
		Examples:      filetool.Examples(`{"path":"README.md"}`, `{"path":"src/main.go","offset":100,"limit":50}`),
		Risk:          tool.RiskReads,
		Category:      "fs",
		Idempotent:    true,
		WorkspaceOnly: true,
	}, f.read)
}

func (f *Files) read(ctx context.Context, in readIn) (*tool.Result, error) {
	in.Offset, in.Limit = max(in.Offset, 1), min(in.Limit, pageLines)
	if in.Limit < 1 {
		in.Limit = pageLines
	}
	r, err := f.Root.Reader(in.Path)
	if err != nil {
		return nil, f.unreadable(ctx, in.Path, err)
	}
	defer r.Close()
	if r.Entry.Size > wholeBytes {
		return f.readLarge(ctx, r, in)
	}
	return f.readWhole(in)
}

// unreadable says what to do about a path that cannot be read as a file.
func (f *Files) unreadable(ctx context.Context, name string, err error) error {
	if e, statErr := f.Root.Stat(name); statErr == nil && e.Kind == sandbox.EntryDir {
		return tool.Errorf(tool.CodePrecondition, "%w; list_directory shows what is in it", err)
	}
	return f.missing(ctx, name, err)
}

// readWhole reads a file of ordinary size, so that its etag is that of the
// content shown.
func (f *Files) readWhole(in readIn) (*tool.Result, error) {
	file, err := f.Root.Read(in.Path, sandbox.ReadOptions{})
	if err != nil {
		return nil, filetool.Fault(err)
	}
	out := readOut{Path: file.Path, StartLine: in.Offset, Bytes: file.Size, Etag: file.Etag}
	if mime := mediaType(file.Content); isImage(mime) {
		return picture(out, file.Content, mime), nil
	}
	text, enc, err := filetool.DecodeText(file.Content)
	if err != nil {
		return binaryFile(out, file.Content), nil
	}
	out.Encoding = enc
	p, err := readPage(bytes.NewReader([]byte(text)), in.Offset, in.Limit, toEnd)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", out.Path, err)
	}
	return paged(out, p, in)
}

// readLarge reads no further than to the end of the page.
func (f *Files) readLarge(ctx context.Context, r *sandbox.Reader, in readIn) (*tool.Result, error) {
	out := readOut{Path: r.Entry.Path, StartLine: in.Offset, Bytes: r.Entry.Size}
	head := make([]byte, 8<<10)
	n, err := r.ReadAt(head, 0)
	if n == 0 && err != nil {
		return nil, filetool.Fault(err)
	}
	head = head[:n]
	mime := mediaType(head)
	switch enc := sandbox.Sniff(head); {
	case isImage(mime) && out.Bytes <= imageBytes:
		return f.readWhole(in)
	case enc == sandbox.UTF16LE || enc == sandbox.UTF16BE:
		return f.readWhole(in)
	case isImage(mime) || bytes.IndexByte(head, 0) >= 0 || !sandbox.IsText(head) && !filetool.IsLatin1(head):
		return binaryFile(out, head), nil
	default:
		out.Encoding = string(enc)
		if !sandbox.IsText(head) {
			out.Encoding = filetool.Latin1
		}
	}
	p, err := readPage(contextReader{ctx, r}, in.Offset, in.Limit, toPage)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", out.Path, err)
	}
	p.content = cleanPage(p.content, out.Encoding)
	return paged(out, p, in)
}

// paged is the result for a page of text.
func paged(out readOut, p page, in readIn) (*tool.Result, error) {
	if p.lines == 0 && in.Offset > 1 {
		return nil, tool.Errorf(tool.CodeInvalid, "offset %d is past the end of %s, which has %s; give an offset from 1 to %d",
			in.Offset, out.Path, filetool.Plural(p.seen, "line"), max(p.seen, 1))
	}
	out.Content, out.Lines, out.Truncated = p.content, p.lines, p.more || p.cut > 0
	if p.ended {
		out.TotalLines = p.seen
	}
	text := out.Content
	if note := pageNote(out, p); note != "" {
		if text != "" && text[len(text)-1] != '\n' {
			text += "\n"
		}
		text += note
	}
	return filetool.Answer(text, out), nil
}

// pageNote tells the model what is not shown and how to get it.
func pageNote(out readOut, p page) string {
	last := out.StartLine + out.Lines - 1
	var note string
	switch {
	case out.Bytes == 0:
		return "[the file is empty]"
	case p.cut > 0:
		note = fmt.Sprintf("[line %d has %d bytes; its first %d are shown. search_files finds places in it", last, p.cut, len(p.content))
		if p.more {
			note += fmt.Sprintf("; go on with offset=%d", last+1)
		}
	case p.more && p.ended:
		note = fmt.Sprintf("[lines %d to %d of %d; go on with offset=%d", out.StartLine, last, p.seen, last+1)
	case p.more:
		note = fmt.Sprintf("[lines %d to %d of a file of %d bytes; go on with offset=%d", out.StartLine, last, out.Bytes, last+1)
	default:
		return ""
	}
	return note + "]"
}

// binaryFile names a file that is no text instead of showing it.
func binaryFile(out readOut, head []byte) *tool.Result {
	out.Encoding, out.MIME, out.StartLine = "binary", mediaType(head), 1
	return filetool.Answer(fmt.Sprintf("[%s is a binary file: %s, %d bytes; its content is not shown]", out.Path, out.MIME, out.Bytes), out)
}

// picture is an image file as an image block.
func picture(out readOut, data []byte, mime string) *tool.Result {
	out.Encoding, out.MIME, out.StartLine = "binary", mime, 1
	text := fmt.Sprintf("[%s: %s, %d bytes]", out.Path, mime, out.Bytes)
	if w, h, ok := dimensions(data, mime); ok {
		text = fmt.Sprintf("[%s: %s, %d × %d pixels, %d bytes]", out.Path, mime, w, h, out.Bytes)
	}
	r := filetool.Answer(text, out)
	r.Content = append(r.Content, tool.Content{Type: tool.ContentImage, Data: data, MIME: mime})
	return r
}
