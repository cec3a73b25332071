package wire

import (
	"context"

	"github.com/toolpost/toolpost/llm"
	"github.com/toolpost/toolpost/tool"
)

// Tell has those who listen by llm.WithNotices hear of the tools that are left
// out.
func (t *Tools) Tell(ctx context.Context) {
	for _, l := range t.left {
		llm.Tell(ctx, llm.Notice{Kind: llm.NoticeLeftOut, Tool: l.Tool, Err: llm.AsError(tool.Errorf(tool.CodeInvalid, "%w", l.Err))})
	}
}
