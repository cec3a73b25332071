package vault

import (
	"cmp"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"unicode/utf8"

	"github.com/toolpost/toolpost/builtin/internal/filetool"
	"github.com/toolpost/toolpost/sandbox"
	"github.com/toolpost/toolpost/tool"
)

const readBytes = 256 << 10 // of content, when the caller names no maxBytes

// extent is a part of a file: characters of a text, bytes of anything else.
type extent struct {
	Start int64 `json:"start" desc:"First character, from 0; for base64 the first byte." min:"0"`
	End   int64 `json:"end" desc:"First character behind the part; for base64 the first byte behind it." min:"0"`
}

type readIn struct {
	Path     string  `json:"path" desc:"File to read, relative to the vault." min:"1"`
	MaxBytes int     `json:"maxBytes,omitzero" desc:"Most bytes of content to return." min:"4" max:"4194304" default:"262144"`
	Range    *extent `json:"range,omitzero" desc:"Only this part of the file."`
	As       string  `json:"as,omitzero" desc:"How to return the content: text, or the bytes of any file as base64." enum:"text,base64" default:"text"`
}

type readOut struct {
	Path        string          `json:"path"`
	Content     string          `json:"content"`               // text as UTF-8, or base64
	Etag        string          `json:"etag,omitzero"`         // of the whole file; left out for one of more than 4 MiB
	MtimeMS     int64           `json:"mtimeMs"`               //
	SizeBytes   int64           `json:"sizeBytes"`             // of the whole file
	Range       extent          `json:"range"`                 // what content is; the next part begins at its end
	Truncated   bool            `json:"truncated"`             // content ends before the part that was asked for
	Encoding    string          `json:"encoding"`              // of the file: utf-8, utf-8-bom, utf-16le, utf-16be, iso-8859-1; base64 if that was asked for
	Frontmatter json.RawMessage `json:"frontmatter,omitempty"` // the properties of the note as an object; left out if it has none that can be read
}

func (v *Vault) readTool() tool.Tool {
	return tool.New(tool.Spec{
		Name:  "vault.readFile",
		Label: "Read note",
		Description: "Read a file of the vault as text, front matter included, or as base64. " +
			"Returns the content, its etag for later writes, and the properties of the front matter. " +
			"When truncated is set, go on with a range that starts at the end of the one returned.",
		Output:        filetool.OutputOf[readOut](),
		Examples:      filetool.Examples(`{"path":"Projects/Plan.md"}`, `{"path":"Projects/Plan.md","range":{"start":0,"end":200}}`),
		Risk:          tool.RiskReads,
		Category:      category,
		Idempotent:    true,
		WorkspaceOnly: true,
	}, v.read)
}

