package schedule

import "botarena/arena"

// Narrow is narrow, of games that come in pairs.
func Narrow(event arena.Event, games []arena.Game) bool {
	var c counts
	for i := 0; i < len(games); i += event.GamesPerPair() {
		c.add(games[i : i+event.GamesPerPair()])
	}
	return c.narrow(event)
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
