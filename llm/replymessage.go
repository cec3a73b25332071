package llm

import (
	"bytes"
	"encoding/json"
	"time"

	"github.com/toolpost/toolpost/internal/jsonx"
	"github.com/toolpost/toolpost/tool"
)

// Message is the message so far; whole once the stream has ended. It may be
// asked for more than once, the calls it holds are the same each time. A stream
// that ended without a reason gives StopBroken. A reply that was cut has all its
// calls marked as broken, whole ones too: what the model would have added is not
// known.
func (r *Reply) Message() Message {
	m := Message{Role: RoleAssistant, ID: r.from.id, Provider: r.from.provider, API: r.from.api, Model: r.from.model, Stop: r.reason(), Error: r.failed}
	if r.from.served != m.Model {
		m.Served = r.from.served
	}
	if r.has {
		u := r.usage
		m.Usage = &u
	}
	if len(r.parts) > 0 {
		m.Blocks = make([]Block, len(r.parts))
	}
	var now time.Time
	for i := range r.parts {
		p, b := &r.parts[i], &m.Blocks[i]
		b.Type, b.Signature = p.kind, p.sig
		switch p.kind {
		case tool.ContentText:
			b.Text = p.text()
		case BlockThinking:
			b.Thinking = p.text()
		case BlockOpaque:
			b.Opaque = p.opaque
		case BlockCall:
			if now.IsZero() {
				now = time.Now()
			}
			if p.call.Created.IsZero() {
				p.call.Created = now
			}
			b.Call = p.call
			p.call.Args, b.Broken = p.args(m.Stop)
		}
	}
	return m
}

// reason is the stop, made to agree with what came: some servers say stop after
// calls, or tool_calls after none.
func (r *Reply) reason() Stop {
	switch r.stop {
	case "":
		return StopBroken
	case StopCalls:
		if r.calls == 0 {
			return StopEnd
		}
	case StopEnd:
		if r.calls > 0 {
			return StopCalls
		}
	}
	return r.stop
}

// args is the arguments, as JSON, of a call of a reply that stopped so, and why
// they cannot be used.
func (p *part) args(stop Stop) (json.RawMessage, *tool.Error) {
	b := p.bytes()
	switch {
	case p.over != nil && len(b) == 0:
		return json.RawMessage("{}"), p.over
	case p.over != nil:
		return quote(b[:min(len(b), 1024)]), p.over
	}
	b = bytes.TrimSpace(b)
	if len(b) == 0 || string(b) == "null" {
		b = []byte("{}")
	}
	b, err := p.whole(b)
	switch {
	case err != nil && stop.Cut():
		return quote(b), broken(tool.CodeTruncated, "the reply was cut off (%s) inside this call; it was not run. Received: %s. Send the whole call again, with shorter arguments", stop, clip(b, 400))
	case err != nil:
		return quote(b), broken(tool.CodeInvalid, "the arguments are not JSON (%w); the call was not run. Received: %s. Send the complete call again with one JSON object", err, clip(b, 400))
	case stop.Cut():
		return b, broken(tool.CodeTruncated, "the reply was cut off (%s) after this call; none of its calls was run: send them again, fewer or shorter", stop)
	}
	return b, nil
}

// whole is b without what was sent twice, checked.
func (p *part) whole(b []byte) (json.RawMessage, error) {
	err := jsonx.Check(b)
	if err == nil {
		return b, nil
	}
	var seen extent
	if seen.complete(b) && bytes.Equal(bytes.TrimSpace(b[seen.end:]), b[:seen.end]) {
		return b[:seen.end], jsonx.Check(b[:seen.end])
	}
	if all := p.bytes(); p.resent > 0 && p.resent < len(all) {
		if again := all[p.resent:]; bytes.HasPrefix(again, all[:p.resent]) && jsonx.Check(again) == nil {
			return bytes.TrimSpace(again), nil
		}
	}
	return b, err
}

// quote is text that is not JSON as a JSON string.
func quote(b []byte) json.RawMessage { return jsonx.AppendString(nil, string(b)) }

func broken(code tool.Code, format string, args ...any) *tool.Error {
	return tool.AsError(tool.Errorf(code, format, args...))
}

// clip is the beginning of b for a message, on a character boundary.
func clip(b []byte, n int) string {
	if len(b) <= n {
		return string(b)
	}
	return string(bytes.ToValidUTF8(b[:n], nil)) + "…"
}
