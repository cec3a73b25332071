package builtin

import (
	"bytes"
	"context"
	"image"
	"image/color"
	"image/draw"
	"image/jpeg"
	"image/png"

	"github.com/toolpost/toolpost/tool"
)

// mostPixels is the largest image that is decoded.
const mostPixels = 25_000_000

// fitImage scales an image down to a box. It reads PNG, JPEG and GIF (its first
// picture), and writes PNG where there is transparency, else JPEG.
func fitImage(ctx context.Context, data []byte, width, height int) ([]byte, string, error) {
	if mediaType(data) == "image/webp" {
		return nil, "", tool.Errorf(tool.CodePrecondition, "a WebP image cannot be made smaller here; ask for it with larger maxWidth and maxHeight, or convert it to PNG")
	}
	c, _, err := image.DecodeConfig(bytes.NewReader(data))
	if err != nil {
		return nil, "", tool.Errorf(tool.CodePrecondition, "the image is damaged: %w", err)
	}
	if c.Width*c.Height > mostPixels {
		return nil, "", tool.Errorf(tool.CodeLimit, "the image has %d × %d pixels, and at most %d in all are decoded; make it smaller first", c.Width, c.Height, mostPixels)
	}
	src, _, err := image.Decode(bytes.NewReader(data))
	if err != nil {
		return nil, "", tool.Errorf(tool.CodePrecondition, "the image is damaged: %w", err)
	}
	if err := ctx.Err(); err != nil {
		return nil, "", err
	}
	w, h := fitBox(c.Width, c.Height, width, height)
	small := shrink(src, w, h)
	var out bytes.Buffer
	if small.Opaque() {
		err = jpeg.Encode(&out, small, &jpeg.Options{Quality: 85})
		return out.Bytes(), "image/jpeg", err
	}
	err = png.Encode(&out, small)
	return out.Bytes(), "image/png", err
}

// fitBox is the largest size within a box that keeps the proportions.
func fitBox(w, h, maxW, maxH int) (int, int) {
	if w > maxW {
		w, h = maxW, max(h*maxW/w, 1)
	}
	if h > maxH {
		w, h = max(w*maxH/h, 1), maxH
	}
	return w, h
}

// shrink makes each pixel the mean of those that it stands for.
func shrink(src image.Image, w, h int) *image.RGBA {
	b := src.Bounds()
	full := image.NewRGBA(image.Rect(0, 0, b.Dx(), b.Dy()))
	draw.Draw(full, full.Bounds(), src, b.Min, draw.Src)
	out := image.NewRGBA(image.Rect(0, 0, w, h))
	for y := range h {
		y0, y1 := y*b.Dy()/h, max((y+1)*b.Dy()/h, y*b.Dy()/h+1)
		for x := range w {
			x0, x1 := x*b.Dx()/w, max((x+1)*b.Dx()/w, x*b.Dx()/w+1)
			out.SetRGBA(x, y, mean(full, x0, y0, x1, y1))
		}
	}
	return out
}

func mean(m *image.RGBA, x0, y0, x1, y1 int) color.RGBA {
	var sum [4]int
	for y := y0; y < y1; y++ {
		row := m.Pix[m.PixOffset(x0, y):m.PixOffset(x1, y)]
		for i := 0; i < len(row); i += 4 {
			for c := range sum {
				sum[c] += int(row[i+c])
			}
		}
	}
	n := (x1 - x0) * (y1 - y0)
	return color.RGBA{R: uint8(sum[0] / n), G: uint8(sum[1] / n), B: uint8(sum[2] / n), A: uint8(sum[3] / n)}
}
