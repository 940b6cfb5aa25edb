package exchange

import (
	"bytes"
	"compress/gzip"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"botarena/arena"
	"botarena/engine/games"
)

// What is written as PGN reads back as the same game, and no line of moves is too long.
func TestReadGameReadsWrittenPGN(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rng := source(rapid.Uint64().Draw(t, "seed"))
		var list []*Game
		for i, name := range rapid.SliceOfN(rapid.SampledFrom([]string{"chess", "chess:960", "breakthrough", "outwit:push", "owlman"}), 1, 3).Draw(t, "games") {
			list = append(list, played(rng, name, i+1))
		}
		file := pgnOf(PGNOptions{Comments: rapid.Bool().Draw(t, "comments")}, list...)
		for line := range strings.Lines(file) {
			if line[0] != '[' && len(line) > 80 {
				t.Fatalf("a line of %d columns: %s", len(line)-1, line)
			}
		}
		for i, want := range list {
			g, _, err := ReadGame("games.pgn", strings.NewReader(file), i+1)
			if err != nil || g == nil {
				t.Fatalf("game %d: %v\n%s", i+1, err, file)
			}
			if g.Game.Game != want.Game.Game || g.Result != want.Result || g.First != want.First || g.Number != want.Number {
				t.Fatalf("%+v, want %+v", g.Game, want.Game)
			}
			if got, want := last(t, g), last(t, want); got != want {
				t.Fatalf("ends at %s, want %s", got, want)
			}
		}
		if g, read, err := ReadGame("games.pgn", strings.NewReader(file), len(list)+1); g != nil || read != len(list) || err != nil {
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
func FuzzReadGame(f *testing.F) {
	f.Add("[White \"a\"]\n\n1. e4 e5 {x} (1. d4) 2. Nf3 $1 1-0\n", 1)
	f.Add("[Variant \"Chess960\"]\n[FEN \"?\"]\n*\n[Event \"b\"]\n1. a3 {", 2)
	f.Add("{\"event\": \"a\"}\n\n{\"moves\": []}", 2)
	f.Fuzz(func(t *testing.T, text string, number int) {
		g, read, err := ReadGame("games", strings.NewReader(text), number)
		if err == nil && g != nil && (read != number || g.Result == arena.Result("*")) {
			t.Errorf("game %d of %d: %+v", number, read, g)
		}
	})
}

// The format is told by the name, or by how the file begins, packed or not.
func TestReadGameTellsFormats(t *testing.T) {
	const line = `{"event":"e","number":7,"round":1,"pair":1,"game":"chess","first":"a","second":"b","first_fingerprint":"x","second_fingerprint":"y","result":"1-0","reason":"resign","detail":"","blame":"","plies":0,"void":0,"seconds":1,"first_cpu_seconds":0,"second_cpu_seconds":0,"moves":[{"move":"e2e4","time":0}]}`
	packed := func(text string) string {
		var b bytes.Buffer
		w := gzip.NewWriter(&b)
		if _, err := w.Write([]byte(text)); err != nil {
			t.Fatal(err)
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		return b.String()
	}
	const tagged, bare = "[White \"a\"]\n\n1. e2e4 1-0\n", "1. e2e4 1-0\n"
	for _, c := range []struct{ name, text string }{
		{"games.pgn", tagged},
		{"games", tagged},
		{"games", bare},
		{"games", "\ufeff; a remark\n" + tagged},
		{"games.pgn", "{a comment first} " + bare},
		{"games.pgn.gz", packed(tagged)},
		{"games", packed(tagged)},
		{"games.jsonl", line},
		{"games", "\ufeff\n" + line},
		{"games.jsonl.gz", packed(line)},
		{"games", packed("\ufeff" + line)},
	} {
		g, read, err := ReadGame(c.name, strings.NewReader(c.text), 1)
		if err != nil || g == nil || read != 1 || g.Result != arena.FirstWins || len(g.Moves) != 1 || g.Moves[0].Move != "e2e4" {
			t.Errorf("%s, %q: %+v, %d, %v", c.name, c.text, g, read, err)
		}
		if g, read, err := ReadGame(c.name, strings.NewReader(c.text), 2); err != nil || g != nil || read != 1 {
			t.Errorf("%s, %q, game 2: %+v, %d, %v", c.name, c.text, g, read, err)
		}
	}
	for _, c := range []struct{ name, text, want string }{
		{"games.csv", "first,second,result\na,b,1-0\n", "games.csv: it is CSV, which has no moves"},
		{"games", "[" + line + "]", "games:1: not the JSON object of a game"},
		{"games.pgn", "1. e4 {never ends", "games.pgn:1:7: "},
		{"games.pgn.gz", packed(tagged)[:20], "read games.pgn.gz: "},
		{"games", "\xff\xfe1\x00", "read games: it is UTF-16"},
	} {
		if g, _, err := ReadGame(c.name, strings.NewReader(c.text), 1); g != nil || err == nil || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%s, %q: %+v, %v, want %s", c.name, c.text, g, err, c.want)
		}
	}
}
