package outwit

import (
	"math/bits"
	"math/rand/v2"

	"botarena/engine"
)

// The size of the board.
const (
	Files   = 9
	Ranks   = 10
	squares = Files * Ranks
	// lines is the number of sets of squares of a file, the longer line.
	lines = 1 << Ranks
)

// A Square is a square of the board: 0 is a1, 1 is b1, 89 is i10.
type Square uint8

// NoSquare is the absence of a square, such as the king of a side without one.
const NoSquare Square = squares

// SquareAt returns the square of a file (0 is a) and a rank (0 is rank 1), both
// of which must be on the board.
func SquareAt(file, rank int) Square { return Square(rank*Files + file) }

// File returns the square's file, 0 for a to 8 for i.
func (s Square) File() int { return int(s) % Files }

// Rank returns the square's rank, 0 for rank 1 to 9 for rank 10.
func (s Square) Rank() int { return int(s) / Files }

// String returns the square's name, such as "a10".
func (s Square) String() string { return string(s.append(nil)) }

func (s Square) append(dst []byte) []byte {
	if s >= squares {
		return append(dst, '?')
	}
	dst = append(dst, 'a'+byte(s.File()))
	if s.Rank() == Ranks-1 {
		return append(dst, '1', '0')
	}
	return append(dst, '1'+byte(s.Rank()))
}

// CornerOf returns the side whose corner the square is in, or engine.NoSide.
func CornerOf(s Square) engine.Side {
	file, rank := s.File(), s.Rank()
	switch {
	case s >= squares:
		return engine.NoSide
	case file >= 6 && rank >= 7:
		return engine.First
	case file <= 2 && rank <= 2:
		return engine.Second
	}
	return engine.NoSide
}

// Squares is a set of squares: bit s of Low stands for a square s below 64, bit
// s-64 of High for one from 64 on.
type Squares struct{ Low, High uint64 }

// Has reports whether the set has the square.
func (b Squares) Has(s Square) bool { return (b.Low>>s|b.High>>(s-64))&1 != 0 }

// Len returns the number of squares in the set.
func (b Squares) Len() int { return bits.OnesCount64(b.Low) + bits.OnesCount64(b.High) }

// Pop takes the lowest square out of the set and returns it, or NoSquare where
// the set is empty.
func (b *Squares) Pop() Square {
	if !b.any() {
		return NoSquare
	}
	lowest, rest := b.split()
	*b = rest
	return lowest
}

func (b Squares) any() bool { return b.Low|b.High != 0 }

// split parts the lowest square of a set that has one from the others. It has no
// branch: the processor cannot guess in which word the next square is.
func (b Squares) split() (lowest Square, rest Squares) {
	below, borrow := bits.Sub64(b.Low, 1, 0) // borrow is 1 where Low is empty
	lowest = Square(bits.TrailingZeros64(b.Low)) + Square(bits.TrailingZeros64(b.High))&-Square(borrow)
	return lowest, Squares{b.Low & below, b.High & (b.High - borrow)}
}

// Flip changes whether the set has the square. Of the two shifts one is always
// by 64 or more, whose result is 0.
func (b Squares) Flip(s Square) Squares { return Squares{b.Low ^ 1<<s, b.High ^ 1<<(s-64)} }

// And returns the squares that are in both sets.
func (b Squares) And(c Squares) Squares { return Squares{b.Low & c.Low, b.High & c.High} }

// Or returns the squares that are in either.
func (b Squares) Or(c Squares) Squares { return Squares{b.Low | c.Low, b.High | c.High} }

// Without returns the squares that are not in c.
func (b Squares) Without(c Squares) Squares { return Squares{b.Low &^ c.Low, b.High &^ c.High} }

// up and down move all squares by that many. What leaves the board on one side
// may come back on another, or beyond i10.
func (b Squares) up(n uint) Squares { return Squares{b.Low << n, b.High<<n | b.Low>>(64-n)} }

func (b Squares) down(n uint) Squares { return Squares{b.Low>>n | b.High<<(64-n), b.High >> n} }

// straights returns the steps of all chips: right, left, up, down. The opposite of
// direction d is d^1.
func straights() [4]int { return [4]int{1, -1, Files, -Files} }

// diagonals returns the steps that only kings make.
func diagonals() [4]int { return [4]int{Files + 1, -Files - 1, Files - 1, 1 - Files} }

