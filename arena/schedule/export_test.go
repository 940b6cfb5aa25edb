package schedule

import (
	"botarena/arena"
	"botarena/arena/rating"
)

// A View is what a test's own chooser and stop of a ladder may look at: pairs with
// results by how they ended, and the others.
type View struct {
	Results  []rating.Group
	UnderWay [][2]string
}

// Ladder returns a ladder with a chooser, a stop and an outlook of the test's own.
func Ladder(event arena.Event, choose func(View, []string) (string, string), enough func(View) bool, ahead int) *Plan {
	show := func(v *view) View { return View{v.results.groups, v.underWay} }
	l := newClimb(event, func(v *view, bots []string) (string, string, error) {
		a, b := choose(show(v), bots)
		return a, b, nil
	}, ahead)
	if enough != nil {
		l.enough = func(v *view) bool { return enough(show(v)) }
	}
	return newPlan(event, l)
}

// Narrow is narrow, of games that come in pairs.
func Narrow(event arena.Event, games []arena.Game) bool {
	var v view
	for i := 0; i < len(games); i += event.GamesPerPair() {
		v.results.add(games[i : i+event.GamesPerPair()])
	}
	return narrow(event, &v)
}

// Ahead is ahead.
const Ahead = ahead

// Rows are the standings of an event after some games.
func Rows(event arena.Event, games []arena.Game) []Row {
	var c arena.Counter
	for i := range games {
		c.Add(&games[i], 1, 1, 0)
	}
	return StandingsOf(event, Played{Counts: c.Counts(), Games: games}).Rows
}
