package outwit

import (
	"math/bits"
	"slices"

	"botarena/engine"
)

// A move has, from the lowest bit: 7 bits for the square it starts from, 7 for
// the square it ends on, 7 for the square where a lifted chip is put plus one
// (0 where none is lifted), 2 for the number of pushing chips and 2 for the
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

// From is the square of the chip that moves; in a push, the rearmost one.
func From(m engine.Move) Square { return Square(m & 127) }

// To is the square that the chip at From moves to.
func To(m engine.Move) Square { return Square(m >> toShift & 127) }

// Lifted is the square where a push puts the enemy chip that it lifts, or
// NoSquare.
func Lifted(m engine.Move) Square {
	if lift := m >> liftShift & 127; lift != 0 {
		return Square(lift - 1)
	}
	return NoSquare
}

// Pushed returns how many chips push and how many enemy chips are pushed; both
// are 0 where the move is no push.
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
	s, side := &p.now, p.turn&1
	king := s.kings[side]
	soldiers := s.soldiers(side)
	for w, word := range [2]uint64{soldiers.Low, soldiers.High} {
		for ; word != 0; word &= word - 1 {
			from := Square(w<<6 + bits.TrailingZeros64(word))
			at := &p.game.board.places[from]
			low, high := s.alongRank(at, side)
			f := int(at.file)
			move := newMove(from, from)
			// Every target is written and only the count depends on whether it
			// is one: the processor cannot guess which way a soldier is free.
			dst[n] = move - engine.Move(f-low)<<toShift
			n += asInt(low < f)
			dst[n] = move + engine.Move(high-f)<<toShift
			n += asInt(high > f)
			low, high = s.alongFile(at, side)
			r := int(at.rank)
			dst[n] = move - engine.Move((r-low)*Files)<<toShift
			n += asInt(low < r)
			dst[n] = move + engine.Move((high-r)*Files)<<toShift
			n += asInt(high > r)
		}
	}
	if king == NoSquare {
		return dst[:n]
	}
	at := &p.game.board.places[king]
	low, high := s.alongRank(at, side)
	for f := low; f <= high; f++ {
		dst[n] = newMove(king, king+Square(f)-Square(at.file))
		n += asInt(f != int(at.file))
	}
	low, high = s.alongFile(at, side)
	for r := low; r <= high; r++ {
		dst[n] = newMove(king, SquareAt(int(at.file), r))
		n += asInt(r != int(at.rank))
	}
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

// alongRank returns the lowest and the highest file that a chip at that place
// can slide to.
func (s *state) alongRank(at *place, side engine.Side) (low, high int) {
	return span(uint32(s.ranks[at.rank]|at.rankWall[side]), at.file)
}

// alongFile is alongRank for ranks.
func (s *state) alongFile(at *place, side engine.Side) (low, high int) {
	return span(uint32(s.files[at.file]|at.fileWall[side]), at.rank)
}

// span returns the ends of the free stretch of the line around i, where bit i
// itself does not count. A higher bit than i must be set.
func span(line uint32, i uint8) (low, high int) {
	i &= 15
	return bits.Len32(line & (1<<i - 1)), int(i) + bits.TrailingZeros32(line>>(i+1))
}

// canMove tells whether the side to move has a legal move, the rules that end
// the game aside.
func (p *Position) canMove() bool {
	s, side := &p.now, p.turn&1
	chips := s.chips[side]
	for from := chips.Pop(); from != NoSquare; from = chips.Pop() {
		at := &p.game.board.places[from]
		rank := (s.ranks[at.rank]|at.rankWall[side])<<1 | 1
		file := (s.files[at.file]|at.fileWall[side])<<1 | 1
		if rank>>at.file&5 != 5 || file>>at.rank&5 != 5 {
			return true
		}
	}
	if king := s.kings[side]; king != NoSquare {
		taken := s.taken()
		for d, step := range diagonals() {
			if p.game.board.places[king].reach[side][d] > 0 && !taken.Has(Square(int(king)+step)) {
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

// appendJumps appends the jumps over an enemy chip.
func (p *Position) appendJumps(dst []engine.Move) []engine.Move {
	s, side := &p.now, p.turn&1
	own, enemy, free := s.chips[side], s.chips[1-side], p.free()
	jumpers := [4]Squares{
		own.and(enemy.down(1)).and(free.down(2)),
		own.and(enemy.up(1)).and(free.up(2)),
		own.and(enemy.down(Files)).and(free.down(2 * Files)),
		own.and(enemy.up(Files)).and(free.up(2 * Files)),
	}
	for d, step := range straights() {
		from := jumpers[d].and(p.game.board.room2[d])
		for at := from.Pop(); at != NoSquare; at = from.Pop() {
			dst = p.appendJump(dst, at, step)
		}
	}
	king := s.kings[side]
	if king == NoSquare {
		return dst
	}
	for d, step := range diagonals() {
		if p.game.board.places[king].room[4+d] >= 2 &&
			enemy.Has(Square(int(king)+step)) && free.Has(Square(int(king)+2*step)) {
			dst = p.appendJump(dst, king, step)
		}
	}
	return dst
}

func (p *Position) appendJump(dst []engine.Move, from Square, step int) []engine.Move {
	to := Square(int(from) + 2*step)
	if p.game.board.barred(p.turn&1, from, to) {
		return dst
	}
	return append(dst, newMove(from, to))
}

// appendPushes appends the pushes, each that lifts a chip once for every square
// where the chip may go.
func (p *Position) appendPushes(dst []engine.Move) []engine.Move {
	own, enemy := p.now.chips[p.turn&1], p.now.chips[1-p.turn&1]
	// The foremost pushing chips, at least one of their own behind them.
	fronts := [4]Squares{
		own.and(own.up(1)).and(enemy.down(1)),
		own.and(own.down(1)).and(enemy.up(1)),
		own.and(own.up(Files)).and(enemy.down(Files)),
		own.and(own.down(Files)).and(enemy.up(Files)),
	}
	for d, step := range straights() {
		front := fronts[d].and(p.game.board.room2[d])
		for at := front.Pop(); at != NoSquare; at = front.Pop() {
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
		free := p.liftSquares(rear)
		for to := free.Pop(); to != NoSquare; to = free.Pop() {
			dst = append(dst, move|engine.Move(to+1)<<liftShift)
		}
	}
	return dst
}

// liftSquares are the squares where a lifted chip may go in a push by the side
// to move whose rearmost chip stands on rear: each square that is empty after the
// push and outside the pusher's corner.
func (p *Position) liftSquares(rear Square) Squares {
	free := p.free()
	free.flip(rear)
	return free.without(p.game.board.corners[p.turn&1])
}

// free is the set of the empty squares.
func (p *Position) free() Squares { return p.game.board.all.without(p.now.taken()) }
