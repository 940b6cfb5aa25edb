package store

import (
	"context"
	"database/sql"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"
)

//go:embed migrations/*.sql
var migrationFiles embed.FS

// applicationID marks arena's databases in the file's header ("aren").
const applicationID = 0x6172656e

// unreleasedID marked databases before the first release, whose schemas are not
// supported any more.
const unreleasedID = 0x41524e41

// SchemaVersion returns the version of the schema that Open creates and migrates to.
func SchemaVersion() (int, error) {
	steps, err := loadMigrations()
	return len(steps), err
}

// loadMigrations returns the schema's steps: a database of version n has had the first n.
func loadMigrations() ([]string, error) {
	names, err := fs.Glob(migrationFiles, "migrations/*.sql") // sorted
	if err != nil {
		return nil, err
	}
	steps := make([]string, len(names))
	for i, name := range names {
		text, err := migrationFiles.ReadFile(name)
		if err != nil {
			return nil, err
		}
		steps[i] = string(text)
	}
	return steps, nil
}

// probe inspects an existing file without changing it, not even its journal mode. It
// returns the schema's version, 0 for an empty file.
func probe(ctx context.Context, path string, knows int) (version int, err error) {
	// This process may have the database open: to open and close the file beside SQLite would
	// drop the locks of all its connections (POSIX), and the next program that closes the
	// database would take the log away from under them.
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return 0, unopened(path, err)
	case info.IsDir():
		return 0, notOurs(path, "is a folder, not a database", nil)
	case info.Size() == 0:
		return 0, nil
	}
	var app, tables int
	db, err := openRead(path, func(db *sql.DB) (err error) {
		version, app, tables, err = stamp(ctx, db)
		return err
	})
	if err != nil {
		var lite *sqlite.Error
		if errors.As(err, &lite) && lite.Code()&0xff == sqlite3.SQLITE_CANTOPEN {
			if why := unreadable(path); why != nil {
				return 0, unopened(path, why)
			}
		}
		return 0, explain(path, "open database", err)
	}
	_ = db.Close()
	switch {
	case app == applicationID && version > knows:
		return 0, newer(path, version, knows)
	case app == applicationID:
		return version, nil
	case app == unreleasedID:
		return 0, notOurs(path, "was written by an arena from before the first release, which this one does not read: "+
			"`arena export --format jsonl -o FILE` of that one and `arena import FILE` of this one carry its events over", nil)
	case app != 0 || version != 0 || tables > 0:
		return 0, notOurs(path, "is an SQLite database of another program", nil)
	}
	return 0, nil
}

// unopened returns the error of a file that cannot be looked at.
func unopened(path string, err error) error {
	if errors.Is(err, fs.ErrPermission) {
		return &FileError{Path: path, Why: fmt.Sprintf("cannot be read: %v; give yourself permission, or use another file", err), Err: err}
	}
	return fmt.Errorf("open database: %w", err)
}

// stamp returns the database's schema version and application id, and for one without an
// id how many tables and the like it has, as of one moment: another process may be setting
// it up.
func stamp(ctx context.Context, db *sql.DB) (version, app, tables int, err error) {
	tx, err := db.BeginTx(ctx, &sql.TxOptions{ReadOnly: true})
	if err != nil {
		return 0, 0, 0, err
	}
	defer func() { _ = tx.Rollback() }()
	if err = tx.QueryRowContext(ctx, "PRAGMA user_version").Scan(&version); err == nil {
		err = tx.QueryRowContext(ctx, "PRAGMA application_id").Scan(&app)
	}
	if err == nil && app == 0 { // else it need not read the schema, which takes longer than all else
		err = tx.QueryRowContext(ctx, "SELECT count(*) FROM sqlite_schema").Scan(&tables)
	}
	return version, app, tables, err
}

// migrate brings the database up to len(steps), each step in a transaction.
// Several processes may do so at once.
func migrate(ctx context.Context, db *sql.DB, path string, steps []string, notice func(string)) error {
	for {
		tx, err := db.BeginTx(ctx, nil) // immediate: the version cannot change meanwhile
		if err != nil {
			return err
		}
		var version int
		err = tx.QueryRowContext(ctx, "PRAGMA user_version").Scan(&version)
		if err == nil && version > len(steps) {
			err = newer(path, version, len(steps))
		}
		if err != nil || version == len(steps) {
			_ = tx.Rollback()
			return err
		}
		if err := tellMigration(ctx, tx, path, version, len(steps), notice); err != nil {
			_ = tx.Rollback()
			return err
		}
		_, err = tx.ExecContext(ctx, steps[version])
		if err == nil {
			_, err = tx.ExecContext(ctx, fmt.Sprintf("PRAGMA user_version = %d; PRAGMA application_id = %d", version+1, applicationID))
		}
		if err != nil {
			_ = tx.Rollback()
			return fmt.Errorf("bring the database to schema version %d: %w", version+1, err)
		}
		if err := tx.Commit(); err != nil {
			return fmt.Errorf("bring the database to schema version %d: %w", version+1, err)
		}
	}
}

// tellMigration reports to notice a step that may take a while: on a database with many
// games.
func tellMigration(ctx context.Context, tx *sql.Tx, path string, version, last int, notice func(string)) error {
	const many = 20_000
	if version == 0 {
		return nil
	}
	var games int
	if err := tx.QueryRowContext(ctx, "SELECT count(*) FROM games").Scan(&games); err != nil {
		return err
	}
	if games >= many {
		notice(fmt.Sprintf("bringing %s with its %d games up to date, once: step %d of %d", path, games, version+1, last))
	}
	return nil
}

// openRead opens a file for reading, in the first mode that passes check.
func openRead(path string, check func(*sql.DB) error) (db *sql.DB, err error) {
	for _, way := range []struct {
		params string
		serves func(path string) bool
	}{
		{"mode=ro", func(string) bool { return true }},
		// A process was killed within a transaction before the database was in WAL mode.
		// Only a connection that may write can roll it back, to what was there before;
		// whoever opens the file next has to.
		{"mode=rw", hotJournal},
		// A database in WAL mode on a medium that cannot be written: nobody can be
		// writing to it either.
		{"mode=ro&immutable=1", dirReadOnly},
	} {
		if !way.serves(path) {
			continue
		}
		if db, err = sql.Open("sqlite", dsn(path, way.params, "_busy_timeout="+busyMillis(), "_dqs=0", "_error_rc=1")); err != nil {
			continue
		}
		db.SetMaxOpenConns(5)
		if err = check(db); err == nil {
			return db, nil
		}
		_ = db.Close()
	}
	return nil, err
}

// hotJournal reports whether a rollback journal lies beside the database.
func hotJournal(path string) bool {
	st, err := os.Stat(path + "-journal")
	return err == nil && st.Mode().IsRegular() && st.Size() > 0
}

// dirReadOnly reports whether the folder of path is read-only.
func dirReadOnly(path string) bool {
	f, err := os.CreateTemp(filepath.Dir(path), ".arena-probe-*")
	if err != nil {
		return true
	}
	_ = f.Close()
	_ = os.Remove(f.Name())
	return false
}

// unreadable returns why a file that SQLite could not open cannot be read, nil if it can.
func unreadable(path string) error {
	f, err := os.Open(path)
	if err == nil {
		_ = f.Close()
	}
	return err
}
