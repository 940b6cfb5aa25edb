// Package store keeps the record in SQLite: events, the bots that enter them, every
// game with its moves, void attempts, and the incremental Elo after each game.
//
// A [Store] is one database file. Reading is open to everyone; writing to an event
// needs a [Hold] on it, which one living process has at a time. A game is planned first
// (a row without a result) and gets its result once, in a transaction that is on disk
// when [Hold.Finish] returns. So a crash always leaves a record from which the event
// can be resumed.
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

// patience limits the total wait for another process's transaction.
const patience = 20 * time.Second

// busyTimeout limits a single wait of SQLite, which can be neither reported nor cut
// short.
const busyTimeout = 500 * time.Millisecond

// A Store is an open database. It is safe for concurrent use.
type Store struct {
	path   string
	clock  func() time.Time
	notice func(string)
	frozen *sql.Tx // of a Snapshot
	read   *sql.DB
	write  *sql.DB       // one connection; nil if opened for reading
	turn   chan struct{} // holds a token while somebody writes
	stmt   statements

	deflaters sync.Pool // of *flate.Writer

	watching sync.Mutex
	watch    *sql.Conn // of Changes
}

// statements holds the prepared statements for finished games.
type statements struct {
	fence, find, result, moves, rated, next, entry, setEntry, rate, setRated, insert *sql.Stmt
}

// An Option configures [Open] and [OpenRead].
type Option func(*opening)

// Notice returns an Option that reports slow steps to f, a line at a time: waiting for
// another process, and migrating an older database.
func Notice(f func(line string)) Option { return func(o *opening) { o.notice = f } }

// opening holds the settings with which a database is opened.
type opening struct {
	path   string
	clock  func() time.Time
	notice func(string)
	steps  []string
}

func newOpening(path string, clock func() time.Time, options []Option) (*opening, error) {
	o := &opening{path: path, clock: clock, notice: func(string) {}}
	for _, option := range options {
		option(o)
	}
	var err error
	o.steps, err = loadMigrations()
	return o, err
}

// Open opens the database at path for reading and writing. It creates the file and its
// folder if they are missing and migrates an older schema after copying the file, if
// there is room; a newer schema is refused, as are files of other programs and
// databases from before the first release (*FileError). clock provides the times that
// are recorded.
func Open(ctx context.Context, path string, clock func() time.Time, options ...Option) (*Store, error) {
	o, err := newOpening(path, clock, options)
	if err != nil {
		return nil, err
	}
	return o.whenFree(ctx, o.write)
}

func (o *opening) write(ctx context.Context) (*Store, error) {
	path := o.path
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			return nil, explainFolder(path, err)
		}
	} else if _, err := probe(ctx, path, len(o.steps)); err != nil {
		return nil, err
	}
	s := newStore(o)
	var err error
	// What a statement with triggers may have to take back is kept in memory: on the
	// disk, it costs a write for each page that the statement touches.
	if s.write, err = sql.Open("sqlite", dsn(path, "_busy_timeout="+busyMillis(), "_journal_mode=WAL", "_pragma=temp_store(memory)",
		"_synchronous=FULL", "_foreign_keys=1", "_txlock=immediate", "_dqs=0", "_error_rc=1")); err != nil {
		return nil, err
	}
	s.write.SetMaxOpenConns(1)
	if err = s.prepareWriting(ctx, o.steps); err == nil {
		s.read, err = sql.Open("sqlite", dsn(path, "_query_only=1", "_busy_timeout="+busyMillis(), "_dqs=0", "_error_rc=1"))
	}
	if err != nil {
		_ = s.Close()
		return nil, s.explain("open database", err)
	}
	s.read.SetMaxOpenConns(5)
	return s, nil
}

// OpenRead opens an existing database for reading alone. The error is ErrNoDatabase if
// there is none. A database of an older schema is migrated first, and so must be
// writable.
func OpenRead(ctx context.Context, path string, clock func() time.Time, options ...Option) (*Store, error) {
	o, err := newOpening(path, clock, options)
	if err != nil {
		return nil, err
	}
	return o.whenFree(ctx, o.read)
}

func (o *opening) read(ctx context.Context) (*Store, error) {
	path := o.path
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%w at %s; run `arena run CONFIG` first, or use another file", ErrNoDatabase, path)
	}
	version, err := probe(ctx, path, len(o.steps))
	if err != nil {
		return nil, err
	}
	if version < len(o.steps) {
		s, err := o.write(ctx)
		if err != nil {
			return nil, err
		}
		if err := s.Close(); err != nil {
			return nil, err
		}
	}
	s := newStore(o)
	s.read, err = openRead(path, func(db *sql.DB) error {
		_, err := db.ExecContext(ctx, "SELECT count(*) FROM events")
		return err
	})
	if err != nil {
		return nil, s.explain("open database", err)
	}
	return s, nil
}

func newStore(o *opening) *Store {
	s := &Store{path: o.path, clock: o.clock, notice: o.notice, turn: make(chan struct{}, 1)}
	s.deflaters.New = func() any {
		w, err := flate.NewWriter(nil, flate.BestSpeed)
		if err != nil {
			panic(err) // the level is a valid constant
		}
		return w
	}
	return s
}

