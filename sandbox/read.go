package sandbox

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"time"
)

// DefaultReadBytes is the largest file that [Root.Read] takes in when its
// options name no limit.
const DefaultReadBytes = 64 << 20

// ReadOptions say how much of a file is read. The zero value reads the whole.
type ReadOptions struct {
	// MaxBytes is the largest file read; 0 is DefaultReadBytes. A larger one
	// is refused with [KindTooLarge] before anything is allocated for it.
	// With Length set it does not apply.
	MaxBytes int64

	// Offset and Length, in bytes, read a window of the file. Length 0 is no
	// window. Offset is used only together with Length.
	Offset, Length int64
}

// File is a file as it was read.
type File struct {
	Path    string // relative to the workspace, as cleaned; links not resolved
	Content []byte
	Size    int64 // of the whole file
	Mode    fs.FileMode
	ModTime time.Time
	Etag    string // of the whole file; empty when only a window was read
}

// Read reads a regular file. Folders, FIFOs, sockets and devices are refused
// with [KindNotRegular] without being opened or waited for.
func (r *Root) Read(name string, opts ReadOptions) (File, error) {
	f, info, clean, err := r.openRegular(name)
	if err != nil {
		return File{}, err
	}
	defer f.Close()
	out := File{Path: clean, Size: info.Size(), Mode: info.Mode(), ModTime: info.ModTime()}
	if opts.Length > 0 {
		return out, readWindow(f, &out, opts)
	}
	limit := opts.MaxBytes
	if limit <= 0 {
		limit = DefaultReadBytes
	}
	if info.Size() > limit {
		return File{}, tooLarge(clean, info.Size(), limit)
	}
	content, err := readAll(f, info.Size(), limit)
	if err != nil {
		return File{}, wrap("reading the file", clean, err)
	}
	if int64(len(content)) > limit {
		return File{}, tooLarge(clean, int64(len(content)), limit)
	}
	out.Content, out.Size, out.Etag = content, int64(len(content)), Etag(content)
	return out, nil
}

func tooLarge(path string, size, limit int64) error {
	return fail(KindTooLarge, path, fmt.Sprintf("has %d bytes, more than the limit of %d; read a part of it", size, limit))
}

// readAll reads up to limit+1 bytes into one buffer of the expected size.
func readAll(f *os.File, size, limit int64) ([]byte, error) {
	buf := make([]byte, 0, size+512)
	for {
		if len(buf) == cap(buf) {
			buf = append(buf, 0)[:len(buf)]
		}
		n, err := f.Read(buf[len(buf):cap(buf)])
		buf = buf[:len(buf)+n]
		if errors.Is(err, io.EOF) {
			return buf, nil
		}
		if err != nil {
			return nil, err
		}
		if int64(len(buf)) > limit {
			return buf, nil
		}
	}
}

func readWindow(f *os.File, out *File, opts ReadOptions) error {
	if opts.Offset < 0 {
		return fail(KindInvalid, out.Path, "the offset is negative")
	}
	length := min(opts.Length, max(out.Size-opts.Offset, 0))
	if length > DefaultReadBytes {
		return tooLarge(out.Path, length, DefaultReadBytes)
	}
	out.Content = make([]byte, length)
	n, err := f.ReadAt(out.Content, opts.Offset)
	out.Content = out.Content[:n]
	if err != nil && !errors.Is(err, io.EOF) {
		return wrap("reading the file", out.Path, err)
	}
	if opts.Offset == 0 && int64(n) == out.Size {
		out.Etag = Etag(out.Content)
	}
	return nil
}

// Reader is a regular file opened for reading in pieces. The caller closes it.
type Reader struct {
	f     *os.File
	Entry Entry // as it was when opened
}

// Reader opens a regular file for reading, with the same refusals as [Root.Read]
// and without a limit on its size.
func (r *Root) Reader(name string) (*Reader, error) {
	f, info, clean, err := r.openRegular(name)
	if err != nil {
		return nil, err
	}
	return &Reader{f: f, Entry: r.entry(clean, info)}, nil
}

// Read reads the next bytes.
func (r *Reader) Read(p []byte) (int, error) { return r.f.Read(p) }

// ReadAt reads at an offset.
func (r *Reader) ReadAt(p []byte, off int64) (int, error) { return r.f.ReadAt(p, off) }

// Close releases the file.
func (r *Reader) Close() error { return r.f.Close() }

// openRegular looks before it opens, since opening some devices has effects,
// and looks again at what it got, since the name may have changed hands.
func (r *Root) openRegular(name string) (*os.File, fs.FileInfo, string, error) {
	clean, err := r.cleanFile(name)
	if err != nil {
		return nil, nil, "", err
	}
	info, err := r.root.Stat(clean)
	if err != nil {
		return nil, nil, "", wrap("opening the file", clean, err)
	}
	if err := regular(clean, info); err != nil {
		return nil, nil, "", err
	}
	f, err := r.root.OpenFile(clean, os.O_RDONLY|openNonblock, 0)
	if err != nil {
		return nil, nil, "", wrap("opening the file", clean, err)
	}
	if info, err = f.Stat(); err == nil {
		err = regular(clean, info)
	}
	if err != nil {
		f.Close()
		return nil, nil, "", wrap("opening the file", clean, err)
	}
	return f, info, clean, nil
}

func regular(path string, info fs.FileInfo) error {
	switch kind := kindOf(info.Mode()); kind {
	case EntryFile:
		return nil
	case EntryDir:
		return fail(KindNotRegular, path, "is a folder, not a file")
	default:
		return fail(KindNotRegular, path, "is a "+string(kind)+", not a regular file")
	}
}
