package session

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/toolpost/toolpost/internal/filelock"
	"github.com/toolpost/toolpost/llm"
	"github.com/toolpost/toolpost/tool"
)

// A Store is a folder of sessions. It is made when the first is opened.
type Store struct {
	Dir string
	// Recall, if set, is asked for the result of a call that a session has none
	// of, when the session is loaded.
	Recall func(*tool.Call) *tool.Result
	Log    *slog.Logger // what was repaired, at Warn; none if nil
}

// A Session is a conversation kept in a file. Only one process has it open; it
// is for one run at a time, but its methods may be called from many goroutines.
type Session struct {
	ID string

	mu   sync.Mutex
	msgs []llm.Message
	f    *os.File
	lock *filelock.Lock
	err  error // of the last write: nothing is written after a failed one
}

// record is one line of a session's file.
type record struct {
	V       int         `json:"v"`
	At      time.Time   `json:"at"`
	Message llm.Message `json:"message"`
}

const suffix = ".jsonl"

// Open is the session with this id, loaded and repaired, or a new one. The error
// has the code CONFLICT when another process has it open.
func (st Store) Open(id string) (*Session, error) {
	if err := CheckID(id); err != nil {
		return nil, err
	}
	if err := os.MkdirAll(st.Dir, 0o700); err != nil {
		return nil, fmt.Errorf("make the folder of sessions: %w", err)
	}
	path := filepath.Join(st.Dir, id)
	lock, err := filelock.Acquire(path + ".lock")
	if errors.Is(err, filelock.ErrHeld) {
		return nil, tool.Errorf(tool.CodeConflict, "session %s is in use: %w", id, err)
	} else if err != nil {
		return nil, fmt.Errorf("open session %s: %w", id, err)
	}
	s := &Session{ID: id, lock: lock}
	if err := s.load(path+suffix, st); err != nil {
		return nil, errors.Join(fmt.Errorf("open session %s: %w", id, err), s.Close())
	}
	return s, nil
}

func (s *Session) load(path string, st Store) error {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return err
	}
	s.f = f
	data, err := io.ReadAll(f)
	if err != nil {
		return err
	}
	msgs, good, notes := decode(data)
	if good < len(data) { // the tail of a write that a crash cut off
		notes = append(notes, fmt.Sprintf("cut off %d bytes of an unfinished last line", len(data)-good))
		if err := f.Truncate(int64(good)); err != nil {
			return err
		}
	}
	repaired, more := Repair(msgs, st.Recall)
	s.msgs = repaired
	for _, n := range append(notes, more...) {
		if st.Log != nil {
			st.Log.Warn("session repaired", "session", s.ID, "what", n)
		}
	}
	return nil
}

// decode is the messages in data, how many bytes of it are whole lines, and what
// had to be passed over: a line that is damaged is skipped, not a reason to lose
// the others.
func decode(data []byte) (msgs []llm.Message, good int, notes []string) {
	for n := 1; good < len(data); n++ {
		end := bytes.IndexByte(data[good:], '\n')
		if end < 0 {
			return msgs, good, notes
		}
		var r record
		if err := json.Unmarshal(data[good:good+end], &r); err != nil {
			notes = append(notes, fmt.Sprintf("line %d is damaged and was passed over: %v", n, err))
		} else {
			msgs = append(msgs, r.Message)
		}
		good += end + 1
	}
	return msgs, good, notes
}

// Messages is what was said so far. The slice is not to be changed; it stays as
// it is when more is said.
func (s *Session) Messages() []llm.Message {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clip(s.msgs)
}

