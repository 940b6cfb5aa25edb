package balanced_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"botarena/arena"
	"botarena/arena/openings"
	"botarena/arena/openings/balanced"
	"botarena/bots/builtin"
	"botarena/engine"
	"botarena/engine/games"
)

func judge(name string) (balanced.Judge, error) {
	b, err := builtin.Find(name)
	if err != nil {
		return balanced.Judge{}, err
	}
	return balanced.Judge{Version: b.Version, Score: b.Scorer(games.All())}, nil
}

func lookup(t *testing.T, name string) engine.Game {
	t.Helper()
	game, err := games.All().Lookup(name)
	if err != nil {
		t.Fatal(err)
	}
	return game
}

// Openings are looked for once; a kept file that was damaged is made anew, and
// other parameters find others.
func TestBookIsKept(t *testing.T) {
	searches := 0
	f := balanced.Finder{Judge: judge, Now: time.Now, Dir: filepath.Join(t.TempDir(), "openings")}
	f.Tell = func(p balanced.Progress) {
		if p.Done && p.Found == 6 && p.Scored >= 6 {
			searches++
		}
	}
	want := arena.Balanced{Plies: 4, Bot: "minimax", Depth: 2, Window: 50, Count: 6}
	list := func(seed uint64) string {
		t.Helper()
		book, err := f.Book(t.Context(), lookup(t, "breakthrough:5x5"), want, seed)
		if err != nil {
			t.Fatal(err)
		}
		return fmt.Sprint(book)
	}
	first := list(3)
	if again := list(3); again != first || searches != 1 {
		t.Errorf("%d searches, and the same openings: %v", searches, again == first)
	}
	files, err := filepath.Glob(filepath.Join(f.Dir, "*"))
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
	if again := list(3); again != first || searches != 2 {
		t.Errorf("after damage: %d searches, and the same openings: %v", searches, again == first)
	}
	if other := list(4); other == first || searches != 3 {
		t.Errorf("another seed: %d searches, and the same openings: %v", searches, other == first)
	}
	f.Dir = ""
	if again := list(3); again != first || searches != 4 {
		t.Errorf("without a folder: %d searches, and the same openings: %v", searches, again == first)
	}
}

// Half the openings are level: those after whose first moves a score says so.
func TestFind(t *testing.T) {
	broken, fails := errors.New("broken"), false
	f := balanced.Finder{Now: time.Now, Judge: func(string) (balanced.Judge, error) {
		return balanced.Judge{Score: func(pos engine.Position, _ int) (int, error) {
			if fails {
				return 0, broken
			}
			return 50 + int(pos.Hash()&1), nil
		}}, nil
	}}
	game := lookup(t, "breakthrough")
	want := arena.Balanced{Plies: 3, Window: 50, Count: 20}
	list, err := f.Find(t.Context(), game, want, 5)
	if err != nil || len(list) != 20 {
		t.Fatal(len(list), err)
	}
	for _, o := range list {
		if pos, err := openings.After(game, o); err != nil || pos.Hash()&1 == 1 {
			t.Errorf("%v is not level (%v)", o, err)
		}
	}
	want.Plies, want.Count = 1, 30 // there are 22
	if _, err := f.Find(t.Context(), game, want, 5); err == nil || !strings.Contains(err.Error(), " of 30 openings of 1 plies") {
		t.Error(err)
	}
	fails = true
	if _, err := f.Find(t.Context(), game, want, 5); !errors.Is(err, broken) {
		t.Error(err)
	}
}

// A search that is interrupted says so, and leaves nothing behind.
func TestInterrupted(t *testing.T) {
	f := balanced.Finder{Judge: judge, Now: time.Now, Dir: t.TempDir()}
	ctx, cancel := context.WithCancelCause(t.Context())
	enough := errors.New("enough")
	cancel(enough)
	want := arena.Balanced{Plies: 8, Bot: "minimax", Depth: 4, Window: 50, Count: 100_000}
	if _, err := f.Book(ctx, lookup(t, "breakthrough"), want, 1); !errors.Is(err, enough) {
		t.Errorf("got %v", err)
	}
	if files, _ := filepath.Glob(filepath.Join(f.Dir, "*")); len(files) > 0 {
		t.Errorf("left behind: %v", files)
	}
}

func TestBots(t *testing.T) {
	f := balanced.Finder{Judge: judge, Now: time.Now}
	for bot, why := range map[string]string{
		"minimx": `unknown built-in bot "minimx"; did you mean "minimax"?`,
		"random": "score an opening of breakthrough: random says no scores; choose a bot that does, such as minimax",
	} {
		_, err := f.Find(t.Context(), lookup(t, "breakthrough"), arena.Balanced{Plies: 2, Bot: bot, Depth: 1, Count: 1}, 1)
		if err == nil || err.Error() != why {
			t.Errorf("%s: %v", bot, err)
		}
	}
}
