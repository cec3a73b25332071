package tool

import (
	"crypto/rand"
	"encoding/hex"
	"time"
)

// NewID is a fresh UUID of version 7 (RFC 9562): its first 48 bits are the
// Unix time in milliseconds, so ids sort by the time they were made.
func NewID() string {
	var b [16]byte
	_, _ = rand.Read(b[:]) // never fails: the program ends if the system has no entropy
	ms := uint64(time.Now().UnixMilli())
	for i := range 6 {
		b[i] = byte(ms >> (40 - 8*i))
	}
	b[6] = 0x70 | b[6]&0x0f
	b[8] = 0x80 | b[8]&0x3f
	var s [36]byte
	hex.Encode(s[0:8], b[0:4])
	hex.Encode(s[9:13], b[4:6])
	hex.Encode(s[14:18], b[6:8])
	hex.Encode(s[19:23], b[8:10])
	hex.Encode(s[24:36], b[10:16])
	s[8], s[13], s[18], s[23] = '-', '-', '-', '-'
	return string(s[:])
}
