package chess

import "botarena/engine"

// A castling is one of the four of a position: where king and rook start and
// stop. As a move it is the king taking his own rook, which no other move can be
// taken for wherever the two start.
type castling struct {
	king, kingTo uint8
	rook, rookTo uint8
}

// castling returns castling i, which must still be a right.
func (s *state) castling(i int) castling {
	side := engine.Side(i / 2)
	c := castling{king: s.kingOf(side), kingTo: 6, rook: s.rooks[i], rookTo: 5}
	if i%2 == 1 {
		c.kingTo, c.rookTo = 2, 3
	}
	if side == engine.Second {
		c.kingTo += 56
		c.rookTo += 56
	}
	return c
}

// move returns how the castling is held and, in Chess960, written.
func (c castling) move() engine.Move { return newMove(c.king, c.rook, 0) }

// barred returns the squares on the way of king and rook that must be empty but for
// the two themselves.
func (c castling) barred() uint64 {
	return (span(c.king, c.kingTo) | span(c.rook, c.rookTo)) &^ (bit(c.king) | bit(c.rook))
}

// span returns the squares of a rank from one to another, both included.
func span(a, b uint8) uint64 {
	a, b = min(a, b), max(a, b)
	return bit(b)<<1 - bit(a)
}

// held reports whether the right to castling i remains.
func (s *state) held(i int) bool { return s.rights&(1<<i) != 0 }

// canCastle reports whether castling i is legal for the side to move, which is
// not in check and has the right.
func (g *game) canCastle(s *state, i int) bool {
	c := s.castling(i)
	occupied, them := s.occupied(), s.turn.Other()
	if occupied&c.barred() != 0 {
		return false
	}
	for way := span(c.king, c.kingTo) &^ bit(c.king); way != 0; way &= way - 1 {
		if g.attacked(s, lowest(way), them, occupied) {
			return false
		}
	}
	// The rook may have shielded the king from a piece on the same rank.
	after := occupied&^(bit(c.king)|bit(c.rook)) | bit(c.kingTo) | bit(c.rookTo)
	return !g.attacked(s, c.kingTo, them, after)
}

// castlingOf returns the number of the castling that a move of the side to move
// is, or -1: the king goes to where his own rook stands.
func (s *state) castlingOf(m engine.Move) int {
	from, to, promotion := split(m)
	if promotion != 0 || from != s.kingOf(s.turn) {
		return -1
	}
	for i := 2 * int(s.turn); i < 2*int(s.turn)+2; i++ {
		if s.held(i) && s.rooks[i] == to {
			return i
		}
	}
	return -1
}

// moveRights returns the rights that are left after a move.
func (s *state) moveRights(kind Kind, from, to uint8) uint8 {
	kept := s.rights
	if kind == King {
		kept &^= rightsOfSide << (2 * s.turn)
	}
	for i, rook := range s.rooks {
		if from == rook || to == rook {
			kept &^= 1 << i
		}
	}
	return kept
}
