package report

import (
	"fmt"

	"botarena/arena"
	"botarena/arena/rating"
)

// pairNumbers numbers the pairs of several events, from 1.
type pairNumbers map[pairKey]int64

type pairKey struct {
	event string
	pair  int
}

func (p pairNumbers) of(g *arena.Game) int64 {
	key := pairKey{g.Event, g.Pair}
	if p[key] == 0 {
		p[key] = int64(len(p) + 1)
	}
	return p[key]
}

// repeats counts the finished games that are the same as an earlier one, move
// for move; of two bots alone where these are named. The note warns of them and
// is empty where there are none. Games without moves are not looked at.
func repeats(games []arena.Game, between ...string) (repeated int, note string) {
	var r rating.Repeats
	for i := range games {
		g := &games[i]
		if g.Result == arena.Unplayed || len(g.Moves) == 0 {
			continue
		}
		if len(between) == 2 && (g.First != between[0] || g.Second != between[1]) && (g.First != between[1] || g.Second != between[0]) {
			continue
		}
		moves := make([]string, 0, len(g.Opening.Moves)+len(g.Moves))
		moves = append(moves, g.Opening.Moves...)
		for _, m := range g.Moves {
			moves = append(moves, m.Move)
		}
		r.Add(g.First, g.Second, g.Opening.Position, moves)
	}
	if r.Repeated() == 0 {
		return 0, ""
	}
	return r.Repeated(), fmt.Sprintf("%d of %d games repeat an earlier one move for move, which is no new evidence: "+
		"true intervals are wider; vary the openings", r.Repeated(), r.Games())
}
