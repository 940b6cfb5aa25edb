package store

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// snapshot reads all files of a folder.
func snapshot(t *testing.T, dir string) map[string]string {
	t.Helper()
	files := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		files[path] = string(data)
		return err
	})
	must(t, err)
	return files
}

// raw runs statements on a database file outside of this package's ways.
func raw(t *testing.T, path string, statements ...string) {
	t.Helper()
	db, err := sql.Open("sqlite", dsn(path))
	must(t, err)
	defer func() { _ = db.Close() }()
	for _, st := range statements {
		if _, err := db.ExecContext(t.Context(), st); err != nil {
			t.Fatal(st, err)
		}
	}
}

// schemaVersion is the newest one that this program knows.
func schemaVersion(t *testing.T) int {
	t.Helper()
	steps, err := loadMigrations()
	must(t, err)
	return len(steps)
}

func TestRefusesNewerUntouched(t *testing.T) {
	for _, journal := range []string{"DELETE", "WAL"} {
		t.Run(journal, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "arena.db")
			raw(t, path, "PRAGMA journal_mode="+journal, "CREATE TABLE later (x)", "INSERT INTO later VALUES (1)",
				fmt.Sprintf("PRAGMA application_id=%d", applicationID), "PRAGMA user_version=99")
			data, err := os.ReadFile(path)
			must(t, err)
			var newer *FileError
			for name, open := range map[string]func() (*Store, error){
				"open": func() (*Store, error) { return Open(t.Context(), path, time.Now) },
				"read": func() (*Store, error) { return OpenRead(t.Context(), path, time.Now) },
			} {
				if _, err := open(); !errors.As(err, &newer) || !strings.Contains(err.Error(), fmt.Sprintf("version 99, and this arena knows up to %d", schemaVersion(t))) {
					t.Errorf("%s: %v", name, err)
				}
			}
			if after, err := os.ReadFile(path); err != nil || !bytes.Equal(data, after) {
				t.Error("the file was changed")
			}
			if journal == "DELETE" && len(snapshot(t, filepath.Dir(path))) != 1 {
				t.Error("files were left beside the database")
			}
		})
	}
}

func TestRefusesStrangeFiles(t *testing.T) {
	dir := t.TempDir()
	write := func(name string, data []byte) string {
		path := filepath.Join(dir, name)
		must(t, os.WriteFile(path, data, 0o600))
		return path
	}
	other := filepath.Join(dir, "other.db")
	raw(t, other, "CREATE TABLE people (name TEXT)")
	unreleased := filepath.Join(dir, "unreleased.db")
	raw(t, unreleased, fmt.Sprintf("PRAGMA application_id = %d", unreleasedID), "PRAGMA user_version = 16", "CREATE TABLE games (x)")
	stamped := filepath.Join(dir, "stamped.db")
	raw(t, stamped, "PRAGMA application_id = 77", "CREATE TABLE x (y)")
	broken := filepath.Join(dir, "broken.db")
	s, err := Open(t.Context(), broken, time.Now)
	must(t, err)
	create(t, s, testEvent("e", "a", "b"), 500)
	must(t, s.Close())
	data, err := os.ReadFile(broken)
	must(t, err)
	for i := 4096; i < len(data); i++ { // all but the first page
		data[i] = 0xa5
	}
	write("broken.db", data)
	for name, c := range map[string]struct{ path, want string }{
		"text":          {write("notes.txt", []byte("hello, I am not a database at all")), "is not an SQLite database"},
		"short":         {write("short", []byte("SQLite")), "is not an SQLite database"},
		"cut":           {write("cut.db", data[:700]), "is damaged"},
		"folder":        {dir, "is a folder"},
		"unreleased":    {unreleased, "before the first release"},
		"other program": {other, "of another program"},
		"other stamp":   {stamped, "of another program"},
		"damaged":       {broken, "is damaged"},
	} {
		t.Run(name, func(t *testing.T) {
			before := snapshot(t, dir)
			s, err := Open(t.Context(), c.path, time.Now)
			if err == nil {
				_ = s.Close()
				t.Fatal("opened")
			}
			var format *FileError
			if !errors.As(err, &format) {
				t.Fatalf("%T: %v", err, err)
			}
			if !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "\n") {
				t.Errorf("got %q", err)
			}
			after := snapshot(t, dir)
			for path := range before {
				if before[path] != after[path] {
					t.Errorf("%s was changed", path)
				}
			}
		})
	}
}

