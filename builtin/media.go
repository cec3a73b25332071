package builtin

import (
	"bytes"
	"encoding/binary"
	"image"
	_ "image/gif"  // read by dimensions and fit
	_ "image/jpeg" // likewise
	_ "image/png"  // likewise
	"strings"
)

// magic is the first bytes by which files are known; '?' stands for any byte.
var magic = [...]struct{ head, mime string }{
	{"\x89PNG\r\n\x1a\n", "image/png"},
	{"\xff\xd8\xff", "image/jpeg"},
	{"GIF87a", "image/gif"},
	{"GIF89a", "image/gif"},
	{"RIFF????WEBP", "image/webp"},
	{"%PDF-", "application/pdf"},
	{"PK\x03\x04", "application/zip"},
	{"PK\x05\x06", "application/zip"},
	{"\x1f\x8b", "application/gzip"},
	{"BZh", "application/x-bzip2"},
	{"\xfd7zXZ\x00", "application/x-xz"},
	{"7z\xbc\xaf\x27\x1c", "application/x-7z-compressed"},
	{"\x28\xb5\x2f\xfd", "application/zstd"},
	{"\x7fELF", "application/x-executable"},
	{"MZ", "application/vnd.microsoft.portable-executable"},
	{"\xcf\xfa\xed\xfe", "application/x-mach-binary"},
	{"\xca\xfe\xba\xbe", "application/java-vm"},
	{"\x00asm", "application/wasm"},
	{"SQLite format 3\x00", "application/vnd.sqlite3"},
	{"OggS", "audio/ogg"},
	{"ID3", "audio/mpeg"},
	{"fLaC", "audio/flac"},
	{"RIFF????WAVE", "audio/wav"},
	{"????ftyp", "video/mp4"},
	{"\x1aE\xdf\xa3", "video/webm"},
	{"wOFF", "font/woff"},
	{"wOF2", "font/woff2"},
}

// mediaType names the kind of a file by its first bytes.
func mediaType(head []byte) string {
	for _, m := range magic {
		if hasHead(head, m.head) {
			return m.mime
		}
	}
	return "application/octet-stream"
}

func hasHead(b []byte, head string) bool {
	if len(b) < len(head) {
		return false
	}
	for i := range len(head) {
		if head[i] != '?' && b[i] != head[i] {
			return false
		}
	}
	return true
}

// isImage reports a kind of image that models take.
func isImage(mime string) bool { return strings.HasPrefix(mime, "image/") }

// dimensions is the width and height of an encoded image in pixels, read from
// its head.
func dimensions(data []byte, mime string) (width, height int, ok bool) {
	if mime == "image/webp" {
		return webpSize(data)
	}
	c, _, err := image.DecodeConfig(bytes.NewReader(data))
	if err != nil || c.Width <= 0 || c.Height <= 0 {
		return 0, 0, false
	}
	return c.Width, c.Height, true
}

// webpSize reads the first chunk of a WebP file (RFC 9649, section 2).
func webpSize(b []byte) (width, height int, ok bool) {
	if len(b) < 30 {
		return 0, 0, false
	}
	body := b[20:]
	switch string(b[12:16]) {
	case "VP8 ":
		if string(body[3:6]) != "\x9d\x01\x2a" {
			return 0, 0, false
		}
		return int(binary.LittleEndian.Uint16(body[6:]) & 0x3fff), int(binary.LittleEndian.Uint16(body[8:]) & 0x3fff), true
	case "VP8L":
		if body[0] != 0x2f {
			return 0, 0, false
		}
		v := binary.LittleEndian.Uint32(body[1:])
		return int(v&0x3fff) + 1, int(v>>14&0x3fff) + 1, true
	case "VP8X":
		u24 := func(p []byte) int { return int(p[0]) | int(p[1])<<8 | int(p[2])<<16 }
		return u24(body[4:]) + 1, u24(body[7:]) + 1, true
	}
	return 0, 0, false
}
