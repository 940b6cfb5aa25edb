package boards

import (
	"math/bits"

	"botarena/bots/eval"
	"botarena/bots/pairs"
	"botarena/engine"
	"botarena/engine/outwit"
)

// Pairs is how the positions of a game are seen for a judgement by pairs of pieces;
// ok is false for a game that is not judged so.
func Pairs(game engine.Game) (view *pairs.Game, ok bool) {
	switch game.Start().(type) {
	case *outwit.Position:
		return &pairs.Game{Name: game.Name(), Kinds: 4 * outwitSquares, Views: 1, Look: lookOutwit, Hand: handOutwit}, true
	case owlman:
		// Daybreak is judged as Owlman is: what brings White home brings him home in time.
		return &pairs.Game{Name: "owlman", Kinds: 2*owlmanSquares + owlmanSquares + maxHelpers + 1, Views: 2, Look: lookOwlman}, true
	}
	return nil, false
}

const (
	outwitSquares = outwit.Files * outwit.Ranks
	owlmanSquares = 32
	maxHelpers    = 12
)

// lookOutwit lists own soldiers, own king, enemy soldiers, enemy king. To Dark the
// board is turned round.
func lookOutwit(dst []uint16, p engine.Position) []uint16 {
	pos := p.(*outwit.Position)
	side := pos.Turn()
	at := func(s outwit.Square) uint16 {
		if side == engine.Second {
			return outwitSquares - 1 - uint16(s)
		}
		return uint16(s)
	}
	for i, owner := range [2]engine.Side{side, side.Other()} {
		base := uint16(i * 2 * outwitSquares)
		for set := pos.Soldiers(owner); set != (outwit.Squares{}); {
			dst = append(dst, base+at(set.Pop()))
		}
		if king := pos.King(owner); king != outwit.NoSquare {
			dst = append(dst, base+outwitSquares+at(king))
		}
	}
	return dst
}

// handOutwit is package eval's judgement of Outwit, which is a sum over pieces and pairs.
func handOutwit(set func(a, b, weight int)) {
	const kings = outwitSquares
	for side, sign := range [2]int{1, -1} {
		base := side * 2 * outwitSquares
		at := func(own int) int { // where the side to move sees what a side calls own
			if side == 1 {
				return base + outwitSquares - 1 - own
			}
			return base + own
		}
		for sq := range outwitSquares {
			soldier := outwit.Square(sq)
			set(at(sq), at(sq), sign*eval.OutwitSoldier(soldier, engine.First))
			if outwit.CornerOf(soldier) != engine.First {
				set(kings+at(sq), kings+at(sq), sign*eval.OutwitKingOut)
				continue
			}
			set(kings+at(sq), kings+at(sq), sign*eval.OutwitGuarded)
			for other := range outwitSquares {
				if outwit.CornerOf(outwit.Square(other)) == engine.First {
					set(at(sq), kings+at(other), sign*eval.OutwitGuarded)
				}
			}
		}
	}
}

// owlman is what is asked of an Owlman position.
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
