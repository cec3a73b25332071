package agent

import (
	"context"
	"fmt"
	"slices"

	"github.com/toolpost/toolpost/llm"
	"github.com/toolpost/toolpost/tool"
)

// Shares of the context window.
const (
	elideAbove   = 0.75 // old results are replaced by a line
	compactAbove = 0.90 // older messages are summarised, or the run ends
)

// bytesPerToken is where the estimate starts; the provider's own counts move it.
const bytesPerToken = 4.0

// budget estimates how many tokens messages take. Sizes are counted once for
// each message, so the cost of a turn does not grow with the history.
type budget struct {
	counted int     // messages of the session that total holds
	total   int     // their bytes
	sent    int     // bytes of the last request
	scale   float64 // tokens a byte; 1/bytesPerToken if zero
	elided  int     // results in messages before this are shown as a line
	summary *llm.Message
	since   int // what the summary stands for: messages before this
}

// fit is what of msgs is sent, so that it fits the window.
func (x *run) fit(ctx context.Context, msgs []llm.Message) ([]llm.Message, error) {
	if x.Window <= 0 {
		return msgs, nil
	}
	b := &x.budget
	for ; b.counted < len(msgs); b.counted++ {
		b.total += size(&msgs[b.counted])
	}
	view := b.view(msgs)
	used := x.tokens(view)
	if used > elideAbove*float64(x.Window) {
		newest := lastBatch(msgs)
		for b.elided < newest && used > elideAbove*float64(x.Window) {
			b.elided++
			if msgs[b.elided-1].Role == llm.RoleTool {
				view = b.view(msgs)
				used = x.tokens(view)
			}
		}
	}
	if used <= compactAbove*float64(x.Window) {
		return view, nil
	}
	if x.Summarise == nil {
		return nil, tool.Errorf(tool.CodeLimit, "the conversation takes about %d of the %d tokens of the model's context and cannot be shortened further: start a new session, or use a model with a larger context", int(used), x.Window)
	}
	return x.compact(ctx, msgs)
}

// compact has the messages before the newest batch summarised.
func (x *run) compact(ctx context.Context, msgs []llm.Message) ([]llm.Message, error) {
	b := &x.budget
	keep := max(lastBatch(msgs)-1, b.since) // with the message that made the calls
	older := b.view(msgs)
	older = older[:len(older)-(len(msgs)-keep)]
	sum, err := x.Summarise(ctx, older)
	if err != nil {
		return nil, fmt.Errorf("summarise %d messages: %w", len(older), err)
	}
	b.summary, b.since = &sum, keep
	view := b.view(msgs)
	if used := x.tokens(view); used > compactAbove*float64(x.Window) {
		return nil, tool.Errorf(tool.CodeLimit, "the conversation takes about %d of the %d tokens of the model's context, also after it was summarised", int(used), x.Window)
	}
	return view, nil
}

// view is msgs with the summary and the elided results in place.
func (b *budget) view(msgs []llm.Message) []llm.Message {
	if b.elided == 0 && b.summary == nil {
		return msgs
	}
	view := make([]llm.Message, 0, len(msgs)+1)
	if b.summary != nil {
		view = append(view, *b.summary)
	}
	for i := b.since; i < len(msgs); i++ {
		m := msgs[i]
		if i < b.elided && m.Role == llm.RoleTool {
			m = elide(m)
		}
		view = append(view, m)
	}
	return view
}

// elide is a message of results with each content replaced by a line.
func elide(m llm.Message) llm.Message {
	m.Blocks = slices.Clone(m.Blocks)
	for i, b := range m.Blocks {
		if b.Result == nil || sizeOf(b.Result) < 200 {
			continue
		}
		r := *b.Result
		line := fmt.Sprintf("[result of %s left out to save space: %s, %d bytes]", r.Tool, r.Status, sizeOf(b.Result))
		if r.Artifact != nil {
			line = fmt.Sprintf("[result of %s left out to save space; the whole is artifact %s: read_artifact shows it]", r.Tool, r.Artifact.ID)
		}
		r.Content, r.Data = []tool.Content{{Type: tool.ContentText, Text: line}}, nil
		m.Blocks[i].Result = &r
	}
	return m
}

// lastBatch is where the newest results stand, or the end if there are none.
func lastBatch(msgs []llm.Message) int {
	for i, m := range slices.Backward(msgs) {
		if m.Role == llm.RoleTool {
			return i
		}
	}
	return len(msgs)
}

// tokens estimates what a request with these messages takes.
func (x *run) tokens(view []llm.Message) float64 {
	b := &x.budget
	n := b.total
	if b.elided > 0 || b.summary != nil {
		n = 0
		for i := range view {
			n += size(&view[i])
		}
	}
	n += len(x.Request.System)
	if x.Tools != nil {
		for _, s := range x.Tools.Specs() {
			n += len(s.Name) + len(s.Description) + len(s.Input.JSON())
		}
	}
	b.sent = n
	if b.scale == 0 {
		b.scale = 1 / bytesPerToken
	}
	return float64(n) * b.scale
}

// learn corrects the estimate by what the provider counted for the last request.
func (b *budget) learn(u llm.Usage) {
	counted := u.Input + u.CacheRead + u.CacheWrite
	if b.sent < 1000 || counted == 0 { // too little to tell from what surrounds it
		return
	}
	seen := min(max(float64(counted)/float64(b.sent), 1.0/16), 2)
	b.scale = 0.5*b.scale + 0.5*seen
}

// size is about how many bytes of a request a message takes.
func size(m *llm.Message) int {
	n := 16
	for i := range m.Blocks {
		b := &m.Blocks[i]
		n += len(b.Text) + len(b.Thinking) + len(b.Signature) + len(b.Opaque) + imageSize(len(b.Data))
		if b.Call != nil {
			n += len(b.Call.Tool) + len(b.Call.Args) + 40
		}
		if b.Result != nil {
			n += sizeOf(b.Result) + 40
		}
	}
	return n
}

func sizeOf(r *tool.Result) int {
	n := 0
	for i := range r.Content {
		n += len(r.Content[i].Text) + imageSize(len(r.Content[i].Data))
	}
	return n
}

// imageSize is what an image counts as: providers charge by its sides, about
// 1,600 tokens at most, not by its bytes.
func imageSize(bytes int) int {
	if bytes == 0 {
		return 0
	}
	return 1600 * bytesPerToken
}