func TestOpenRead(t *testing.T) {
	path := filepath.Join(t.TempDir(), "arena.db")
	if _, err := OpenRead(t.Context(), path, time.Now); !errors.Is(err, ErrNoDatabase) || !strings.Contains(err.Error(), path) {
		t.Errorf("missing: %v", err)
	}
	if _, err := os.Stat(path); !errors.Is(err, fs.ErrNotExist) {
		t.Error("reading made a database")
	}
	s := openAt(t, path)
	create(t, s, testEvent("e", "a", "b"), 4)
	r, err := OpenRead(t.Context(), path, time.Now)
	must(t, err)
	defer func() { _ = r.Close() }()
	if ev, err := r.Event(t.Context(), "e"); err != nil || ev.Games != 4 {
		t.Errorf("%+v, %v", ev, err)
	}
	if err := r.Register(t.Context(), "x", []byte("{}")); err == nil || !strings.Contains(err.Error(), "reading only") {
		t.Errorf("wrote: %v", err)
	}
}

// Processes that open a new database at the same moment wait for each other.
func TestOpenedAtOnce(t *testing.T) {
	for round := range 2 {
		path := filepath.Join(t.TempDir(), fmt.Sprintf("%d.db", round))
		const openers = 16
		errs := make(chan error, openers)
		begin := make(chan struct{})
		for range openers {
			go func() {
				<-begin
				s, err := Open(context.Background(), path, time.Now)
				if err == nil {
					err = s.Close()
				}
				errs <- err
			}()
		}
		close(begin)
		for range openers {
			if err := <-errs; err != nil {
				t.Fatalf("round %d: %v", round, err)
			}
		}
	}
}

// A step that fails leaves the version before it.
func TestFailedMigration(t *testing.T) {
	path := filepath.Join(t.TempDir(), "arena.db")
	ctx := t.Context()
	s, err := Open(ctx, path, time.Now)
	must(t, err)
	must(t, s.Close())
	steps, err := loadMigrations()
	must(t, err)
	open := func(step string) error {
		s, err := (&opening{path: path, clock: time.Now, notice: func(string) {}, steps: append(slices.Clone(steps), step)}).write(ctx)
		if err == nil {
			err = s.Close()
		}
		return err
	}
	for _, c := range []struct {
		step, fails string
		version     int
	}{
		{"CREATE TABLE extra (x); INSERT INTO nowhere VALUES (1)", fmt.Sprintf("schema version %d", len(steps)+1), len(steps)},
		{"CREATE TABLE extra (x)", "", len(steps) + 1},
	} {
		if err := open(c.step); (err == nil) != (c.fails == "") || err != nil && !strings.Contains(err.Error(), c.fails) {
			t.Errorf("%s: %v", c.step, err)
		}
		if version, err := probe(ctx, path, len(steps)+1); err != nil || version != c.version {
			t.Errorf("after %s: version %d, %v", c.step, version, err)
		}
	}
}

// Two migrations of one number would come in an order that nobody meant.
func TestMigrationsAreNumbered(t *testing.T) {
	names, err := fs.Glob(migrationFiles, "migrations/*.sql")
	must(t, err)
	for i, name := range names {
		if !strings.HasPrefix(name, fmt.Sprintf("migrations/%04d_", i+1)) {
			t.Errorf("migration %d is %s", i+1, name)
		}
	}
}
