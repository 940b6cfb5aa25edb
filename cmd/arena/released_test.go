package main

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// released is where a database of each version is kept that was released, with what that
// version printed of it.
const released = "testdata/released"

// releasedLooks are the commands whose output is kept, and read again.
var releasedLooks = []string{
	"events --all --json", "games --json", "games voided --json", "leaderboard --event league --json",
	"crosstable --event swiss --json", "sprt --event test --json", "history a --json", "bots list --json",
	"fleet list --json", "host teams list --json", "export --format jsonl",
}

// Databases of all released versions are read: all that a version printed as JSON is there
// still, with the same values, and their events go on. KEEP_RELEASED=1 keeps a database of
// this version: before its release, and never after.
func TestReleasedDatabases(t *testing.T) {
	t.Parallel()
	if os.Getenv("KEEP_RELEASED") != "" {
		keepReleased(t)
	}
	kept, err := filepath.Glob(filepath.Join(released, "*.db.gz"))
	if err != nil || len(kept) == 0 {
		t.Fatalf("no database is kept: %v", err)
	}
	for _, file := range kept {
		of := strings.TrimSuffix(file, ".db.gz")
		t.Run(filepath.Base(of), func(t *testing.T) {
			t.Parallel()
			db := filepath.Join(t.TempDir(), "arena.db")
			unpack(t, file, db)
			for i, look := range releasedLooks {
				want, err := os.ReadFile(fmt.Sprintf("%s.%d.json", of, i))
				if err != nil {
					t.Fatal(err)
				}
				got := lookAt(t, db, look)
				if err := holds(got, want); err != nil {
					t.Errorf("arena %s: %v", look, err)
				}
			}
			event := filepath.Join(filepath.Dir(db), "more.yaml")
			if err := os.WriteFile(event, []byte(releasedEvent("league", "rounds: 2")), 0o666); err != nil {
				t.Fatal(err)
			}
			if board := lookAt(t, db, "run "+event+" --extend -q"); !bytes.Contains(board, []byte("league · breakthrough:5x5 · 12 games")) {
				t.Errorf("its event does not go on:\n%s", board)
			}
		})
	}
}

func releasedEvent(name, more string) string {
	return "event: " + name + "\ngame: breakthrough:5x5\nopenings: {random: 2}\nclock: {nodes: 1}\nseed: 3\n" + more +
		"\nbots: [{name: a, builtin: random}, {name: b, builtin: greedy}, {name: c, builtin: random, options: {Seed: 4}}]\n"
}

// keepReleased plays what a database is to have, and keeps it with what is printed of it.
func keepReleased(t *testing.T) {
	t.Helper()
	dir := t.TempDir()
	db := filepath.Join(dir, "arena.db")
	for name, more := range map[string]string{"league": "rounds: 1", "swiss": "format: swiss\nrounds: 2", "cup": "format: knockout", "ladder": "format: ladder\nladder: {games: 6}"} {
		event := filepath.Join(dir, name+".yaml")
		if err := os.WriteFile(event, []byte(releasedEvent(name, more)), 0o666); err != nil {
			t.Fatal(err)
		}
		lookAt(t, db, "run "+event+" -q")
	}
	for _, line := range []string{
		"match random greedy -g owlman -n 1 -q -c nodes=1 --event owls", "sprt new=greedy old=random -g breakthrough:5x5 --max-pairs 4 -q -c nodes=1 --event test",
		"bots add mine -- arena bot greedy", "games void league/2 --reason trial", "bots withdraw ladder c", "events archive ladder",
		"analyse league/1 --clock nodes=50", "fleet invite attic --file " + filepath.Join(dir, "attic.key"), "host teams add owls",
	} {
		lookAt(t, db, line)
	}
	for _, old := range []string{".db.gz", ".*.json"} {
		names, _ := filepath.Glob(filepath.Join(released, version+old))
		for _, name := range names {
			_ = os.Remove(name)
		}
	}
	of := filepath.Join(released, version)
	err := os.MkdirAll(released, 0o777)
	for i, look := range releasedLooks {
		err = errors.Join(err, os.WriteFile(fmt.Sprintf("%s.%d.json", of, i), lookAt(t, db, look), 0o666))
	}
	data, readErr := os.ReadFile(db)
	var packed bytes.Buffer
	w, levelErr := gzip.NewWriterLevel(&packed, gzip.BestCompression)
	if err := errors.Join(err, readErr, levelErr); err != nil {
		t.Fatal(err)
	}
	_, err = w.Write(data)
	if err := errors.Join(err, w.Close(), os.WriteFile(of+".db.gz", packed.Bytes(), 0o666)); err != nil {
		t.Fatal(err)
	}
}

// lookAt runs a command on a database and returns what it printed.
func lookAt(t *testing.T, db, line string) []byte {
	t.Helper()
	cmd := exec.Command("arena", strings.Fields(line)...)
	cmd.Dir = filepath.Dir(db)
	cmd.Env = append(os.Environ(), "ARENA_DB="+db, "HOME="+cmd.Dir, "XDG_RUNTIME_DIR="+cmd.Dir)
	var said bytes.Buffer
	cmd.Stderr = &said
	out, err := cmd.Output()
	if err != nil && !strings.HasPrefix(line, "sprt") { // which is undecided
		t.Fatalf("arena %s: %v\n%s", line, err, said.Bytes())
	}
	return out
}

func unpack(t *testing.T, file, to string) {
	t.Helper()
	packed, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = packed.Close() }()
	r, err := gzip.NewReader(packed)
	if err != nil {
		t.Fatal(err)
	}
	data, err := io.ReadAll(r)
	if err := errors.Join(err, os.WriteFile(to, data, 0o666)); err != nil {
		t.Fatal(err)
	}
}

// holds fails where the JSON values of got do not hold those of want: new fields may be
// there, and what was there has to be as it was.
func holds(got, want []byte) error {
	g, w := json.NewDecoder(bytes.NewReader(got)), json.NewDecoder(bytes.NewReader(want))
	for n := 1; w.More(); n++ {
		var gv, wv any
		if err := errors.Join(w.Decode(&wv), g.Decode(&gv)); err != nil {
			return fmt.Errorf("value %d: %w", n, err)
		}
		if err := holdsValue(gv, wv); err != nil {
			return fmt.Errorf("value %d: %w", n, err)
		}
	}
	return nil
}

func holdsValue(got, want any) error {
	switch w := want.(type) {
	case map[string]any:
		g, ok := got.(map[string]any)
		for key, value := range w {
			if !ok {
				return fmt.Errorf("it is %v, not an object", got)
			}
			if err := holdsValue(g[key], value); err != nil {
				return fmt.Errorf("%s: %w", key, err)
			}
		}
	case []any:
		g, ok := got.([]any)
		if !ok || len(g) != len(w) {
			return fmt.Errorf("it is %v, not a list of %d", got, len(w))
		}
		for i := range w {
			if err := holdsValue(g[i], w[i]); err != nil {
				return fmt.Errorf("[%d]: %w", i, err)
			}
		}
	case float64:
		if g, ok := got.(float64); !ok || math.Abs(g-w) > 1e-9*math.Abs(w) { // another order of sums may round otherwise
			return fmt.Errorf("it is %v, and was %v", got, want)
		}
	default:
		if got != want {
			return fmt.Errorf("it is %v, and was %v", got, want)
		}
	}
	return nil
}
