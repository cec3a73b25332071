package builtin

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"unicode/utf8"

	"github.com/toolpost/toolpost/builtin/internal/filetool"
	"github.com/toolpost/toolpost/sandbox"
	"github.com/toolpost/toolpost/tool"
)

// Artifacts is the tool read_artifact, by which a model reads on in what was
// too long to show.
type Artifacts struct {
	// Load opens an artifact of the run that ctx belongs to. An error that
	// wraps fs.ErrNotExist says that there is none of this id. A Blob that is
	// an io.Closer is closed after use.
	Load func(ctx context.Context, id string) (Blob, error)
}

// A Blob is the bytes of an artifact, such as a *bytes.Reader or an
// *io.SectionReader.
type Blob interface {
	io.ReaderAt
	Size() int64
}

type artifactIn struct {
	ID     string `json:"id" desc:"The id that the shortened result names." min:"1"`
	Offset int64  `json:"offset,omitzero" desc:"Byte to begin at; go on with the next of the last answer." min:"0"`
	Limit  int    `json:"limit,omitzero" desc:"Most bytes to return; at most 50 KB come at once." min:"4" default:"51200"`
	Find   string `json:"find,omitzero" desc:"Begin at the line where this text occurs next, at or behind offset."`
}

type artifactOut struct {
	Content    string `json:"content"`
	Offset     int64  `json:"offset"` // where content begins, in bytes
	TotalBytes int64  `json:"totalBytes"`
	Next       int64  `json:"next,omitzero"` // offset of what follows; left out at the end
}

// Tools returns the one tool.
func (a *Artifacts) Tools() []tool.Tool {
	return []tool.Tool{tool.New(tool.Spec{
		Name:  "read_artifact",
		Label: "Read artifact",
		Description: "Read on in a result that was too long to show and was kept as an artifact. " +
			"Give the id the shortened result names, and an offset in bytes or a text to find. " +
			"Returns up to 50 KB and the offset at which to go on.",
		Output:     filetool.OutputOf[artifactOut](),
		Examples:   filetool.Examples(`{"id":"a1b2c3","find":"error:"}`, `{"id":"a1b2c3","offset":51200}`),
		Risk:       tool.RiskReads,
		Category:   "runs",
		Idempotent: true,
	}, a.read)}
}

func (a *Artifacts) read(ctx context.Context, in artifactIn) (*tool.Result, error) {
	blob, err := a.Load(ctx, in.ID)
	if err != nil {
		if tool.AsError(err).Code == tool.CodeNotFound {
			return nil, tool.Errorf(tool.CodeNotFound, "no artifact %q in this run; use the id that the shortened result names", filetool.Clip(in.ID, 80))
		}
		return nil, err
	}
	if c, ok := blob.(io.Closer); ok {
		defer c.Close()
	}
	total := blob.Size()
	if in.Offset > total {
		return nil, tool.Errorf(tool.CodeInvalid, "offset %d is past the end of artifact %s, which has %d bytes", in.Offset, in.ID, total)
	}
	start := in.Offset
	if in.Find != "" {
		if start, err = findIn(ctx, blob, in); err != nil {
			return nil, err
		}
	}
	data, start, err := textAt(blob, start, min(max(cmp.Or(in.Limit, pageBytes), utf8.UTFMax), pageBytes))
	if err != nil {
		return nil, fmt.Errorf("read artifact %s: %w", in.ID, err)
	}
	out := artifactOut{Content: string(data), Offset: start, TotalBytes: total}
	end := start + int64(len(data))
	if !sandbox.IsText(data) {
		if bytes.IndexByte(data, 0) >= 0 {
			return nil, tool.Errorf(tool.CodePrecondition, "artifact %s is binary (%s, %d bytes) and cannot be shown as text", in.ID, mediaType(data), total)
		}
		out.Content = string(bytes.ToValidUTF8(data, []byte("\uFFFD")))
	}
	text := out.Content
	if end < total {
		out.Next = end
		text += fmt.Sprintf("\n[bytes %d to %d of %d; go on with offset=%d]", start, end, total, end)
	}
	return filetool.Answer(text, out), nil
}

// textAt reads up to limit bytes, moved and cut so that no character is halved.
func textAt(blob Blob, start int64, limit int) ([]byte, int64, error) {
	buf := make([]byte, min(int64(limit)+utf8.UTFMax, blob.Size()-start))
	n, err := blob.ReadAt(buf, start)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, 0, err
	}
	buf = buf[:n]
	for i := 0; start > 0 && i < utf8.UTFMax-1 && len(buf) > 0 && !utf8.RuneStart(buf[0]); i++ {
		buf, start = buf[1:], start+1
	}
	if len(buf) <= limit {
		return buf, start, nil
	}
	return filetool.WholeRunes(buf, limit), start, nil
}

// findIn is where the line begins that has the text next, at or behind the
// offset; a line that begins long before it is entered a little before it.
func findIn(ctx context.Context, blob Blob, in artifactIn) (int64, error) {
	const window, lead = 256 << 10, 1000
	need := []byte(in.Find)
	buf := make([]byte, window+len(need))
	for at := in.Offset; at < blob.Size(); at += window {
		if err := ctx.Err(); err != nil {
			return 0, err
		}
		n, err := blob.ReadAt(buf[:min(int64(len(buf)), blob.Size()-at)], at)
		if err != nil && !errors.Is(err, io.EOF) {
			return 0, fmt.Errorf("search artifact %s: %w", in.ID, err)
		}
		i := bytes.Index(buf[:n], need)
		if i < 0 {
			continue
		}
		found := at + int64(i)
		from := max(found-lead, in.Offset)
		before := make([]byte, found-from)
		if _, err := blob.ReadAt(before, from); err != nil && !errors.Is(err, io.EOF) {
			return 0, fmt.Errorf("search artifact %s: %w", in.ID, err)
		}
		if nl := bytes.LastIndexByte(before, '\n'); nl >= 0 {
			return from + int64(nl) + 1, nil
		}
		return from, nil
	}
	return 0, tool.Errorf(tool.CodeNotFound, "artifact %s has no %q at or behind byte %d; case counts", in.ID, filetool.Clip(in.Find, 80), in.Offset)
}
