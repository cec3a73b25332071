// Package filetool is what the file tools of builtin and builtin/vault share: how
// they answer, which code a failure of the sandbox has, how an effect is reported,
// how a change is shown, and how the text of a file is read and written back.
//
// It has no tool of its own, and opens no file: callers hand it what package
// sandbox gave them.
package filetool

import (
	"context"
	"encoding/json"
	"fmt"
	"unicode/utf8"

	"github.com/toolpost/toolpost/schema"
	"github.com/toolpost/toolpost/tool"
)

// OutputOf is the schema of a tool's data. It panics if T has none, which is a
// bug in the type and meets the first test.
func OutputOf[T any]() *schema.Schema {
	s, err := schema.For[T]()
	if err != nil {
		panic(err)
	}
	return s
}

// Answer is a result with text for the model and data for programs.
func Answer[T any](text string, data T) *tool.Result {
	r := tool.JSON(data)
	if r.OK() {
		r.Content = []tool.Content{{Type: tool.ContentText, Text: text}}
	}
	return r
}

// Examples are arguments as a Spec holds them.
func Examples(docs ...string) []json.RawMessage {
	out := make([]json.RawMessage, len(docs))
	for i, d := range docs {
		out[i] = json.RawMessage(d)
	}
	return out
}

// DryRun reports whether the call of ctx only asks what would be done.
func DryRun(ctx context.Context) bool {
	c := tool.Current(ctx)
	return c != nil && c.DryRun
}

// Plural is "1 line", "2 lines".
func Plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// Clip is s, cut at n characters.
func Clip(s string, n int) string {
	if r := []rune(s); len(r) > n {
		return string(r[:n]) + "…"
	}
	return s
}

// WholeRunes is the first n bytes of b, less a character cut at the end.
func WholeRunes(b []byte, n int) []byte {
	if len(b) <= n {
		return b
	}
	for i := n; i > n-utf8.UTFMax && i > 0; i-- {
		if utf8.RuneStart(b[i]) {
			return b[:i]
		}
	}
	return b[:n]
}
