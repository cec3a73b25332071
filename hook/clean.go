package hook

import (
	"context"
	"strings"
	"unicode/utf8"

	"github.com/toolpost/toolpost/tool"
)

// Clean is s without NUL, DEL and the other ASCII control characters but
// newline, carriage return and tab. Bytes that are not UTF-8 become U+FFFD. A
// clean s is returned as it is.
func Clean(s string) string {
	dirty := false
	for i := 0; i < len(s) && !dirty; i++ {
		dirty = isControl(rune(s[i]))
	}
	if !dirty && utf8.ValidString(s) {
		return s
	}
	s = strings.ToValidUTF8(s, "\uFFFD")
	return strings.Map(func(r rune) rune {
		if isControl(r) {
			return -1
		}
		return r
	}, s)
}

func isControl(r rune) bool {
	return r < ' ' && r != '\n' && r != '\r' && r != '\t' || r == 0x7f
}

// Sanitize is middleware that cleans what a model or a person reads of a
// result: its texts and messages. Data is JSON, in which such characters are
// escaped, and stays as it is.
func Sanitize(next tool.Handler) tool.Handler {
	return func(ctx context.Context, c *tool.Call) (*tool.Result, error) {
		res, err := next(ctx, c)
		return mapTexts(res, err, Clean, nil)
	}
}

// mapTexts is an answer with text applied to all that is read of it, and data to
// its JSON unless data is nil. What it changes it changes in copies.
func mapTexts(res *tool.Result, err error, text func(string) string, data func([]byte) []byte) (*tool.Result, error) {
	if err != nil {
		e := mapError(tool.AsError(err), text, data)
		if e != nil {
			err = e
		}
		if res == nil {
			return nil, err
		}
	}
	if res == nil {
		return nil, err
	}
	blocks := body(res)
	r := *res
	r.Content = mapBlocks(blocks, text)
	e := mapError(r.Err, text, data)
	if e != nil {
		r.Err = e
	}
	r.User, r.Debug = text(r.User), text(r.Debug)
	changed := e != nil || r.User != res.User || r.Debug != res.Debug || len(blocks) > 0 && &r.Content[0] != &blocks[0]
	if data != nil {
		r.Data, r.Effects = data(r.Data), mapEffects(r.Effects, text)
		changed = changed || !sameBytes(r.Data, res.Data) || r.Effects != res.Effects
	}
	if !changed {
		return res, err
	}
	own := r
	return &own, err
}

// sameBytes reports whether a and b are one slice.
func sameBytes(a, b []byte) bool {
	return len(a) == len(b) && (len(a) == 0 || &a[0] == &b[0])
}

// mapBlocks is a copy of blocks with their texts mapped, blocks itself if none
// changes.
func mapBlocks(blocks []tool.Content, text func(string) string) []tool.Content {
	own := false
	out := blocks
	for i := range blocks {
		s := text(blocks[i].Text)
		if s == blocks[i].Text {
			continue
		}
		if !own {
			out, own = append([]tool.Content(nil), blocks...), true
		}
		out[i].Text = s
	}
	return out
}

// mapError is a copy of e with its texts mapped, nil if none changes. A copy has
// no cause: the cause's text is what was mapped away.
func mapError(e *tool.Error, text func(string) string, data func([]byte) []byte) *tool.Error {
	if e == nil {
		return nil
	}
	message, details := text(e.Message), e.Details
	if data != nil {
		details = data(details)
	}
	if message == e.Message && string(details) == string(e.Details) {
		return nil
	}
	return &tool.Error{Code: e.Code, Message: message, Details: details, Retryable: e.Retryable, Ends: e.Ends}
}

// mapEffects is a copy of e with the words of commands mapped.
func mapEffects(e *tool.Effects, text func(string) string) *tool.Effects {
	if e == nil || len(e.Commands) == 0 {
		return e
	}
	own := *e
	own.Commands = append([]tool.CommandRun(nil), e.Commands...)
	for i := range own.Commands {
		argv := append([]string(nil), own.Commands[i].Argv...)
		for k := range argv {
			argv[k] = text(argv[k])
		}
		own.Commands[i].Argv = argv
	}
	return &own
}
