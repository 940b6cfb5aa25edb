package referee

import (
	"time"

	"botarena/arena"
	"botarena/engine"
	"botarena/protocol"
)

// Timers are the clocks of both sides, counted as in a game, for whoever plays
// one without Play.
type Timers struct{ sides [2]timer }

// NewTimers sets the clocks of the first and the second side. A clock without a
// limit is that of a player who takes any time.
func NewTimers(clocks [2]arena.TimeControl) *Timers {
	return &Timers{[2]timer{newTimer(clocks[0]), newTimer(clocks[1])}}
}

// Allowance is the side's time for its next move, the margin not counted. It
// has a meaning only where the side's clock is timed.
func (t *Timers) Allowance(side engine.Side) time.Duration { return t.sides[side].allowance() }

// Spend takes the time of a move off the side's clock, and adds what it gains.
func (t *Timers) Spend(side engine.Side, elapsed time.Duration) { t.sides[side].spend(elapsed) }

// Limits are the words after go for the side to move.
func (t *Timers) Limits(side engine.Side) protocol.GoParams { return limits(&t.sides, side) }
