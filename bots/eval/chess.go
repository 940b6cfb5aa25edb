package eval

import (
	"math/bits"

	"botarena/engine"
	"botarena/engine/chess"
)

// chessValues returns the usual ones, in centipawns, by Kind; the king has none.
func chessValues() [6]int { return [6]int{100, 320, 330, 500, 900, 0} }

// chessTables are the values of a piece on a square, from White's view with a1
// first, in the middle game and in the endgame.
type chessTables struct {
	middle, end [6][64]int
	phase       [6]int
}

// phases is the weight of all pieces at the start: what is left of it says how
// much of the middle game there is.
const phases = 24

// newChessTables computes the piece-square values from a few rules of thumb:
// minor pieces belong near the middle, rooks on the seventh rank, pawns go
// forward, those of the middle first, and the king hides in a corner until few
// pieces are left.
func newChessTables() *chessTables {
	t := &chessTables{phase: [6]int{0, 1, 1, 2, 4, 0}}
	values := chessValues()
	for sq := range 64 {
		file, rank := sq%8, sq/8
		// 0 at the edge to 3 in the middle, along files and along ranks
		inner, across := min(file, 7-file), min(rank, 7-rank)
		middle := inner + across
		for kind, value := range values {
			t.middle[kind][sq], t.end[kind][sq] = value, value
		}
		add := func(kind chess.Kind, middle, end int) {
			t.middle[kind][sq] += middle
			t.end[kind][sq] += end
		}
		steps := rank - 1
		add(chess.Pawn, 2*steps*inner+steps*steps/2, 3*steps*steps)
		add(chess.Knight, 10*middle-30, 8*middle-24)
		add(chess.Bishop, 5*middle-12, 4*middle-12)
		add(chess.Queen, middle-3, 4*middle-12)
		switch rank {
		case 6:
			add(chess.Rook, 20, 20)
		case 0:
			add(chess.Rook, 3*inner-4, 0)
			if inner == 1 || inner == 2 { // at home a minor piece is not developed
				add(chess.Knight, -10, 0)
				add(chess.Bishop, -10, 0)
			}
		}
		add(chess.King, -12*inner-18*rank, 10*middle-30)
	}
	return t
}

// evalChess counts material and where it stands, doubled and passed pawns, the
// pair of bishops and rooks without a pawn before them.
func evalChess() func(engine.Position) int {
	t := newChessTables()
	return func(p engine.Position) int {
		pos := p.(*chess.Position)
		middle, end, phase := 0, 0, 0
		for side := range engine.Side(2) {
			m, e := t.side(pos, side, &phase)
			if side == engine.Second {
				m, e = -m, -e
			}
			middle, end = middle+m, end+e
		}
		phase = min(phase, phases)
		return forSide(p, (middle*phase+end*(phases-phase))/phases)
	}
}

// side scores one side and adds its pieces to the phase.
func (t *chessTables) side(pos *chess.Position, side engine.Side, phase *int) (middle, end int) {
	turned := 0 // Black's squares are seen from his side of the board
	if side == engine.Second {
		turned = 56
	}
	own, foes := pos.Pieces(side, chess.Pawn), pos.Pieces(side.Other(), chess.Pawn)
	for kind := chess.Pawn; kind <= chess.King; kind++ {
		set := pos.Pieces(side, kind)
		if kind == chess.Bishop && bits.OnesCount64(set) > 1 {
			middle, end = middle+30, end+40
		}
		for ; set != 0; set &= set - 1 {
			at := bits.TrailingZeros64(set)
			sq := at ^ turned
			middle, end = middle+t.middle[kind][sq], end+t.end[kind][sq]
			*phase += t.phase[kind]
			file := fileA << (at % 8)
			switch {
			case kind == chess.Rook && file&own == 0:
				middle, end = middle+15, end+5
			case kind == chess.Pawn:
				m, e := pawn(at, sq/8, side, own, foes)
				middle, end = middle+m, end+e
			}
		}
	}
	return middle, end
}

const fileA uint64 = 0x0101010101010101

// pawn returns what a pawn is worth for its neighbours. rank is its own side's, from 0.
func pawn(at, rank int, side engine.Side, own, foes uint64) (middle, end int) {
	file := fileA << (at % 8)
	ahead := ^uint64(0) << (at/8*8 + 8)
	if side == engine.Second {
		ahead = 1<<(at/8*8) - 1
	}
	if file&ahead&own != 0 {
		middle, end = middle-10, end-20
	}
	wide := file
	if at%8 > 0 {
		wide |= fileA << (at%8 - 1)
	}
	if at%8 < 7 {
		wide |= fileA << (at%8 + 1)
	}
	if wide&ahead&foes == 0 {
		middle, end = middle+3*rank*rank/2, end+4*rank*rank
	}
	if (wide&^file)&own == 0 {
		middle, end = middle-10, end-10
	}
	return middle, end
}
