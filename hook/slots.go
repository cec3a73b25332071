package hook

import (
	"context"
	"fmt"
	"sync"

	"github.com/toolpost/toolpost/tool"
)

// Slots lets at most N calls run at once, of all the runs and tools that share
// it; the others wait, and say so. It belongs inside whatever asks a person, who
// would hold a slot while thinking. The zero Slots does not limit. N is not
// changed once a call was made; the method may be called from many goroutines.
type Slots struct {
	N int

	once sync.Once
	held chan struct{} // holds one for each call that runs
}

// Middleware has calls wait for a free slot; one whose context ends meanwhile is
// not made.
func (s *Slots) Middleware(next tool.Handler) tool.Handler {
	if s.N <= 0 {
		return next
	}
	s.once.Do(func() { s.held = make(chan struct{}, s.N) })
	return func(ctx context.Context, c *tool.Call) (*tool.Result, error) {
		select {
		case s.held <- struct{}{}:
		default:
			tool.Notify(ctx, tool.Note{Kind: tool.NoteWaiting, Call: c, Message: fmt.Sprintf("waiting: %d calls run already", s.N)})
			select {
			case s.held <- struct{}{}:
			case <-ctx.Done():
				return nil, ctx.Err()
			}
		}
		defer func() { <-s.held }()
		return next(ctx, c)
	}
}
