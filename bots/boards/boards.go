// Package boards implements minimax.Board for each game: incremental evaluation,
// positions that are settled without search, and forced moves.
package boards

import (
	"botarena/bots/eval"
	"botarena/bots/learnt"
	"botarena/bots/minimax"
	"botarena/engine"
	"botarena/engine/breakthrough"
	"botarena/engine/outwit"
)

// The Margin of Outwit by rules of thumb and by a learnt table, and of pairs, in centipawns of
// which minimax.Logit are a logit.
const (
	thumbMargin  = 80
	learntMargin = 140
)

// For returns a maker of boards for a game, one for each thread. An unknown game is
// played by its rules and package eval's evaluation. table, if it is not nil, replaces
// the one that comes with arena; the error says why the game cannot use it.
func For(game engine.Game, table []byte) (func() minimax.Board, error) {
	if table == nil {
		if table = learnt.Table(game); table == nil {
			return RulesOfThumb(game), nil
		}
	}
	weights, err := learnt.Decode(game, table)
	if err != nil {
		return nil, err
	}
	return maker(game, weights, learntMargin), nil
}

// RulesOfThumb returns a maker of boards for a game that evaluate by rules of thumb,
// also if there is a learnt table.
func RulesOfThumb(game engine.Game) func() minimax.Board {
	return maker(game, learnt.RulesOfThumb(game), thumbMargin)
}

// maker returns a maker of boards that evaluate by weights, and by package eval if these are
// nil.
func maker(game engine.Game, weights []int16, margin int) func() minimax.Board {
	switch g := game.(type) {
	case *breakthrough.Game:
		patterns := learnt.NewPatterns(g, weights)
		return func() minimax.Board { return newBreakthrough(g, patterns) }
	case *outwit.Game:
		homing := learnt.NewHoming(weights)
		return func() minimax.Board { return newOutwit(homing, margin) }
	}
	mark, traits := hints(game)
	if weights == nil {
		return func() minimax.Board { return minimax.Plain(eval.For(game), mark, traits) }
	}
	traits.Margin = margin
	pairs := learnt.NewPairs(weights)
	return func() minimax.Board { return minimax.Plain(pairs.Evaluator(), mark, traits) }
}
