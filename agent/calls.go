package agent

import (
	"context"
	"slices"
	"strconv"

	"github.com/toolpost/toolpost/llm"
	"github.com/toolpost/toolpost/tool"
)

// answer runs the calls of one message, side by side unless one of their tools
// is sequential, and returns their results in the order of the calls. Stop is
// set when the run ends with this batch; its calls have results all the same.
func (x *run) answer(ctx context.Context, msg *llm.Message, blocks []*llm.Block) (results []*tool.Result, stop error) {
	stop = x.mayCall(len(blocks))
	results = make([]*tool.Result, len(blocks))
	if len(blocks) == 1 || stop != nil || x.sequential(blocks) {
		for i, b := range blocks {
			x.mark(b.Call)
			results[i] = x.out.Do(ctx, x.handler(b, stop), b.Call)
		}
	} else {
		g := x.out.Group()
		g.Limit = x.Parallel
		for i, b := range blocks {
			x.mark(b.Call)
			g.Do(ctx, x.handler(b, stop), b.Call, &results[i])
		}
		g.Wait()
	}
	for i, r := range results {
		if r == nil { // the listener left its goroutine before the call was begun
			results[i] = tool.Do(ctx, refuse(tool.Errorf(tool.CodeCancelled, "cancelled before it was run")), blocks[i].Call)
		}
	}
	x.count(results)
	return results, stop
}

// mark tells who makes the call and in which turn: what watches a run knows by
// it whether the model has seen an earlier refusal.
func (x *run) mark(c *tool.Call) {
	c.Agent = x.Agent
	if c.Turn == "" {
		c.Turn = strconv.Itoa(x.outcome.Turns)
	}
}

// handler is what answers a call: the tools, unless it must not be run.
func (x *run) handler(b *llm.Block, stop error) tool.Handler {
	switch {
	case b.Broken != nil:
		return refuse(b.Broken)
	case stop != nil:
		return refuse(stop)
	case x.tools == nil:
		return refuse(tool.Errorf(tool.CodeNotFound, "no tool %q: there are no tools", b.Call.Tool))
	}
	return x.tools
}

func refuse(err error) tool.Handler {
	return func(context.Context, *tool.Call) (*tool.Result, error) { return nil, err }
}

// sequential reports whether one of the tools wants its batch run one by one.
func (x *run) sequential(blocks []*llm.Block) bool {
	if x.Tools == nil {
		return true
	}
	specs := x.Tools.Specs()
	for i := range specs {
		s := &specs[i]
		if s.Sequential && slices.ContainsFunc(blocks, func(b *llm.Block) bool {
			return b.Call.Tool == s.Name || slices.Contains(s.Aliases, b.Call.Tool)
		}) {
			return true
		}
	}
	return false
}

// count keeps the tally of results. A failure is open until a later batch has
// had a success: then the model has found another way.
func (x *run) count(results []*tool.Result) {
	o := &x.outcome
	open, ok := 0, 0
	for _, r := range results {
		o.Calls++
		switch r.Status {
		case tool.StatusOK, tool.StatusPartial, tool.StatusPending:
			ok++
		case tool.StatusBlocked:
			o.Denied++
		default:
			o.Failed++
			open++
		}
	}
	o.OK += ok
	if ok > 0 {
		o.Open = 0
	}
	o.Open += open
}
