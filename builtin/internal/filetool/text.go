package filetool

import (
	"unicode/utf8"

	"github.com/toolpost/toolpost/sandbox"
	"github.com/toolpost/toolpost/tool"
)

// Latin1 is the encoding of a text that is not UTF-8 and has no control
// characters: old sources in a western language.
const Latin1 = "iso-8859-1"

// DecodeText is the text of a file, without byte order mark, and its encoding.
func DecodeText(content []byte) (text, encoding string, err error) {
	text, enc, err := sandbox.Decode(content)
	if err == nil {
		return text, string(enc), nil
	}
	if IsLatin1(content) {
		return FromLatin1(content), Latin1, nil
	}
	return "", "", err
}

// EncodeText is the bytes of a text in the encoding it was read in.
func EncodeText(path, text, encoding string) ([]byte, error) {
	if encoding != Latin1 {
		return sandbox.Encode(text, sandbox.Encoding(encoding)), nil
	}
	out := make([]byte, 0, len(text))
	for _, r := range text {
		if r > 0xff {
			return nil, tool.Errorf(tool.CodePrecondition, "%s is stored as %s, which has no %q; leave the character out, or write the whole file anew as UTF-8 with write_file", path, Latin1, r)
		}
		out = append(out, byte(r))
	}
	return out, nil
}

// IsLatin1 reports whether bytes that are not UTF-8 look like text all the
// same: no control characters but white space, and mostly ASCII.
func IsLatin1(content []byte) bool {
	high := 0
	for _, b := range content {
		switch {
		case b < ' ' && b != '\t' && b != '\n' && b != '\r' && b != '\f', b == 0x7f, b >= 0x80 && b < 0xa0:
			return false
		case b >= utf8.RuneSelf:
			high++
		}
	}
	return high*10 <= len(content)*3
}

// FromLatin1 is the text of bytes in Latin 1, of which every one is a character.
func FromLatin1(content []byte) string {
	out := make([]byte, 0, len(content)+len(content)/8)
	for _, b := range content {
		out = utf8.AppendRune(out, rune(b))
	}
	return string(out)
}
