// Package boards implements minimax.Board for each game: incremental evaluation,
// positions that are settled without search, forced moves, and tables of learnt
// weights.
package boards

import (
	"embed"
	"fmt"
	"strings"

	"botarena/bots/eval"
	"botarena/bots/homing"
	"botarena/bots/minimax"
	"botarena/bots/pattern"
	"botarena/engine"
	"botarena/engine/breakthrough"
	"botarena/engine/outwit"
)

// tables returns the learnt weights that come with arena, made by bots/train: files
// by the name of the game, with - for the colon.
//
//go:embed tables
var tables embed.FS

// Learnt returns the table of a game that comes with arena, nil if there is none.
func Learnt(game engine.Game) []byte {
	name := game.Name()
	if view, ok := Pairs(game); ok {
		name = view.Name
	}
	data, err := tables.ReadFile("tables/" + strings.ReplaceAll(name, ":", "-") + ".table")
	if err != nil {
		return nil
	}
	return data
}

// learntMargin is the Margin of learnt tables of Outwit and of pairs, in centipawns of
// which minimax.Logit are a logit.
const learntMargin = 140

// For returns a maker of boards for a game, one for each thread. An unknown game is
// played by its rules and package eval's evaluation. table, if it is not nil, replaces
// the one that comes with arena; the error says why the game cannot use it.
func For(game engine.Game, table []byte) (func() minimax.Board, error) {
	if table == nil {
		if table = Learnt(game); table == nil {
			return RulesOfThumb(game), nil
		}
	}
	if g, ok := game.(*breakthrough.Game); ok {
		weights, err := pattern.Decode(table)
		switch {
		case err != nil:
			return nil, err
		case weights.Cols != g.Cols() || weights.Rows != g.Rows():
			return nil, fmt.Errorf("the table is for boards of %dx%d, the game is %s", weights.Cols, weights.Rows, game.Name())
		}
		judge := pattern.NewJudge(weights)
		return func() minimax.Board { return Breakthrough(g.Cols(), g.Rows(), judge) }, nil
	}
	if _, ok := game.(*outwit.Game); ok {
		weights, err := homing.Decode(table)
		if err != nil {
			return nil, err
		}
		judge := homing.NewJudge(weights)
		return func() minimax.Board { return newOutwit(judge, learntMargin) }, nil
	}
	view, ok := Pairs(game)
	if !ok {
		return nil, fmt.Errorf("%s is not judged by a table", game.Name())
	}
	mark, traits := hints(game)
	weights, err := view.Decode(table)
	if err != nil {
		return nil, err
	}
	traits.Margin = learntMargin
	judge := view.NewJudge(weights)
	return func() minimax.Board { return minimax.Plain(judge.Evaluator(), mark, traits) }, nil
}

// RulesOfThumb returns a maker of boards for a game that evaluate by rules of thumb,
// also if there is a learnt table.
func RulesOfThumb(game engine.Game) func() minimax.Board {
	if g, ok := game.(*breakthrough.Game); ok {
		judge := pattern.NewJudge(pattern.RulesOfThumb(g.Cols(), g.Rows()))
		return func() minimax.Board { return Breakthrough(g.Cols(), g.Rows(), judge) }
	}
	if _, ok := game.(*outwit.Game); ok {
		judge := homing.NewJudge(homing.RulesOfThumb())
		return func() minimax.Board { return newOutwit(judge, 80) }
	}
	mark, traits := hints(game)
	return func() minimax.Board { return minimax.Plain(eval.For(game), mark, traits) }
}
