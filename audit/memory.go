package audit

import (
	"bytes"
	"fmt"
	"iter"
	"slices"
	"sync"

	"github.com/toolpost/toolpost/tool"
)

// Memory keeps runs that need not survive the program: for tests and for hosts
// that embed toolpost. The zero Memory is empty and ready; it is safe for
// concurrent use.
type Memory struct {
	mu   sync.Mutex
	runs map[string]*Run
	ids  []string // in order of creation
}

// Create makes a run with the given facts. An id that is there already is a
// CONFLICT.
func (m *Memory) Create(f Facts) (*Run, error) {
	if err := f.complete(); err != nil {
		return nil, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.runs[f.ID] != nil {
		return nil, tool.Errorf(tool.CodeConflict, "there is a run %s already", f.ID)
	}
	r := newRun(f, &memoryJournal{})
	if m.runs == nil {
		m.runs = map[string]*Run{}
	}
	m.runs[f.ID] = r
	m.ids = append(m.ids, f.ID)
	return r, nil
}

// IDs is the ids of all runs, oldest first.
func (m *Memory) IDs() []string {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.Clone(m.ids)
}

// Load reads a run as [Store.Load] does.
func (m *Memory) Load(id string) (*View, error) {
	m.mu.Lock()
	r := m.runs[id]
	m.mu.Unlock()
	if r == nil {
		return nil, tool.Errorf(tool.CodeNotFound, "no run %q in memory", id)
	}
	v, err := load(entries(r.journal.Records()))
	if err != nil {
		return nil, fmt.Errorf("load run %s: %w", id, err)
	}
	return v, nil
}

// Entries is the records of a run, from the first.
func (m *Memory) Entries(id string) iter.Seq2[*Entry, error] {
	return func(yield func(*Entry, error) bool) {
		m.mu.Lock()
		r := m.runs[id]
		m.mu.Unlock()
		if r == nil {
			yield(nil, tool.Errorf(tool.CodeNotFound, "no run %q in memory", id))
			return
		}
		entries(r.journal.Records())(yield)
	}
}

// MemoryJournal is a new journal in memory, for tests and for hosts that keep a
// single run. Closing it keeps what it holds.
func MemoryJournal() Journal { return new(memoryJournal) }

// memoryJournal is a Journal in memory: chunks that are filled and never moved,
// so that appending costs no more when the run is long.
type memoryJournal struct {
	mu     sync.Mutex
	closed bool
	chunks [][]byte
	ends   []int32 // of each record, in its chunk; -1 begins the next chunk
}

// The first chunk is small, for most runs are; each further one is twice as large
// until they are large enough.
const (
	firstChunk = 2 << 10
	chunkSize  = 64 << 10
)

func (j *memoryJournal) Append(record []byte) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.closed {
		return errClosed
	}
	n := len(j.chunks)
	if n == 0 || cap(j.chunks[n-1])-len(j.chunks[n-1]) < len(record) {
		if n > 0 {
			j.ends = append(j.ends, -1)
		}
		j.chunks = append(j.chunks, make([]byte, 0, max(min(firstChunk<<min(n, 8), chunkSize), len(record))))
		n++
	}
	c := append(j.chunks[n-1], record...)
	j.chunks[n-1] = c
	j.ends = append(j.ends, int32(len(c)))
	return nil
}

func (j *memoryJournal) Commit() error {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.closed {
		return errClosed
	}
	return nil
}

// Close ends the recording; what is in memory can still be read.
func (j *memoryJournal) Close() error {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.closed = true
	return nil
}

func (j *memoryJournal) Records() iter.Seq2[[]byte, error] {
	j.mu.Lock()
	chunks, ends := slices.Clone(j.chunks), slices.Clone(j.ends)
	j.mu.Unlock()
	return func(yield func([]byte, error) bool) {
		i, begin := 0, int32(0)
		for _, end := range ends {
			if end < 0 {
				i, begin = i+1, 0
				continue
			}
			if !yield(bytes.Clone(chunks[i][begin:end]), nil) {
				return
			}
			begin = end
		}
	}
}
