package session

import (
	"fmt"
	"time"

	"botarena/arena"
	"botarena/engine"
	"botarena/protocol"
)

// A Timer holds the state of one side's clock in a game.
type Timer struct {
	arena.TimeControl
	left time.Duration // of Base
	toGo int           // moves until Base is added again; 0 if it never is
}

// Allowance returns the time for the next move, without the margin. It is meaningful
// only if the clock is timed.
func (t *Timer) Allowance() time.Duration {
	switch {
	case t.Base <= 0:
		return t.Move
	case t.Move > 0:
		return min(t.Move, t.left)
	}
	return t.left
}

// Spend subtracts the time of a move and adds the increment. Time within the margin is
// not owed: the clock stops at zero before the increment.
func (t *Timer) Spend(elapsed time.Duration) {
	if t.Base <= 0 {
		return
	}
	t.left = max(t.left-elapsed, 0) + t.Increment
	if t.Moves > 0 {
		if t.toGo--; t.toGo == 0 {
			t.toGo = t.Moves
			t.left += t.Base
		}
	}
}

// Timers holds the clocks of the first and the second side in a game.
type Timers [2]Timer

// NewTimers returns clocks set for a game. A clock without limits never runs out.
func NewTimers(clocks [2]arena.TimeControl) *Timers {
	var t Timers
	for i, c := range clocks {
		t[i] = Timer{TimeControl: c, left: c.Base, toGo: c.Moves}
	}
	return &t
}

// Limits returns the limits of a go line for the side to move.
func (t *Timers) Limits(side engine.Side) protocol.GoParams {
	own := &t[side]
	g := protocol.GoParams{MoveTime: own.Move, Depth: int64(own.Depth), Nodes: own.Nodes}
	if own.Base > 0 {
		g.MovesToGo = int64(own.toGo)
		for i := range t {
			if t[i].Base > 0 {
				g.Clocks[i] = protocol.SideClock{Known: true, Time: t[i].left, Inc: t[i].Increment}
			}
		}
	}
	return g
}

// Question returns the question for the side to move; silent limits the answer if the
// clock has no time.
func (t *Timers) Question(path *Path, silent time.Duration) Question {
	side := path.Position.Turn()
	return Question{Path: path, Limits: t.Limits(side), Timer: &t[side], Within: silent}
}

// late returns the fault of a bot that did not answer within its limit.
func (q *Question) late(elapsed time.Duration) Fault {
	switch {
	case q.Timer == nil:
		return Fault{Reason: arena.Stall, Detail: fmt.Sprintf("no bestmove within %v", q.Within)}
	case !q.Timer.Timed():
		return Fault{Reason: arena.Stall, Detail: fmt.Sprintf("no bestmove within %v, the limit where no clock runs", q.Within)}
	}
	return Fault{
		Reason: arena.TimeForfeit,
		Detail: fmt.Sprintf("%v passed; %v was left, with a margin of %v", elapsed, q.Timer.Allowance(), q.Timer.Margin),
	}
}
