package main

import (
	"fmt"

	"botarena/bots/boards"
	"botarena/bots/homing"
	"botarena/bots/pairs"
	"botarena/bots/pattern"
	"botarena/engine"
	"botarena/engine/breakthrough"
	"botarena/engine/outwit"
)

// A lesson describes the weights of a game.
type lesson struct {
	size int // number of weights
	// common has for each weight the number of one that it shares with others, from
	// size on: what they are worth together is learnt from more positions than what
	// each is worth for itself. nil if nothing is shared.
	common []int32
	// indexes appends the indexes of a position's weights.
	indexes func([]int32, engine.Position) []int32
	// encode makes a table of weights, and decode weights of a table: those of rules
	// of thumb where it is nil, if they are of use.
	encode func([]int16) []byte
	decode func([]byte) ([]int16, error)
}

func newLesson(game engine.Game) (*lesson, error) {
	switch g := game.(type) {
	case *breakthrough.Game:
		return patternLesson(g), nil
	case *outwit.Game:
		return outwitLesson(), nil
	}
	if view, ok := boards.Pairs(game); ok {
		return pairsLesson(view), nil
	}
	return nil, fmt.Errorf("%s has no tables to learn; breakthrough, outwit and owlman have", game.Name())
}

func patternLesson(g *breakthrough.Game) *lesson {
	kind := pattern.KindFor(g.Cols(), g.Rows())
	layout := pattern.NewLayout(g.Cols(), g.Rows(), kind)
	coder := layout.Coder()
	digits := make([]uint8, g.Cols()*g.Rows())
	size := layout.Size
	common := layout.Common()
	for i := range common {
		common[i] += int32(size)
	}
	return &lesson{
		size:   size,
		common: common,
		indexes: func(dst []int32, p engine.Position) []int32 {
			pos := p.(*breakthrough.Position)
			for sq := range digits {
				digits[sq] = uint8(pos.PieceAt(sq) + 1)
			}
			return coder.Indexes(dst, digits, pos.Turn() == engine.Second)
		},
		encode: func(weights []int16) []byte {
			t := pattern.Table{Kind: kind, Cols: g.Cols(), Rows: g.Rows(), Weights: weights}
			return t.Encode()
		},
		decode: func(table []byte) ([]int16, error) {
			if table == nil {
				return pattern.RulesOfThumb(g.Cols(), g.Rows()).Weights, nil
			}
			t, err := pattern.Decode(table)
			if err != nil {
				return nil, err
			}
			return t.Weights, nil // without files and rows it is the beginning of one with them
		},
	}
}

func outwitLesson() *lesson {
	geometry := homing.NewGeometry()
	return &lesson{
		size: homing.Size,
		indexes: func(dst []int32, pos engine.Position) []int32 {
			return geometry.Indexes(dst, pos.(*outwit.Position))
		},
		encode: homing.Encode,
		decode: func(table []byte) ([]int16, error) {
			if table == nil {
				return homing.RulesOfThumb(), nil
			}
			return homing.Decode(table)
		},
	}
}

func pairsLesson(view *pairs.Game) *lesson {
	return &lesson{
		size:    view.Size(),
		indexes: view.Indexes,
		encode:  view.Encode,
		decode: func(table []byte) ([]int16, error) {
			if table == nil {
				return nil, nil
			}
			return view.Decode(table)
		},
	}
}
