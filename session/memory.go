package session

import (
	"context"
	"slices"

	"github.com/toolpost/toolpost/llm"
)

// A Memory is a session without a file. The zero Memory is empty and ready. It
// is for one run at a time.
type Memory struct{ msgs []llm.Message }

// NewMemory is a session in which msgs have been said.
func NewMemory(msgs ...llm.Message) *Memory {
	return &Memory{append(make([]llm.Message, 0, len(msgs)+8), msgs...)}
}

// Messages is what was said so far. The slice is not to be changed; it stays as
// it is when more is said.
func (m *Memory) Messages() []llm.Message { return slices.Clip(m.msgs) }

// Append adds messages. It never fails.
func (m *Memory) Append(_ context.Context, msgs ...llm.Message) error {
	m.msgs = append(m.msgs, msgs...)
	return nil
}
