package builtin_test

import (
	"math/rand/v2"
	"strings"
	"testing"

	"botarena/bots/builtin"
	"botarena/bots/kit"
	"botarena/engine"
	"botarena/engine/games"
)

// play lets two bots play one game from a random opening of the given seed and
// returns the first side's points.
func play(t *testing.T, game engine.Game, first, second kit.Bot, depth int, seed uint64) float64 {
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
		turn.Depth = depth
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

// Random < greedy < minimax at depth 2, in every game; which of them wins a
// single game is chance, so each must take three quarters of 16 games.
func TestBotsEarnTheirOrder(t *testing.T) {
	const pairs = 8
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
					points += play(t, game, strong, weak, 4, seed)
					points += 1 - play(t, game, weak, strong, 4, seed)
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

func TestSameSeedSameMove(t *testing.T) {
	for _, b := range builtin.All() {
		for _, name := range []string{"breakthrough:5x5", "outwit", "owlman"} {
			game, err := games.All().Lookup(name)
			if err != nil {
				t.Fatal(err)
			}
			choose := func() string {
				turn := kit.NewTurn(game.Start(), 11, nil)
				turn.Nodes = 500
				return string(turn.Text(b.New(games.All()).Choose(turn)))
			}
			if a, b := choose(), choose(); a != b {
				t.Errorf("%s played %s, then %s", name, a, b)
			}
		}
	}
}

func TestUnknownBotSuggests(t *testing.T) {
	_, err := builtin.Find("minmax")
	if err == nil || !strings.Contains(err.Error(), `did you mean "minimax"?`) {
		t.Fatalf("got %v", err)
	}
}
