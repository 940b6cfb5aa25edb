package owlman

import "math/bits"

// Squares number the 32 light squares, rank 8 first, four a rank: a8 is 0, c8 is
// 1, b7 is 4, h1 is 31. A uint32 is a set of them.
const (
	a8      = 0
	b7      = 4
	h1      = 31
	squares = 32
	nowhere = 32 // Doc's square once captured; 1<<nowhere is no bit of a uint32
)

// The directions of a step. Squares number upwards along the last two.
const (
	northWest = iota
	northEast
	southWest
	southEast
	noDirection
)

// Squares by their place in the row, for shifts between rows that are offset.
const (
	evenRowsNotLeft = 0x0e0e0e0e // c8 e8 g8 c6 ...
	oddRowsNotRight = 0x70707070 // b7 d7 f7 b5 ...
)

// A geometry is the board's tables.
type geometry struct {
	step      [squares]uint32         // squares one step away
	swoop     [squares]uint32         // squares a (1,3) leap away
	ray       [4][squares]uint32      // squares beyond, by direction
	direction [squares][squares]uint8 // of the step between two squares
}

func bit(sq uint8) uint32 { return 1 << sq }

// squareAt returns the light square in that column and row, both from 0 and
// row 0 being rank 8.
func squareAt(col, row int) (sq uint8, ok bool) {
	if col < 0 || col > 7 || row < 0 || row > 7 || (col+row)%2 != 0 {
		return 0, false
	}
	return uint8(row*4 + col/2), true
}

// place is the inverse of squareAt.
func place(sq uint8) (col, row int) {
	row = int(sq) / 4
	return int(sq)%4*2 + row%2, row
}

func newGeometry() geometry {
	var g geometry
	delta := [4][2]int{northWest: {-1, -1}, northEast: {1, -1}, southWest: {-1, 1}, southEast: {1, 1}}
	for from := range uint8(squares) {
		col, row := place(from)
		for to := range uint8(squares) {
			g.direction[from][to] = noDirection
			c, r := place(to)
			if dc, dr := c-col, r-row; dc*dc+dr*dr == 1+9 {
				g.swoop[from] |= bit(to)
			}
		}
		for d, v := range delta {
			for n := 1; ; n++ {
				to, ok := squareAt(col+n*v[0], row+n*v[1])
				if !ok {
					break
				}
				g.ray[d][from] |= bit(to)
				if n == 1 {
					g.step[from] |= bit(to)
					g.direction[from][to] = uint8(d)
				}
			}
		}
	}
	return g
}

// firstOn returns the first of pieces that is met from sq in a direction, as a
// set of one square or none.
func (g *geometry) firstOn(pieces uint32, sq, direction uint8) uint32 {
	met := pieces & g.ray[direction][sq]
	if met == 0 {
		return 0
	}
	if direction == northWest || direction == northEast {
		return 1 << (31 - bits.LeadingZeros32(met))
	}
	return met & -met
}
