package schedule

import (
	"fmt"
	"slices"

	"botarena/arena"
)

// ahead is how many pairs a ladder plans beyond those with results. The games
// depend on it, so it does not depend on how many are played at once; 32 games
// are as many as a ladder can have in the air.
const ahead = 16

// A chooser returns the two bots of a ladder's next pair. Games are those it may
// look at, in schedule order; one without a result is still to be played (or its
// result not to be looked at yet) and counts as under way. It returns two
// different names out of bots, and the same for the same arguments.
type chooser func(games []arena.Game, bots []string) (first, second string, err error)

// ladder plans pair after pair, at most ahead of them open: pair p waits
// for pair p-ahead and those before it, and sees no others' results. So which
// games are played does not depend on how many at once.
type ladder struct {
	event  arena.Event
	choose chooser
	enough func(games []arena.Game) bool // ends it, asked with the games that choose would see; nil: never
	ahead  int
}

// Next plans pairs until one has to wait or a limit is reached. It panics where
// the chooser breaks its contract.
func (l ladder) Next(planned []arena.Game) ([]arena.Game, State) {
	var starts []int // index in view of each pair's first game
	for i := range planned {
		if i == 0 || planned[i].Pair != planned[i-1].Pair {
			starts = append(starts, i)
		}
	}
	view := planned
	end := func(pair int) int {
		if pair < len(starts) {
			return starts[pair]
		}
		return len(view)
	}
	// Results beyond shown pairs are hidden; shown follows the pair to plan.
	shown := max(0, len(starts)-l.ahead+1)
	if !l.full(len(planned)) && !allPlayed(planned[:end(shown)]) {
		return nil, Waiting
	}
	view = make([]arena.Game, len(planned), len(planned)+l.ahead*l.event.GamesPerPair())
	copy(view, planned)
	for i := end(shown); i < len(view); i++ {
		view[i].Result, view[i].Reason = arena.Unplayed, ""
	}
	b := newBook(&l.event, planned)
	names := names(l.event)
	for {
		if l.full(len(view)) {
			return b.games, Complete
		}
		if now := max(0, len(starts)-l.ahead+1); now > shown {
			// Pairs planned in this call have no results to show.
			from, to := end(shown), end(now)
			if to > len(planned) || !allPlayed(planned[from:to]) {
				return b.games, Waiting
			}
			copy(view[from:to], planned[from:to])
			shown = now
		}
		if l.enough != nil && l.enough(view) {
			return b.games, Complete
		}
		p := l.pair(view, names)
		p.round = len(starts) + 1
		starts = append(starts, len(view))
		before := len(b.games)
		b.add(p)
		view = append(view, b.games[before:]...)
	}
}

// full reports whether there is no room for another pair.
func (l ladder) full(games int) bool {
	limit := l.event.Ladder.Games
	return limit > 0 && games+l.event.GamesPerPair() > limit
}

// pair returns the next pair of bots. Where none can be chosen the schedule goes
// on: the next two bots in turn lose no information.
func (l ladder) pair(view []arena.Game, names []string) pairing {
	a, b, err := l.choose(view, names)
	if err != nil {
		n := len(view)
		a, b = names[n%len(names)], names[(n+1)%len(names)]
	}
	if a == b || !slices.Contains(names, a) || !slices.Contains(names, b) {
		panic(fmt.Sprintf("schedule: the chooser of a ladder returned %q and %q, which are not two of its bots", a, b))
	}
	if !l.event.Swap {
		lean := 0 // how much more often than b a had the first side
		for _, g := range view {
			lean += boolInt(g.First == a) - boolInt(g.Second == a) - boolInt(g.First == b) + boolInt(g.Second == b)
		}
		if lean > 0 {
			a, b = b, a
		}
	}
	return pairing{first: a, second: b}
}
