package learnt

import (
	"math/bits"

	"botarena/bots/eval"
	"botarena/engine"
	"botarena/engine/outwit"
)

const (
	squares  = outwit.Files * outwit.Ranks
	stages   = 4 // of a side, by its chips at home
	far      = 3 // so many slides from home, or more
	kingFar  = 2
	mostNeed = 32

	// Where the weights of a side are; those of the other one follow, and then those
	// of both sides' needs.
	soldiersAt = 0
	kingAt     = soldiersAt + stages*far*squares
	kingHomeAt = kingAt + stages*kingFar*squares
	cornerAt   = kingHomeAt + 10
	sideSize   = cornerAt + 1<<9
	needsAt    = 2 * sideSize
)

// homingSize is the number of weights.
const homingSize = needsAt + mostNeed*mostNeed

// stageOf returns the stage of a side with so many chips at home.
func stageOf(home int) int { return [10]int{0, 0, 0, 1, 1, 2, 2, 2, 3, 3}[home] }

// A geometry holds the distances on the empty board.
type geometry struct {
	// lanes are squares of a file or a rank that leads into a corner, by side, line
	// and the number of squares before the corner.
	files [2][3][8]outwit.Squares
	ranks [2][3][7]outwit.Squares
	// diagonals are the squares that a king passes on its way into its corner, the
	// first one in it being the last: no more than three ways, by side and square.
	diagonals [2][squares][]outwit.Squares
	// turned is the square as the side sees it, its own corner being Light's.
	turned [2][squares]uint8
	mirror [8]int // three bits read backward
	home   [2][squares]bool
}

func newGeometry() *geometry {
	g := &geometry{}
	for i := range g.mirror {
		g.mirror[i] = i&1<<2 | i&2 | i>>2
	}
	for side := range engine.Side(2) {
		for line := range 3 {
			for n := range 8 {
				g.files[side][line][n] = lane(side, line, n, true)
			}
			for n := range 7 {
				g.ranks[side][line][n] = lane(side, line, n, false)
			}
		}
		for s := range outwit.Square(squares) {
			g.turned[side][s] = uint8(turn(side, s))
			g.diagonals[side][s] = diagonals(side, s)
			g.home[side][s] = outwit.CornerOf(s) == side
		}
	}
	return g
}

// turn returns where a square of the side's own view is on the board, and the other way
// round.
func turn(side engine.Side, s outwit.Square) outwit.Square {
	if side == engine.Second {
		return squares - 1 - s
	}
	return s
}

// lane returns the n squares next to the corner in one of its files or ranks, counted
// on the board.
func lane(side engine.Side, line, n int, file bool) (set outwit.Squares) {
	if side == engine.Second {
		line = 2 - line // the corner as its side sees it
	}
	for i := range n {
		at := outwit.SquareAt(outwit.Files-3+line, outwit.Ranks-4-i)
		if !file {
			at = outwit.SquareAt(outwit.Files-4-i, outwit.Ranks-3+line)
		}
		set = set.Flip(turn(side, at))
	}
	return set
}

func diagonals(side engine.Side, s outwit.Square) (ways []outwit.Squares) {
	if outwit.CornerOf(s) == side {
		return nil
	}
	for _, d := range [4][2]int{{1, 1}, {1, -1}, {-1, 1}, {-1, -1}} {
		var way outwit.Squares
		file, rank := s.File()+d[0], s.Rank()+d[1]
		for file >= 0 && file < outwit.Files && rank >= 0 && rank < outwit.Ranks {
			at := outwit.SquareAt(file, rank)
			if outwit.CornerOf(at) == side.Other() {
				break
			}
			way = way.Flip(at)
			if outwit.CornerOf(at) == side {
				ways = append(ways, way)
				break
			}
			file, rank = file+d[0], rank+d[1]
		}
	}
	return ways
}

// Home reports whether a square is in the corner of a side.
func (g *geometry) Home(side engine.Side, s outwit.Square) bool { return g.home[side&1][s%squares] }

// Near returns the set of squares, taken or not, from which one slide leads a soldier
// of a side home.
func (g *geometry) Near(pos *outwit.Position, side engine.Side) (set outwit.Squares) {
	if side == engine.First {
		for line := range 3 {
			if file := pos.File(outwit.Files - 3 + line); file&(1<<(outwit.Ranks-3)) == 0 {
				first := max(bits.Len16(file&(1<<(outwit.Ranks-3)-1))-1, 0)
				set = set.Or(g.files[0][line][outwit.Ranks-3-first])
			}
			if rank := pos.Rank(outwit.Ranks - 3 + line); rank&(1<<(outwit.Files-3)) == 0 {
				first := max(bits.Len16(rank&(1<<(outwit.Files-3)-1))-1, 0)
				set = set.Or(g.ranks[0][line][outwit.Files-3-first])
			}
		}
		return set
	}
	for line := range 3 {
		if file := pos.File(line); file&4 == 0 {
			set = set.Or(g.files[1][line][min(bits.TrailingZeros16(file>>3)+1, outwit.Ranks-3)])
		}
		if rank := pos.Rank(line); rank&4 == 0 {
			set = set.Or(g.ranks[1][line][min(bits.TrailingZeros16(rank>>3)+1, outwit.Files-3)])
		}
	}
	return set
}

