package exchange

import (
	"bytes"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"botarena/arena"
	"botarena/engine/games"
)

// What is written as PGN reads back as the same game.
func TestReadPGNReadsWritten(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rng := source(rapid.Uint64().Draw(t, "seed"))
		var list []*Game
		for i, name := range rapid.SliceOfN(rapid.SampledFrom([]string{"chess", "chess:960", "breakthrough", "outwit:push", "owlman"}), 1, 3).Draw(t, "games") {
			list = append(list, played(rng, name, i+1))
		}
		var file bytes.Buffer
		w := NewPGN(&file, games.All(), PGNOptions{Comments: rapid.Bool().Draw(t, "comments")})
		for _, g := range list {
			if err := w.Write(g); err != nil {
				t.Fatal(err)
			}
		}
		if err := w.Flush(); err != nil {
			t.Fatal(err)
		}
		for i, want := range list {
			g, _, err := ReadPGN(strings.NewReader(file.String()), i+1)
			if err != nil || g == nil {
				t.Fatalf("game %d: %v\n%s", i+1, err, file.String())
			}
			if g.Game.Game != want.Game.Game || g.Result != want.Result || g.First != want.First || g.Number != want.Number {
				t.Fatalf("%+v, want %+v", g.Game, want.Game)
			}
			if got, want := last(t, g), last(t, want); got != want {
				t.Fatalf("ends at %s, want %s", got, want)
			}
		}
		if g, read, err := ReadPGN(&file, len(list)+1); g != nil || read != len(list) || err != nil {
			t.Fatalf("behind the last of %d: %v, %d, %v", len(list), g, read, err)
		}
	})
}

// last is the position at a game's end.
func last(t *rapid.T, g *Game) string {
	game, err := games.All().Lookup(g.Game.Game)
	if err != nil {
		t.Fatal(err)
	}
	pos, err := start(game, g.Opening)
	if err != nil {
		t.Fatal(err)
	}
	moves := g.Opening.Moves
	for _, m := range g.Moves {
		moves = append(moves, m.Move)
	}
	for _, text := range moves {
		m, err := pos.ParseMove(text)
		if err != nil {
			t.Fatal(err)
		}
		pos.Play(m)
	}
	return pos.String()
}

// Nothing that a file says ends the reading in a panic.
func FuzzReadPGN(f *testing.F) {
	f.Add("[White \"a\"]\n\n1. e4 e5 {x} (1. d4) 2. Nf3 $1 1-0\n", 1)
	f.Add("[Variant \"Chess960\"]\n[FEN \"?\"]\n*\n[Event \"b\"]\n1. a3 {", 2)
	f.Fuzz(func(t *testing.T, text string, number int) {
		g, read, err := ReadPGN(strings.NewReader(text), number)
		if err == nil && g != nil && (read != number || g.Result == arena.Result("*")) {
			t.Errorf("game %d of %d: %+v", number, read, g)
		}
	})
}
