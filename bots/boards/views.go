package boards

import (
	"math/bits"

	"botarena/bots/pairs"
	"botarena/engine"
)

// Pairs returns how the positions of a game are seen for a judgement by pairs of pieces;
// ok is false for a game that is not judged so.
func Pairs(game engine.Game) (view *pairs.Game, ok bool) {
	if _, ok := game.Start().(owlman); ok {
		// Daybreak is judged as Owlman is: what brings White home brings him home in time.
		return &pairs.Game{Name: "owlman", Kinds: 2*owlmanSquares + owlmanSquares + maxHelpers + 1, Look: lookOwlman}, true
	}
	return nil, false
}

const (
	owlmanSquares = 32
	maxHelpers    = 12
)

// owlman lists the methods of an Owlman position that boards use.
type owlman interface {
	engine.Position
	Captures(engine.Move) bool
	Pieces() (helpers uint32, doc, owl uint8)
}

// lookOwlman lists Doc, Owlman, the helpers, and how many helpers there are.
func lookOwlman(dst []uint16, p engine.Position) []uint16 {
	helpers, doc, owl := p.(owlman).Pieces()
	if doc < owlmanSquares {
		dst = append(dst, uint16(doc))
	}
	dst = append(dst, owlmanSquares+uint16(owl))
	n := uint16(0)
	for ; helpers != 0; helpers &= helpers - 1 {
		dst = append(dst, 2*owlmanSquares+uint16(bits.TrailingZeros32(helpers)))
		n++
	}
	return append(dst, 3*owlmanSquares+n)
}
