package hook

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"image"
	"image/gif"
	"image/jpeg"
	"image/png"
	"slices"
	"strings"
	"sync"

	"golang.org/x/image/webp"

	"github.com/toolpost/toolpost/tool"
)

// What an Images does when a field is zero, and what it never does.
const (
	ImageSide   = 1200       // pixels of width and of height
	ImageBytes  = 5 << 20    // of the file
	ImagePixels = 25_000_000 // no picture with more is decoded
)

// Images holds the pictures in results to what models take: PNG, JPEG, GIF and
// WebP, known by their bytes and not by the declared type. One inside the limits
// stays as it is. Any other is made smaller: the first that fits of the longest
// sides own, 1800, 1600, 1400, 1200, 1000, 800 and, for each, JPEG qualities 85,
// 75, 65, 55, 45, 35; a picture that shows something through stays PNG where it
// fits as one, and an animation becomes its first picture. When nothing fits, when it is too large to decode, or when it is
// no picture, a text block says what was left out and why.
//
// One picture is decoded at a time, so memory is bounded. The fields are not
// changed once a call was made; the methods may be called from many goroutines.
type Images struct {
	MaxWidth  int // ImageSide if zero
	MaxHeight int // ImageSide if zero
	MaxBytes  int // ImageBytes if zero

	once sync.Once
	busy chan struct{} // holds one while a picture is decoded
}

// Middleware limits the pictures of what passes back.
func (x *Images) Middleware(next tool.Handler) tool.Handler {
	return func(ctx context.Context, c *tool.Call) (*tool.Result, error) {
		res, err := next(ctx, c)
		if res == nil || !slices.ContainsFunc(res.Content, isImage) {
			return res, err
		}
		r := *res
		r.Content = slices.Clone(res.Content)
		for i := range r.Content {
			if isImage(r.Content[i]) {
				r.Content[i] = x.Limit(ctx, r.Content[i])
			}
		}
		return &r, err
	}
}

func isImage(c tool.Content) bool { return c.Type == tool.ContentImage }

// Limit is the image c within the limits, or the text that stands for it. It
// waits while another picture is decoded.
func (x *Images) Limit(ctx context.Context, c tool.Content) tool.Content {
	f := sniff(c.Data)
	if f == nil {
		return leftOut(len(c.Data), "its bytes are not PNG, JPEG, GIF or WebP")
	}
	w, h, err := f.size(c.Data)
	switch {
	case err != nil:
		return leftOut(len(c.Data), "its "+f.name+" header cannot be read")
	case w <= 0 || h <= 0:
		return leftOut(len(c.Data), "it has no pixels")
	case w*h > ImagePixels:
		return leftOut(len(c.Data), fmt.Sprintf("%d×%d pixels are more than the %d million that are decoded", w, h, ImagePixels/1_000_000))
	}
	c.MIME = f.mime
	if w <= x.width() && h <= x.height() && len(c.Data) <= x.bytes() {
		return c
	}
	x.once.Do(func() { x.busy = make(chan struct{}, 1) })
	select {
	case x.busy <- struct{}{}:
		defer func() { <-x.busy }()
	case <-ctx.Done():
		return leftOut(len(c.Data), "the call ended before it was made smaller")
	}
	return x.shrink(ctx, f, c.Data)
}

func (x *Images) width() int  { return cmp.Or(max(x.MaxWidth, 0), ImageSide) }
func (x *Images) height() int { return cmp.Or(max(x.MaxHeight, 0), ImageSide) }
func (x *Images) bytes() int  { return cmp.Or(max(x.MaxBytes, 0), ImageBytes) }

// leftOut is the text for an image that is not shown.
func leftOut(size int, why string) tool.Content {
	return textBlock(strings.TrimSuffix(imageLabel(size), "]") + " left out: " + why + "]")
}

// shrink goes through the grid.
func (x *Images) shrink(ctx context.Context, f *format, data []byte) tool.Content {
	img, err := f.decode(bytes.NewReader(data))
	if err != nil {
		return leftOut(len(data), "it is larger than the limits, and its "+f.name+" data cannot be decoded to make it smaller")
	}
	turn := 1
	if f.mime == "image/jpeg" {
		turn = orientation(data)
	}
	lucid := !isOpaque(img)
	var buf bytes.Buffer
	for _, size := range x.sizes(turned(img.Bounds().Size(), turn)) {
		if ctx.Err() != nil {
			return leftOut(len(data), "the call ended before it was made smaller")
		}
		small := upright(scale(img, turned(size, turn)), turn)
		if lucid {
			buf.Reset()
			if png.Encode(&buf, small) == nil && buf.Len() <= x.bytes() {
				return tool.Content{Type: tool.ContentImage, Data: buf.Bytes(), MIME: "image/png"}
			}
			small = onWhite(small)
		}
		for _, quality := range [...]int{85, 75, 65, 55, 45, 35} {
			buf.Reset()
			if jpeg.Encode(&buf, small, &jpeg.Options{Quality: quality}) == nil && buf.Len() <= x.bytes() {
				return tool.Content{Type: tool.ContentImage, Data: buf.Bytes(), MIME: "image/jpeg"}
			}
		}
	}
	return leftOut(len(data), fmt.Sprintf("it does not fit %d bytes even at %d pixels a side and the lowest quality", x.bytes(), min(800, x.width(), x.height())))
}

