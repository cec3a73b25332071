package main

import (
	"context"
	"encoding/json"
	"strings"

	"github.com/toolpost/toolpost/sandbox"
	"github.com/toolpost/toolpost/tool"
)

// originals keeps, with the run, what the files hold that a call is about to
// change, so that it can be undone: the files that its tool locks. What cannot be
// kept is not changed.
func (s *shop) originals(next tool.Handler) tool.Handler {
	return func(ctx context.Context, c *tool.Call) (*tool.Result, error) {
		if c.Spec == nil || c.Spec.Risk != tool.RiskWrites || c.DryRun || len(c.Spec.Locks) == 0 {
			return next(ctx, c)
		}
		root := s.root
		if strings.HasPrefix(c.Spec.Name, "vault.") && s.notes != nil {
			root = s.notes
		}
		var args map[string]json.RawMessage
		if json.Unmarshal(c.Args, &args) != nil {
			return next(ctx, c)
		}
		for _, name := range c.Spec.Locks {
			var path string
			if json.Unmarshal(args[name], &path) != nil || path == "" {
				continue
			}
			f, err := root.Read(path, sandbox.ReadOptions{MaxBytes: mostKept})
			if err != nil {
				continue // nothing there, a folder, or too large: undo says what was not kept
			}
			if _, err := s.store.Put(c.Run, f.Content, "application/octet-stream"); err != nil {
				return nil, err
			}
		}
		return next(ctx, c)
	}
}
