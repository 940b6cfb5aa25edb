// Package builtin lists the bots that come with arena. Each is a program like any
// other: arena starts itself as `arena bot NAME` and talks to it over pipes.
package builtin

import (
	"fmt"
	"math"
	"strings"

	"botarena/bots/eval"
	"botarena/bots/kit"
	"botarena/bots/minimax"
	"botarena/engine"
	"botarena/engine/nearest"
	"botarena/protocol"
)

// A Builtin is one of the bots.
type Builtin struct {
	Name string
	What string // one line for people
	// Version changes whenever the bot plays differently: name and version identify the
	// bot, so that a rebuilt arena is not a new bot.
	Version string
	New     func(engine.Catalog) kit.Bot
	// Tables reports that it plays by the user's exact tables, which are part of its
	// identity.
	Tables bool
}

// All lists the bots, the weakest first.
func All() []Builtin {
	return []Builtin{
		{Name: "random", Version: "1", New: random, What: "plays any legal move"},
		{Name: "greedy", Version: "2", New: greedy, What: "looks one ply ahead with a simple evaluation"},
		{Name: "minimax", Version: "14", New: minimaxBot, What: "iterative deepening alpha-beta with a transposition table"},
		{Name: "mcts", Version: "11", New: mctsBot, What: "Monte Carlo tree search (UCT) with judged leaves and a solver; nodes are simulations"},
		{Name: "perfect", Version: "4", New: perfectBot, Tables: true, What: "owlman and small boards of breakthrough: plays by the tables of `arena solve`"},
	}
}

// Names lists the names of All.
func Names() []string {
	var names []string
	for _, b := range All() {
		names = append(names, b.Name)
	}
	return names
}

// Find returns the bot of that name. The error suggests the nearest name.
func Find(name string) (Builtin, error) {
	for _, b := range All() {
		if b.Name == name {
			return b, nil
		}
	}
	return Builtin{}, fmt.Errorf("unknown built-in bot %q; %s", name, nearest.Hint(name, Names(), "there are "+strings.Join(Names(), ", ")))
}

const author = "botarena"

func random(games engine.Catalog) kit.Bot {
	return kit.Bot{Name: "random", Author: author, Games: games, Choose: kit.AnyMove}
}

func greedy(games engine.Catalog) kit.Bot {
	evaluate := cached()
	return kit.Bot{
		Name: "greedy", Author: author, Games: games,
		Choose: func(t *kit.Turn) engine.Move {
			return Greedy(t, evaluate(t.Position.Game()))
		},
	}
}

// Greedy picks the move with the worst evaluation for the opponent; an immediate win
// above all, an immediate loss last; ties are broken at random.
func Greedy(t *kit.Turn, evaluate func(engine.Position) int) engine.Move {
	pos := t.Position
	var best engine.Move
	bestScore, ties := math.MinInt, 0
	for _, m := range pos.Legal(nil) {
		mover := pos.Turn()
		pos.Play(m)
		var score int
		switch out := pos.Outcome(); {
		case !out.Over:
			score = -evaluate(pos)
		case out.Winner == mover:
			score = minimax.Win
		case out.Winner != engine.NoSide:
			score = -minimax.Win
		}
		pos.Undo()
		switch {
		case best == 0 || score > bestScore:
			best, bestScore, ties = m, score, 1
		case score == bestScore:
			ties++
			if t.Rand.IntN(ties) == 0 {
				best = m
			}
		}
	}
	t.Info(protocol.Info{
		Has:   protocol.HasDepth | protocol.HasScore,
		Depth: 1, Score: protocol.Score{Value: int64(bestScore)}, PV: t.Text(best),
	})
	return best
}

// cached returns a function that caches the evaluation of the last game.
func cached() func(engine.Game) func(engine.Position) int {
	var game engine.Game
	var evaluate func(engine.Position) int
	return func(g engine.Game) func(engine.Position) int {
		if g != game {
			game, evaluate = g, eval.For(g)
		}
		return evaluate
	}
}
