package memory

import (
	"context"
	"fmt"
	"strings"
)

// Markdown is all that is remembered as the text of a MEMORY.md: first the
// items with a key, sorted by it, each under its key as heading, then the
// others in the order in which they were made, under the time of it. It is ""
// if nothing is remembered.
func (s *Store) Markdown(ctx context.Context) (string, error) {
	all, err := items(ctx, s.db.Read(), `
		SELECT id, key, text, tags, created, updated, 0.0 FROM item ORDER BY key IS NULL, key, created, n`)
	if err != nil {
		return "", fault(err)
	}
	if len(all) == 0 {
		return "", nil
	}
	var b strings.Builder
	b.WriteString("# Memory\n")
	for _, it := range all {
		heading := it.Key
		if heading == "" {
			heading = it.Created.Format("2006-01-02 15:04 UTC")
		}
		fmt.Fprintf(&b, "\n## %s\n\n%s\n", heading, it.Text)
		if len(it.Tags) > 0 {
			fmt.Fprintf(&b, "\nTags: %s\n", strings.Join(it.Tags, ", "))
		}
	}
	return b.String(), nil
}