// geometry holds the tables of the empty board for the generation of moves.
type geometry struct {
	places [squares]place
	// slides has what a chip at each index of a rank or a file can do, by the
	// bits of the taken squares.
	slides [Ranks][lines]slides
	// keys are the numbers that Hash combines, by side, kind (soldier, king) and
	// square, and the one for Dark to move.
	keys [2][2][squares]uint64
	dark uint64
	// corners are the corners of both sides, all the squares of the board, and
	// room2 those with two more squares in each straight direction.
	corners [2]Squares
	all     Squares
	room2   [4]Squares
	// steppers and jumpers are the squares from which neither a corner nor the
	// edge bars a step and a jump of each side, the straight directions first.
	steppers, jumpers [2][8]Squares
}

// A place is one square of the empty board.
type place struct {
	file, rank uint8
	corner     engine.Side // whose corner it is in
	// inRank and inFile are the rows of geometry.slides for its file and its rank.
	inRank, inFile *[lines]slides
	// room is the number of squares up to the edge in each direction, the
	// straight ones first.
	room [8]uint8
	// rankWall and fileWall are, for a chip of each side that stands here, the
	// squares of its rank and its file that it can never slide to, as bits by
	// file and by rank; in a rank the bit beyond i is set as well.
	rankWall, fileWall [2]uint16
	// reach is how many squares a king of each side that stands here could slide
	// on the empty board in each of the diagonals.
	reach [2][4]uint8
	// diagonal are the squares that touch it at a corner.
	diagonal Squares
}

func (g *geometry) fill() {
	for s := range Square(squares) {
		at := &g.places[s]
		at.inRank, at.inFile = &g.slides[s.File()], &g.slides[s.Rank()]
		at.file, at.rank, at.corner = uint8(s.File()), uint8(s.Rank()), CornerOf(s)
		right, left := uint8(Files-1)-at.file, at.file
		up, down := uint8(Ranks-1)-at.rank, at.rank
		at.room = [8]uint8{right, left, up, down, min(up, right), min(down, left), min(up, left), min(down, right)}
		g.all = g.all.Flip(s)
		if at.corner != engine.NoSide {
			g.corners[at.corner] = g.corners[at.corner].Flip(s)
		}
		for d := range g.room2 {
			if at.room[d] >= 2 {
				g.room2[d] = g.room2[d].Flip(s)
			}
		}
	}
	for s := range Square(squares) {
		g.fillReach(s)
		g.fillJumpers(s)
	}
	g.fillSlides()
	random := rand.NewPCG(0x6f7574776974, 1978)
	for side := range g.keys {
		for kind := range g.keys[side] {
			for s := range g.keys[side][kind] {
				g.keys[side][kind][s] = random.Uint64()
			}
		}
	}
	g.dark = random.Uint64()
}

func (g *geometry) fillSlides() {
	for i := range Ranks {
		for line := range uint(lines) {
			below := i - bits.Len(line&(1<<i-1))
			above := min(bits.TrailingZeros(line>>(i+1)), Ranks-1-i)
			g.slides[i][line] = newSlides(below, above)
		}
	}
}

// fillJumpers fills in which steps and jumps a square allows.
func (g *geometry) fillJumpers(s Square) {
	at := &g.places[s]
	straight, diagonal := straights(), diagonals()
	for d, step := range append(straight[:], diagonal[:]...) {
		if at.room[d] > 0 && d >= 4 {
			at.diagonal = at.diagonal.Flip(Square(int(s) + step))
		}
		for side := range engine.Side(2) {
			if at.room[d] >= 1 && !g.barred(side, s, Square(int(s)+step)) {
				g.steppers[side][d] = g.steppers[side][d].Flip(s)
			}
			if at.room[d] >= 2 && !g.barred(side, s, Square(int(s)+2*step)) {
				g.jumpers[side][d] = g.jumpers[side][d].Flip(s)
			}
		}
	}
}

// fillReach fills in how far the corners let chips on a square slide.
func (g *geometry) fillReach(s Square) {
	at := &g.places[s]
	for side := range engine.Side(2) {
		at.rankWall[side] = 1 << Files
		for f := range Files {
			if g.barred(side, s, SquareAt(f, int(at.rank))) {
				at.rankWall[side] |= 1 << f
			}
		}
		for r := range Ranks {
			if g.barred(side, s, SquareAt(int(at.file), r)) {
				at.fileWall[side] |= 1 << r
			}
		}
		for d, step := range diagonals() {
			// From square to square, so that a slide through the chip's own
			// corner ends at the last square inside.
			from := int(s)
			for range at.room[4+d] {
				if g.barred(side, Square(from), Square(from+step)) {
					break
				}
				from += step
				at.reach[side][d]++
			}
		}
	}
}

// barred reports whether corners keep a chip of that side from going from one
// square to another.
func (g *geometry) barred(side engine.Side, from, to Square) bool {
	a, b := g.places[from].corner, g.places[to].corner
	return b == 1-side || a == side && b != side
}