func (v *Vault) read(ctx context.Context, in readIn) (*tool.Result, error) {
	name, err := v.clean(in.Path)
	if err != nil {
		return nil, err
	}
	in.MaxBytes = cmp.Or(in.MaxBytes, readBytes)
	if r := in.Range; r != nil && r.End < r.Start {
		return nil, tool.Errorf(tool.CodeInvalid, "range: end %d is before start %d", r.End, r.Start)
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	e, err := v.Root.Stat(name)
	if err != nil {
		return nil, v.missing(ctx, name, err)
	}
	var out readOut
	switch {
	case in.As == "base64":
		out, err = v.readRaw(name, in)
	case e.Kind == sandbox.EntryFile && e.Size > wholeBytes:
		out, err = v.readLarge(name, in)
	default:
		out, err = v.readText(name, in)
	}
	if err != nil {
		return nil, err
	}
	return filetool.Answer(out.text(), out), nil
}

// readText reads a file of ordinary size, decoded.
func (v *Vault) readText(name string, in readIn) (readOut, error) {
	f, err := v.Root.Read(name, sandbox.ReadOptions{})
	if err != nil {
		return readOut{}, filetool.Fault(err)
	}
	text, enc, err := filetool.DecodeText(f.Content)
	if err != nil {
		return readOut{}, tool.Errorf(tool.CodePrecondition, "%s is a binary file of %d bytes; read it as base64", name, f.Size)
	}
	out := readOut{Path: name, Etag: f.Etag, MtimeMS: f.ModTime.UnixMilli(), SizeBytes: f.Size, Encoding: enc, Frontmatter: properties(text)}
	start, end := 0, len(text)
	if in.Range != nil {
		length := int64(utf8.RuneCountInString(text))
		if in.Range.Start > length {
			return readOut{}, pastEnd(name, in.Range.Start, length, "characters")
		}
		out.Range.Start = in.Range.Start
		start = byteAt(text, in.Range.Start)
		end = start + byteAt(text[start:], in.Range.End-in.Range.Start)
	}
	part := filetool.WholeRunes([]byte(text[start:end]), in.MaxBytes)
	out.Content, out.Truncated = string(part), start+len(part) < end
	out.Range.End = out.Range.Start + int64(utf8.RuneCount(part))
	return out, nil
}

// byteAt is where the n-th character of text begins, or its end.
func byteAt(text string, n int64) int {
	for i := range text {
		if n == 0 {
			return i
		}
		n--
	}
	return len(text)
}

func pastEnd(name string, start, length int64, unit string) error {
	return tool.Errorf(tool.CodeInvalid, "range: start %d is past the end of %s, which has %d %s", start, name, length, unit)
}

// readLarge reads the head of a file that is not decoded whole.
func (v *Vault) readLarge(name string, in readIn) (readOut, error) {
	if in.Range != nil && in.Range.Start > 0 {
		return readOut{}, tool.Errorf(tool.CodeLimit, "%s has more than %d bytes: its characters are not counted; read it as base64, whose range is in bytes", name, wholeBytes)
	}
	raw, err := v.readRaw(name, readIn{MaxBytes: in.MaxBytes})
	if err != nil {
		return readOut{}, err
	}
	data, err := base64.StdEncoding.DecodeString(raw.Content)
	if err == nil && (!sandbox.IsText(data) || sandbox.Sniff(data) != sandbox.UTF8) {
		return readOut{}, tool.Errorf(tool.CodePrecondition, "%s is a large file that is not UTF-8 text; read it as base64", name)
	}
	part := filetool.WholeRunes(data, len(data)-len(data)%2) // even, so that a cut at its very end is seen
	if in.Range != nil {
		part = part[:byteAt(string(part), in.Range.End)]
	}
	raw.Content, raw.Encoding = string(part), string(sandbox.UTF8)
	raw.Range.End = int64(utf8.RuneCount(part))
	raw.Truncated = in.Range == nil || raw.Range.End < in.Range.End
	return raw, err
}

// readRaw reads bytes as base64.
func (v *Vault) readRaw(name string, in readIn) (readOut, error) {
	r, err := v.Root.Reader(name)
	if err != nil {
		return readOut{}, filetool.Fault(err)
	}
	defer r.Close()
	size := r.Entry.Size
	part := extent{0, size}
	if in.Range != nil {
		if part = *in.Range; part.Start > size {
			return readOut{}, pastEnd(name, part.Start, size, "bytes")
		}
		part.End = min(part.End, size)
	}
	out := readOut{Path: name, SizeBytes: size, MtimeMS: r.Entry.ModTime.UnixMilli(), Encoding: "base64"}
	whole := part.End
	part.End = min(part.End, part.Start+int64(in.MaxBytes))
	out.Range, out.Truncated = part, part.End < whole
	var f sandbox.File
	if part.End > part.Start {
		f, err = v.Root.Read(name, sandbox.ReadOptions{Offset: part.Start, Length: part.End - part.Start})
	}
	if err == nil && size <= wholeBytes {
		var all sandbox.File
		all, err = v.Root.Read(name, sandbox.ReadOptions{})
		out.Etag = all.Etag
	}
	if err != nil {
		return readOut{}, filetool.Fault(err)
	}
	out.Content = base64.StdEncoding.EncodeToString(f.Content)
	return out, nil
}

// text is the content as a model reads it, with a note if there is more.
func (o readOut) text() string {
	if !o.Truncated {
		return o.Content
	}
	return fmt.Sprintf("%s\n[%d of %d bytes are shown; go on with a range that starts at %d]", o.Content, len(o.Content), o.SizeBytes, o.Range.End)
}
