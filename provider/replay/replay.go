// Package replay is a model that says once more what a model has said: the
// messages of a run on record, one a request, whatever it is asked. [Model] is an
// llm.Provider.
//
// It reads no record and judges nothing: package audit has the messages, and
// tells whether the run that comes of them is the one on record.
package replay

import (
	"context"
	"encoding/json"
	"errors"
	"iter"
	"sync"

	"github.com/toolpost/toolpost/llm"
	"github.com/toolpost/toolpost/tool"
)

// A Model answers its n-th request with its n-th message. It is for one run.
type Model struct {
	Messages []llm.Message // in order; those of others than the assistant go to Said
	// End is the error that the request after the last message fails with; if it
	// is nil, a PRECONDITION_FAILED that says that the record ends.
	End error
	// Said, if not nil, hears what others said, when the message that stands before
	// it in the record is given.
	Said func(llm.Message)

	mu   sync.Mutex
	next int
}

// Read makes a model of messages as they stand in a record, in JSON.
func Read(messages []json.RawMessage) (*Model, error) {
	m := new(Model)
	for i, raw := range messages {
		var msg llm.Message
		if err := json.Unmarshal(raw, &msg); err != nil {
			return nil, tool.Errorf(tool.CodeInvalid, "message %d of the record: %w", i+1, err)
		}
		m.Messages = append(m.Messages, msg)
	}
	return m, nil
}

// Stream implements llm.Provider.
func (m *Model) Stream(context.Context, *llm.Request) iter.Seq2[llm.Delta, error] {
	return func(yield func(llm.Delta, error) bool) {
		msg := m.take()
		if msg == nil {
			err := m.End
			if err == nil {
				err = tool.Errorf(tool.CodePrecondition, "the record holds no more replies of the model, and it was asked once more")
			}
			yield(llm.Delta{}, err)
			return
		}
		say(msg, yield)
	}
}

// take is the next message of the assistant, nil if there is none.
func (m *Model) take() (msg *llm.Message) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for ; m.next < len(m.Messages); m.next++ {
		next := &m.Messages[m.next]
		switch {
		case next.Role == llm.RoleAssistant && msg != nil:
			return msg
		case next.Role == llm.RoleAssistant:
			msg = next
		case m.Said != nil:
			m.Said(*next)
		}
	}
	return msg
}

// say streams a message.
func say(msg *llm.Message, yield func(llm.Delta, error) bool) {
	served := msg.Served
	if served == "" {
		served = msg.Model
	}
	if !yield(llm.Delta{Kind: llm.DeltaStart, MessageID: msg.ID, Provider: msg.Provider, API: msg.API, Model: msg.Model, Served: served}, nil) {
		return
	}
	for i := range msg.Blocks {
		for _, d := range deltas(i, &msg.Blocks[i]) {
			if !yield(d, nil) {
				return
			}
		}
	}
	if msg.Usage != nil && !yield(llm.Delta{Kind: llm.DeltaUsage, Usage: msg.Usage}, nil) {
		return
	}
	switch {
	case msg.Stop == llm.StopAborted:
		yield(llm.Delta{}, context.Canceled)
	case msg.Broken():
		yield(llm.Delta{}, errors.New(msg.Error))
	default:
		yield(llm.Delta{Kind: llm.DeltaStop, Stop: msg.Stop}, nil)
	}
}

// deltas is what a block streams as.
func deltas(index int, b *llm.Block) []llm.Delta {
	switch b.Type {
	case tool.ContentText:
		return []llm.Delta{{Kind: llm.DeltaText, Text: b.Text, Signature: b.Signature}}
	case llm.BlockThinking:
		return []llm.Delta{{Kind: llm.DeltaThinking, Text: b.Thinking, Signature: b.Signature}}
	case llm.BlockOpaque:
		return []llm.Delta{{Kind: llm.DeltaOpaque, Opaque: b.Opaque}}
	case llm.BlockCall:
		d := llm.Delta{Kind: llm.DeltaCall, Index: index, ID: b.Call.ProviderID, Name: b.Call.Tool, Text: string(b.Call.Args), Signature: b.Signature}
		var text string
		if b.Broken != nil && json.Unmarshal(b.Call.Args, &text) == nil {
			d.Text = text // what came was no JSON, and was kept as a string
		}
		return []llm.Delta{d}
	}
	return nil
}
