package standings

import (
	"cmp"
	"math"
	"slices"
)

// A Problem is an opponent against whom a bot scores less than the ratings of both say.
type Problem struct {
	Bot      string  `json:"bot"`
	Games    int     `json:"games"`
	Points   float64 `json:"points"`
	Expected float64 `json:"expected_points"`
	// Deviations is the number of standard deviations by which the points are below the
	// expected ones, as if games were independent.
	Deviations float64 `json:"deviations"`
}

// The number of games, and of standard deviations below the expected points, from which
// an opponent is a problem.
const (
	problemGames      = 4
	problemDeviations = 1.0
)

// Problems lists the opponents against whom a bot scores less than the ratings say, the
// worst first. c is the leaderboard's crosstable.
func (lb *Leaderboard) Problems(c *Crosstable, bot string) []Problem {
	list, rows := []Problem{}, map[string]*Row{}
	for _, r := range lb.All() {
		rows[r.Bot] = r
	}
	own, at := rows[bot], slices.Index(c.Bots, bot)
	if own == nil || own.Elo == nil || at < 0 || lb.Method != MaximumLikelihood {
		return list
	}
	for i, m := range c.Cells[at] {
		other := rows[c.Bots[i]]
		if m == nil || m.Games < problemGames || other == nil || other.Elo == nil || other.Component != own.Component {
			continue
		}
		share := 1 / (1 + math.Pow(10, (*other.Elo-*own.Elo)/400))
		p := Problem{Bot: c.Bots[i], Games: m.Games, Points: m.Points, Expected: share * float64(m.Games)}
		p.Deviations = (p.Expected - p.Points) / math.Sqrt(share*(1-share)*float64(m.Games))
		if p.Deviations >= problemDeviations {
			list = append(list, p)
		}
	}
	slices.SortStableFunc(list, func(a, b Problem) int { return cmp.Compare(b.Deviations, a.Deviations) })
	return list
}
