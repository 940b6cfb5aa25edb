package standings

import (
	"fmt"

	"botarena/arena"
	"botarena/arena/rating"
)

// resultsOf converts the finished games to results to be rated, with their bots under
// these names.
func resultsOf(c *arena.Counts, names map[arena.BotVersion]string) (*rating.Results, error) {
	results := &rating.Results{}
	for _, p := range c.Pairs {
		g := rating.Group{A: names[p.A], B: names[p.B], AsFirst: p.AsFirst, AsSecond: p.AsSecond, Times: p.Times}
		if err := results.AddGroup(g); err != nil {
			return nil, fmt.Errorf("games of %s: %w", p.Event, err)
		}
	}
	return results, nil
}

// blamed returns the side that lost by its own fault: 0 or 1, -1 for neither.
func blamed(n *arena.Ending) int {
	switch n.Blame {
	case "":
		return -1
	case n.First.Name:
		return 0
	}
	return 1
}

// repeats counts the finished games that equal an earlier one, move for move; only
// those of two bots if these are named. The note warns of them and is empty if there
// are none. Games without moves are ignored.
func repeats(c *arena.Counts, names map[arena.BotVersion]string, between ...string) (repeated int, note string) {
	games := 0
	for _, r := range c.Repeats {
		first, second := names[r.First], names[r.Second]
		if len(between) == 2 && (first != between[0] || second != between[1]) && (first != between[1] || second != between[0]) {
			continue
		}
		games += r.Games
		repeated += r.Repeated + r.Elsewhere
	}
	if repeated == 0 {
		return 0, ""
	}
	return repeated, fmt.Sprintf("%d of %d games repeat an earlier one move for move, which is no new evidence: "+
		"true intervals are wider; vary the openings", repeated, games)
}
