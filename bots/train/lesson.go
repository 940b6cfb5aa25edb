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

// A lesson is what there is to learn of a game.
type lesson struct {
	size int // number of weights
	// common has for each weight the number of one that it shares with others, from
	// size on: what they are worth together is learnt from more positions than what
	// each is worth for itself. nil if nothing is shared.
	common []int32
	// indexes appends where the weights of a position are.
	indexes func([]int32, engine.Position) []int32
	// quiet reports whether a position can be judged as it stands, m being the move
	// that the search chose.
	quiet func(pos engine.Position, m engine.Move) bool
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
		quiet: func(p engine.Position, m engine.Move) bool {
			pos := p.(*breakthrough.Position)
			return !pos.Captures(m) && !threatened(pos)
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

// threatened reports whether the side to move has to capture.
func threatened(pos *breakthrough.Position) bool {
	row := 1
	if pos.Turn() == engine.Second {
		row = pos.Rows() - 2
	}
	for col := range pos.Cols() {
		if pos.PieceAt(row*pos.Cols()+col) == pos.Turn().Other() {
			return true
		}
	}
	return false
}

func outwitLesson() *lesson {
	geometry := homing.NewGeometry()
	return &lesson{
		size: homing.Size,
		indexes: func(dst []int32, pos engine.Position) []int32 {
			return geometry.Indexes(dst, pos.(*outwit.Position))
		},
		quiet:  func(engine.Position, engine.Move) bool { return true },
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
		quiet: func(pos engine.Position, m engine.Move) bool {
			taker, ok := pos.(interface{ Captures(engine.Move) bool })
			return !ok || !taker.Captures(m)
		},
		encode: view.Encode,
		decode: func(table []byte) ([]int16, error) {
			if table == nil {
				return nil, nil
			}
			return view.Decode(table)
		},
	}
}
