package memory

import (
	"cmp"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/toolpost/toolpost/internal/sqlite"
	"github.com/toolpost/toolpost/tool"
)

// MaxText is the longest text of an item, in bytes.
const MaxText = 64 << 10

var steps = []string{`
CREATE TABLE item (
	n       INTEGER PRIMARY KEY,
	id      TEXT NOT NULL UNIQUE,
	key     TEXT UNIQUE,
	text    TEXT NOT NULL,
	tags    TEXT NOT NULL DEFAULT '[]', -- a JSON array
	created INTEGER NOT NULL,           -- milliseconds since 1970
	updated INTEGER NOT NULL
) STRICT;
CREATE INDEX item_updated ON item (updated DESC, n DESC);
CREATE VIRTUAL TABLE item_words USING fts5 (
	key, text, tags, content = 'item', content_rowid = 'n', tokenize = 'porter unicode61 remove_diacritics 2'
);
CREATE TRIGGER item_added AFTER INSERT ON item BEGIN
	INSERT INTO item_words (rowid, key, text, tags) VALUES (new.n, new.key, new.text, new.tags);
END;
CREATE TRIGGER item_removed AFTER DELETE ON item BEGIN
	INSERT INTO item_words (item_words, rowid, key, text, tags) VALUES ('delete', old.n, old.key, old.text, old.tags);
END;
CREATE TRIGGER item_changed AFTER UPDATE ON item BEGIN
	INSERT INTO item_words (item_words, rowid, key, text, tags) VALUES ('delete', old.n, old.key, old.text, old.tags);
	INSERT INTO item_words (rowid, key, text, tags) VALUES (new.n, new.key, new.text, new.tags);
END;
`}

// A Store is a file of items. It is safe for concurrent use, also by several
// processes.
type Store struct {
	db  *sqlite.DB
	now func() time.Time
}

// An Item is something that is remembered.
type Item struct {
	ID      string // made by the store
	Key     string // unique; empty for an item without a name
	Text    string
	Tags    []string // sorted, each once
	Created time.Time
	Updated time.Time
	Score   float64 // of a search: higher fits better; 0 otherwise
}

// Mode says what happens to an item that has the key already.
type Mode string

// The modes of [Store.Put].
const (
	Append    Mode = "append"    // the new text follows the old one after a blank line, and tags are joined
	Overwrite Mode = "overwrite" // text and tags replace the old ones
)

// Open opens the store at path, or makes it.
func Open(ctx context.Context, path string) (*Store, error) {
	db, err := sqlite.Open(ctx, path, steps)
	if err != nil {
		return nil, tool.Errorf(tool.CodeUnavailable, "memory: %w", err)
	}
	return &Store{db: db, now: time.Now}, nil
}

// Close closes the file.
func (s *Store) Close() error { return s.db.Close() }

// Put remembers the key, text and tags of item and returns it as it is stored.
// Created says so if there was none of its key. Without a key, an item of the
// same text is not stored twice; Overwrite needs a key.
func (s *Store) Put(ctx context.Context, item Item, mode Mode) (stored Item, created bool, err error) {
	if item, err = check(item, mode); err != nil {
		return Item{}, false, err
	}
	err = s.db.Write(ctx, func(tx *sql.Tx) error {
		stored, created, err = s.plan(ctx, tx, item, mode)
		if err != nil {
			return err
		}
		tags, err := json.Marshal(stored.Tags)
		if err != nil {
			return fmt.Errorf("encode tags: %w", err)
		}
		_, err = tx.ExecContext(ctx, `
			INSERT INTO item (id, key, text, tags, created, updated) VALUES (?, nullif(?, ''), ?, ?, ?, ?)
			ON CONFLICT (id) DO UPDATE SET text = excluded.text, tags = excluded.tags, updated = excluded.updated`,
			stored.ID, stored.Key, stored.Text, string(tags), stored.Created.UnixMilli(), stored.Updated.UnixMilli())
		return err
	})
	if err != nil {
		return Item{}, false, fault(err)
	}
	return stored, created, nil
}

// queryer is a transaction or a database.
type queryer interface {
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
}

// plan is the item as it will be stored, judged by what is there.
func (s *Store) plan(ctx context.Context, q queryer, item Item, mode Mode) (Item, bool, error) {
	where, arg := "key = ?", item.Key
	if item.Key == "" {
		where, arg = "key IS NULL AND text = ?", item.Text
	}
	old, err := items(ctx, q, "SELECT id, key, text, tags, created, updated, 0.0 FROM item WHERE "+where, arg)
	if err != nil {
		return Item{}, false, err
	}
	item.Updated = s.now().UTC().Truncate(time.Millisecond)
	if len(old) == 0 {
		item.ID, item.Created = tool.NewID(), item.Updated
		return item, true, nil
	}
	item.ID, item.Created = old[0].ID, old[0].Created
	if mode == Append {
		item.Tags = clean(append(item.Tags, old[0].Tags...))
		if item.Key != "" {
			item.Text = strings.TrimRight(old[0].Text, "\n") + "\n\n" + item.Text
		}
	}
	if len(item.Text) > MaxText {
		return Item{}, false, tool.Errorf(tool.CodeLimit, "the memory %q would have %d bytes, more than %d; overwrite it with a shorter text, or use another key", item.Key, len(item.Text), MaxText)
	}
	return item, false, nil
}

// Get is the item of a key; an error with tool.CodeNotFound if there is none.
func (s *Store) Get(ctx context.Context, key string) (Item, error) {
	found, err := items(ctx, s.db.Read(), `SELECT id, key, text, tags, created, updated, 0.0 FROM item WHERE key = ?`, key)
	if err != nil {
		return Item{}, fault(err)
	}
	if len(found) == 0 {
		return Item{}, s.noKey(ctx, key)
	}
	return found[0], nil
}

// Newest is up to n items, the last written first.
func (s *Store) Newest(ctx context.Context, n int) ([]Item, error) {
	found, err := items(ctx, s.db.Read(), `SELECT id, key, text, tags, created, updated, 0.0 FROM item ORDER BY updated DESC, n DESC LIMIT ?`, n)
	return found, fault(err)
}

// items runs a query for the columns of an Item.
func items(ctx context.Context, q queryer, query string, args ...any) ([]Item, error) {
	rows, err := q.QueryContext(ctx, query, args...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var out []Item
	for rows.Next() {
		var it Item
		var key sql.NullString
		var tags string
		var created, updated int64
		if err := rows.Scan(&it.ID, &key, &it.Text, &tags, &created, &updated, &it.Score); err != nil {
			return nil, err
		}
		if err := json.Unmarshal([]byte(tags), &it.Tags); err != nil {
			return nil, fmt.Errorf("tags of memory %s: %w", it.ID, err)
		}
		it.Key, it.Created, it.Updated = key.String, time.UnixMilli(created).UTC(), time.UnixMilli(updated).UTC()
		out = append(out, it)
	}
	return out, rows.Err()
}

// fault gives an error of the database a code.
func fault(err error) error {
	if err == nil {
		return nil
	}
	if e, ok := errors.AsType[*tool.Error](err); ok {
		return e
	}
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	e := tool.AsError(tool.Errorf(tool.CodeUnavailable, "memory: %w", err))
	e.Retryable = sqlite.IsBusy(err)
	return e
}

// clean is tags trimmed, sorted and each once.
func clean(tags []string) []string {
	out := make([]string, 0, len(tags))
	for _, t := range tags {
		if t = strings.TrimSpace(t); t != "" {
			out = append(out, t)
		}
	}
	slices.SortFunc(out, cmp.Compare[string])
	return slices.Compact(out)
}
