package exact

import (
	"math/bits"

	"botarena/engine/owlman/board"
)

// The walks go a move back. A state is given by its block and the helpers as that
// block has them; a state a move before by Doc's and Owlman's squares and helpers,
// which may be a reflection of what a block has (see meet). States in which White
// has won already are left out: no move leads on from them.

// stepsTo calls f for the states with Owlman to move from which he gets to a state
// of block b without a capture.
func (s *space) stepsTo(b *block, helpers uint32, f func(owl uint8, helpers uint32)) {
	if lair(b.doc, helpers) {
		return
	}
	step := s.geo.Step[b.owl]
	// From the tower he only captures.
	from := (step | s.geo.Swoop[b.owl]) &^ (board.Bit(b.doc) | board.Bit(board.H1) | helpers)
	for ; from != 0; from &= from - 1 {
		came := uint8(bits.TrailingZeros32(from))
		if from&-from&step != 0 {
			// A helper in his line of sight would be gone.
			if s.geo.FirstOn(helpers|board.Bit(b.doc), b.owl, s.geo.Direction[came][b.owl])&helpers != 0 {
				continue
			}
		}
		f(came, helpers)
	}
}

// capturesTo calls f for the states of one helper more from which Owlman gets to a
// state of block b by capturing him.
func (s *space) capturesTo(b *block, helpers uint32, f func(owl uint8, helpers uint32)) {
	found := func(owl uint8, helpers uint32) {
		if !lair(b.doc, helpers) {
			f(owl, helpers)
		}
	}
	if b.doc != board.H1 && b.owl != board.H1 { // from the tower onto a helper
		found(board.H1, helpers|board.Bit(b.owl))
	}
	from := s.geo.Step[b.owl] &^ (board.Bit(b.doc) | board.Bit(board.H1) | helpers)
	for ; from != 0; from &= from - 1 {
		came := uint8(bits.TrailingZeros32(from))
		// Whoever stood first in his line of sight is gone.
		direction := s.geo.Direction[came][b.owl]
		seen := s.geo.Ray[direction][b.owl]
		if first := s.geo.FirstOn(helpers|board.Bit(b.doc), b.owl, direction); first != 0 {
			seen &^= s.geo.Ray[direction][bits.TrailingZeros32(first)] | first
		}
		for seen &^= board.Bit(board.H1); seen != 0; seen &= seen - 1 {
			found(came, helpers|seen&-seen)
		}
	}
}

// whiteTo calls f for the states with White to move from which White gets to a
// state of block b.
func (s *space) whiteTo(b *block, helpers uint32, f func(doc uint8, helpers uint32)) {
	free := ^(helpers | board.Bit(b.doc) | board.Bit(b.owl))
	for rest := helpers; rest != 0; rest &= rest - 1 {
		to := rest & -rest
		for from := s.geo.Step[bits.TrailingZeros32(to)] & free &^ board.Bit(board.H1); from != 0; from &= from - 1 {
			if set := helpers&^to | from&-from; !lair(b.doc, set) {
				f(b.doc, set)
			}
		}
	}
	if b.doc == board.H1 { // where he never moves to
		return
	}
	for from := s.geo.Step[b.doc] & free; from != 0; from &= from - 1 {
		if doc := uint8(bits.TrailingZeros32(from)); !lair(doc, helpers) {
			f(doc, helpers)
		}
	}
}

// lair reports whether White has won a state: Doc and a helper are in the lair.
func lair(doc uint8, helpers uint32) bool {
	return doc == board.A8 && helpers&board.Bit(board.B7) != 0
}

// meet calls f for the state, or for the two of them, that a state is in the space
// if it was walked to from a state of another block: where both stand on the
// diagonal, the reflection of the way there leads to the reflected state.
func (s *space) meet(doc, owl uint8, helpers uint32, f func(block int, helpers uint32)) {
	at, set := s.locate(doc, owl, helpers)
	f(at, set)
	if s.blocks[at].both {
		if image := s.reflected(set); image != set {
			f(at, image)
		}
	}
}

// targets returns the squares that Owlman may go to.
func (s *space) targets(doc, owl uint8, helpers uint32) uint32 {
	if owl == board.H1 {
		return helpers
	}
	open := ^(helpers | board.Bit(doc))
	if doc == board.H1 {
		open |= board.Bit(board.H1)
	}
	return (s.geo.Step[owl] | s.geo.Swoop[owl]) & open
}

// after returns the state after a move of Owlman's.
func (s *space) after(from state, to uint8) (next state, caught bool) {
	next = state{doc: from.doc, owl: to, helpers: from.helpers}
	switch direction := s.geo.Direction[from.owl][to]; {
	case to == from.doc:
		next.doc = board.Nowhere
	case from.owl == board.H1:
		next.helpers &^= board.Bit(to)
	case direction != board.NoDirection:
		next.helpers &^= s.geo.FirstOn(from.helpers|board.Bit(from.doc), to, direction)
	}
	return next, next.doc != from.doc || next.helpers != from.helpers
}
