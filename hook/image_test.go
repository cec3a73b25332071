package hook_test

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/binary"
	"hash/crc32"
	"image"
	"image/color"
	"image/gif"
	"image/jpeg"
	"image/png"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/toolpost/toolpost/hook"
	"github.com/toolpost/toolpost/tool"
)

// noise is a picture that cannot be compressed; lucid shows something through.
func noise(w, h int, lucid bool) *image.NRGBA {
	m := image.NewNRGBA(image.Rect(0, 0, w, h))
	r := rand.New(rand.NewPCG(1, 2))
	for i := range m.Pix {
		m.Pix[i] = byte(r.Uint32())
		if i%4 == 3 && !lucid {
			m.Pix[i] = 255
		}
	}
	return m
}

func asPNG(t testing.TB, m image.Image) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := png.Encode(&b, m); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func asJPEG(t testing.TB, m image.Image) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := jpeg.Encode(&b, m, nil); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func asGIF(t testing.TB, m image.Image) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := gif.Encode(&b, m, nil); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// aWebP is a picture of one pixel (lossless).
const aWebP = "UklGRhoAAABXRUJQVlA4TA0AAAAvAAAAEAcQERGIiP4HAA=="

func webP(t testing.TB) []byte {
	t.Helper()
	b, err := base64.StdEncoding.DecodeString(aWebP)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func limited(x *hook.Images, data []byte) tool.Content {
	return x.Limit(context.Background(), tool.Content{Type: tool.ContentImage, Data: data, MIME: "application/octet-stream"})
}

func TestImagesInsideTheLimitsStay(t *testing.T) {
	small := image.NewNRGBA(image.Rect(0, 0, 1200, 10))
	for mime, data := range map[string][]byte{
		"image/png": asPNG(t, small), "image/jpeg": asJPEG(t, small), "image/gif": asGIF(t, small), "image/webp": webP(t),
	} {
		got := limited(new(hook.Images), data)
		if got.MIME != mime || !bytes.Equal(got.Data, data) {
			t.Errorf("%s became %s %q", mime, got.MIME, got.Text)
		}
	}
}

func TestImagesAreMadeSmaller(t *testing.T) {
	for name, c := range map[string]struct {
		images *hook.Images
		data   []byte
		mime   string
		size   image.Point
	}{
		"too wide":                      {&hook.Images{}, asPNG(t, image.NewGray(image.Rect(0, 0, 1800, 90))), "image/jpeg", image.Pt(1200, 60)},
		"too high":                      {&hook.Images{}, asGIF(t, image.NewGray(image.Rect(0, 0, 60, 1800))), "image/jpeg", image.Pt(40, 1200)},
		"by two limits":                 {&hook.Images{MaxWidth: 300, MaxHeight: 100}, asJPEG(t, image.NewGray(image.Rect(0, 0, 600, 400))), "image/jpeg", image.Pt(150, 100)},
		"transparent stays PNG":         {&hook.Images{}, asPNG(t, image.NewNRGBA(image.Rect(0, 0, 1800, 90))), "image/png", image.Pt(1200, 60)},
		"transparent and too large":     {&hook.Images{MaxBytes: 20_000}, asPNG(t, noise(120, 120, true)), "image/jpeg", image.Pt(120, 120)},
		"too many bytes, lower quality": {&hook.Images{MaxBytes: 9_000}, asPNG(t, noise(120, 120, false)), "image/jpeg", image.Pt(120, 120)},
		"too many bytes, fewer pixels":  {&hook.Images{MaxBytes: 4200}, asPNG(t, noise(810, 12, false)), "image/jpeg", image.Pt(800, 11)},
		"thinner than a pixel":          {&hook.Images{}, asPNG(t, image.NewGray(image.Rect(0, 0, 5000, 1))), "image/jpeg", image.Pt(1200, 1)},
	} {
		t.Run(name, func(t *testing.T) {
			got := limited(c.images, c.data)
			if got.Type != tool.ContentImage || got.MIME != c.mime {
				t.Fatalf("got %s %s %q", got.Type, got.MIME, got.Text)
			}
			m, format, err := image.Decode(bytes.NewReader(got.Data))
			if err != nil {
				t.Fatal(err)
			}
			if m.Bounds().Size() != c.size || "image/"+format != c.mime {
				t.Errorf("got %v as %s in %d bytes, want %v", m.Bounds().Size(), format, len(got.Data), c.size)
			}
			if limit := c.images.MaxBytes; limit > 0 && len(got.Data) > limit {
				t.Errorf("%d bytes, more than %d", len(got.Data), limit)
			}
		})
	}
}

func TestImagesTransparencyBecomesWhite(t *testing.T) {
	m := noise(100, 100, false)
	for y := range 40 {
		for x := range 40 {
			m.SetNRGBA(x, y, color.NRGBA{})
		}
	}
	got := limited(&hook.Images{MaxBytes: 14_000}, asPNG(t, m))
	out, _, err := image.Decode(bytes.NewReader(got.Data))
	if err != nil || got.MIME != "image/jpeg" {
		t.Fatal(got.MIME, got.Text, err)
	}
	if r, _, _, _ := out.At(15, 15).RGBA(); r < 0xf000 {
		t.Errorf("what showed through is %v", out.At(15, 15))
	}
}

func TestImagesKeepTheirOrientation(t *testing.T) {
	m := image.NewRGBA(image.Rect(0, 0, 400, 200)) // the left half is red
	for y := range 200 {
		for x := range 200 {
			m.Set(x, y, color.RGBA{R: 255, A: 255})
		}
	}
	plain := asJPEG(t, m)
	tiff := append([]byte("Exif\x00\x00MM\x00*\x00\x00\x00\x08\x00\x01\x01\x12\x00\x03\x00\x00\x00\x01"), 0, 6, 0, 0, 0, 0, 0, 0)
	app := append([]byte{0xff, 0xe1, 0, byte(len(tiff) + 2)}, tiff...)
	data := append(append(append([]byte(nil), plain[:2]...), app...), plain[2:]...)
	got := limited(&hook.Images{MaxWidth: 100, MaxHeight: 100}, data)
	out, _, err := image.Decode(bytes.NewReader(got.Data))
	if err != nil {
		t.Fatal(got.Text, err)
	}
	top, _, _, _ := out.At(25, 10).RGBA()
	bottom, _, _, _ := out.At(25, 90).RGBA()
	if out.Bounds().Size() != image.Pt(50, 100) || top < 0xc000 || bottom > 0x4000 {
		t.Errorf("turned by 90°: %v, red above %x and below %x", out.Bounds().Size(), top, bottom)
	}
}

// header is the beginning of a PNG file that promises a size.
func header(w, h uint32) []byte {
	b := []byte("\x89PNG\r\n\x1a\n\x00\x00\x00\x0dIHDR")
	b = binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint32(b, w), h)
	b = append(b, 8, 6, 0, 0, 0)
	return binary.BigEndian.AppendUint32(b, crc32.ChecksumIEEE(b[12:]))
}

