package chess

import (
	"math/bits"

	"botarena/engine"
)

// generate appends the legal moves, draws left out of account. It finds checks
// and pins along the lines from the king first, so that only legal moves are
// made; en-passant captures are tried out.
func (g *game) generate(s *state, dst []engine.Move) []engine.Move {
	us := s.turn
	them := us.Other()
	own, enemy := s.sides[us], s.sides[them]
	occupied := own | enemy
	king := s.kingOf(us)

	checks := (g.knight[king]&s.kinds[Knight] | g.pawn[us][king]&s.kinds[Pawn]) & enemy
	answers := checks // squares where a piece answers the check
	var pinned uint64
	var lines [directions]uint64 // from the king to the piece that pins
	for d := range directions {
		ray := g.ray[d][king]
		sliders := (s.kinds[Queen] | s.kinds[Rook]) & enemy
		if d != north && d != east && d != south && d != west {
			sliders = (s.kinds[Queen] | s.kinds[Bishop]) & enemy
		}
		if ray&sliders == 0 {
			continue
		}
		first := nearest(ray&occupied, d)
		beyond := g.ray[d][first]
		if bit(first)&sliders != 0 {
			checks |= bit(first)
			answers |= ray &^ beyond
			continue
		}
		if bit(first)&own == 0 || beyond&sliders == 0 {
			continue
		}
		if second := nearest(beyond&occupied, d); bit(second)&sliders != 0 {
			pinned |= bit(first)
			lines[d] = ray &^ g.ray[d][second]
		}
	}

	dst = g.kingMoves(s, dst, king, checks != 0)
	if checks&(checks-1) != 0 {
		return dst // only the king answers a double check
	}
	if checks == 0 {
		answers = ^uint64(0)
	}
	answers &^= own
	for pieces := own &^ bit(king); pieces != 0; pieces &= pieces - 1 {
		from := lowest(pieces)
		allowed := answers
		if pinned&bit(from) != 0 {
			for _, line := range lines {
				if line&bit(from) != 0 {
					allowed &= line
				}
			}
		}
		var to uint64
		switch s.kindOn(from) {
		case Pawn:
			dst = g.pawnMoves(s, dst, from, allowed)
			continue
		case Knight:
			to = g.knight[from]
		case Bishop:
			to = g.bishopFrom(from, occupied)
		case Rook:
			to = g.rookFrom(from, occupied)
		case Queen:
			to = g.bishopFrom(from, occupied) | g.rookFrom(from, occupied)
		}
		dst = appendMoves(dst, from, to&allowed)
	}
	return dst
}

func appendMoves(dst []engine.Move, from uint8, to uint64) []engine.Move {
	for ; to != 0; to &= to - 1 {
		dst = append(dst, newMove(from, lowest(to), 0))
	}
	return dst
}

func (g *game) kingMoves(s *state, dst []engine.Move, king uint8, inCheck bool) []engine.Move {
	us, them, occupied := s.turn, s.turn.Other(), s.occupied()
	// The king does not shield squares behind him.
	without := occupied ^ bit(king)
	for to := g.king[king] &^ s.sides[us]; to != 0; to &= to - 1 {
		if !g.attacked(s, lowest(to), them, without) {
			dst = append(dst, newMove(king, lowest(to), 0))
		}
	}
	if inCheck || s.rights == 0 {
		return dst
	}
	for i := 2 * int(us); i < 2*int(us)+2; i++ {
		if s.held(i) && g.canCastle(s, i) {
			dst = append(dst, s.castling(i).move())
		}
	}
	return dst
}

// pawnSteps returns the moves of a pawn straight ahead.
func pawnSteps(from uint8, side engine.Side, occupied uint64) uint64 {
	free := ^occupied
	if side == engine.First {
		step := bit(from) << 8 & free
		return step | step&(0xff<<16)<<8&free
	}
	step := bit(from) >> 8 & free
	return step | step&(0xff<<40)>>8&free
}

func (g *game) pawnMoves(s *state, dst []engine.Move, from uint8, allowed uint64) []engine.Move {
	captures := g.pawn[s.turn][from]
	to := (captures&s.sides[s.turn.Other()] | pawnSteps(from, s.turn, s.occupied())) & allowed
	if to&lastRanks == 0 {
		dst = appendMoves(dst, from, to)
	} else {
		for ; to != 0; to &= to - 1 {
			for _, kind := range [...]Kind{Queen, Rook, Bishop, Knight} {
				dst = append(dst, newMove(from, lowest(to), kind))
			}
		}
	}
	if s.target != noSquare && captures&bit(s.target) != 0 && g.passes(s, from, s.target) {
		dst = append(dst, newMove(from, s.target, 0))
	}
	return dst
}

// A level is the scratch of one depth of perft.
type level struct {
	moves []engine.Move
	next  state
}

func (g *game) perft(s *state, levels []level) uint64 {
	at := &levels[len(levels)-1]
	at.moves = g.generate(s, at.moves[:0])
	if len(levels) == 1 {
		return uint64(len(at.moves))
	}
	var nodes uint64
	for _, m := range at.moves {
		at.next = *s
		g.play(&at.next, m)
		nodes += g.perft(&at.next, levels[:len(levels)-1])
	}
	return nodes
}

// reach returns where the piece on a square could go if no king had to be minded.
func (g *game) reach(s *state, from uint8) uint64 {
	side, occupied := s.turn, s.occupied()
	var to uint64
	switch s.kindOn(from) {
	case Pawn:
		to = g.pawn[side][from]&s.sides[side.Other()] | pawnSteps(from, side, occupied)
	case Knight:
		to = g.knight[from]
	case Bishop:
		to = g.bishopFrom(from, occupied)
	case Rook:
		to = g.rookFrom(from, occupied)
	case Queen:
		to = g.bishopFrom(from, occupied) | g.rookFrom(from, occupied)
	case King:
		to = g.king[from]
	}
	return to &^ s.sides[side]
}

func count(set uint64) int { return bits.OnesCount64(set) }
