package session

import (
	"fmt"
	"time"

	"botarena/arena"
	"botarena/engine"
	"botarena/protocol"
)

// A Timer is the state of one side's clock in a game.
type Timer struct {
	arena.TimeControl
	left time.Duration // of Base
	toGo int           // moves until Base is added again; 0 where it never is
}

// Allowance is the time for the next move, the margin not counted. It has a
// meaning only where the clock is timed.
func (t *Timer) Allowance() time.Duration {
	switch {
	case t.Base <= 0:
		return t.Move
	case t.Move > 0:
		return min(t.Move, t.left)
	}
	return t.left
}

// Spend takes the time of a move off the clock, and adds what it gains. What the
// margin forgave is not owed: the clock stops at zero before it gains.
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

// Timers are the clocks of the first and the second side in a game.
type Timers [2]Timer

// NewTimers sets the clocks. One without a limit is that of a player who takes
// any time.
func NewTimers(clocks [2]arena.TimeControl) *Timers {
	var t Timers
	for i, c := range clocks {
		t[i] = Timer{TimeControl: c, left: c.Base, toGo: c.Moves}
	}
	return &t
}

// Limits are the words after go for the side to move.
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

// Question is what the side to move is asked, silent the time for an answer where
// its clock has no time.
func (t *Timers) Question(path *Path, silent time.Duration) Question {
	side := path.Position.Turn()
	return Question{Path: path, Limits: t.Limits(side), Timer: &t[side], Within: silent}
}

// late is the fault of a bot that did not answer within its limit.
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
