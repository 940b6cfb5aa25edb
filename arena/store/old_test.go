package store

import (
	"compress/gzip"
	"database/sql"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"botarena/arena"
)

// oldDatabase unpacks a database that the arena of schema version 2 made: three
// bots, two finished events that are the same game for game, and one that was
// killed on the way.
func oldDatabase(t testing.TB) string {
	t.Helper()
	f, err := os.Open(filepath.Join("testdata", "schema2.db.gz"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = f.Close() }()
	r, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	data, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "arena.db")
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// dump reads the tables of schema version 2 as they are in the file.
func dump(t *testing.T, path string) []string {
	t.Helper()
	db, err := sql.Open("sqlite", dsn(path))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	var lines []string
	for _, query := range []string{
		"SELECT * FROM bots", "SELECT * FROM versions", "SELECT id, name, game, format, config, state, created, finished, played, elo_start, elo_k0, elo_kmin, elo_n0, rated FROM events", "SELECT * FROM holds", "SELECT * FROM entries",
		`SELECT id, event, number, round, pair, stage, game, first, second, opening_name, opening_position, opening_moves,
			result, reason, detail, blame, plies, start, wall, cpu_first, cpu_second, attempts FROM games`,
		"SELECT * FROM moves", "SELECT * FROM voids", "SELECT * FROM elo", "SELECT name, spec, created, updated FROM registry",
	} {
		rows, err := db.QueryContext(t.Context(), query)
		if err != nil {
			t.Fatal(query, err)
		}
		columns, err := rows.Columns()
		if err != nil {
			t.Fatal(err)
		}
		for rows.Next() {
			values, into := make([]any, len(columns)), make([]any, len(columns))
			for i := range values {
				into[i] = &values[i]
			}
			if err := rows.Scan(into...); err != nil {
				t.Fatal(err)
			}
			lines = append(lines, fmt.Sprintf("%s: %v", query, values))
		}
		if err := rows.Close(); err != nil {
			t.Fatal(err)
		}
		if err := rows.Err(); err != nil {
			t.Fatal(err)
		}
	}
	return lines
}

func TestOpensOldDatabase(t *testing.T) {
	path := oldDatabase(t)
	ctx := t.Context()
	before := dump(t, path)
	s, err := OpenRead(ctx, path, time.Now)
	if err != nil {
		t.Fatal(err)
	}
	if after := dump(t, path); !slices.Equal(before, after) {
		t.Error("the record changed")
	}
	c, err := s.Counts(ctx, "", "")
	if err != nil {
		t.Fatal(err)
	}
	sameCounts(t, c, recount(t, s, "", ""))
	games, repeated := 0, 0
	for _, r := range c.Repeats {
		games, repeated = games+r.Games, repeated+r.Repeated+r.Elsewhere
	}
	if games != 39 || repeated != 12 { // as the arena that made it says
		t.Errorf("%d of %d games repeat another one", repeated, games)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	// It goes on where it was.
	if s, err = Open(ctx, path, time.Now); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = s.Close() }()
	h, err := s.Acquire(ctx, "autumn", me(t))
	if err != nil {
		t.Fatal(err)
	}
	if err := h.Finish(ctx, &arena.Game{Number: 16, Result: arena.Draw, Reason: arena.MoveLimit, Moves: someMoves(3)}); err != nil {
		t.Fatal(err)
	}
	if c, err = s.Counts(ctx, "", "breakthrough:5x5"); err != nil {
		t.Fatal(err)
	}
	sameCounts(t, c, recount(t, s, "", ""))
}

// A step that fails leaves the version before it.
func TestFailedMigration(t *testing.T) {
	path := oldDatabase(t)
	ctx := t.Context()
	steps, err := loadMigrations(func(string) {})
	if err != nil {
		t.Fatal(err)
	}
	bad := append(slices.Clone(steps[:2]), step{sql: "CREATE TABLE extra (x); INSERT INTO nowhere VALUES (1)"})
	if _, err := (&opening{path: path, clock: time.Now, notice: func(string) {}, steps: bad}).write(ctx); err == nil || !strings.Contains(err.Error(), "schema version 3") {
		t.Errorf("bad step: %v", err)
	}
	var version, extra int
	db, err := sql.Open("sqlite", dsn(path))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	if err := db.QueryRowContext(ctx, "SELECT user_version, (SELECT count(*) FROM sqlite_schema WHERE name = 'extra') FROM pragma_user_version").Scan(&version, &extra); err != nil || version != 2 || extra != 0 {
		t.Errorf("version %d, extra %d, %v", version, extra, err)
	}
}

// Two migrations of one number would come in an order that nobody meant.
func TestMigrationsAreNumbered(t *testing.T) {
	names, err := fs.Glob(migrationFiles, "migrations/*.sql")
	if err != nil {
		t.Fatal(err)
	}
	for i, name := range names {
		if !strings.HasPrefix(name, fmt.Sprintf("migrations/%04d_", i+1)) {
			t.Errorf("migration %d is %s", i+1, name)
		}
	}
}
