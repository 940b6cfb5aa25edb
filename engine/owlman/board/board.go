// Package board has the geometry of Owlman's board, for its rules and its tables.
//
// Squares number the 32 light squares, rank 8 first, four a rank: a8 is 0, c8 is
// 1, b7 is 4, h1 is 31. A uint32 is a set of them.
package board

import "math/bits"

// Squares with a meaning, and how many there are. Nowhere is no square: 1<<Nowhere
// is no bit of a uint32.
const (
	A8      = 0
	B7      = 4
	H1      = 31
	Squares = 32
	Nowhere = 32
)

// The directions of a step. Squares number upwards along the last two.
const (
	NorthWest = iota
	NorthEast
	SouthWest
	SouthEast
	NoDirection
)

// A Geometry is the board's tables.
type Geometry struct {
	Step      [Squares]uint32         // squares one step away
	Swoop     [Squares]uint32         // squares a (1,3) leap away
	Ray       [4][Squares]uint32      // squares beyond, by direction
	Direction [Squares][Squares]uint8 // of the step between two squares
}

// Bit returns the set of one square.
func Bit(sq uint8) uint32 { return 1 << sq }

// SquareAt returns the light square in that column and row, both from 0 and
// row 0 being rank 8.
func SquareAt(col, row int) (sq uint8, ok bool) {
	if col < 0 || col > 7 || row < 0 || row > 7 || (col+row)%2 != 0 {
		return 0, false
	}
	return uint8(row*4 + col/2), true
}

// Place returns the inverse of SquareAt.
func Place(sq uint8) (col, row int) {
	row = int(sq) / 4
	return int(sq)%4*2 + row%2, row
}

// Letter returns the letter of the piece on a square, 0 for none.
func Letter(sq, doc, owl uint8, helpers uint32) byte {
	switch {
	case sq == owl:
		return 'O'
	case sq == doc:
		return 'D'
	case helpers&Bit(sq) != 0:
		return 'H'
	}
	return 0
}

// New returns the tables.
func New() Geometry {
	var g Geometry
	delta := [4][2]int{NorthWest: {-1, -1}, NorthEast: {1, -1}, SouthWest: {-1, 1}, SouthEast: {1, 1}}
	for from := range uint8(Squares) {
		col, row := Place(from)
		for to := range uint8(Squares) {
			g.Direction[from][to] = NoDirection
			c, r := Place(to)
			if dc, dr := c-col, r-row; dc*dc+dr*dr == 1+9 {
				g.Swoop[from] |= Bit(to)
			}
		}
		for d, v := range delta {
			for n := 1; ; n++ {
				to, ok := SquareAt(col+n*v[0], row+n*v[1])
				if !ok {
					break
				}
				g.Ray[d][from] |= Bit(to)
				if n == 1 {
					g.Step[from] |= Bit(to)
					g.Direction[from][to] = uint8(d)
				}
			}
		}
	}
	return g
}

// FirstOn returns the first of pieces that is met from sq in a direction, as a
// set of one square or none.
func (g *Geometry) FirstOn(pieces uint32, sq, direction uint8) uint32 {
	met := pieces & g.Ray[direction][sq]
	if met == 0 {
		return 0
	}
	if direction == NorthWest || direction == NorthEast {
		return 1 << (31 - bits.LeadingZeros32(met))
	}
	return met & -met
}
