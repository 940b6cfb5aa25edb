package store

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// Before a migration a copy is kept that the older schema's arena reads.
func TestMigrationKeepsCopy(t *testing.T) {
	path := filepath.Join(t.TempDir(), "arena.db")
	s := openAt(t, path)
	create(t, s, testEvent("e", "a", "b"), 4)
	must(t, s.Close())
	steps, err := loadMigrations()
	must(t, err)
	var said []string
	newer := &opening{
		path: path, clock: time.Now, notice: func(line string) { said = append(said, line) },
		steps: append(slices.Clone(steps), "CREATE TABLE extra (x)"),
	}
	for range 2 { // the second time there is nothing to migrate
		s, err := newer.write(t.Context())
		must(t, err)
		must(t, s.Close())
	}
	kept := copyName(path, len(steps))
	if len(said) != 1 || !strings.Contains(said[0], kept) {
		t.Errorf("it said %q", said)
	}
	left, err := filepath.Glob(path + "*.part")
	if err != nil || len(left) > 0 {
		t.Errorf("left behind: %v %v", left, err)
	}
	old := openAt(t, kept)
	if e, err := old.Event(t.Context(), "e"); err != nil || e.Games != 4 {
		t.Errorf("the copy has %+v, %v", e, err)
	}
	if _, err := Open(t.Context(), path, time.Now); !errors.As(err, new(*FileError)) {
		t.Errorf("an older arena opened what was migrated: %v", err)
	}
}

// Where no copy can be kept, the reason is said, and the database is migrated.
func TestMigrationWithoutCopy(t *testing.T) {
	path := filepath.Join(t.TempDir(), "arena.db")
	must(t, openAt(t, path).Close())
	steps, err := loadMigrations()
	must(t, err)
	must(t, os.MkdirAll(filepath.Join(copyName(path, len(steps)), "in the way"), 0o777))
	var said []string
	s, err := (&opening{
		path: path, clock: time.Now, notice: func(line string) { said = append(said, line) },
		steps: append(slices.Clone(steps), "CREATE TABLE extra (x)"),
	}).write(t.Context())
	must(t, err)
	must(t, s.Close())
	if want := fmt.Sprintf("no copy of %s is kept", path); len(said) != 1 || !strings.HasPrefix(said[0], want) {
		t.Errorf("it said %q", said)
	}
	if version, err := probe(t.Context(), path, len(steps)+1); err != nil || version != len(steps)+1 {
		t.Errorf("version %d, %v", version, err)
	}
}
