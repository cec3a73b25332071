package memory

import (
	"context"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/toolpost/toolpost/tool"
)

const (
	maxKey  = 200 // characters
	maxTag  = 64  // characters
	maxTags = 20
)

// check judges what is to be stored and returns it trimmed.
func check(item Item, mode Mode) (Item, error) {
	item.Text = strings.TrimSpace(item.Text)
	item.Key = strings.TrimSpace(item.Key)
	item.Tags = clean(item.Tags)
	switch {
	case mode != Append && mode != Overwrite:
		return item, tool.Errorf(tool.CodeInvalid, "mode %q: use append or overwrite", mode)
	case mode == Overwrite && item.Key == "":
		return item, tool.Errorf(tool.CodeInvalid, `"key" required for mode overwrite: it names the memory to replace`)
	case item.Text == "":
		return item, tool.Errorf(tool.CodeInvalid, `"text" is blank; give what is to be remembered`)
	case len(item.Text) > MaxText:
		return item, tool.Errorf(tool.CodeLimit, "the text has %d bytes, more than %d; remember the essence, and write the whole to a file", len(item.Text), MaxText)
	case !utf8.ValidString(item.Text):
		return item, tool.Errorf(tool.CodeInvalid, "the text is not valid UTF-8")
	case !short(item.Key, maxKey):
		return item, tool.Errorf(tool.CodeInvalid, "the key has control characters or more than %d characters", maxKey)
	case len(item.Tags) > maxTags:
		return item, tool.Errorf(tool.CodeInvalid, "%d tags are more than %d", len(item.Tags), maxTags)
	}
	for _, t := range item.Tags {
		if !short(t, maxTag) {
			return item, tool.Errorf(tool.CodeInvalid, "a tag has control characters or more than %d characters", maxTag)
		}
	}
	return item, nil
}

func short(s string, most int) bool {
	return utf8.ValidString(s) && utf8.RuneCountInString(s) <= most && !strings.ContainsFunc(s, unicode.IsControl)
}

// noKey is the error for a key that is not there, with those that are like it.
func (s *Store) noKey(ctx context.Context, key string) error {
	pattern := "%" + escapeLike(key) + "%"
	found, err := items(ctx, s.db.Read(), `
		SELECT id, key, text, tags, created, updated, 0.0 FROM item WHERE key IS NOT NULL
		ORDER BY key LIKE ? ESCAPE '\' DESC, updated DESC LIMIT 5`, pattern)
	if err != nil || len(found) == 0 {
		return tool.Errorf(tool.CodeNotFound, "no memory has the key %q, and none has another; search by query instead", clip(key))
	}
	var keys []string
	for _, it := range found {
		keys = append(keys, it.Key)
	}
	return tool.Errorf(tool.CodeNotFound, "no memory has the key %q; there are: %s", clip(key), strings.Join(keys, ", "))
}

func clip(s string) string {
	if r := []rune(s); len(r) > 80 {
		return string(r[:80]) + "…"
	}
	return s
}
