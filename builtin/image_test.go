//go:build unix

package builtin_test

import (
	"bytes"
	"context"
	"hash/crc32"
	"image"
	"image/color"
	"image/gif"
	"image/jpeg"
	"testing"

	"github.com/toolpost/toolpost/builtin"
	"github.com/toolpost/toolpost/sandbox"
	"github.com/toolpost/toolpost/tool"
)

type imageData struct {
	Path, MimeType string
	Width, Height  int
}

// webp is the head of a WebP file of 640 × 480 pixels, in its extended form.
const webp = "RIFF\x24\x00\x00\x00WEBPVP8X\x0a\x00\x00\x00\x00\x00\x00\x00\x7f\x02\x00\xdf\x01\x00VP8 \x00\x00\x00\x00"

func TestImage(t *testing.T) {
	red, glass := color.NRGBA{200, 0, 0, 255}, color.NRGBA{0, 0, 200, 128}
	var asJPEG, asGIF bytes.Buffer
	if err := jpeg.Encode(&asJPEG, image.NewGray(image.Rect(0, 0, 30, 20)), nil); err != nil {
		t.Fatal(err)
	}
	if err := gif.Encode(&asGIF, image.NewGray(image.Rect(0, 0, 9, 8)), nil); err != nil {
		t.Fatal(err)
	}
	k := newKit(t, "small.png", string(picture(t, 20, 10, red)), "wide.png", string(picture(t, 3000, 10, red)),
		"glass.png", string(picture(t, 100, 2000, glass)), "a.jpg", asJPEG.String(), "a.gif", asGIF.String(), "a.webp", webp, "wrong.txt", asGIF.String())
	for _, c := range []struct {
		name string
		args object
		want imageData
	}{
		{"a PNG that fits is left as it is", object{"path": "small.png"}, imageData{"small.png", "image/png", 20, 10}},
		{"a wide one is made smaller", object{"path": "wide.png"}, imageData{"wide.png", "image/jpeg", 1200, 4}},
		{"transparency is kept", object{"path": "glass.png", "maxHeight": 1000}, imageData{"glass.png", "image/png", 50, 1000}},
		{"both sides count", object{"path": "small.png", "maxWidth": 18, "maxHeight": 16}, imageData{"small.png", "image/jpeg", 18, 9}},
		{"JPEG", object{"path": "a.jpg"}, imageData{"a.jpg", "image/jpeg", 30, 20}},
		{"GIF", object{"path": "a.gif"}, imageData{"a.gif", "image/gif", 9, 8}},
		{"WebP", object{"path": "a.webp"}, imageData{"a.webp", "image/webp", 640, 480}},
		{"the name does not count, the content does", object{"path": "wrong.txt"}, imageData{"wrong.txt", "image/gif", 9, 8}},
	} {
		r := k.ok("image", c.args)
		if got := data[imageData](t, r); got != c.want {
			t.Errorf("%s: %+v, want %+v", c.name, got, c.want)
		}
		block := r.Content[len(r.Content)-1]
		if block.Type != tool.ContentImage || block.MIME != c.want.MimeType {
			t.Errorf("%s: no image block of its type: %s", c.name, block.MIME)
		}
		if block.MIME == "image/webp" {
			continue
		}
		if cfg, _, err := image.DecodeConfig(bytes.NewReader(block.Data)); err != nil || cfg.Width != c.want.Width || cfg.Height != c.want.Height {
			t.Errorf("%s: the block is %d × %d (%v)", c.name, cfg.Width, cfg.Height, err)
		}
	}
}

func TestImageRefuses(t *testing.T) {
	whole := string(picture(t, 20, 10, color.White))
	bomb := []byte(whole)
	copy(bomb[16:], "\x00\x00\xff\xff\x00\x00\xff\xff") // 65,535 × 65,535
	k := newKit(t, "a.txt", "text", "a.bin", "\x00\x01", "head.png", whole[:20], "cut.png", whole[:60], "bomb.png", string(fixPNG(bomb)), "a.webp", webp)
	k.fails("image", object{"url": "https://example.com/a.png"}, tool.CodePrecondition, "https://example.com/a.png", "not fetched")
	k.fails("image", object{}, tool.CodeInvalid, `"path" required`)
	k.fails("image", object{"path": "a.txt"}, tool.CodePrecondition, "but text", "read_file")
	k.fails("image", object{"path": "a.bin"}, tool.CodePrecondition, "application/octet-stream")
	k.fails("image", object{"path": "head.png"}, tool.CodePrecondition, "damaged")
	k.fails("image", object{"path": "cut.png", "maxWidth": 16}, tool.CodePrecondition, "damaged")
	k.fails("image", object{"path": "bomb.png"}, tool.CodeLimit, "65535 × 65535")
	k.fails("image", object{"path": "a.webp", "maxWidth": 100}, tool.CodePrecondition, "WebP")
	k.fails("image", object{"path": "b.png"}, tool.CodeNotFound)
	k.fails("image", object{"path": "../a.png"}, tool.CodePath)
}

func TestImageUsesTheScalerItIsGiven(t *testing.T) {
	k := newKit(t, "a.webp", webp)
	asked := ""
	f := builtin.Files{Root: k.root, Fit: func(_ context.Context, in []byte, w, h int) ([]byte, string, error) {
		asked = string(in[:4])
		return picture(t, w, h/2, color.White), "image/png", nil
	}}
	var r tool.Registry
	if err := r.Add(f.Tools()...); err != nil {
		t.Fatal(err)
	}
	res := tool.Do(t.Context(), r.Call, tool.NewCall("image", `{"path":"a.webp","maxWidth":100,"maxHeight":100}`))
	if got := data[imageData](t, res); asked != "RIFF" || got.Width != 100 || got.Height != 50 || got.MimeType != "image/png" {
		t.Errorf("asked with %q, got %+v", asked, got)
	}
}

// fixPNG corrects the checksum of the first chunk.
func fixPNG(b []byte) []byte {
	sum := crc32.ChecksumIEEE(b[12:29])
	copy(b[29:], []byte{byte(sum >> 24), byte(sum >> 16), byte(sum >> 8), byte(sum)})
	return b
}

func TestAnImageThatFitsIsNotScaled(t *testing.T) {
	root, err := sandbox.Open(sandbox.Profile{Workspace: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	f := builtin.Files{Root: root, Fit: func(context.Context, []byte, int, int) ([]byte, string, error) {
		t.Error("an image that fits was scaled")
		return nil, "", nil
	}}
	if _, err := root.Write("a.png", picture(t, 5, 5, color.White), sandbox.WriteOptions{}); err != nil {
		t.Fatal(err)
	}
	var r tool.Registry
	if err := r.Add(f.Tools()...); err != nil {
		t.Fatal(err)
	}
	if res := tool.Do(t.Context(), r.Call, tool.NewCall("image", `{"path":"a.png"}`)); !res.OK() {
		t.Error(res.Err)
	}
}
