package hook

import (
	"context"
	"log/slog"

	"github.com/toolpost/toolpost/tool"
)

// Log tells l of every call at level debug, in the words of seed 001:
// "executing tool" before it, "tool execution failed" when it fails, with the
// keys run, call, tool and err. Arguments and results are not logged. A nil l
// logs nothing and costs nothing.
func Log(l *slog.Logger) tool.Middleware {
	if l == nil {
		return func(next tool.Handler) tool.Handler { return next }
	}
	return func(next tool.Handler) tool.Handler {
		return func(ctx context.Context, c *tool.Call) (*tool.Result, error) {
			if !l.Enabled(ctx, slog.LevelDebug) {
				return next(ctx, c)
			}
			l.LogAttrs(ctx, slog.LevelDebug, "executing tool", slog.String("run", c.Run), slog.String("call", c.ID), slog.String("tool", c.Tool))
			res, err := next(ctx, c)
			if e := failure(res, err); e != nil {
				l.LogAttrs(ctx, slog.LevelDebug, "tool execution failed", slog.String("run", c.Run), slog.String("call", c.ID), slog.String("tool", c.Tool), slog.Any("err", e))
			}
			return res, err
		}
	}
}

// failure is why a call did not succeed, nil if it did.
func failure(res *tool.Result, err error) error {
	switch {
	case err != nil:
		return err
	case res != nil && res.Err != nil:
		return res.Err
	}
	return nil
}
