package sandbox

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"io/fs"
	"os"
)

// Etag returns the tag of a file's content: the first 16 hexadecimal digits of
// its SHA-256. It is strong: the same tag means the same bytes.
func Etag(content []byte) string {
	sum := sha256.Sum256(content)
	return hex.EncodeToString(sum[:8])
}

// maxEtagBytes is the size beyond which a file is not read only to tag it.
const maxEtagBytes = 1 << 30

// tag reads the file at the place; it is empty where the file cannot be read
// or is too large to be.
func (p *place) tag() (string, error) {
	if p.info.Size() > maxEtagBytes {
		return "", nil
	}
	f, err := p.folder().OpenFile(p.base, os.O_RDONLY|openNonblock, 0)
	if errors.Is(err, fs.ErrPermission) {
		return "", nil
	}
	if err != nil {
		return "", wrap("reading the file", p.path(), err)
	}
	defer f.Close()
	tag, err := etagOf(f)
	return tag, wrap("reading the file", p.path(), err)
}

// etagOf reads r to its end.
func etagOf(r io.Reader) (string, error) {
	h := sha256.New()
	if _, err := io.Copy(h, r); err != nil {
		return "", err
	}
	return hex.EncodeToString(h.Sum(nil)[:8]), nil
}
