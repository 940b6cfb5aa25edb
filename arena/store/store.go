// Package store keeps the record in SQLite: events, the bots that enter them,
// every pairing and what became of it, moves, attempts that did not count, and
// the incremental Elo after each game.
//
// A [Store] is one database file. Reading is open to everyone; writing to an
// event needs a [Hold] on it, which one living process has at a time. A pairing
// is planned first (a row without a result) and gets its result once, in a
// transaction of its own that is on the disk when [Hold.Finish] returns. What a
// crash leaves behind is therefore always a record that can be gone on with.
package store

import (
	"compress/flate"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"

	_ "modernc.org/sqlite" // the driver
)

// busyTimeout is how long a statement waits for another process's transaction.
const busyTimeout = 20 * time.Second

// A Store is an open database. Its methods may be used by several goroutines.
type Store struct {
	path  string
	clock func() time.Time
	read  *sql.DB
	write *sql.DB       // one connection; nil where opened for reading
	turn  chan struct{} // holds a token while somebody writes
	stmt  statements

	deflaters sync.Pool // of *flate.Writer
}

// statements are those that a finished game needs, prepared once.
type statements struct {
	fence, find, result, moves, rated, next, entry, setEntry, elo, setRated, insert, attempts *sql.Stmt
}

// Open opens the database at path for reading and writing. It creates the file
// and its folder where they are missing and brings an older schema up to date;
// a newer one is refused untouched (*VersionError), as are files of other
// programs (*FormatError). clock stamps what is recorded.
func Open(ctx context.Context, path string, clock func() time.Time) (*Store, error) {
	steps, err := loadMigrations()
	if err != nil {
		return nil, err
	}
	return whenFree(ctx, func() (*Store, error) { return open(ctx, path, clock, steps) })
}

func open(ctx context.Context, path string, clock func() time.Time, steps []step) (*Store, error) {
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			return nil, explainFolder(path, err)
		}
	} else if _, err := probe(ctx, path, len(steps)); err != nil {
		return nil, err
	}
	s := newStore(path, clock)
	var err error
	if s.write, err = sql.Open("sqlite", dsn(path, "_busy_timeout="+busyMillis(), "_journal_mode=WAL",
		"_synchronous=FULL", "_foreign_keys=1", "_txlock=immediate", "_dqs=0", "_error_rc=1")); err != nil {
		return nil, err
	}
	s.write.SetMaxOpenConns(1)
	if err = s.prepareWriting(ctx, steps); err == nil {
		err = s.openReading("_query_only=1")
	}
	if err != nil {
		_ = s.Close()
		return nil, s.explain("open database", err)
	}
	return s, nil
}

// OpenRead opens an existing database for reading alone. The error is
// ErrNoDatabase where there is none. A database of an older schema has to be
// brought up to date first, and so must be writable.
func OpenRead(ctx context.Context, path string, clock func() time.Time) (*Store, error) {
	steps, err := loadMigrations()
	if err != nil {
		return nil, err
	}
	return whenFree(ctx, func() (*Store, error) { return openRead(ctx, path, clock, steps) })
}

func openRead(ctx context.Context, path string, clock func() time.Time, steps []step) (*Store, error) {
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%w at %s; run `arena run CONFIG` first, or use another file", ErrNoDatabase, path)
	}
	version, err := probe(ctx, path, len(steps))
	if err != nil {
		return nil, err
	}
	if version < len(steps) {
		s, err := open(ctx, path, clock, steps)
		if err != nil {
			return nil, err
		}
		if err := s.Close(); err != nil {
			return nil, err
		}
	}
	s := newStore(path, clock)
	if err := s.openReading("mode=ro"); err == nil {
		err = s.read.PingContext(ctx)
		if err == nil {
			_, err = s.read.ExecContext(ctx, "SELECT count(*) FROM events")
		}
		if err == nil {
			return s, nil
		}
		_ = s.Close()
		if !dirReadOnly(path) {
			return nil, s.explain("open database", err)
		}
	}
	if err := s.openReading("mode=ro", "immutable=1"); err != nil {
		return nil, s.explain("open database", err)
	}
	return s, nil
}

