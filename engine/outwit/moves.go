package outwit

import (
	"slices"

	"botarena/engine"
)

// A move has, from the lowest bit: 7 bits for the square it starts from, 7 for
// the square it ends on, 7 for the square where a lifted chip is put plus one
// (0 if none is lifted), 2 for the number of pushing chips and 2 for the
// number of pushed ones (0 both where it is no push).
const (
	toShift      = 7
	liftShift    = 14
	pushersShift = 21
	pushedShift  = 23
)

// mostSlides is more than the slides that a side can have: 8 soldiers with 4
// each, and a king with at most 35.
const mostSlides = 72

// From returns the square of the chip that moves; in a push, the rearmost one.
func From(m engine.Move) Square { return Square(m & 127) }

// To returns the square that the chip at From moves to.
func To(m engine.Move) Square { return Square(m >> toShift & 127) }

// Lifted returns the square where a push puts the enemy chip that it lifts, or
// NoSquare.
func Lifted(m engine.Move) Square {
	if lift := m >> liftShift & 127; lift != 0 {
		return Square(lift - 1)
	}
	return NoSquare
}

// Pushed returns how many chips push and how many enemy chips are pushed; both
// are 0 if the move is no push.
func Pushed(m engine.Move) (pushers, pushed int) {
	return int(m >> pushersShift & 3), int(m >> pushedShift & 3)
}

func newMove(from, to Square) engine.Move {
	return engine.Move(from) | engine.Move(to)<<toShift
}

// Legal appends the legal moves: the slides of the soldiers from a1 on, those of
// the king, then jumps or pushes.
func (p *Position) Legal(dst []engine.Move) []engine.Move {
	if p.winner() != engine.NoSide || p.now.seen >= 3 {
		return dst
	}
	dst = p.appendSlides(dst)
	switch p.game.rule {
	case jump:
		dst = p.appendJumps(dst)
	case push:
		dst = p.appendPushes(dst)
	}
	return dst
}

func (p *Position) appendSlides(dst []engine.Move) []engine.Move {
	n := len(dst)
	dst = slices.Grow(dst, mostSlides)[:n+mostSlides]
	s, g, side := &p.now, &p.game.board, p.turn&1
	king := s.kings[side]
	soldiers := s.soldiers(side)
	for rest := soldiers; rest.any(); {
		var from Square
		from, rest = rest.split()
		at := &g.places[from]
		move := newMove(from, from)
		// Both ends are written and only the count depends on whether there are
		// two: the processor cannot guess which way a soldier is free.
		rank, file := g.alongRank(s, at, side), g.alongFile(s, at, side)
		dst[n] = move + rank.first()
		dst[n+1] = move + rank.second()
		n += rank.count()
		dst[n] = move + file.first()*Files
		dst[n+1] = move + file.second()*Files
		n += file.count()
	}
	if king == NoSquare {
		return dst[:n]
	}
	at := &g.places[king]
	n += g.alongRank(s, at, side).write(dst[n:], king, 1)
	n += g.alongFile(s, at, side).write(dst[n:], king, Files)
	taken := s.taken()
	for d, step := range diagonals() {
		to := int(king)
		for range at.reach[side][d] {
			to += step
			if taken.Has(Square(to)) {
				break
			}
			dst[n] = newMove(king, Square(to))
			n++
		}
	}
	return dst[:n]
}

func asInt(b bool) int {
	if b {
		return 1
	}
	return 0
}

// slides tells how far a chip can slide along a rank or a file, in one number
// because most of the time goes into soldiers' slides. From the lowest bit: 2
// bits for the number of directions it can move in; in the upper 9 of the lower
// 16, the signed number of steps to the end of the first direction, where down
// comes before up; in the upper 9 of all, the same for the second direction.
type slides int32

func newSlides(below, above int) slides {
	var steps [2]int
	n := 0
	for _, end := range [2]int{-below, above} {
		if end != 0 {
			steps[n] = end
			n++
		}
	}
	return slides(steps[1])<<(16+toShift) | slides(uint16(steps[0]<<toShift)) | slides(n)
}

// count returns the number of directions, 0 to 2.
func (l slides) count() int { return int(l & 3) }

// first and second return what to add to a move that ends where it starts, along a
// rank; along a file, Files times as much. Both are 0 if there is none.
func (l slides) first() engine.Move { return engine.Move(int16(l)) &^ (1<<toShift - 1) }

func (l slides) second() engine.Move { return engine.Move(l >> 16) }

// write writes the slides of a king along the line, whose squares are step apart,
// from the lowest on, and returns how many there are.
func (l slides) write(dst []engine.Move, king Square, step engine.Move) (n int) {
	first, second := int16(l)>>toShift, int16(l>>(16+toShift))
	below, above := max(-first, 0), max(first, second)
	move := newMove(king, king) - engine.Move(below)*step<<toShift
	for i := -below; i <= above; i++ {
		dst[n] = move
		n += asInt(i != 0)
		move += step << toShift
	}
	return n
}

// alongRank reports how far a chip at that place can slide in its rank.
func (g *geometry) alongRank(s *state, at *place, side engine.Side) slides {
	return at.inRank[(s.ranks[at.rank]|at.rankWall[side])%lines]
}

