package schedule

import "botarena/arena"

// Ladder returns a ladder with a chooser, a stop and an outlook of the test's own.
func Ladder(event arena.Event, choose func([]arena.Game, []string) (string, string), enough func([]arena.Game) bool, ahead int) Planner {
	return ladder{event: event, enough: enough, ahead: ahead, choose: func(games []arena.Game, bots []string) (string, string, error) {
		a, b := choose(games, bots)
		return a, b, nil
	}}
}

// Narrow is narrow.
func Narrow(event arena.Event, games []arena.Game) bool { return narrow(event, games) }

// Ahead is ahead.
const Ahead = ahead
