package referee

import (
	"fmt"
	"time"

	"botarena/arena"
	"botarena/engine"
	"botarena/protocol"
)

// A timer is the state of one bot's clock in a game.
type timer struct {
	arena.TimeControl
	left time.Duration // of Base
	toGo int           // moves until Base is added again; 0 where it never is
}

func newTimer(c arena.TimeControl) timer { return timer{TimeControl: c, left: c.Base, toGo: c.Moves} }

// allowance is the time for the next move, the margin not counted. It has a
// meaning only where the clock is timed.
func (t *timer) allowance() time.Duration {
	switch {
	case t.Base <= 0:
		return t.Move
	case t.Move > 0:
		return min(t.Move, t.left)
	}
	return t.left
}

// spend takes the time of a move off the clock. What the margin forgave is not
// owed: the clock stops at zero before it gains.
func (t *timer) spend(elapsed time.Duration) {
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

// limits are the words after go for the side to move.
func limits(timers *[2]timer, side engine.Side) protocol.GoParams {
	t := &timers[side]
	g := protocol.GoParams{MoveTime: t.Move, Depth: int64(t.Depth), Nodes: t.Nodes}
	if t.Base > 0 {
		g.MovesToGo = int64(t.toGo)
		for i := range timers {
			if timers[i].Base > 0 {
				g.Clocks[i] = protocol.SideClock{Known: true, Time: timers[i].left, Inc: timers[i].Increment}
			}
		}
	}
	return g
}

// check tells what is wrong with a clock.
func check(c arena.TimeControl) error {
	switch {
	case c.Move < 0 || c.Base < 0 || c.Increment < 0 || c.Moves < 0 || c.Nodes < 0 || c.Depth < 0 || c.Margin < 0:
		return fmt.Errorf("a negative limit in %+v", c)
	case !c.Timed() && c.Nodes == 0 && c.Depth == 0:
		return fmt.Errorf("no limit; set a move time, a base time, nodes or depth")
	}
	return nil
}
