package chess

import (
	"math/bits"
	"math/rand/v2"

	"botarena/engine"
)

// Squares count from a1 = 0 along the ranks to h8 = 63.
const (
	squares  = 64
	noSquare = 64
)

// The directions of lines. Squares number upwards along the first four.
const (
	north = iota
	east
	northEast
	northWest
	south
	west
	southWest
	southEast
	directions
)

// Rights to castle, as bits: White's towards the h-file and the a-file, then
// Black's. Castling number i wants the right 1<<i.
const (
	castlings    = 4
	rightsOfSide = 3 // shifted by twice the side
	allRights    = 1<<castlings - 1
)

const (
	lastRanks    uint64 = 0xff000000000000ff
	lightSquares uint64 = 0x55aa55aa55aa55aa // the light squares
)

// tables holds attacks on the empty board and the keys of the hash.
type tables struct {
	knight, king [squares]uint64
	pawn         [2][squares]uint64 // captures, by side
	ray          [directions][squares]uint64

	pieceKey  [2][6][squares]uint64
	rightsKey [allRights + 1]uint64
	fileKey   [8]uint64 // of a legal en-passant capture
	blackKey  uint64
}

func newTables() tables {
	var t tables
	steps := [directions][2]int{
		north: {0, 1}, east: {1, 0}, northEast: {1, 1}, northWest: {-1, 1},
		south: {0, -1}, west: {-1, 0}, southWest: {-1, -1}, southEast: {1, -1},
	}
	for sq := range squares {
		for _, v := range [][2]int{{1, 2}, {2, 1}, {2, -1}, {1, -2}, {-1, -2}, {-2, -1}, {-2, 1}, {-1, 2}} {
			t.knight[sq] |= shifted(sq, v[0], v[1])
		}
		for d, v := range steps {
			t.king[sq] |= shifted(sq, v[0], v[1])
			for n := 1; n < 8; n++ {
				t.ray[d][sq] |= shifted(sq, n*v[0], n*v[1])
			}
		}
		t.pawn[engine.First][sq] = shifted(sq, -1, 1) | shifted(sq, 1, 1)
		t.pawn[engine.Second][sq] = shifted(sq, -1, -1) | shifted(sq, 1, -1)
	}

	rng := rand.New(rand.NewPCG(0x63686573, 0x73)) // any constant: hashes are the same everywhere
	for side := range t.pieceKey {
		for kind := range t.pieceKey[side] {
			for sq := range squares {
				t.pieceKey[side][kind][sq] = rng.Uint64()
			}
		}
	}
	for i := range t.rightsKey {
		t.rightsKey[i] = rng.Uint64()
	}
	for i := range t.fileKey {
		t.fileKey[i] = rng.Uint64()
	}
	t.blackKey = rng.Uint64()
	return t
}

// shifted returns the square that many files and ranks away, no square if it is off the
// board.
func shifted(sq, files, ranks int) uint64 {
	file, rank := sq%8+files, sq/8+ranks
	if file < 0 || file > 7 || rank < 0 || rank > 7 {
		return 0
	}
	return 1 << (rank*8 + file)
}

func bit(sq uint8) uint64 { return 1 << sq }

func lowest(set uint64) uint8 { return uint8(bits.TrailingZeros64(set)) }

// nearest returns the first of some squares on a ray, which must not be none.
func nearest(set uint64, direction int) uint8 {
	if direction < south {
		return lowest(set)
	}
	return uint8(63 - bits.LeadingZeros64(set))
}

// slide returns where a piece gets along one direction, the first piece met included.
func (t *tables) slide(sq uint8, occupied uint64, direction int) uint64 {
	ray := t.ray[direction][sq]
	if met := ray & occupied; met != 0 {
		ray ^= t.ray[direction][nearest(met, direction)]
	}
	return ray
}

func (t *tables) rookFrom(sq uint8, occupied uint64) uint64 {
	return t.slide(sq, occupied, north) | t.slide(sq, occupied, east) | t.slide(sq, occupied, south) | t.slide(sq, occupied, west)
}

func (t *tables) bishopFrom(sq uint8, occupied uint64) uint64 {
	return t.slide(sq, occupied, northEast) | t.slide(sq, occupied, northWest) |
		t.slide(sq, occupied, southWest) | t.slide(sq, occupied, southEast)
}
