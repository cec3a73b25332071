package audit

import (
	"crypto/sha256"

	"golang.org/x/mod/sumdb/tlog"
)

// A merkle is the Merkle tree (RFC 6962) of a journal as it grows: its leaves are
// the SHA-256 of the records. It keeps the right edge alone, which is a few dozen
// hashes however long the run is.
type merkle struct {
	size int64
	edge []tlog.Hash // roots of whole subtrees, the largest first
}

// add puts the next record's hash into the tree.
func (t *merkle) add(record [sha256.Size]byte) {
	h := tlog.RecordHash(record[:])
	for n := t.size; n&1 == 1; n >>= 1 {
		last := len(t.edge) - 1
		h = tlog.NodeHash(t.edge[last], h)
		t.edge = t.edge[:last]
	}
	t.edge = append(t.edge, h)
	t.size++
}

// root is the hash of the whole tree; that of nothing is the SHA-256 of nothing.
func (t *merkle) root() tlog.Hash {
	if t.size == 0 {
		return sha256.Sum256(nil)
	}
	last := len(t.edge) - 1
	h := t.edge[last]
	for i := last - 1; i >= 0; i-- {
		h = tlog.NodeHash(t.edge[i], h)
	}
	return h
}
