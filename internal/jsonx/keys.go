package jsonx

import (
	"bytes"
	"hash/maphash"
)

// manyKeys is the number of names from which an object gets a map: below it
// a linear look at the hashes is faster.
const manyKeys = 32

// Keys finds duplicate member names while objects are walked. The zero value is
// ready; it is used by one goroutine, and keeps its memory between documents.
type Keys struct {
	seed  maphash.Seed
	ready bool
	stack []key
	text  []byte
	maps  []map[uint64]int // one for each open object that has many names
}

// key is one name that was seen: a slice of the document, or of Keys.text when
// it had escapes.
type key struct {
	hash       uint64
	start, end int
	plain      bool
}

// A Mark is the place in Keys where an object began.
type Mark struct{ keys, text, maps int }

// Open begins an object.
func (k *Keys) Open() Mark {
	if !k.ready {
		k.seed, k.ready = maphash.MakeSeed(), true
	}
	return Mark{len(k.stack), len(k.text), len(k.maps)}
}

// Close ends the object that m began, and forgets its names.
func (k *Keys) Close(m Mark) {
	k.stack = k.stack[:m.keys]
	k.text = k.text[:m.text]
	clear(k.maps[m.maps:])
	k.maps = k.maps[:m.maps]
}

// Add notes the name b[start:end], quotes included, and reports whether the
// object that m began has it already. plain says that it holds no escape.
func (k *Keys) Add(m Mark, b []byte, start, end int, plain bool) (duplicate bool) {
	n := key{start: start + 1, end: end - 1, plain: plain}
	if !plain {
		n.start = len(k.text)
		k.text = AppendText(k.text, b[start:end])
		n.end = len(k.text)
	}
	name := k.name(b, n)
	n.hash = maphash.Bytes(k.seed, name)
	if k.seen(m, b, n, name) {
		return true
	}
	k.stack = append(k.stack, n)
	if len(k.stack)-m.keys == manyKeys {
		index := make(map[uint64]int, 2*manyKeys)
		for i := m.keys; i < len(k.stack); i++ {
			index[k.stack[i].hash] = i
		}
		k.maps = append(k.maps, index)
	} else if len(k.maps) > m.maps {
		k.maps[m.maps][n.hash] = len(k.stack) - 1
	}
	return false
}

func (k *Keys) seen(m Mark, b []byte, n key, name []byte) bool {
	if len(k.maps) > m.maps {
		i, ok := k.maps[m.maps][n.hash]
		if !ok {
			return false
		}
		if bytes.Equal(k.name(b, k.stack[i]), name) {
			return true
		}
		// Two names of one hash: fall through to the sure way.
	}
	for _, o := range k.stack[m.keys:] {
		if o.hash == n.hash && bytes.Equal(k.name(b, o), name) {
			return true
		}
	}
	return false
}

func (k *Keys) name(b []byte, n key) []byte {
	if n.plain {
		return b[n.start:n.end]
	}
	return k.text[n.start:n.end]
}