// Append adds messages, cleaned (see Clean), and returns when they are on disk.
// After an error the session takes no more: what is on disk is what was
// acknowledged.
func (s *Session) Append(_ context.Context, msgs ...llm.Message) error {
	if len(msgs) == 0 {
		return nil
	}
	msgs = slices.Clone(msgs)
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	now := time.Now().UTC()
	for i := range msgs {
		msgs[i] = cleaned(msgs[i])
		if err := enc.Encode(record{1, now, msgs[i]}); err != nil {
			return fmt.Errorf("append to session %s: %w", s.ID, err)
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.err != nil {
		return s.err
	}
	if err := s.write(buf.Bytes()); err != nil {
		s.err = tool.Errorf(tool.CodeUnavailable, "session %s cannot be written: %w", s.ID, err)
		return s.err
	}
	s.msgs = append(s.msgs, msgs...)
	return nil
}

// write puts b behind what is there and syncs it; of a write that fails nothing
// is left.
func (s *Session) write(b []byte) error {
	at, err := s.f.Seek(0, io.SeekEnd)
	if err != nil {
		return err
	}
	if _, err = s.f.Write(b); err == nil {
		err = s.f.Sync()
	}
	if err != nil {
		_ = s.f.Truncate(at) // the next load cuts it off if this fails, too
	}
	return err
}

// cleaned is m with its texts cleaned. Blocks are copied before they change.
func cleaned(m llm.Message) llm.Message {
	copied := false
	for i := range m.Blocks {
		b := m.Blocks[i]
		text, thinking := Clean(b.Text), b.Thinking
		if b.Signature == "" { // signed thinking is replayed byte for byte
			thinking = Clean(thinking)
		}
		if text == b.Text && thinking == b.Thinking {
			continue
		}
		if !copied {
			m.Blocks, copied = slices.Clone(m.Blocks), true
		}
		m.Blocks[i].Text, m.Blocks[i].Thinking = text, thinking
	}
	return m
}

// Close lets other processes have the session.
func (s *Session) Close() error {
	var err error
	if s.f != nil {
		err = s.f.Close()
	}
	return errors.Join(err, s.lock.Release())
}

// A Summary tells of a session without opening it.
type Summary struct {
	ID       string    `json:"id"`
	Messages int       `json:"messages"`
	Bytes    int64     `json:"bytes"`
	Changed  time.Time `json:"changedAt"`
	First    string    `json:"first,omitzero"` // how the first user message begins
}

// List is the sessions of the store, the last changed first.
func (st Store) List() ([]Summary, error) {
	entries, err := os.ReadDir(st.Dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	} else if err != nil {
		return nil, fmt.Errorf("list sessions: %w", err)
	}
	var list []Summary
	for _, e := range entries {
		id, ok := strings.CutSuffix(e.Name(), suffix)
		if !ok || e.IsDir() {
			continue
		}
		msgs, err := st.Read(id)
		if err != nil {
			return nil, err
		}
		info, err := e.Info()
		if err != nil {
			continue // removed meanwhile
		}
		list = append(list, summary(id, msgs, info))
	}
	slices.SortFunc(list, func(a, b Summary) int {
		return cmp.Or(b.Changed.Compare(a.Changed), cmp.Compare(a.ID, b.ID))
	})
	return list, nil
}

func summary(id string, msgs []llm.Message, info fs.FileInfo) Summary {
	s := Summary{ID: id, Messages: len(msgs), Bytes: info.Size(), Changed: info.ModTime().UTC()}
	for i := range msgs {
		if msgs[i].Role == llm.RoleUser {
			s.First = firstLine(msgs[i].Text(), 80)
			break
		}
	}
	return s
}

func firstLine(s string, n int) string {
	s, _, _ = strings.Cut(strings.TrimSpace(s), "\n")
	if r := []rune(s); len(r) > n {
		return string(r[:n]) + "…"
	}
	return s
}

// Read is the messages of a session, repaired, without opening it for writing:
// it may be in use elsewhere. The error has the code NOT_FOUND if there is none.
func (st Store) Read(id string) ([]llm.Message, error) {
	if err := CheckID(id); err != nil {
		return nil, err
	}
	data, err := os.ReadFile(filepath.Join(st.Dir, id+suffix))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, tool.Errorf(tool.CodeNotFound, "no session %q", id)
	} else if err != nil {
		return nil, fmt.Errorf("read session %s: %w", id, err)
	}
	msgs, _, _ := decode(data)
	msgs, _ = Repair(msgs, st.Recall)
	return msgs, nil
}
