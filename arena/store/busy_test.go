package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"botarena/arena"
)

// locked takes the write lock of a database until it is called.
func locked(t *testing.T, path string) (release func()) {
	t.Helper()
	db, err := sql.Open("sqlite", dsn(path, "_txlock=immediate"))
	must(t, err)
	tx, err := db.BeginTx(t.Context(), nil)
	must(t, err)
	return func() {
		if err := errors.Join(tx.Rollback(), db.Close()); err != nil {
			t.Error(err)
		}
	}
}

// Whoever waits for another process is told so, goes on once that one is done,
// and can give up before.
func TestBusyIsToldAndEnds(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "arena.db")
	told := make(chan string, 9)
	s := openAt(t, path, Notice(func(line string) { told <- line }))
	release := locked(t, path)
	go func() {
		<-told
		told <- "again"
		release()
	}()
	if _, err := s.Create(t.Context(), testEvent("e", "a", "b"), []byte("config"), me(t)); err != nil {
		t.Fatal(err)
	}
	if line := <-told; line != "again" || len(told) > 0 {
		t.Errorf("told %q, and %d lines more", line, len(told))
	}

	release = locked(t, path)
	defer release()
	ctx, cancel := context.WithCancelCause(t.Context())
	given := errors.New("given up")
	go func() {
		if line := <-told; !strings.Contains(line, path) || !strings.Contains(line, "at most 20s") {
			t.Errorf("told %q", line)
		}
		cancel(given)
	}()
	if _, err := s.Create(ctx, testEvent("f", "a", "b"), []byte("config"), me(t)); !errors.Is(err, given) {
		t.Errorf("after giving up: %v", err)
	}
}

// A process that was killed while it made the database leaves a journal that only
// a writer can roll back. Whoever comes next does, reading commands too.
func TestHotJournal(t *testing.T) {
	for _, first := range []string{"write", "read"} {
		t.Run(first, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "arena.db")
			killedWhileMaking(t, path)
			if !hotJournal(path) {
				t.Fatal("no journal: the test tests nothing")
			}
			open := Open
			if first == "read" {
				open = OpenRead
			}
			s, err := open(t.Context(), path, time.Now)
			must(t, err)
			events, err := s.Events(t.Context())
			if err != nil || len(events) != 0 {
				t.Errorf("%d events, %v", len(events), err)
			}
			must(t, s.Close())
			w := openAt(t, path)
			create(t, w, testEvent("e", "a", "b"), 2)
		})
	}
}

// killedWhileMaking leaves the files of a process that was killed in the midst of
// the first transaction, its pages in the file already and its journal beside it.
func killedWhileMaking(t *testing.T, path string) {
	t.Helper()
	made := filepath.Join(t.TempDir(), "arena.db")
	db, err := sql.Open("sqlite", dsn(made, "_txlock=immediate"))
	must(t, err)
	defer func() { _ = db.Close() }()
	// One page in the cache: the others are spilled to the file before the commit,
	// which needs a journal that is on the disk.
	for _, st := range []string{"PRAGMA cache_size = 1", "CREATE TABLE t (x)", fmt.Sprintf("PRAGMA application_id = %d", applicationID)} {
		if _, err := db.ExecContext(t.Context(), st); err != nil {
			t.Fatal(err)
		}
	}
	db.SetMaxOpenConns(1)
	tx, err := db.BeginTx(t.Context(), nil)
	must(t, err)
	defer func() { _ = tx.Rollback() }()
	for _, st := range []string{"DROP TABLE t", "PRAGMA application_id = 0", "CREATE TABLE u (x)"} {
		if _, err := tx.ExecContext(t.Context(), st); err != nil {
			t.Fatal(err)
		}
	}
	for range 200 {
		if _, err := tx.ExecContext(t.Context(), "INSERT INTO u VALUES (zeroblob(3000))"); err != nil {
			t.Fatal(err)
		}
	}
	for _, end := range []string{"", "-journal"} {
		data, err := os.ReadFile(made + end)
		must(t, err)
		must(t, os.WriteFile(path+end, data, 0o600))
	}
}

// All that is read of a frozen database is of one moment.
func TestSnapshot(t *testing.T) {
	path := filepath.Join(t.TempDir(), "arena.db")
	w := openAt(t, path)
	h := create(t, w, testEvent("e", "a", "b"), 4)
	s, err := OpenRead(t.Context(), path, time.Now)
	must(t, err)
	defer func() { _ = s.Close() }()
	must(t, s.Snapshot(t.Context()))
	must(t, h.Finish(t.Context(), &arena.Game{Number: 1, Result: arena.FirstWins, Reason: arena.Crash, Start: time.Unix(1e9, 0)}))
	create(t, w, testEvent("f", "c", "d"), 2)
	versions, err := s.Versions(t.Context())
	if err != nil || len(versions) != 2 {
		t.Errorf("versions %v, %v", versions, err)
	}
	// Reads within a read, as export does them.
	games := 0
	err = s.Scan(t.Context(), Filter{}, func(g *Game) error {
		games++
		e, err := s.Event(t.Context(), g.Event)
		if err == nil && (e.Played != 0 || g.Result != arena.Unplayed) {
			t.Errorf("game %d of an event with %d played", g.Number, e.Played)
		}
		return err
	})
	if err != nil || games != 4 {
		t.Errorf("%d games, %v", games, err)
	}
}
