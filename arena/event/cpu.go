package event

import (
	"fmt"
	"maps"
	"slices"
	"time"

	"botarena/arena"
	"botarena/arena/process"
)

// waited holds the CPU time that a bot used off turn, over all games of a run.
type waited struct {
	cpu  time.Duration
	wall time.Duration // of its games
}

// A warning names bots that use at least this much CPU time off turn, and this share of
// their games' time: flushing, garbage collection and compilation stay below, a bot
// that thinks all the time reaches a half.
const (
	muchOffTurn  = time.Second
	shareOffTurn = 0.1
)

// wait counts the CPU times of a game.
func (r *run) wait(g *arena.Game) {
	if r.waited == nil {
		r.waited = map[string]waited{}
	}
	for side, bot := range []string{g.First, g.Second} {
		w := r.waited[bot]
		w.cpu += g.OffTurn[side]
		w.wall += g.Wall
		r.waited[bot] = w
	}
}

// warnOfThinkers names the bots that computed while others were to move.
func (r *run) warnOfThinkers() {
	if r.event.Ponder {
		return // they have leave
	}
	_, pinned := r.workers.Slots()
	for _, bot := range slices.Sorted(maps.Keys(r.waited)) {
		w := r.waited[bot]
		if w.cpu < muchOffTurn || w.cpu.Seconds() < shareOffTurn*w.wall.Seconds() {
			continue
		}
		text := fmt.Sprintf("bot %q used %.1f s of CPU while others were to move, in %.1f s of play", bot, w.cpu.Seconds(), w.wall.Seconds())
		if pinned {
			text += ", on the core that they share: it slows them down"
		}
		r.notes.add(text + "; let it wait for its input, or give each bot cores of its own (threads: 2)")
	}
}

// A bot that lost on time is called idle if it used less than this share of its time on
// the clock, and that time was long enough to tell.
const (
	shareIdle = 0.25
	leastIdle = 20 * time.Millisecond
)

// noteIdle adds to the detail of a game lost on time that its loser hardly computed: it
// waited for something, or other programs had its core. On platforms that do not report
// the CPU time of a living process it adds nothing.
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

// warnOfIdle warns of games that were lost on time without computing.
func (r *run) warnOfIdle() {
	if r.idle == 0 {
		return
	}
	text := "one game was lost on time by a bot that hardly computed: it waited for something, or other programs had its core"
	if r.idle > 1 {
		text = fmt.Sprintf("%d games were lost on time by bots that hardly computed: these waited for something, or other programs had their cores", r.idle)
	}
	if load, ok := process.Load(); ok && load > float64(len(r.CPUs)) && len(r.CPUs) > 0 {
		text += fmt.Sprintf(" (the load of this machine is %.1f, on %d cores: it is busy with other work)", load, len(r.CPUs))
	}
	r.notes.add(text)
}
