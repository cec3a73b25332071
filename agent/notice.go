package agent

import (
	"context"
	"fmt"
	"time"

	"github.com/toolpost/toolpost/event"
	"github.com/toolpost/toolpost/llm"
)

// heed has the run tell of each retry and fallback of its requests, and once of
// each tool that they leave out.
func (x *run) heed(ctx context.Context) context.Context {
	left := map[string]bool{}
	return llm.WithNotices(ctx, func(n llm.Notice) {
		e := event.Event{Type: event.Retry, Level: event.LevelWarn, Payload: n}
		switch n.Kind {
		case llm.NoticeFallback:
			e.Type = event.Fallback
			e.Message = fmt.Sprintf("falling back from %s to %s", n.From, n.To)
		case llm.NoticeLeftOut:
			if left[n.Tool] {
				return
			}
			left[n.Tool] = true
			e.Type = event.ToolLeftOut
			e.Message = fmt.Sprintf("tool %s is not on offer", n.Tool)
			if n.Err != nil {
				e.Message += ": " + n.Err.Message
			}
			x.out.Emit(e)
			return
		default:
			e.Message = fmt.Sprintf("the model is asked again in %s (attempt %d)", n.Wait.Round(time.Millisecond), n.Attempt)
		}
		if n.Err != nil {
			e.Message += ": " + n.Err.Error()
		}
		x.out.Emit(e)
	})
}
