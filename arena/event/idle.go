package event

import (
	"fmt"
	"time"

	"botarena/arena"
	"botarena/arena/process"
)

// A bot that lost on time is noted as idle where it used less than this share of
// its own time on the clock, and that time was long enough to tell.
const (
	shareIdle = 0.25
	leastIdle = 20 * time.Millisecond
)

// noteIdle adds to a game lost on time that its loser hardly computed: it waited
// for something, or other programs had its core. Where the platform does not tell
// what a living bot has used, nothing is noted.
func (r *run) noteIdle(g *arena.Game) {
	if g.Reason != arena.TimeForfeit {
		return
	}
	cpu := g.CPU[0]
	if g.Blame == g.Second {
		cpu = g.CPU[1]
	}
	own := g.Wall
	for i := len(g.Moves) - 1; i >= 0; i -= 2 { // the last move was the other side's
		own -= g.Moves[i].Time
	}
	if cpu <= 0 || own < leastIdle || cpu.Seconds() >= shareIdle*own.Seconds() {
		return
	}
	g.Detail += fmt.Sprintf("; it used %v of CPU in %v on its clock", cpu.Round(time.Millisecond), own.Round(time.Millisecond))
	r.idle++
}

// warnOfIdle tells of games that were lost on time without computing.
func (r *run) warnOfIdle() {
	if r.idle == 0 {
		return
	}
	games := "one game was lost on time by a bot that hardly computed"
	if r.idle > 1 {
		games = fmt.Sprintf("%d games were lost on time by bots that hardly computed", r.idle)
	}
	text := games + ": it waited for something, or other programs had its core"
	if load, ok := process.Load(); ok && load > float64(len(r.CPUs)) && len(r.CPUs) > 0 {
		text += fmt.Sprintf(" (the load of this machine is %.1f, on %d cores: it is busy with other work)", load, len(r.CPUs))
	}
	r.notes.add(text)
}
