package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"botarena/arena"
	"botarena/arena/openings"
	"botarena/arena/openings/balanced"
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
	t.Parallel()
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
			lines, err := openings.Lines(game, book)
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
			finder := balanced.Finder{Judge: judge, Now: time.Now}
			made, err := finder.Header(game, want, seed)
			if err != nil {
				t.Fatal(err)
			}
			if header := "# " + strings.Join(made, "\n# ") + "\n"; !bytes.HasPrefix(data, []byte(header)) {
				t.Errorf("the header is not\n%s", header)
			}
			want.Count = 3
			again, err := finder.Find(t.Context(), game, want, seed)
			if err != nil {
				t.Fatal(err)
			}
			if got, shipped := fmt.Sprint(again), fmt.Sprint(book[:3]); got != shipped {
				t.Errorf("the command finds %s now, and the book begins with %s: make it anew", got, shipped)
			}
		})
	}
}
