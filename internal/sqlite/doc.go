// Package sqlite opens a database file the way all stores of toolpost want it:
// write-ahead log, a sync at each commit, one writer and a few readers.
//
// [Open] makes the file and its folder where they are missing, and brings the
// tables up to date. [DB.Write] runs a transaction that may change something;
// there is one at a time. [DB.Read] is for queries, which see the last commit
// and wait for no writer.
//
//	db, err := sqlite.Open(ctx, path, []string{`CREATE TABLE item (id INTEGER PRIMARY KEY, text TEXT)`})
//	err = db.Write(ctx, func(tx *sql.Tx) error {
//		_, err := tx.ExecContext(ctx, `INSERT INTO item (text) VALUES (?)`, "hello")
//		return err
//	})
//
// The package knows no table and builds no query. The settings follow SQLite's
// own advice (https://www.sqlite.org/wal.html): in WAL mode with
// synchronous=FULL a commit that was reported outlives a power cut.
package sqlite
