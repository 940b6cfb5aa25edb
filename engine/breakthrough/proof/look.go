package proof

import (
	"slices"

	"botarena/engine"
	"botarena/engine/breakthrough"
)

// A looker plays moves on a position, and takes them back, from one side's view.
type looker struct {
	*Proof
	side  engine.Side
	pos   *breakthrough.Position
	power []uint64 // of 3, by square
}

func (p *Proof) look(side engine.Side, pos *breakthrough.Position) looker {
	l := looker{Proof: p, side: side, pos: pos, power: make([]uint64, 0, p.Cols*p.Rows)}
	for power := uint64(1); len(l.power) < p.Cols*p.Rows; power *= 3 {
		l.power = append(l.power, power)
	}
	return l
}

// Side returns who wins a position of the proof's board, by its answers and a search of
// so few plies as it leaves to its reader; engine.NoSide if unknown: a proof covers the
// positions that come up while its winner plays by it, those from which one move leads
// there, and the ends of games.
func (p *Proof) Side(pos *breakthrough.Position) engine.Side {
	if out := pos.Outcome(); out.Over {
		return out.Winner
	}
	pos = pos.Clone().(*breakthrough.Position)
	mover := p.look(pos.Turn(), pos)
	switch {
	case mover.wins(p.Plies):
		return pos.Turn()
	case mover.beaten(p.Plies):
		return pos.Turn().Other()
	}
	switch l := p.look(p.Winner, pos); {
	case pos.Turn() == p.Winner && (l.answered() || l.joins()), pos.Turn() != p.Winner && l.covered():
		return p.Winner
	}
	return engine.NoSide
}

// answered reports whether the proof has an answer to the position, in which its winner
// is to move.
func (l *looker) answered() bool {
	number, _ := l.number()
	_, ok := slices.BinarySearch(l.positions, number)
	return ok
}

// covered reports whether the proof's winner wins after each move of the other side,
// which is to move.
func (l *looker) covered() bool {
	for _, m := range l.pos.Legal(make([]engine.Move, 0, 64)) {
		l.pos.Play(m)
		won := !l.pos.Outcome().Over && (l.answered() || l.wins(l.Plies))
		l.pos.Undo()
		if !won {
			return false
		}
	}
	return true
}

// joins reports whether the proof's winner has a move after which all is covered.
func (l *looker) joins() bool {
	for _, m := range l.pos.Legal(make([]engine.Move, 0, 64)) {
		l.pos.Play(m)
		joins := l.pos.Outcome().Over || l.covered()
		l.pos.Undo()
		if joins {
			return true
		}
	}
	return false
}

// beaten reports whether the other side wins within so many plies after each move of
// the side, which is to move.
func (l *looker) beaten(plies int) bool {
	other := l.look(l.side.Other(), l.pos)
	return other.loses(plies)
}

// square returns a square as the side sees it, and the other way round.
func (l *looker) square(sq int) int {
	if l.side == engine.Second {
		return l.Cols*l.Rows - 1 - sq
	}
	return sq
}

// reflected returns a square's image left to right.
func (l *looker) reflected(sq int) int { return sq - sq%l.Cols + l.Cols - 1 - sq%l.Cols }

// number returns the position's number: see [New].
func (l *looker) number() (n uint64, mirrored bool) {
	var here, there uint64
	for i := range l.Cols * l.Rows {
		digit := uint64(0)
		switch l.pos.PieceAt(i) {
		case l.side:
			digit = 1
		case l.side.Other():
			digit = 2
		}
		sq := l.square(i)
		here += digit * l.power[sq]
		there += digit * l.power[l.reflected(sq)]
	}
	return min(here, there), there < here
}

func (l *looker) move(answer byte, mirrored bool) engine.Move {
	from := int(answer / 3)
	to := from + l.Cols + int(answer%3) - 1
	if mirrored {
		from, to = l.reflected(from), l.reflected(to)
	}
	return breakthrough.NewMove(l.square(from), l.square(to))
}

// wins reports whether the side, which is to move, can force the game's end within so
// many plies, by trying the moves.
func (l *looker) wins(plies int) bool {
	// With a ply left, only a move that ends the game will do; with three, only one that
	// does so or after which there is a piece one step from home. No other moves are
	// tried then: it makes no difference to the result.
	home := l.Rows - 1
	for _, m := range l.pos.Legal(make([]engine.Move, 0, 64)) {
		row := l.square(breakthrough.To(m)) / l.Cols
		if row < home-1 && plies <= 3 && !l.pos.Captures(m) && !l.near(home-1) || row < home && plies <= 1 && !l.pos.Captures(m) {
			continue
		}
		l.pos.Play(m)
		won := l.pos.Outcome().Over || plies > 2 && l.loses(plies-1)
		l.pos.Undo()
		if won {
			return true
		}
	}
	return false
}

// near reports whether the side has a piece on a row, counted from its home row.
func (l *looker) near(row int) bool {
	for file := range l.Cols {
		if l.pos.PieceAt(l.square(row*l.Cols+file)) == l.side {
			return true
		}
	}
	return false
}

// loses reports whether the side wins within so many plies whatever the other side,
// which is to move, plays.
func (l *looker) loses(plies int) bool {
	for _, m := range l.pos.Legal(make([]engine.Move, 0, 64)) {
		l.pos.Play(m)
		lost := !l.pos.Outcome().Over && l.wins(plies-1)
		l.pos.Undo()
		if !lost {
			return false
		}
	}
	return true
}