func TestImagesLeftOut(t *testing.T) {
	bomb := webP(t)
	bomb = append([]byte("RIFF\x00\x00\x00\x00WEBPVP8X\x0a\x00\x00\x00\x00\x00\x00\x00\x09\x00\x00\x09\x00\x00"), bomb[12:]...)
	binary.LittleEndian.PutUint32(bomb[4:], uint32(len(bomb)-8))
	binary.LittleEndian.PutUint32(bomb[30+9:], 16382|16382<<14) // the canvas is 10×10, the frame 16383×16383
	for name, c := range map[string]struct {
		images *hook.Images
		data   []byte
		want   string
	}{
		"no picture":            {&hook.Images{}, []byte("%PDF-1.7"), "not PNG, JPEG, GIF or WebP"},
		"nothing":               {&hook.Images{}, nil, "not PNG, JPEG, GIF or WebP"},
		"a bomb":                {&hook.Images{}, header(50_000, 50_000), "50000×50000 pixels are more than the 25 million"},
		"a bomb in a frame":     {&hook.Images{}, bomb, "16383×16383 pixels"},
		"a broken header":       {&hook.Images{}, []byte("\x89PNG\r\n\x1a\nxxxx"), "header cannot be read"},
		"cut off and too large": {&hook.Images{}, header(2000, 2000), "cannot be decoded"},
		"nothing fits":          {&hook.Images{MaxBytes: 500}, asPNG(t, noise(60, 60, false)), "does not fit 500 bytes"},
	} {
		t.Run(name, func(t *testing.T) {
			got := limited(c.images, c.data)
			if got.Type != tool.ContentText || !strings.Contains(got.Text, c.want) || !strings.HasPrefix(got.Text, "[image ") || len(got.Data) > 0 {
				t.Errorf("got %s %q, want %q", got.Type, got.Text, c.want)
			}
		})
	}
}

func TestImagesMiddleware(t *testing.T) {
	data := asPNG(t, image.NewGray(image.Rect(0, 0, 2400, 10)))
	kept := tool.Image(data, "image/gif", "a line")
	h := new(hook.Images).Middleware(func(context.Context, *tool.Call) (*tool.Result, error) { return kept, nil })
	res := tool.Do(t.Context(), h, tool.NewCall("draw", ""))
	if res.Content[0].Text != "a line" || res.Content[1].MIME != "image/jpeg" {
		t.Errorf("got %q, %s", res.Content[0].Text, res.Content[1].MIME)
	}
	if !bytes.Equal(kept.Content[1].Data, data) {
		t.Error("the tool's own result was changed")
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	x := new(hook.Images)
	if got := x.Limit(ctx, kept.Content[1]); got.Type != tool.ContentText {
		t.Errorf("after the call has ended: %s", got.MIME)
	}
}

func FuzzImages(f *testing.F) {
	f.Add(asPNG(f, image.NewNRGBA(image.Rect(0, 0, 40, 30))))
	f.Add(asJPEG(f, image.NewNRGBA(image.Rect(0, 0, 40, 30))))
	f.Add(asGIF(f, image.NewNRGBA(image.Rect(0, 0, 40, 30))))
	f.Add(webP(f))
	f.Fuzz(func(t *testing.T, data []byte) {
		if c, _, err := image.DecodeConfig(bytes.NewReader(data)); err == nil && c.Width*c.Height > 1<<20 {
			return // slow, and bounded by a rule that has its own test
		}
		got := limited(&hook.Images{MaxWidth: 20, MaxHeight: 20, MaxBytes: 4000}, data)
		if got.Type == tool.ContentImage && len(got.Data) > 4000 {
			t.Fatalf("%d bytes", len(got.Data))
		}
	})
}
