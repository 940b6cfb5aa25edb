package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"botarena/arena"
	"botarena/arena/config"
	"botarena/arena/openings"
	"botarena/engine"
	"botarena/engine/games"
)

// shippedBooks are the books of configs/openings with their games.
func shippedBooks(t *testing.T) map[string]engine.Game {
	t.Helper()
	books := map[string]engine.Game{}
	for _, name := range []string{"breakthrough", "breakthrough:6x6", "outwit", "outwit:jump", "outwit:push", "owlman", "owlman:daybreak", "chess"} {
		game, err := games.All().Lookup(name)
		if err != nil {
			t.Fatal(err)
		}
		books[filepath.Join("..", "..", "configs", "openings", strings.ReplaceAll(name, ":", "-")+".txt")] = game
	}
	files, err := filepath.Glob("../../configs/openings/*")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		if books[f] == nil {
			t.Errorf("%s is a book of no game that is known here", f)
		}
	}
	return books
}

// madeBy reads the parameters from a book's header.
func madeBy(t *testing.T, file string, data []byte) (want arena.Balanced, seed uint64) {
	t.Helper()
	line, _, _ := strings.Cut(string(data), "\n")
	_, flags, ok := strings.Cut(line, " --plies ")
	if ok {
		_, err := fmt.Sscanf(flags, "%d --count %d --seed %d --bot %s --depth %d --window %d",
			&want.Plies, &want.Count, &seed, &want.Bot, &want.Depth, &want.Window)
		ok = err == nil
	}
	if !ok {
		t.Fatalf("%s begins with %q, which is not the command that makes it", file, line)
	}
	return want, seed
}

// Every line of every shipped book is legal and leads to a position of its own,
// and the command in the header finds the first of them again.
func TestShippedBooks(t *testing.T) {
	for file, game := range shippedBooks(t) {
		t.Run(game.Name(), func(t *testing.T) {
			t.Parallel()
			data, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			book, err := openings.ReadBook(data, file, game)
			if err != nil {
				t.Fatal(err)
			}
			want, seed := madeBy(t, file, data)
			if len(book) != want.Count || len(book) < 50 {
				t.Errorf("%d openings, and the header says %d", len(book), want.Count)
			}
			lines, err := openingLines(game, book)
			if err != nil {
				t.Fatal(err)
			}
			seen := map[string]bool{}
			for _, l := range lines {
				if seen[l.Leads] {
					t.Errorf("opening %d leads to a position twice", l.Number)
				}
				seen[l.Leads] = true
			}
			if header := "# " + strings.Join(bookHeader(game, want, seed), "\n# ") + "\n"; !bytes.HasPrefix(data, []byte(header)) {
				t.Errorf("the header is not\n%s", header)
			}
			want.Count = 3
			score, err := newScorer(context.Background(), game, want)
			if err != nil {
				t.Fatal(err)
			}
			again, err := openings.Balance(game, want, seed, score)
			if err != nil {
				t.Fatal(err)
			}
			if got, shipped := fmt.Sprint(again), fmt.Sprint(book[:3]); got != shipped {
				t.Errorf("the command finds %s now, and the book begins with %s: make it anew", got, shipped)
			}
		})
	}
}

func testApp(t *testing.T) (a *app, out, stderr *bytes.Buffer) {
	t.Helper()
	out, stderr = &bytes.Buffer{}, &bytes.Buffer{}
	return &app{in: strings.NewReader(""), out: out, err: stderr, getenv: os.Getenv, now: time.Now}, out, stderr
}

// Balanced openings are looked for once; a kept file that was damaged is made
// anew, and other parameters find others.
func TestBalancedOpeningsAreKept(t *testing.T) {
	a, _, stderr := testApp(t)
	game, err := games.All().Lookup("breakthrough:5x5")
	if err != nil {
		t.Fatal(err)
	}
	event := config.Default()
	event.Seed = 3
	want := config.DefaultBalanced()
	want.Plies, want.Count, want.Depth = 4, 6, 2
	event.Openings.Balanced = &want
	db := filepath.Join(t.TempDir(), "arena.db")
	list := func(event arena.Event) string {
		t.Helper()
		source, err := a.eventOpenings(context.Background(), db, event, game, false)
		if err != nil {
			t.Fatal(err)
		}
		var all []string
		for i := range source.Len() {
			o, err := source.Opening(i)
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, strings.Join(o.Moves, " "))
		}
		return strings.Join(all, "\n")
	}
	searches := func() int { return strings.Count(stderr.String(), "6 found") }
	first := list(event)
	if again := list(event); again != first || searches() != 1 {
		t.Errorf("%d searches, and the same openings: %v", searches(), again == first)
	}
	files, err := filepath.Glob(filepath.Join(filepath.Dir(db), "openings", "*"))
	if err != nil || len(files) != 1 {
		t.Fatalf("kept files: %v, %v", files, err)
	}
	data, err := os.ReadFile(files[0])
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(files[0], data[:len(data)/2], 0o600); err != nil {
		t.Fatal(err)
	}
	if again := list(event); again != first || searches() != 2 {
		t.Errorf("after damage: %d searches, and the same openings: %v", searches(), again == first)
	}
	event.Seed = 4
	if other := list(event); other == first || searches() != 3 {
		t.Errorf("another seed: %d searches, and the same openings: %v", searches(), other == first)
	}
}

// A search that is interrupted says so, and leaves nothing behind.
func TestBalancedOpeningsInterrupted(t *testing.T) {
	a, _, _ := testApp(t)
	game, err := games.All().Lookup("breakthrough")
	if err != nil {
		t.Fatal(err)
	}
	event := config.Default()
	want := config.DefaultBalanced()
	want.Count = 100_000
	event.Openings.Balanced = &want
	soft := make(chan struct{})
	close(soft)
	db := filepath.Join(t.TempDir(), "arena.db")
	_, err = a.openingsUntil(soft, db, true)(context.Background(), event, game)
	if err == nil || !strings.Contains(err.Error(), "interrupted") {
		t.Errorf("got %v", err)
	}
	if files, _ := filepath.Glob(filepath.Join(filepath.Dir(db), "openings", "*")); len(files) > 0 {
		t.Errorf("left behind: %v", files)
	}
}
