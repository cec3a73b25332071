package agent

import (
	"context"
	"fmt"
	"time"

	"github.com/toolpost/toolpost/event"
	"github.com/toolpost/toolpost/llm"
)

// heed has the run tell of each retry and fallback of its requests.
func (x *run) heed(ctx context.Context) context.Context {
	return llm.WithNotices(ctx, func(n llm.Notice) {
		e := event.Event{Type: event.Retry, Level: event.LevelWarn, Payload: n}
		e.Message = fmt.Sprintf("the model is asked again in %s (attempt %d)", n.Wait.Round(time.Millisecond), n.Attempt)
		if n.Kind == llm.NoticeFallback {
			e.Type = event.Fallback
			e.Message = fmt.Sprintf("falling back from %s to %s", n.From, n.To)
		}
		if n.Err != nil {
			e.Message += ": " + n.Err.Error()
		}
		x.out.Emit(e)
	})
}
