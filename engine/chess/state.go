package chess

import (
	"math/bits"

	"botarena/engine"
)

// A Kind is the kind of a piece of either side.
type Kind uint8

// The kinds of pieces.
const (
	Pawn Kind = iota
	Knight
	Bishop
	Rook
	Queen
	King
)

// A state holds everything that a move changes, so that Undo is one copy.
type state struct {
	kinds  [6]uint64 // squares of each kind, both sides
	sides  [2]uint64 // squares of each side
	board  [squares]uint8
	key    uint64
	half   int32 // plies since the last capture or pawn move
	full   int32 // number of the move, from 1
	turn   engine.Side
	rights uint8
	target uint8            // of a legal en-passant capture, or noSquare
	rooks  [castlings]uint8 // where the rooks of the castlings start; meaningful while the right is held
}

// What stands on a square: 0 for nothing, else the kind plus 1, and a bit for
// Black.
const blackPiece = 8

func (s *state) kindOn(sq uint8) Kind { return Kind(s.board[sq]&7) - 1 }

// toggle puts a piece down or takes it up. It does not touch board.
func (g *game) toggle(s *state, side engine.Side, kind Kind, sq uint8) {
	s.kinds[kind] ^= bit(sq)
	s.sides[side] ^= bit(sq)
	s.key ^= g.pieceKey[side][kind][sq]
}

func (g *game) put(s *state, side engine.Side, kind Kind, sq uint8) {
	g.toggle(s, side, kind, sq)
	s.board[sq] = uint8(kind) + 1 + uint8(side)*blackPiece
}

func (g *game) take(s *state, side engine.Side, kind Kind, sq uint8) {
	g.toggle(s, side, kind, sq)
	s.board[sq] = 0
}

func (s *state) kingOf(side engine.Side) uint8 { return lowest(s.kinds[King] & s.sides[side]) }

// attacked reports whether a piece of side by that is among the occupied squares
// attacks sq.
func (g *game) attacked(s *state, sq uint8, by engine.Side, occupied uint64) bool {
	them := s.sides[by] & occupied
	if g.knight[sq]&s.kinds[Knight]&them != 0 || g.king[sq]&s.kinds[King]&them != 0 ||
		g.pawn[by.Other()][sq]&s.kinds[Pawn]&them != 0 {
		return true
	}
	if diagonal := (s.kinds[Bishop] | s.kinds[Queen]) & them; diagonal != 0 && g.bishopFrom(sq, occupied)&diagonal != 0 {
		return true
	}
	straight := (s.kinds[Rook] | s.kinds[Queen]) & them
	return straight != 0 && g.rookFrom(sq, occupied)&straight != 0
}

func (s *state) occupied() uint64 { return s.sides[0] | s.sides[1] }

// inCheck reports whether the king of a side is attacked.
func (g *game) inCheck(s *state, side engine.Side) bool {
	return g.attacked(s, s.kingOf(side), side.Other(), s.occupied())
}

// A move is its squares and the kind promoted to (0 for none). No move has both
// squares the same, so none is zero.
func newMove(from, to uint8, promotion Kind) engine.Move {
	return engine.Move(from) | engine.Move(to)<<6 | engine.Move(promotion)<<12
}

func split(m engine.Move) (from, to uint8, promotion Kind) {
	return uint8(m & 63), uint8(m >> 6 & 63), Kind(m >> 12)
}

// play makes a legal move.
func (g *game) play(s *state, m engine.Move) {
	from, to, promotion := split(m)
	us, them, kind := s.turn, s.turn.Other(), s.kindOn(from)
	s.half++
	castling := -1
	if kind == King && s.sides[us]&bit(to) != 0 {
		castling = s.castlingOf(m)
	} else if s.board[to] != 0 {
		g.take(s, them, s.kindOn(to), to)
		s.half = 0
	}
	target := s.target
	if target != noSquare {
		s.key ^= g.fileKey[target%8]
		s.target = noSquare
	}
	kept := s.rights
	if kept != 0 {
		kept = s.moveRights(kind, from, to)
	}
	if castling >= 0 {
		c := s.castling(castling)
		g.take(s, us, Rook, c.rook)
		g.take(s, us, King, c.king)
		g.put(s, us, Rook, c.rookTo)
		to = c.kingTo
	} else {
		g.take(s, us, kind, from)
	}
	if kind == Pawn {
		s.half = 0
		if promotion != 0 {
			kind = promotion
		}
		if to == target {
			g.take(s, them, Pawn, to^8) // the pawn beside, on the rank before or behind
		}
	}
	g.put(s, us, kind, to)
	if kept != s.rights {
		s.key ^= g.rightsKey[s.rights] ^ g.rightsKey[kept]
		s.rights = kept
	}
	s.turn = them
	s.key ^= g.blackKey
	if us == engine.Second {
		s.full++
	}
	if kind == Pawn && (to == from+16 || from == to+16) {
		g.setTarget(s, (from+to)/2)
	}
}

// setTarget allows the en-passant capture on a square if one is legal.
func (g *game) setTarget(s *state, target uint8) {
	for pawns := g.passers(s, target); pawns != 0; pawns &= pawns - 1 {
		if g.passes(s, lowest(pawns), target) {
			s.target = target
			s.key ^= g.fileKey[target%8]
			return
		}
	}
}

// passers returns the mover's pawns beside a pawn that passed over target.
func (g *game) passers(s *state, target uint8) uint64 {
	return g.pawn[s.turn.Other()][target] & s.kinds[Pawn] & s.sides[s.turn]
}

// passes reports whether capturing en passant leaves the king safe. Both pawns
// leave their rank at once, which no pin tells.
func (g *game) passes(s *state, from, target uint8) bool {
	after := s.occupied() ^ bit(from) ^ bit(target^8) ^ bit(target)
	return !g.attacked(s, s.kingOf(s.turn), s.turn.Other(), after)
}

// deadDraw reports whether the material is insufficient to mate.
func (s *state) deadDraw() bool {
	if s.kinds[Pawn]|s.kinds[Rook]|s.kinds[Queen] != 0 {
		return false
	}
	if s.kinds[Knight] != 0 {
		return s.kinds[Bishop] == 0 && bits.OnesCount64(s.kinds[Knight]) == 1
	}
	return s.kinds[Bishop]&lightSquares == 0 || s.kinds[Bishop]&^lightSquares == 0
}

// same reports whether two states are one position for the repetition rule.
func (s *state) same(o *state) bool {
	return s.key == o.key && s.kinds == o.kinds && s.sides == o.sides &&
		s.turn == o.turn && s.rights == o.rights && s.target == o.target
}
