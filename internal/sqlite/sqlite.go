package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"

	"modernc.org/sqlite"
)

const (
	readers     = 4
	busyTimeout = 5000 // milliseconds to wait for another process's transaction
)

// A DB is an open database file. It is safe for concurrent use, also by several
// processes on one machine.
type DB struct {
	writer *sql.DB
	reader *sql.DB
	name   string
}

// Open opens the database at path, or makes it, readable by its owner only.
// Steps are the statements that lead from an empty database to today's tables;
// each runs once in the life of the file, so that a step which was released is
// never changed, only followed by another. A file that has seen more steps than
// there are is refused.
func Open(ctx context.Context, path string, steps []string) (*DB, error) {
	name := filepath.Base(path)
	abs, err := filepath.Abs(path)
	if err != nil {
		return nil, fmt.Errorf("open database %s: %w", name, err)
	}
	if err := create(abs); err != nil {
		return nil, fmt.Errorf("open database %s: %w", name, bare(err))
	}
	db := &DB{name: name, writer: connect(abs, "_txlock=immediate"), reader: connect(abs, "_pragma=query_only(1)")}
	db.writer.SetMaxOpenConns(1)
	db.reader.SetMaxOpenConns(readers)
	db.reader.SetMaxIdleConns(readers)
	if err := db.migrate(ctx, steps); err != nil {
		_ = db.Close()
		return nil, fmt.Errorf("open database %s: %w", name, explain(err))
	}
	return db, nil
}

// create makes the file, since SQLite would make it with wider permissions.
func create(abs string) error {
	if err := os.MkdirAll(filepath.Dir(abs), 0o700); err != nil {
		return err
	}
	f, err := os.OpenFile(abs, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	return f.Close()
}

func connect(abs, more string) *sql.DB {
	u := url.URL{Scheme: "file", OmitHost: true, Path: filepath.ToSlash(abs)}
	u.RawQuery = fmt.Sprintf("_pragma=busy_timeout(%d)&_pragma=journal_mode(WAL)&_pragma=synchronous(FULL)&_pragma=foreign_keys(1)&%s", busyTimeout, more)
	return sql.OpenDB(connector{dsn: u.String()})
}

// migrate runs the steps that the file has not seen, all or none.
func (db *DB) migrate(ctx context.Context, steps []string) error {
	return db.transact(ctx, func(tx *sql.Tx) error {
		var seen int
		if err := tx.QueryRowContext(ctx, "PRAGMA user_version").Scan(&seen); err != nil {
			return err
		}
		if seen > len(steps) {
			return fmt.Errorf("it was made by a newer version of this program (tables %d, known are %d); use that version, or another file", seen, len(steps))
		}
		for i := seen; i < len(steps); i++ {
			if _, err := tx.ExecContext(ctx, steps[i]); err != nil {
				return fmt.Errorf("make tables, step %d: %w", i+1, err)
			}
		}
		if seen == len(steps) {
			return nil
		}
		_, err := tx.ExecContext(ctx, fmt.Sprintf("PRAGMA user_version = %d", len(steps)))
		return err
	})
}

// Write runs fn in a transaction, which is committed to disk when fn returns
// nil, and undone when it returns an error or panics. Transactions run one
// after another; fn must not call Write. After an error of the commit nothing
// was changed.
func (db *DB) Write(ctx context.Context, fn func(*sql.Tx) error) error {
	if err := db.transact(ctx, fn); err != nil {
		return fmt.Errorf("write database %s: %w", db.name, explain(err))
	}
	return nil
}

func (db *DB) transact(ctx context.Context, fn func(*sql.Tx) error) error {
	tx, err := db.writer.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer func() { _ = tx.Rollback() }() // does nothing after the commit
	if err := fn(tx); err != nil {
		return err
	}
	return tx.Commit()
}

// Read is for queries only: a statement that changes something fails.
func (db *DB) Read() *sql.DB { return db.reader }

// Close waits for what runs and closes the file.
func (db *DB) Close() error {
	return errors.Join(db.reader.Close(), db.writer.Close())
}

// bare strips file names, which may be paths of the host.
func bare(err error) error {
	if e, ok := errors.AsType[*fs.PathError](err); ok {
		return e.Err
	}
	return err
}

// IsBusy reports an error that says another process held the database for too
// long; trying again later may help.
func IsBusy(err error) bool {
	e, ok := errors.AsType[*sqlite.Error](err)
	return ok && e.Code()&0xff == codeBusy
}
