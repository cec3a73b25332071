package audit

import (
	"bytes"
	"encoding/binary"
	"iter"
)

// logged is a piece of a journal that stands in a commit log.
type logged struct {
	offset int64
	text   []byte
}

// into puts the piece where it belongs, unless it is there.
func (l logged) into(f file) error {
	have := make([]byte, len(l.text))
	if n, _ := f.ReadAt(have, l.offset); n == len(have) && bytes.Equal(have, l.text) {
		return nil
	}
	_, err := f.WriteAt(l.text, l.offset)
	return err
}

// logEntries is what stands in the log b, by run, in order, up to the first
// frame that is torn or of another round.
func logEntries(b []byte) iter.Seq2[string, logged] {
	return func(yield func(string, logged) bool) {
		for round, first := uint64(0), true; len(b) >= frameHead; first = false {
			n := int(binary.LittleEndian.Uint32(b[12:]))
			r := binary.LittleEndian.Uint64(b[4:])
			if binary.LittleEndian.Uint32(b) != logMagic || n > len(b)-frameHead || !first && r != round {
				return
			}
			body := b[frameHead : frameHead+n]
			if frameSum(b[4:12], body) != binary.LittleEndian.Uint32(b[16:]) {
				return
			}
			round, b = r, b[frameHead+n:]
			for len(body) > 0 {
				id, l, rest, ok := cutEntry(body)
				if !ok || !yield(id, l) {
					return
				}
				body = rest
			}
		}
	}
}

// cutEntry takes the first entry off a body.
func cutEntry(b []byte) (id string, l logged, rest []byte, ok bool) {
	if len(b) < 2 {
		return "", l, nil, false
	}
	n := int(binary.LittleEndian.Uint16(b))
	if b = b[2:]; len(b) < n+12 {
		return "", l, nil, false
	}
	id, b = string(b[:n]), b[n:]
	l.offset = int64(binary.LittleEndian.Uint64(b))
	n = int(binary.LittleEndian.Uint32(b[8:]))
	if b = b[12:]; len(b) < n || l.offset < 0 {
		return "", l, nil, false
	}
	l.text = b[:n]
	return id, l, b[n:], true
}