// alongFile is alongRank for the file.
func (g *geometry) alongFile(s *state, at *place, side engine.Side) slides {
	return at.inFile[(s.files[at.file]|at.fileWall[side])%lines]
}

// canMove reports whether the side to move has a legal move, the rules that end
// the game aside.
func (p *Position) canMove() bool {
	s, g, side := &p.now, &p.game.board, p.turn&1
	own, free := s.chips[side], p.free()
	for d, next := range [4]Squares{free.down(1), free.up(1), free.down(Files), free.up(Files)} {
		if own.And(next).And(g.steppers[side][d]).any() {
			return true
		}
	}
	if king := s.kings[side]; king != NoSquare {
		for d, step := range diagonals() {
			if g.steppers[side][4+d].Has(king) && free.Has(king+Square(step)) {
				return true
			}
		}
	}
	switch p.game.rule {
	case jump:
		p.scratch = p.appendJumps(p.scratch[:0])
	case push:
		p.scratch = p.appendPushes(p.scratch[:0])
	default:
		return false
	}
	return len(p.scratch) > 0
}

// appendJumps appends the jumps over an enemy chip: the straight ones, then those
// of the king along the diagonals.
func (p *Position) appendJumps(dst []engine.Move) []engine.Move {
	s, g, side := &p.now, &p.game.board, p.turn&1
	own, enemy, free := s.chips[side], s.chips[1-side], p.free()
	jumpers := [4]Squares{
		own.And(enemy.down(1)).And(free.down(2)),
		own.And(enemy.up(1)).And(free.up(2)),
		own.And(enemy.down(Files)).And(free.down(2 * Files)),
		own.And(enemy.up(Files)).And(free.up(2 * Files)),
	}
	for d, step := range straights() {
		for rest := jumpers[d].And(g.jumpers[side][d]); rest.any(); {
			var from Square
			from, rest = rest.split()
			dst = append(dst, newMove(from, from+Square(2*step)))
		}
	}
	king := s.kings[side]
	if king == NoSquare || !enemy.And(g.places[king].diagonal).any() {
		return dst
	}
	for d, step := range diagonals() {
		if g.jumpers[side][4+d].Has(king) && enemy.Has(king+Square(step)) && free.Has(king+Square(2*step)) {
			dst = append(dst, newMove(king, king+Square(2*step)))
		}
	}
	return dst
}

// appendPushes appends the pushes, each that lifts a chip once for every square
// where the chip may go.
func (p *Position) appendPushes(dst []engine.Move) []engine.Move {
	own, enemy := p.now.chips[p.turn&1], p.now.chips[1-p.turn&1]
	// The foremost pushing chips, at least one of their own behind them.
	fronts := [4]Squares{
		own.And(own.up(1)).And(enemy.down(1)),
		own.And(own.down(1)).And(enemy.up(1)),
		own.And(own.up(Files)).And(enemy.down(Files)),
		own.And(own.down(Files)).And(enemy.up(Files)),
	}
	for d, step := range straights() {
		for rest := fronts[d].And(p.game.board.room2[d]); rest.any(); {
			var at Square
			at, rest = rest.split()
			dst = p.appendPushesOf(dst, at, d, step)
		}
	}
	return dst
}

// appendPushesOf appends the pushes in a direction whose foremost chip stands on
// front, with an enemy chip on the next square and room for two.
func (p *Position) appendPushesOf(dst []engine.Move, front Square, d, step int) []engine.Move {
	side, room := p.turn&1, p.game.board.places[front].room
	own, enemy := p.now.chips[side], p.now.chips[1-side]
	at := func(i int) Square { return Square(int(front) + i*step) }
	pushed := 1
	if enemy.Has(at(2)) {
		pushed = 2
	}
	if int(room[d]) <= pushed || own.Has(at(pushed+1)) || enemy.Has(at(pushed+1)) {
		return dst
	}
	lift := false
	for i := 1; i <= pushed; i++ {
		if p.game.board.places[at(i+1)].corner == side {
			// Only the last one can get there, since no enemy is inside.
			lift = true
		} else if p.game.board.barred(1-side, at(i), at(i+1)) {
			return dst
		}
	}
	behind := int(room[d^1])
	for pushers := 1; pushers <= 3 && pushers <= behind+1; pushers++ {
		rear := at(1 - pushers)
		if !own.Has(rear) || p.game.board.barred(side, rear, at(2-pushers)) {
			break
		}
		if pushers <= pushed {
			continue
		}
		move := newMove(rear, at(2-pushers)) |
			engine.Move(pushers)<<pushersShift | engine.Move(pushed)<<pushedShift
		if !lift {
			dst = append(dst, move)
			continue
		}
		for rest := p.liftSquares(rear); rest.any(); {
			var to Square
			to, rest = rest.split()
			dst = append(dst, move|engine.Move(to+1)<<liftShift)
		}
	}
	return dst
}

// liftSquares returns the squares where a lifted chip may go in a push by the side
// to move whose rearmost chip stands on rear: each square that is empty after the
// push and outside the pusher's corner.
func (p *Position) liftSquares(rear Square) Squares {
	return p.free().Flip(rear).Without(p.game.board.corners[p.turn&1])
}

// free returns the set of the empty squares.
func (p *Position) free() Squares { return p.game.board.all.Without(p.now.taken()) }
