package event

import (
	"fmt"
	"maps"
	"slices"
	"time"

	"botarena/arena"
)

// waited is what a bot used while others were to move, over all games of a run.
type waited struct {
	cpu  time.Duration
	wall time.Duration // of its games
}

// A bot that uses at least so much CPU time off turn, and such a share of its
// games' time, is warned of: flushing, collecting garbage and compiling stay
// below, one that thinks all the time comes to a half.
const (
	muchOffTurn  = time.Second
	shareOffTurn = 0.1
)

// wait counts a game.
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
