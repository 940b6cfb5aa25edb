package outwit

import (
	"fmt"

	"botarena/engine"
)

// whyNot explains why a written move is not legal here. It reads the rules anew,
// square by square, for a person rather than for speed.
func (p *Position) whyNot(m written) string {
	side := p.turn
	mine, theirs := colour(side), colour(side.Other())
	if out := p.Outcome(); out.Over {
		return "the game is over: " + out.Reason
	}
	switch p.side(m.from) {
	case engine.NoSide:
		return fmt.Sprintf("no chip of %s on %s", mine, m.from)
	case side.Other():
		return fmt.Sprintf("%s has a chip of %s, and %s is to move", m.from, theirs, mine)
	}
	king := p.King(side) == m.from
	files, ranks := m.to.File()-m.from.File(), m.to.Rank()-m.from.Rank()
	far := max(files, -files, ranks, -ranks)
	straight, diagonal := files == 0 || ranks == 0, files == ranks || files == -ranks
	switch {
	case far == 0:
		return "a move changes the square"
	case !king && !straight:
		return "a soldier moves along a rank or a file"
	case !straight && !diagonal:
		return "a king moves along a rank, a file or a diagonal"
	case CornerOf(m.to) == side.Other():
		return fmt.Sprintf("%s is in %s's corner, which no chip of %s enters", m.to, theirs, mine)
	case CornerOf(m.from) == side && CornerOf(m.to) != side:
		return "a chip never leaves its own corner"
	}
	files, ranks = files/far, ranks/far
	if p.game.rule == push && far == 1 && straight && p.side(m.to) == side {
		return p.whyNoPush(m, files, ranks)
	}
	if m.lift != NoSquare {
		return "only a push that would force a chip into the pusher's corner lifts it, in outwit:push"
	}
	if why := p.blocked(m.from, m.to, files, ranks); why != "" {
		return why
	}
	end := m.to
	for {
		next := step(end, files, ranks)
		if next == NoSquare || p.side(next) != engine.NoSide || p.game.board.barred(side, end, next) {
			return fmt.Sprintf("a soldier slides as far as it can: from %s %s to %s", m.from, direction(files, ranks), end)
		}
		end = next
	}
}

func direction(files, ranks int) string {
	switch {
	case ranks > 0:
		return "up"
	case ranks < 0:
		return "down"
	case files > 0:
		return "right"
	}
	return "left"
}

// step returns the next square in a direction, NoSquare beyond the edge.
func step(s Square, files, ranks int) Square {
	f, r := s.File()+files, s.Rank()+ranks
	if f < 0 || f >= Files || r < 0 || r >= Ranks {
		return NoSquare
	}
	return SquareAt(f, r)
}

// blocked reports what is in the way of a slide, "" if nothing is.
func (p *Position) blocked(from, to Square, files, ranks int) string {
	for at := from; at != to; {
		next := step(at, files, ranks)
		switch {
		case CornerOf(next) == p.turn.Other():
			return fmt.Sprintf("%s, on the way, is in %s's corner", next, colour(p.turn.Other()))
		case CornerOf(at) == p.turn && CornerOf(next) != p.turn:
			return fmt.Sprintf("on %s the chip is in its own corner, which it never leaves", at)
		case p.side(next) != engine.NoSide && next == to:
			return fmt.Sprintf("%s is taken by a chip of %s", to, colour(p.side(to)))
		case p.side(next) != engine.NoSide:
			return fmt.Sprintf("a chip of %s on %s is in the way", colour(p.side(next)), next)
		}
		at = next
	}
	return ""
}

// whyNoPush is whyNot where the chip's next square holds a chip of its own side.
func (p *Position) whyNoPush(m written, files, ranks int) string {
	side := p.turn
	var chips []Square
	behind := m.from
	run := func(owner engine.Side) (n int) {
		for ; behind != NoSquare && p.side(behind) == owner; n++ {
			chips = append(chips, behind)
			behind = step(behind, files, ranks)
		}
		return n
	}
	pushers, pushed := run(side), run(side.Other())
	switch {
	case pushed == 0:
		return fmt.Sprintf("%s is taken by a chip of %s, and no chip of %s is there to push",
			m.to, colour(side), colour(side.Other()))
	case pushers > 3:
		return fmt.Sprintf("2 or 3 chips push, not the %d from %s on", pushers, m.from)
	case pushed >= pushers:
		return fmt.Sprintf("%d chips push fewer than %d, not %d", pushers, pushers, pushed)
	case behind == NoSquare:
		return fmt.Sprintf("the chip on %s would be pushed off the board", chips[len(chips)-1])
	case p.side(behind) != engine.NoSide:
		return fmt.Sprintf("the square behind the pushed chips, %s, is taken", behind)
	}
	for i, at := range chips {
		next, owner := behind, side
		if i < len(chips)-1 {
			next = chips[i+1]
		}
		if i >= pushers {
			owner = side.Other()
		}
		switch {
		case CornerOf(at) == owner && CornerOf(next) != owner:
			return fmt.Sprintf("the chip on %s never leaves its own corner", at)
		case owner == side && CornerOf(next) == side.Other():
			return fmt.Sprintf("the chip on %s would enter %s's corner", at, colour(side.Other()))
		}
	}
	forced := CornerOf(behind) == side
	switch {
	case m.lift == NoSquare:
		return fmt.Sprintf("the chip that %s's corner is closed to is lifted: write its new square, such as %s%s=%s",
			colour(side), m.from, m.to, m.from)
	case !forced:
		return "a push lifts a chip only where it would be forced into the pusher's corner"
	case CornerOf(m.lift) == side:
		return fmt.Sprintf("a lifted chip is put outside %s's corner", colour(side))
	}
	return fmt.Sprintf("%s is not empty after the push", m.lift)
}
