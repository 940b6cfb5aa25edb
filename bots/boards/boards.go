// Package boards is what the search knows of each game: boards that are kept up to
// date move by move, what is settled without search, and which moves cannot wait.
package boards

import (
	"fmt"

	"botarena/bots/eval"
	"botarena/bots/minimax"
	"botarena/bots/pattern"
	"botarena/engine"
	"botarena/engine/breakthrough"
)

// For returns what makes boards of a game for the search, one for each thread. A
// game that is not known here is played by its rules and package eval's judgement.
// table, where it is not nil, takes the place of the built-in one; the error says
// why a game has no use for it.
func For(game engine.Game, table *pattern.Table) (func() minimax.Board, error) {
	g, ok := game.(*breakthrough.Game)
	switch {
	case ok && table == nil:
		table = Table(g.Cols(), g.Rows())
	case ok && !table.Shared() && (table.Cols != g.Cols() || table.Rows != g.Rows()):
		return nil, fmt.Errorf("the table is for boards of %dx%d, the game is %s", table.Cols, table.Rows, game.Name())
	case !ok && table != nil:
		return nil, fmt.Errorf("%s is not judged by a table", game.Name())
	case !ok:
		mark, traits := hints(game)
		return func() minimax.Board { return minimax.Plain(eval.For(game), mark, traits) }, nil
	}
	judge := pattern.NewJudge(table, g.Cols(), g.Rows())
	return func() minimax.Board { return Breakthrough(g.Cols(), g.Rows(), judge) }, nil
}

// Table is the table that a board of Breakthrough is judged by.
func Table(cols, rows int) *pattern.Table { return pattern.ByHand(cols, rows) }
