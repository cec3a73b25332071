package hook

import (
	"encoding/binary"
	"image"
	"image/color"

	"golang.org/x/image/draw"
)

// scale is img at the given size.
func scale(img image.Image, size image.Point) image.Image {
	if img.Bounds().Size() == size {
		return img
	}
	dst := image.NewNRGBA(image.Rectangle{Max: size})
	draw.BiLinear.Scale(dst, dst.Bounds(), img, img.Bounds(), draw.Src, nil)
	return dst
}

// isOpaque reports whether nothing shows through img.
func isOpaque(img image.Image) bool {
	if o, ok := img.(interface{ Opaque() bool }); ok {
		return o.Opaque()
	}
	b := img.Bounds()
	for y := b.Min.Y; y < b.Max.Y; y++ {
		for x := b.Min.X; x < b.Max.X; x++ {
			if _, _, _, a := img.At(x, y).RGBA(); a != 0xffff {
				return false
			}
		}
	}
	return true
}

// onWhite is img with white where it shows through: JPEG has no transparency,
// and would make it black.
func onWhite(img image.Image) image.Image {
	dst := image.NewRGBA(image.Rectangle{Max: img.Bounds().Size()})
	draw.Draw(dst, dst.Bounds(), image.NewUniform(color.White), image.Point{}, draw.Src)
	draw.Draw(dst, dst.Bounds(), img, img.Bounds().Min, draw.Over)
	return dst
}

// turned is size as it is with this EXIF orientation: from 5 on, pictures lie on
// their side.
func turned(size image.Point, orientation int) image.Point {
	if orientation >= 5 && orientation <= 8 {
		return image.Pt(size.Y, size.X)
	}
	return size
}

// upright is img turned and mirrored as the EXIF orientation (1 to 8) asks, for
// a file that is written again has no EXIF.
func upright(img image.Image, orientation int) image.Image {
	if orientation < 2 || orientation > 8 {
		return img
	}
	b := img.Bounds()
	w, h := b.Dx(), b.Dy()
	size := image.Pt(w, h)
	if orientation >= 5 {
		size = image.Pt(h, w)
	}
	dst := image.NewRGBA(image.Rectangle{Max: size})
	for y := range h {
		for x := range w {
			to := [...]image.Point{
				2: {w - 1 - x, y}, 3: {w - 1 - x, h - 1 - y}, 4: {x, h - 1 - y},
				5: {y, x}, 6: {h - 1 - y, x}, 7: {h - 1 - y, w - 1 - x}, 8: {y, w - 1 - x},
			}[orientation]
			dst.Set(to.X, to.Y, img.At(b.Min.X+x, b.Min.Y+y))
		}
	}
	return dst
}

// orientation is the EXIF orientation of a JPEG file, 1 if it has none.
func orientation(data []byte) int {
	for at := 2; at+4 <= len(data) && data[at] == 0xff; {
		kind, n := data[at+1], int(binary.BigEndian.Uint16(data[at+2:]))
		if n < 2 || at+2+n > len(data) || kind == 0xda { // the picture itself begins
			return 1
		}
		if body := data[at+4 : at+2+n]; kind == 0xe1 && len(body) > 14 && string(body[:6]) == "Exif\x00\x00" {
			return tiffOrientation(body[6:])
		}
		at += 2 + n
	}
	return 1
}

// tiffOrientation is tag 0x0112 of the first directory of a TIFF header.
func tiffOrientation(b []byte) int {
	var order binary.ByteOrder = binary.LittleEndian
	if b[0] == 'M' {
		order = binary.BigEndian
	}
	at := int(order.Uint32(b[4:]))
	if at < 8 || at+2 > len(b) {
		return 1
	}
	for n := int(order.Uint16(b[at:])); n > 0 && at+14 <= len(b); n-- {
		if entry := b[at+2:]; order.Uint16(entry) == 0x0112 {
			return int(order.Uint16(entry[8:]))
		}
		at += 12
	}
	return 1
}