// KingNear reports whether a king that is not home can slide there; near is Near.
func (g *geometry) KingNear(pos *outwit.Position, side engine.Side, near outwit.Squares) bool {
	king := pos.King(side)
	if near.Has(king) {
		return true
	}
	for _, way := range g.diagonals[side][king] {
		if taken := pos.Taken(); way.Low&taken.Low|way.High&taken.High == 0 {
			return true
		}
	}
	return false
}

// corner returns which squares of its corner a side has taken, as it sees them.
func (g *geometry) corner(pos *outwit.Position, side engine.Side) int {
	if side == engine.First {
		return int(pos.Rank(7)>>6) | int(pos.Rank(8)>>6)<<3 | int(pos.Rank(9)>>6)<<6
	}
	return g.mirror[pos.Rank(2)&7] | g.mirror[pos.Rank(1)&7]<<3 | g.mirror[pos.Rank(0)&7]<<6
}

// most is the number of features that a position has, at most.
const most = 21

// features lists where the weights of a position are.
func (g *geometry) features(pos *outwit.Position, at *[most]int32) int {
	var need [2]int
	me := pos.Turn() & 1
	n := 0
	for i, side := range [2]engine.Side{me, 1 - me} {
		base, turned := i*sideSize, &g.turned[side&1]
		home := min(pos.Home(side), 9)
		stage := stageOf(home)
		near := g.Near(pos, side)
		out := outside(side, pos.Soldiers(side))
		first := base + soldiersAt + stage*far*squares
		for rest := out.And(near); rest != (outwit.Squares{}); n++ {
			at[n] = int32(first + int(turned[rest.Pop()]))
			need[i]++
		}
		for rest := out.Without(near); rest != (outwit.Squares{}); n++ {
			s := rest.Pop()
			d := far
			for _, e := range pos.Ends(side, s) {
				if near.Has(e) {
					d = 2
					break
				}
			}
			need[i] += d
			at[n] = int32(first + (d-1)*squares + int(turned[s]))
		}
		switch king := pos.King(side); {
		case king == outwit.NoSquare:
		case g.Home(side, king):
			at[n] = int32(base + kingHomeAt + home)
			n++
		default:
			d := kingFar
			if g.KingNear(pos, side, near) {
				d = 1
			}
			need[i] += d
			at[n] = int32(base + kingAt + (stage*kingFar+d-1)*squares + int(turned[king]))
			n++
		}
		at[n] = int32(base + cornerAt + g.corner(pos, side))
		n++
	}
	at[n] = int32(needsAt + min(need[0], mostNeed-1)*mostNeed + min(need[1], mostNeed-1))
	return n + 1
}

// outside leaves out what is home.
func outside(side engine.Side, set outwit.Squares) outwit.Squares {
	if side == engine.First {
		set.High &^= 0b111<<5 | 0b111<<14 | 0b111<<23 // g8, g9 and g10 are the squares 69, 78 and 87
		return set
	}
	set.Low &^= 0b111 | 0b111<<9 | 0b111<<18
	return set
}

func (g *geometry) indexes(dst []int32, pos engine.Position) []int32 {
	var at [most]int32
	return append(dst, at[:g.features(pos.(*outwit.Position), &at)]...)
}

// Homing judges positions of Outwit by how far the chips are from home: each soldier by its
// square and by the slides that it needs as the chips stand, the king by its square, the
// corners by which of their squares are taken, and both sides together by the slides that
// each of them still needs. It is immutable.
type Homing struct {
	*geometry
	weights []int16
}

// NewHoming returns a judge by weights as Decode or RulesOfThumb returns them.
func NewHoming(weights []int16) *Homing { return &Homing{newGeometry(), weights} }

// Evaluate judges a position in centipawns for the side to move.
func (h *Homing) Evaluate(pos *outwit.Position) int {
	var at [most]int32
	sum := 0
	for _, i := range at[:h.features(pos, &at)] {
		sum += int(h.weights[i])
	}
	return sum / Unit
}

// homingOfThumb returns the weights of package eval's rules of thumb.
func homingOfThumb() []int16 {
	list := make([]int16, homingSize)
	for i, sign := range [2]int{1, -1} {
		of := list[i*sideSize:]
		for s := range squares {
			for stage := range stages {
				for d := range far {
					of[soldiersAt+(stage*far+d)*squares+s] = int16(sign * Unit * eval.OutwitSoldier(outwit.Square(s), engine.First))
				}
				for d := range kingFar {
					of[kingAt+(stage*kingFar+d)*squares+s] = int16(sign * Unit * eval.OutwitKingOut)
				}
			}
		}
		// The corner's squares do not say which is the king's: his is no soldier's.
		soldier := eval.OutwitSoldier(outwit.SquareAt(outwit.Files-1, outwit.Ranks-1), engine.First)
		for home := range 10 {
			of[kingHomeAt+home] = int16(sign * Unit * (eval.OutwitGuarded*home - soldier))
		}
		for taken := range 1 << 9 {
			of[cornerAt+taken] = int16(sign * Unit * soldier * bits.OnesCount(uint(taken)))
		}
	}
	return list
}
