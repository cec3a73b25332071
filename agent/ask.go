package agent

import (
	"context"

	"github.com/toolpost/toolpost/event"
	"github.com/toolpost/toolpost/llm"
	"github.com/toolpost/toolpost/tool"
)

// ask sends what was said to the model and appends its reply. A reply that
// failed or was aborted is appended, too, when there is any of it; it is not
// sent to a model again.
func (x *run) ask(ctx context.Context) (*llm.Message, error) {
	req := &x.request
	*req = x.Request
	if x.Tools != nil {
		req.Tools = x.Tools.Specs()
	}
	var err error
	if req.Messages, err = x.fit(ctx, x.session.Messages()); err != nil {
		return nil, err
	}
	reply := &x.reply
	reply.Reset()
	x.out.Emit(event.Event{Type: event.MessageStarted, Message: string(llm.RoleAssistant)})
	x.broke = nil
	x.Provider.Stream(ctx, req)(x.take)
	if err = x.broke; err == nil {
		err = ctx.Err()
	}
	reply.Fail(err)
	msg := reply.Message()
	if msg.Model == "" {
		msg.Model = req.Model
	}
	x.spend(&msg)
	if err != nil && !reply.Shown() {
		return nil, err
	}
	x.out.Emit(event.Event{Type: event.MessageDone, Message: string(llm.RoleAssistant), Payload: &msg})
	if msg.Usage != nil {
		x.out.Emit(event.Event{Type: event.Usage, Payload: msg.Usage})
	}
	if e := x.append(msg); e != nil {
		return nil, e
	}
	return &msg, err
}

// taker takes the deltas of a model's streams, one run of it after another.
func (x *run) taker(ctx context.Context) func(llm.Delta, error) bool {
	return func(d llm.Delta, err error) bool {
		if err == nil {
			x.show(d)
			err = ctx.Err()
		}
		x.broke = err
		return err == nil
	}
}

// show takes a delta and tells what it brought.
func (x *run) show(d llm.Delta) {
	c := x.reply.Add(d)
	e := event.Event{Text: c.Text, Index: c.Block, Call: c.Call}
	switch c.Kind {
	case llm.DeltaText:
		e.Type = event.TextDelta
	case llm.DeltaThinking:
		e.Type = event.ThinkingDelta
	case llm.DeltaCall:
		if c.New {
			x.out.Emit(event.Event{Type: event.ToolCallStarted, Index: c.Block, Call: c.Call, Message: c.Call.Tool})
		}
		e.Type = event.ToolCallDelta
	case llm.DeltaCallDone:
		e.Type = event.ToolCallDone
		e.Message = c.Call.Tool
		x.out.Emit(e)
		return
	default:
		return
	}
	if c.Text != "" {
		x.out.Emit(e)
	}
}

// callsOf is the calls of a message.
func callsOf(m *llm.Message) []*llm.Block {
	n := m.Calls()
	if n == 0 {
		return nil
	}
	calls := make([]*llm.Block, 0, n)
	for i := range m.Blocks {
		if m.Blocks[i].Call != nil {
			calls = append(calls, &m.Blocks[i])
		}
	}
	return calls
}

// resultMessage is the message that tells the model what came of its calls.
func resultMessage(results []*tool.Result) llm.Message {
	m := llm.Message{Role: llm.RoleTool, Blocks: make([]llm.Block, len(results))}
	for i, r := range results {
		m.Blocks[i] = llm.ResultBlock(r)
	}
	return m
}