// sizes is the sizes of the grid, the largest first, each once.
func (x *Images) sizes(own image.Point) []image.Point {
	w, h := own.X, own.Y
	var out []image.Point
	for _, side := range [...]int{max(w, h), 1800, 1600, 1400, 1200, 1000, 800} {
		p := inside(w, h, min(side, x.width()), min(side, x.height()))
		if !slices.Contains(out, p) {
			out = append(out, p)
		}
	}
	slices.SortStableFunc(out, func(a, b image.Point) int { return cmp.Compare(b.X*b.Y, a.X*a.Y) })
	return out
}

// inside is w×h in proportion, made smaller to fit maxW×maxH, never larger.
func inside(w, h, maxW, maxH int) image.Point {
	if w > maxW {
		w, h = maxW, max(1, h*maxW/w)
	}
	if h > maxH {
		w, h = max(1, w*maxH/h), maxH
	}
	return image.Pt(w, h)
}

// A format is a kind of file that models take.
type format struct {
	name, mime string
	magic      string // "?" is any byte
	config     func(*bytes.Reader) (image.Config, error)
	decode     func(*bytes.Reader) (image.Image, error)
	more       func(data []byte) (w, h int) // size that the decoder would make, where it is not the header's
}

var formats = [...]format{
	{"PNG", "image/png", "\x89PNG\r\n\x1a\n", func(r *bytes.Reader) (image.Config, error) { return png.DecodeConfig(r) }, func(r *bytes.Reader) (image.Image, error) { return png.Decode(r) }, nil},
	{"JPEG", "image/jpeg", "\xff\xd8\xff", func(r *bytes.Reader) (image.Config, error) { return jpeg.DecodeConfig(r) }, func(r *bytes.Reader) (image.Image, error) { return jpeg.Decode(r) }, nil},
	{"GIF", "image/gif", "GIF8?a", func(r *bytes.Reader) (image.Config, error) { return gif.DecodeConfig(r) }, func(r *bytes.Reader) (image.Image, error) { return gif.Decode(r) }, nil},
	{"WebP", "image/webp", "RIFF????WEBPVP8", func(r *bytes.Reader) (image.Config, error) { return webp.DecodeConfig(r) }, func(r *bytes.Reader) (image.Image, error) { return webp.Decode(r) }, webpFrame},
}

// sniff is the format of data by its first bytes, nil if it is none of ours.
func sniff(data []byte) *format {
	for i := range formats {
		if hasMagic(data, formats[i].magic) {
			return &formats[i]
		}
	}
	return nil
}

func hasMagic(data []byte, magic string) bool {
	if len(data) < len(magic) {
		return false
	}
	for i := range len(magic) {
		if magic[i] != '?' && magic[i] != data[i] {
			return false
		}
	}
	return true
}

// size is width and height as the header has them, or as the decoder would find
// them if that is more.
func (f *format) size(data []byte) (w, h int, err error) {
	c, err := f.config(bytes.NewReader(data))
	if err != nil {
		return 0, 0, fmt.Errorf("read %s header: %w", f.name, err)
	}
	w, h = c.Width, c.Height
	if f.more != nil {
		mw, mh := f.more(data)
		w, h = max(w, mw), max(h, mh)
	}
	return w, h, nil
}

// webpFrame is the size of the largest frame in a WebP file: its header may
// promise a small canvas, and the decoder makes room for what the frame says.
func webpFrame(data []byte) (w, h int) {
	for at := 12; at+8 <= len(data); {
		kind := string(data[at : at+4])
		n := int(data[at+4]) | int(data[at+5])<<8 | int(data[at+6])<<16 | int(data[at+7])<<24
		body := data[at+8:]
		switch {
		case kind == "VP8 " && len(body) >= 10:
			w = max(w, (int(body[6])|int(body[7])<<8)&0x3fff)
			h = max(h, (int(body[8])|int(body[9])<<8)&0x3fff)
		case kind == "VP8L" && len(body) >= 5:
			bits := int(body[1]) | int(body[2])<<8 | int(body[3])<<16 | int(body[4])<<24
			w = max(w, bits&0x3fff+1)
			h = max(h, bits>>14&0x3fff+1)
		}
		if n < 0 || n > len(body) {
			break
		}
		at += 8 + n + n&1
	}
	return w, h
}
