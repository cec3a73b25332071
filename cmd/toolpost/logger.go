package main

import (
	"log/slog"

	"github.com/toolpost/toolpost/hook"
)

// logger writes to stderr what the setting log asks for; nil if nothing.
func (p *program) logger(c *config) *slog.Logger {
	var level slog.Level
	switch c.text("log") {
	case "debug":
		level = slog.LevelDebug
	case "info":
		level = slog.LevelInfo
	case "warn":
		level = slog.LevelWarn
	case "error":
		level = slog.LevelError
	default:
		return nil
	}
	redact := &hook.Redact{Values: p.secrets(c)}
	opts := &slog.HandlerOptions{Level: level, ReplaceAttr: redact.Attr}
	if p.out.json() {
		return slog.New(slog.NewJSONHandler(p.out.err, opts))
	}
	return slog.New(slog.NewTextHandler(p.out.err, opts))
}
