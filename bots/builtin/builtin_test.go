package builtin_test

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"botarena/bots/bottest"
	"botarena/bots/builtin"
	"botarena/bots/kit"
	"botarena/engine"
	"botarena/engine/games"
)

// play lets two bots play one game from a random opening of the given seed and
// returns the first side's points.
func play(t *testing.T, game engine.Game, first, second kit.Bot, seed uint64) float64 {
	t.Helper()
	pos := game.Start()
	rng := rand.New(rand.NewPCG(seed, 1))
	for range 4 {
		moves := pos.Legal(nil)
		pos.Play(moves[rng.IntN(len(moves))])
	}
	for _, b := range []kit.Bot{first, second} {
		if b.NewGame != nil {
			b.NewGame()
		}
	}
	for !pos.Outcome().Over && pos.Ply() < game.MaxPlies() {
		bot := first
		if pos.Turn() == engine.Second {
			bot = second
		}
		turn := kit.NewTurn(pos.Clone(), seed*1000+uint64(pos.Ply()), nil)
		turn.Depth = 3
		turn.SetOption("Hash", "1")
		m, err := pos.ParseMove(string(turn.Text(bot.Choose(turn))))
		if err != nil {
			t.Fatalf("%s: %v", bot.Name, err)
		}
		pos.Play(m)
	}
	switch pos.Outcome().Winner {
	case engine.First:
		return 1
	case engine.Second:
		return 0
	}
	return 0.5
}

// Random < greedy < minimax at depth 3, in every game; which of them wins a
// single game is chance, so each must take three quarters of 8 games.
func TestBotsEarnTheirOrder(t *testing.T) {
	const pairs = 4
	order := []string{"random", "greedy", "minimax"}
	for _, name := range []string{"breakthrough:6x6", "outwit", "outwit:jump", "outwit:push", "owlman", "owlman:daybreak", "chess"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			game, err := games.All().Lookup(name)
			if err != nil {
				t.Fatal(err)
			}
			for i := range len(order) - 1 {
				weak, strong := bot(t, order[i]), bot(t, order[i+1])
				points := 0.0
				for seed := range uint64(pairs) {
					points += play(t, game, strong, weak, seed)
					points += 1 - play(t, game, weak, strong, seed)
				}
				t.Logf("%s against %s: %.1f of %d", strong.Name, weak.Name, points, 2*pairs)
				if points < 0.75*2*pairs {
					t.Errorf("%s took %.1f of %d points from %s", strong.Name, points, 2*pairs, weak.Name)
				}
			}
		})
	}
}

func bot(t *testing.T, name string) kit.Bot {
	t.Helper()
	b, err := builtin.Find(name)
	if err != nil {
		t.Fatal(err)
	}
	return b.New(games.All())
}

// A bot that is one move from winning must win, and one whose opponent is must
// not let him: all searching bots see two plies.
func TestSearchersSeeTheEnd(t *testing.T) {
	for _, c := range []struct{ game, position, want string }{
		{"breakthrough", "8/P7/8/8/8/8/p7/7P w", "a7a8 a7b8"},
		{"breakthrough:4x5", "4/1P2/4/p3/3P w", "b4a5 b4b5 b4c5"},
	} {
		for _, name := range []string{"greedy", "minimax", "mcts"} {
			game, err := games.All().Lookup(c.game)
			if err != nil {
				t.Fatal(err)
			}
			pos, err := game.Parse(c.position)
			if err != nil {
				t.Fatal(err)
			}
			turn := kit.NewTurn(pos, 1, nil)
			turn.Nodes = 2000
			got := string(turn.Text(bot(t, name).Choose(turn)))
			if !strings.Contains(c.want, got) {
				t.Errorf("%s in %s played %s, want one of %s", name, c.position, got, c.want)
			}
		}
	}
}

// playing lists the bots that play a game.
func playing(game string) (list []builtin.Builtin) {
	for _, b := range builtin.All() {
		if _, err := b.New(games.All()).Games.Lookup(game); err == nil {
			list = append(list, b)
		}
	}
	return list
}

func TestEveryBotPlaysByTheRules(t *testing.T) {
	for _, b := range playing("breakthrough") { // and so every other game; perfect has tests of its own
		t.Run(b.Name, func(t *testing.T) {
			bottest.RunPlain(t, func() bottest.Choose { return b.New(games.All()).Choose })
		})
	}
}

// Other seeds play other games, or a match of two bots would be one game.
func TestSeedsDiffer(t *testing.T) {
	for _, b := range playing("breakthrough") {
		seen := map[engine.Move]bool{}
		for seed := range uint64(8) {
			turn := kit.NewTurn(bottest.Open(t, "breakthrough").Start(), seed, nil)
			turn.SetOption("Hash", "1")
			turn.Depth = 1
			seen[b.New(games.All()).Choose(turn)] = true
		}
		if len(seen) < 2 { // a fine judgement leaves few moves equal: at the start a move and its mirror image
			t.Errorf("%s: 8 seeds play %d moves", b.Name, len(seen))
		}
	}
}

// Each bot says what it is, plays the game that it is told, stops where it is
// told to, and resigns a finished game.
func TestDialogue(t *testing.T) {
	for _, b := range builtin.All() {
		t.Run(b.Name, func(t *testing.T) {
			g := invite(t, b.New(games.All()))
			g.send("ugi")
			if id := g.line("id"); !slices.Equal(id, []string{"id", "name", b.Name}) {
				t.Errorf("it says %q", id)
			}
			for _, name := range append(bottest.Games(), "owlman") {
				if _, err := b.New(games.All()).Games.Lookup(name); err != nil {
					continue
				}
				for _, line := range []string{"setoption name UGI_Variant value " + name, "uginewgame", "position startpos", "go infinite", "stop"} {
					g.send(line)
				}
				if _, err := bottest.Open(t, name).Start().ParseMove(g.line("bestmove")[1]); err != nil {
					t.Errorf("%s: %v", name, err)
				}
			}
			g.send("position fen D7/1H6/8/8/8/8/8/7O b")
			g.send("go depth 1")
			if move := g.line("bestmove")[1]; move != "(none)" {
				t.Errorf("a finished game: %s", move)
			}
			g.quit()
		})
	}
}

func TestUnknownBotSuggests(t *testing.T) {
	_, err := builtin.Find("minmax")
	if err == nil || !strings.Contains(err.Error(), `did you mean "minimax"?`) {
		t.Fatalf("got %v", err)
	}
}
