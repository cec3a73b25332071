package sqlite_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/toolpost/toolpost/internal/sqlite"
)

var steps = []string{`CREATE TABLE item (id INTEGER PRIMARY KEY, text TEXT NOT NULL UNIQUE) STRICT`}

func open(t *testing.T, path string, steps []string) *sqlite.DB {
	t.Helper()
	db, err := sqlite.Open(t.Context(), path, steps)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	return db
}

func add(db *sqlite.DB, text string) error {
	return db.Write(context.Background(), func(tx *sql.Tx) error {
		_, err := tx.Exec(`INSERT INTO item (text) VALUES (?)`, text)
		return err
	})
}

func count(t *testing.T, db *sqlite.DB) (n int) {
	t.Helper()
	if err := db.Read().QueryRow(`SELECT count(*) FROM item`).Scan(&n); err != nil {
		t.Fatal(err)
	}
	return n
}

func ExampleOpen() {
	ctx := context.Background()
	dir, err := os.MkdirTemp("", "example")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	db, err := sqlite.Open(ctx, filepath.Join(dir, "notes.db"), []string{`CREATE TABLE note (text TEXT)`})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer db.Close()
	err = db.Write(ctx, func(tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, `INSERT INTO note VALUES ('hello')`)
		return err
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	var text string
	err = db.Read().QueryRowContext(ctx, `SELECT text FROM note`).Scan(&text)
	fmt.Println(text, err)
	// Output: hello <nil>
}

func TestSettings(t *testing.T) {
	db := open(t, filepath.Join(t.TempDir(), "a.db"), steps)
	for pragma, want := range map[string]string{"journal_mode": "wal", "synchronous": "2", "foreign_keys": "1", "busy_timeout": "5000", "query_only": "1"} {
		var got string
		if err := db.Read().QueryRow("PRAGMA " + pragma).Scan(&got); err != nil || got != want {
			t.Errorf("readers have %s = %q (%v), want %q", pragma, got, err, want)
		}
	}
	err := db.Write(t.Context(), func(tx *sql.Tx) error {
		for pragma, want := range map[string]string{"journal_mode": "wal", "synchronous": "2", "query_only": "0"} {
			var got string
			if err := tx.QueryRow("PRAGMA " + pragma).Scan(&got); err != nil || got != want {
				t.Errorf("the writer has %s = %q (%v), want %q", pragma, got, err, want)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestTheFileIsMadeWithItsFolderForItsOwnerOnly(t *testing.T) {
	path := filepath.Join(t.TempDir(), "sub", "dir", "odd name %20?#.db")
	db := open(t, path, steps)
	if err := add(db, "x"); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	if got := info.Mode().Perm(); got != 0o600 {
		t.Errorf("mode %o, want 600", got)
	}
}

func TestAReaderCannotWrite(t *testing.T) {
	db := open(t, filepath.Join(t.TempDir(), "a.db"), steps)
	if _, err := db.Read().Exec(`INSERT INTO item (text) VALUES ('x')`); err == nil {
		t.Error("the reader wrote")
	}
}

func TestAFailedTransactionChangesNothing(t *testing.T) {
	db := open(t, filepath.Join(t.TempDir(), "a.db"), steps)
	boom := errors.New("boom")
	err := db.Write(t.Context(), func(tx *sql.Tx) error {
		if _, err := tx.Exec(`INSERT INTO item (text) VALUES ('x')`); err != nil {
			t.Error(err)
		}
		return boom
	})
	if !errors.Is(err, boom) {
		t.Errorf("got %v, want it to wrap boom", err)
	}
	func() {
		defer func() { _ = recover() }()
		_ = db.Write(t.Context(), func(tx *sql.Tx) error {
			_, _ = tx.Exec(`INSERT INTO item (text) VALUES ('y')`)
			panic("in fn")
		})
	}()
	if n := count(t, db); n != 0 {
		t.Errorf("%d rows, want 0", n)
	}
	if err := add(db, "z"); err != nil {
		t.Errorf("after a panic in a transaction: %v", err)
	}
}

func TestManyWritersAndTwoHandles(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.db")
	handles := []*sqlite.DB{open(t, path, steps), open(t, path, steps)}
	var group sync.WaitGroup
	for i := range 8 {
		group.Go(func() {
			for j := range 20 {
				if err := add(handles[i%2], fmt.Sprint(i, " ", j)); err != nil {
					t.Error(err)
				}
			}
		})
	}
	group.Wait()
	for _, db := range handles {
		if n := count(t, db); n != 160 {
			t.Errorf("%d rows, want 160", n)
		}
	}
}

func TestStepsRunOnce(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.db")
	db, err := sqlite.Open(t.Context(), path, steps)
	if err != nil {
		t.Fatal(err)
	}
	if err := add(db, "kept"); err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	more := append(steps[:1:1], `ALTER TABLE item ADD COLUMN note TEXT`)
	db = open(t, path, more)
	var note sql.NullString
	if err := db.Read().QueryRow(`SELECT note FROM item WHERE text = 'kept'`).Scan(&note); err != nil {
		t.Error(err)
	}
	_, err = sqlite.Open(t.Context(), path, steps)
	if err == nil || !strings.Contains(err.Error(), "newer version") {
		t.Errorf("a file of a newer version: %v", err)
	}
}

func TestAFailedStepLeavesTheFileAsItWas(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.db")
	_, err := sqlite.Open(t.Context(), path, []string{`CREATE TABLE a (x TEXT)`, `CREATE TABLE nonsense (`})
	if err == nil || !strings.Contains(err.Error(), "step 2") {
		t.Fatalf("got %v, want an error of step 2", err)
	}
	db := open(t, path, steps)
	if err := add(db, "x"); err != nil {
		t.Error(err)
	}
}

func TestErrorsSayWhatToDo(t *testing.T) {
	dir := t.TempDir()
	text := filepath.Join(dir, "text.db")
	if err := os.WriteFile(text, []byte(strings.Repeat("this is no database\n", 100)), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(dir, "folder.db"), 0o700); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{
		"text.db":       "no SQLite database",
		"folder.db":     "is a directory",
		"text.db/x.db":  "not a directory",
		"text.db/a/b/c": "not a directory",
	} {
		_, err := sqlite.Open(t.Context(), filepath.Join(dir, name), steps)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want it to say %q", name, err, want)
		} else if strings.Contains(err.Error(), dir) {
			t.Errorf("%s: %v shows the path of the host", name, err)
		}
	}
}

func TestACancelledWriteGivesUp(t *testing.T) {
	db := open(t, filepath.Join(t.TempDir(), "a.db"), steps)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	err := db.Write(ctx, func(*sql.Tx) error { return nil })
	if !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want context.Canceled", err)
	}
}

func BenchmarkWrite(b *testing.B) {
	db, err := sqlite.Open(b.Context(), filepath.Join(b.TempDir(), "a.db"), steps)
	if err != nil {
		b.Fatal(err)
	}
	defer db.Close()
	for i := 0; b.Loop(); i++ {
		if err := add(db, fmt.Sprint(i)); err != nil {
			b.Fatal(err)
		}
	}
}
