package referee

import (
	"time"

	"botarena/engine"
)

// worthwhile is the shortest ply in which the other bot's CPU time is measured:
// measuring takes some 40 us, which no clock counts but which makes the game longer.
const worthwhile = 5 * time.Millisecond

// offTurn measures the CPU time that bots use while the other side is to move. If games
// are pinned, such a bot takes the time from its opponent.
type offTurn struct {
	from  [2]time.Duration // what the bot had used when its own last ply ended
	known [2]bool
	last  [2]time.Duration // how long the side's last ply took
}

// ply counts a ply of a side.
func (o *offTurn) ply(g *game, side engine.Side, took time.Duration) {
	waits := side.Other()
	if took >= worthwhile && o.known[waits] {
		g.OffTurn[waits] += max(0, g.players[waits].Process.CPUTime()-o.from[waits])
	}
	o.last[side] = took
	o.known[side] = took >= worthwhile || o.last[waits] >= worthwhile
	if o.known[side] {
		o.from[side] = g.players[side].Process.CPUTime()
	}
}