func newStore(path string, clock func() time.Time) *Store {
	s := &Store{path: path, clock: clock, turn: make(chan struct{}, 1)}
	s.deflaters.New = func() any {
		w, err := flate.NewWriter(nil, flate.BestSpeed)
		if err != nil {
			panic(err) // the level is a valid constant
		}
		return w
	}
	return s
}

func (s *Store) openReading(params ...string) error {
	db, err := sql.Open("sqlite", dsn(s.path, append(params, "_busy_timeout="+busyMillis(), "_dqs=0", "_error_rc=1")...))
	if err != nil {
		return err
	}
	db.SetMaxOpenConns(4)
	s.read = db
	return nil
}

// whenFree opens a database, again and again while it is busy: of two processes
// that switch a new one to its write-ahead log at once, SQLite refuses one
// without any waiting, since that one's own lock is in the way.
func whenFree(ctx context.Context, open func() (*Store, error)) (*Store, error) {
	const pause = 20 * time.Millisecond
	for range busyTimeout / pause {
		s, err := open()
		if !isBusy(err) {
			return s, err
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(pause):
		}
	}
	return open()
}

func (s *Store) prepareWriting(ctx context.Context, steps []step) error {
	var mode string
	if err := s.write.QueryRowContext(ctx, "PRAGMA journal_mode").Scan(&mode); err != nil {
		return err
	}
	if !strings.EqualFold(mode, "wal") {
		return fmt.Errorf("%s: SQLite cannot use its write-ahead log here (journal mode is %s); put the database on a local disk", s.path, mode)
	}
	if err := migrate(ctx, s.write, s.path, steps); err != nil {
		return err
	}
	if len(steps) == 0 {
		return nil
	}
	return s.stmt.prepare(ctx, s.write)
}

// Close closes the database; the record is complete without it.
func (s *Store) Close() error {
	var errs []error
	for _, db := range []*sql.DB{s.read, s.write} {
		if db != nil {
			errs = append(errs, db.Close())
		}
	}
	return errors.Join(errs...)
}

// Path is the database's file.
func (s *Store) Path() string { return s.path }

// update runs f in one write transaction. ctx ends the wait for the turn; a
// transaction that has begun is carried through.
func (s *Store) update(ctx context.Context, op string, f func(context.Context, *sql.Tx) error) error {
	if s.write == nil {
		return fmt.Errorf("%s: the database is open for reading only", op)
	}
	select {
	case s.turn <- struct{}{}:
	case <-ctx.Done():
		return fmt.Errorf("%s: %w", op, context.Cause(ctx))
	}
	defer func() { <-s.turn }()
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("%s: %w", op, context.Cause(ctx))
	}
	ctx = context.WithoutCancel(ctx)
	tx, err := s.write.BeginTx(ctx, nil)
	if err != nil {
		return s.explain(op, err)
	}
	if err := f(ctx, tx); err != nil {
		_ = tx.Rollback()
		return s.explain(op, err)
	}
	return s.explain(op, tx.Commit())
}

// now is the clock's time as stored.
func (s *Store) now() int64 { return s.clock().UnixMicro() }

// moment reads a stored time; 0 is the zero time.
func moment(micro int64) time.Time {
	if micro == 0 {
		return time.Time{}
	}
	return time.UnixMicro(micro).UTC()
}

// dsn is SQLite's URI of a file with parameters.
func dsn(path string, params ...string) string {
	abs, err := filepath.Abs(path)
	if err != nil {
		abs = path
	}
	abs = filepath.ToSlash(abs)
	if !strings.HasPrefix(abs, "/") {
		abs = "/" + abs // a drive letter
	}
	u := url.URL{Scheme: "file", Path: abs, RawQuery: strings.Join(params, "&")}
	return u.String()
}

func busyMillis() string { return strconv.FormatInt(busyTimeout.Milliseconds(), 10) }

// dirReadOnly reports whether nothing can be created beside path.
func dirReadOnly(path string) bool {
	f, err := os.CreateTemp(filepath.Dir(path), ".arena-probe-*")
	if err != nil {
		return true
	}
	_ = f.Close()
	_ = os.Remove(f.Name())
	return false
}
