package memory

import (
	"context"
	"strings"
	"unicode"
)

// Search is up to n items that fit the words of a query, the best first. An
// item fits if it has one of the words; having more of them, rarer ones, or
// having them in key or tags, makes it fit better. If no item has one of the
// words, those that hold the query as a piece of text are returned, newest
// first.
func (s *Store) Search(ctx context.Context, query string, n int) ([]Item, error) {
	if match := matchExpr(query); match != "" {
		found, err := items(ctx, s.db.Read(), `
			SELECT item.id, item.key, item.text, item.tags, item.created, item.updated, -bm25(item_words, 3.0, 1.0, 2.0) AS score
			FROM item_words JOIN item ON item.n = item_words.rowid
			WHERE item_words MATCH ? ORDER BY score DESC, item.updated DESC, item.n DESC LIMIT ?`, match, n)
		if err != nil || len(found) > 0 {
			return found, fault(err)
		}
	}
	query = strings.TrimSpace(query)
	if query == "" {
		return nil, nil
	}
	like := "%" + escapeLike(query) + "%"
	found, err := items(ctx, s.db.Read(), `
		SELECT id, key, text, tags, created, updated, 0.0 FROM item
		WHERE text LIKE ?1 ESCAPE '\' OR key LIKE ?1 ESCAPE '\' OR tags LIKE ?1 ESCAPE '\'
		ORDER BY updated DESC, n DESC LIMIT ?2`, like, n)
	return found, fault(err)
}

// maxWords bounds a query; a model may send a whole paragraph.
const maxWords = 64

// matchExpr is a query in the language of FTS5 that asks for any of the words;
// each is quoted, so that nothing in it is an operator.
func matchExpr(query string) string {
	words := strings.FieldsFunc(query, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsNumber(r) && !unicode.IsMark(r) && r != '_'
	})
	if len(words) > maxWords {
		words = words[:maxWords]
	}
	for i, w := range words {
		words[i] = `"` + w + `"`
	}
	return strings.Join(words, " OR ")
}

func escapeLike(s string) string {
	return strings.NewReplacer(`\`, `\\`, `%`, `\%`, `_`, `\_`).Replace(s)
}
