// Package standings reads results from the store and computes leaderboards,
// crosstables, brackets, tests, histories and lists of games, as data. Commands print
// them, pages show them, and both provide them as JSON and CSV.
//
// # Names
//
// One thing has one name in all JSON and CSV:
//
//	bot            a bot's name; in a file that arena rate reads, a player's
//	rank           a place, shared where nothing decides; none for an earlier version
//	elo            a rating; elo_error half of the width of its 95 % interval; bounds
//	               stand in for it if there is no number
//	los            likelihood of superiority, over the next in a table or the other of two
//	score          a number: the share of the points, from 0 to 1; of a move, centipawns
//	points         1 a win, 1/2 a draw
//	side           "first" or "second"
//	opening        an object of name, position and moves; opening_name is its name
//	reason, detail, blame   how a game ended
//	league         events that are rated together
//	pool           bots that games link, counted from 1
//
// # Decisions
//
// In an event its format decides the places, with Elo beside them; over several events
// Elo does. For two bots Elo is the difference between them by their score against each
// other, or by their test once that has stopped: all pages and commands agree. The
// incremental Elo is a history and is shown only by arena history BOT. No leader of an
// event in progress is named before the first two have ten games.
package standings
