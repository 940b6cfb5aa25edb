package games_test

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"botarena/engine"
	"botarena/engine/enginetest"
	"botarena/engine/games"
)

// Every name opens the game of that name, at a start where the first side moves.
func TestNames(t *testing.T) {
	var names []string
	for _, family := range games.All() {
		listed := family.Names()
		if listed[0] != family.Name() {
			t.Errorf("%s: its default is %s", family.Name(), listed[0])
		}
		for _, name := range listed {
			game, err := games.All().Lookup(name)
			if err != nil {
				t.Fatal(err)
			}
			if game.Name() != name || !strings.HasPrefix(name, family.Name()) {
				t.Errorf("%s of family %s opens %s", name, family.Name(), game.Name())
			}
			if pos := game.Start(); pos.Turn() != engine.First || pos.Outcome().Over || pos.Game().Name() != name {
				t.Errorf("%s: starts with side %d in %s", name, pos.Turn(), pos.Game().Name())
			}
			names = append(names, name)
		}
	}
	slices.Sort(names)
	if unique := slices.Compact(slices.Clone(names)); len(unique) != len(names) || len(unique) < 8 {
		t.Errorf("names %v", names)
	}
}

// TestSidesAndStarts holds what each game calls its sides, whether both have the same
// pieces and goals, and its start to the documents of the rules.
func TestSidesAndStarts(t *testing.T) {
	outwit := "s8/Ss7/1Ss6/2Ss5/3Sk4/4Ks3/5Ss2/6Ss1/7Ss/8S l"
	owlman := "O7/8/8/3H1H1H/4H1H1/3H1H1H/4H1H1/3H1H1D w"
	for _, c := range []struct {
		game, first, second string
		symmetric           bool
		start               string
	}{
		{"breakthrough", "white", "black", true, "pppppppp/pppppppp/8/8/8/8/PPPPPPPP/PPPPPPPP w"},
		{"breakthrough:5x5", "white", "black", true, "ppppp/ppppp/5/PPPPP/PPPPP w"},
		{"outwit", "light", "dark", true, outwit},
		{"outwit:jump", "light", "dark", true, outwit},
		{"outwit:push", "light", "dark", true, outwit},
		{"owlman", "doc", "owlman", false, owlman},
		{"owlman:daybreak", "doc", "owlman", false, owlman},
		{"chess", "white", "black", true, "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"},
	} {
		game, err := games.All().Lookup(c.game)
		if err != nil {
			t.Fatal(err)
		}
		if game.SideNames() != [2]string{c.first, c.second} || game.Symmetric() != c.symmetric || game.Start().String() != c.start {
			t.Errorf("%s: sides %v, symmetric %v, start %s", c.game, game.SideNames(), game.Symmetric(), game.Start())
		}
	}
}

// Everybody knows this game by other names as well.
func TestAliases(t *testing.T) {
	for _, name := range []string{"chess960", "fischerandom", "chess:960", "chess:chess960"} {
		if game, err := games.All().Lookup(name); err != nil || game.Name() != "chess:960" {
			t.Errorf("%s: %v, %v", name, game, err)
		}
	}
}

func TestUnknownGameSuggests(t *testing.T) {
	for name, want := range map[string]string{
		"brakthrough":     `did you mean "breakthrough"`,
		"outwit:pus":      `did you mean "outwit:push"`,
		"owlman:daybrake": `did you mean "owlman:daybreak"`,
		"chess:atomic":    "chess has 960",
		"chess:":          `nothing after the colon; did you mean "chess"`,
		"tic-tac-toe":     "known games: breakthrough, ",
		"breakthrough:1":  "breakthrough:1",
	} {
		if _, err := games.All().Lookup(name); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want mention of %s", name, err, want)
		}
	}
}

// BenchmarkSpeed prints how fast each game is: random games through
// engine.Position, taken back by Undo, and perft from the start.
//
//	go test -run '^$' -bench Speed -cpu 1 ./engine/games
func BenchmarkSpeed(b *testing.B) {
	names := append(games.All().Names(), "breakthrough:12x12")
	for _, name := range names {
		game, err := games.All().Lookup(name)
		if err != nil {
			b.Fatal(err)
		}
		b.Run("playout/"+name, func(b *testing.B) { benchPlayouts(b, game) })
		b.Run("perft-4/"+name, func(b *testing.B) { benchPerft(b, game, 4) })
	}
}

// benchPlayouts measures random games from the start through the interface, each
// taken back by Undo before the next. It reports playouts/s, moves/s and
// plies/game.
func benchPlayouts(b *testing.B, game engine.Game) {
	b.Helper()
	pos := game.Start()
	rng := rand.New(rand.NewPCG(1, 2))
	var buf []engine.Move
	total := 0
	b.ReportAllocs()
	for b.Loop() {
		var plies int
		plies, buf = enginetest.Playout(pos, rng, 1_000_000, buf)
		total += plies
		for range plies {
			pos.Undo()
		}
	}
	seconds := b.Elapsed().Seconds()
	b.ReportMetric(float64(b.N)/seconds, "playouts/s")
	b.ReportMetric(float64(total)/seconds, "moves/s")
	b.ReportMetric(float64(total)/float64(b.N), "plies/game")
}

// benchPerft measures engine.Perft to depth from the start and reports nodes/s.
func benchPerft(b *testing.B, game engine.Game, depth int) {
	b.Helper()
	pos := game.Start()
	var nodes uint64
	b.ReportAllocs()
	for b.Loop() {
		nodes += engine.Perft(pos, depth)
	}
	b.ReportMetric(float64(nodes)/b.Elapsed().Seconds(), "nodes/s")
}