// whenFree opens a database, and retries while it is busy: of two processes that switch
// a new database to its write-ahead log at once, SQLite refuses one without waiting.
func (o *opening) whenFree(ctx context.Context, open func(context.Context) (*Store, error)) (s *Store, err error) {
	return s, whileBusy(ctx, o.path, o.notice, func() error {
		s, err = open(ctx)
		return err
	})
}

// whileBusy retries try while it fails as busy, at most for patience, and reports the
// wait after a moment. The error is try's last one.
func whileBusy(ctx context.Context, path string, notice func(string), try func() error) error {
	const pause, quiet = 20 * time.Millisecond, time.Second
	start, told := time.Now(), false
	for {
		err := try()
		waited := time.Since(start)
		if !isBusy(err) || waited > patience {
			return err
		}
		if waited > quiet && !told {
			told = true
			notice(fmt.Sprintf("another process is writing to %s; waiting for it, at most %v", path, patience))
		}
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-time.After(pause):
		}
	}
}

func (s *Store) prepareWriting(ctx context.Context, steps []string) error {
	var mode string
	if err := s.write.QueryRowContext(ctx, "PRAGMA journal_mode").Scan(&mode); err != nil {
		return err
	}
	if !strings.EqualFold(mode, "wal") {
		return fmt.Errorf("%s: SQLite cannot use its write-ahead log here (journal mode is %s); put the database on a local disk", s.path, mode)
	}
	if err := s.keepCopy(ctx, len(steps)); err != nil {
		return err
	}
	if err := migrate(ctx, s.write, s.path, steps, s.notice); err != nil {
		return err
	}
	if len(steps) == 0 {
		return nil
	}
	return s.stmt.prepare(ctx, s.write)
}

// Snapshot freezes what all later reads see, until the store is closed. Only a database
// opened for reading alone can be frozen, and only one goroutine may then read it.
func (s *Store) Snapshot(ctx context.Context) error {
	if s.write != nil || s.frozen != nil {
		return errors.New("only a database that was opened for reading can be frozen, and once")
	}
	var err error
	s.frozen, err = s.beginReading(ctx)
	return s.explain("open database", err)
}

// beginReading begins a read transaction.
func (s *Store) beginReading(ctx context.Context) (tx *sql.Tx, err error) {
	err = whileBusy(ctx, s.path, s.notice, func() error {
		if tx, err = s.read.BeginTx(ctx, &sql.TxOptions{ReadOnly: true}); err != nil {
			return err
		}
		var tables int // the first read is what settles the moment
		if err := tx.QueryRowContext(ctx, "SELECT count(*) FROM sqlite_schema").Scan(&tables); err != nil {
			_ = tx.Rollback()
			return err
		}
		return nil
	})
	return tx, err
}

// Close closes the database. The record is complete without it.
func (s *Store) Close() error {
	var errs []error
	if s.watch != nil {
		_ = s.watch.Close() // nothing was written
	}
	if s.frozen != nil {
		_ = s.frozen.Rollback() // there is nothing to commit
	}
	for _, db := range []*sql.DB{s.read, s.write} {
		if db != nil {
			errs = append(errs, db.Close())
		}
	}
	return errors.Join(errs...)
}

// Path returns the database's file.
func (s *Store) Path() string { return s.path }

// update runs f in one write transaction. ctx ends the wait for the lock; a transaction
// that has begun is completed.
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
	waiting := ctx
	ctx = context.WithoutCancel(ctx)
	var tx *sql.Tx
	err := whileBusy(waiting, s.path, s.notice, func() (err error) {
		tx, err = s.write.BeginTx(ctx, nil)
		return err
	})
	if err != nil {
		return s.explain(op, err)
	}
	if err := f(ctx, tx); err != nil {
		_ = tx.Rollback()
		return s.explain(op, err)
	}
	return s.explain(op, tx.Commit())
}

// exec runs one statement in a transaction of its own.
func (s *Store) exec(ctx context.Context, op, statement string, args ...any) error {
	return s.update(ctx, op, func(ctx context.Context, tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, statement, args...)
		return err
	})
}

// now returns the clock's time as stored.
func (s *Store) now() int64 { return s.clock().UnixMicro() }

// snapshot calls f, which only reads, with the database as of one moment.
func (s *Store) snapshot(ctx context.Context, op string, f func(*sql.Tx) error) error {
	tx := s.frozen
	if tx == nil {
		var err error
		if tx, err = s.beginReading(ctx); err != nil {
			return s.explain(op, err)
		}
		defer func() { _ = tx.Rollback() }() // there is nothing to commit
	}
	err := f(tx)
	var (
		event *UnknownEventError
		bot   *UnknownBotError
	)
	if errors.As(err, &event) || errors.As(err, &bot) {
		return err // which says all
	}
	return s.explain(op, err)
}

// read returns what f reads in the database as of one moment.
func read[T any](ctx context.Context, s *Store, op string, f func(*sql.Tx) (T, error)) (found T, err error) {
	err = s.snapshot(ctx, op, func(tx *sql.Tx) (err error) {
		found, err = f(tx)
		return err
	})
	return found, err
}

// dsn returns SQLite's URI of a file with parameters.
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
