package schedule

import (
	"botarena/arena"
	"botarena/arena/rating"
)

// priorElo keeps the ratings of a ladder finite while bots have met seldom.
const priorElo = 400

// rated returns the chooser that a ladder's event names. It rates all results afresh
// for each pair, so that it keeps nothing that a restart would lose.
func rated(event arena.Event) chooser {
	return func(v *view, bots []string) (first, second string, err error) {
		results, err := v.results.rated()
		if err != nil {
			return "", "", err
		}
		for _, b := range bots {
			results.Enter(b)
		}
		table, err := rating.Rate(results, rating.Options{Prior: priorElo, Strangers: true})
		if err != nil {
			return "", "", err
		}
		// A chooser draws by lot: the number of games gives each pair its own.
		c, err := rating.NewChooser(rating.Strategy(event.Ladder.Choose), event.Seed+uint64(v.games)<<20) //nolint:gosec // not negative
		if err != nil {
			return "", "", err
		}
		return c.Next(table, v.underWay...)
	}
}

// narrow reports whether every 95 % interval of the leaderboard is narrower than
// the ladder's width. Of few pairs that happened to end alike the errors by
// pairs are too small, so those of the single games must be small enough too.
func narrow(event arena.Event, v *view) bool {
	results, err := v.results.rated()
	if err != nil || results.Len() == 0 || len(results.Names()) < len(event.Bots) {
		return false
	}
	for _, pairs := range []bool{true, false} {
		table, err := rating.Rate(results, rating.Options{Pairs: pairs})
		if err != nil || len(table.Components) > 1 {
			return false
		}
		for _, p := range table.Players {
			if p.Error == nil || 2**p.Error >= event.Ladder.Width {
				return false
			}
		}
	}
	return true
}

// counts are pairs of games with results, alike ones counted together: so the
// price of rating them does not grow with the games.
type counts struct {
	groups []rating.Group
	index  map[rating.Group]int // by group without Times
	way    map[[2]string]string // who is A of two bots: the first that moved first
}

// add counts the games of one pair, which have results.
func (c *counts) add(games []arena.Game) {
	if c.index == nil {
		c.index, c.way = map[rating.Group]int{}, map[[2]string]string{}
	}
	both := pairing{first: games[0].First, second: games[0].Second}.key()
	a, ok := c.way[both]
	if !ok {
		a = games[0].First
		c.way[both] = a
	}
	group := rating.Group{A: a, B: both[0]}
	if a == both[0] {
		group.B = both[1]
	}
	for i := range games {
		points, _ := games[i].Result.Score()
		score := rating.Score(2 * points)
		if games[i].First == a {
			group.AsFirst.Add(score)
		} else {
			group.AsSecond.Add(score.Swap())
		}
	}
	i, ok := c.index[group]
	if !ok {
		i = len(c.groups)
		c.index[group] = i
		c.groups = append(c.groups, group)
	}
	c.groups[i].Times++
}

// rated returns the counts as what can be rated.
func (c *counts) rated() (*rating.Results, error) {
	var r rating.Results
	for _, g := range c.groups {
		if err := r.AddGroup(g); err != nil {
			return nil, err
		}
	}
	return &r, nil
}
