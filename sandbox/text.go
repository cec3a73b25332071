package sandbox

import (
	"bytes"
	"encoding/binary"
	"errors"
	"unicode/utf16"
	"unicode/utf8"
)

// Encoding is how the text of a file is stored.
type Encoding string

// The encodings that are told apart. A file without a byte order mark is
// UTF-8 or no text.
const (
	UTF8    Encoding = "utf-8"
	UTF8BOM Encoding = "utf-8-bom"
	UTF16LE Encoding = "utf-16le" // with byte order mark
	UTF16BE Encoding = "utf-16be" // with byte order mark
)

var (
	bom8    = []byte{0xef, 0xbb, 0xbf}
	bom16le = []byte{0xff, 0xfe}
	bom16be = []byte{0xfe, 0xff}
)

// ErrBinary is returned by [Decode] for content that is no text.
var ErrBinary = errors.New("the content is binary, not text")

// Sniff tells the encoding by the byte order mark, else UTF-8.
func Sniff(content []byte) Encoding {
	switch {
	case bytes.HasPrefix(content, bom8):
		return UTF8BOM
	case bytes.HasPrefix(content, bom16le) && !bytes.HasPrefix(content, []byte{0xff, 0xfe, 0, 0}):
		return UTF16LE
	case bytes.HasPrefix(content, bom16be):
		return UTF16BE
	}
	return UTF8
}

// IsText reports whether the content is text in one of the encodings: valid
// throughout and without NUL. Content that was cut in the middle of a
// character passes. Empty content is text.
func IsText(content []byte) bool {
	_, _, err := Decode(trimCut(content))
	return err == nil
}

// trimCut drops up to three bytes of a character that was cut at the end.
func trimCut(content []byte) []byte {
	enc := Sniff(content)
	if enc == UTF16LE || enc == UTF16BE {
		return content[:len(content)&^1]
	}
	for i := 1; i < utf8.UTFMax && i <= len(content); i++ {
		c := content[len(content)-i]
		if utf8.RuneStart(c) {
			if c >= utf8.RuneSelf && !utf8.FullRune(content[len(content)-i:]) {
				return content[:len(content)-i]
			}
			break
		}
	}
	return content
}

// Decode returns the text of a file without its byte order mark, and the
// encoding with which [Encode] gives back the same bytes. Content that is no
// text yields [ErrBinary].
func Decode(content []byte) (string, Encoding, error) {
	enc := Sniff(content)
	switch enc {
	case UTF16LE, UTF16BE:
		return decode16(content[2:], enc)
	case UTF8BOM:
		content = content[3:]
	}
	if !utf8.Valid(content) || bytes.IndexByte(content, 0) >= 0 {
		return "", "", ErrBinary
	}
	return string(content), enc, nil
}

func decode16(b []byte, enc Encoding) (string, Encoding, error) {
	if len(b)%2 != 0 {
		return "", "", ErrBinary
	}
	var order binary.ByteOrder = binary.LittleEndian
	if enc == UTF16BE {
		order = binary.BigEndian
	}
	out := make([]byte, 0, len(b))
	for i := 0; i < len(b); i += 2 {
		c := rune(order.Uint16(b[i:]))
		if utf16.IsSurrogate(c) {
			if i+3 >= len(b) {
				return "", "", ErrBinary
			}
			i += 2
			if c = utf16.DecodeRune(c, rune(order.Uint16(b[i:]))); c == utf8.RuneError {
				return "", "", ErrBinary
			}
		}
		if c == 0 {
			return "", "", ErrBinary
		}
		out = utf8.AppendRune(out, c)
	}
	return string(out), enc, nil
}

// Encode returns the bytes of a text in an encoding, with its byte order mark.
// The zero Encoding is UTF8.
func Encode(text string, enc Encoding) []byte {
	switch enc {
	case UTF8BOM:
		return append(bytes.Clone(bom8), text...)
	case UTF16LE:
		return encode16(bom16le, text, binary.LittleEndian)
	case UTF16BE:
		return encode16(bom16be, text, binary.BigEndian)
	}
	return []byte(text)
}

func encode16(bom []byte, text string, order binary.AppendByteOrder) []byte {
	out := bytes.Clone(bom)
	for _, u := range utf16.Encode([]rune(text)) {
		out = order.AppendUint16(out, u)
	}
	return out
}
