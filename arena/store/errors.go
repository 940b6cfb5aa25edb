package store

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"syscall"
	"time"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"
)

// ErrNoDatabase is reported by [OpenRead] if there is no file.
var ErrNoDatabase = errors.New("no database")

// ErrPlayed is reported for a game that has a result already.
var ErrPlayed = errors.New("this game has a result already")

// ErrLost is reported when another process has taken the event over: results that this
// one still has must not be recorded.
var ErrLost = errors.New("the event was taken over by another process")

// ErrExists is reported by [Store.Create] for an event name that is in use.
var ErrExists = errors.New("an event of this name exists")

// A FileError reports that a file is not a database that this program can use: it is
// another program's, damaged, of a newer arena, or unreadable. The file is unchanged.
type FileError struct {
	Path string
	Why  string // with what to try, behind the name of the file
	Err  error  // the system's or SQLite's; may be nil
}

// Error names the file and what is wrong with it.
func (e *FileError) Error() string { return e.Path + " " + e.Why }

// Unwrap returns the reason.
func (e *FileError) Unwrap() error { return e.Err }

// notOurs returns the error for a file that is left unchanged.
func notOurs(path, why string, err error) error {
	return &FileError{Path: path, Why: why + "; it was left as it is; use another file", Err: err}
}

func damaged(path string, err error) error {
	return notOurs(path, fmt.Sprintf("is damaged: %v; `sqlite3 FILE .recover` may save what is left", err), err)
}

// newer returns the error for a database of a newer arena.
func newer(path string, has, knows int) error {
	return &FileError{Path: path, Why: fmt.Sprintf("has schema version %d, and this arena knows up to %d: it was written by a newer arena; use that one, or another file", has, knows)}
}

// A FullError reports that there was no room to write. What was recorded before is
// safe, and the failed write left no trace.
type FullError struct {
	Path string
	Err  error
}

// Error reports how to go on.
func (e *FullError) Error() string {
	return fmt.Sprintf("%s: the disk is full; everything recorded so far is safe; make room and run the same command again to go on", e.Path)
}

// Unwrap returns SQLite's error.
func (e *FullError) Unwrap() error { return e.Err }

// A ReadOnlyError reports that the database or its folder cannot be written.
type ReadOnlyError struct {
	Path string
	Err  error
}

// Error names the file and what to try.
func (e *ReadOnlyError) Error() string {
	return fmt.Sprintf("%s: cannot write the database or its folder; give yourself write permission to both, or use another file", e.Path)
}

// Unwrap returns the system's or SQLite's error.
func (e *ReadOnlyError) Unwrap() error { return e.Err }

// A HeldError reports that a living process runs the event.
type HeldError struct {
	Event string
	By    Holder
	// Sure is false if the holder cannot be observed (another machine or container) and
	// counts as alive only by its last sign of life.
	Sure bool
	// Free is the time from which an unsure holder counts as dead.
	Free time.Time
}

// Error names the holder and what to try.
func (e *HeldError) Error() string {
	what := fmt.Sprintf("event %q is being run by process %d on %s since %s", e.Event, e.By.PID, e.By.Host, e.By.Since.Format(time.DateTime))
	if e.Sure {
		return what + "; wait for it, or end it and run this again"
	}
	return what + ", out of sight from here; if it is dead, the event is free from " + e.Free.Format(time.TimeOnly) + " on"
}

// An UnknownEventError names an event that is not in the database.
type UnknownEventError struct {
	Name    string
	Nearest string
	Known   int // number of events there are
}

// Error suggests the nearest name.
func (e *UnknownEventError) Error() string {
	switch {
	case e.Nearest != "":
		return fmt.Sprintf("no event %q; did you mean %q?", e.Name, e.Nearest)
	case e.Known == 0:
		return fmt.Sprintf("no event %q: the database has no events; run `arena run CONFIG` first", e.Name)
	}
	return fmt.Sprintf("no event %q; `arena events` lists those there are", e.Name)
}

// ErrRegistered is reported by [Store.RenameRegistered] for a name that is in use.
var ErrRegistered = errors.New("a bot of this name is registered already")

// An UnknownBotError names a bot that is not in the database or the registry.
type UnknownBotError struct {
	Name    string
	Nearest string
}

// Error suggests the nearest name.
func (e *UnknownBotError) Error() string {
	if e.Nearest != "" {
		return fmt.Sprintf("no bot %q; did you mean %q?", e.Name, e.Nearest)
	}
	return fmt.Sprintf("no bot %q in the database", e.Name)
}

// explainFolder reports why the folder of path could not be made.
func explainFolder(path string, err error) error {
	switch {
	case errors.Is(err, syscall.ENOSPC):
		return &FullError{Path: path, Err: err}
	case errors.Is(err, fs.ErrPermission), errors.Is(err, syscall.EROFS):
		return &ReadOnlyError{Path: path, Err: err}
	}
	return &FileError{Path: path, Why: fmt.Sprintf("has no folder, and it cannot be made: %v; use another file", err), Err: err}
}

// explain converts SQLite's errors to the typed ones above; op names the operation.
func (s *Store) explain(op string, err error) error {
	if err == nil {
		return nil
	}
	return explain(s.path, op, err)
}

func explain(path, op string, err error) error {
	var lite *sqlite.Error
	switch {
	case errors.As(err, &lite):
	case errors.Is(err, errMoves), strings.Contains(err.Error(), "sql: Scan error"): // of rows that nobody wrote so
		return damaged(path, err)
	default:
		return fmt.Errorf("%s: %w", op, err)
	}
	switch code := lite.Code(); code & 0xff {
	case sqlite3.SQLITE_FULL:
		return &FullError{Path: path, Err: err}
	case sqlite3.SQLITE_IOERR:
		if noRoom(path) {
			return &FullError{Path: path, Err: err}
		}
		return fmt.Errorf("%s: %s cannot be read or written: %w; check the disk", op, path, err)
	case sqlite3.SQLITE_READONLY, sqlite3.SQLITE_PERM:
		return &ReadOnlyError{Path: path, Err: err}
	case sqlite3.SQLITE_CANTOPEN:
		// SQLite says so as well when it cannot create the WAL beside the file.
		if noRoom(path) {
			return &FullError{Path: path, Err: err}
		}
		return &ReadOnlyError{Path: path, Err: err}
	case sqlite3.SQLITE_NOTADB:
		return notOurs(path, "is not an SQLite database", err)
	case sqlite3.SQLITE_CORRUPT:
		return damaged(path, err)
	case sqlite3.SQLITE_BUSY:
		return fmt.Errorf("%s: another process has kept %s locked for more than %s: %w; try again when it is done", op, path, patience, err)
	}
	return fmt.Errorf("%s: %w", op, err)
}

// isBusy reports whether another process has the database locked.
func isBusy(err error) bool {
	var e *sqlite.Error
	return errors.As(err, &e) && e.Code()&0xff == sqlite3.SQLITE_BUSY
}
