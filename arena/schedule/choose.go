package schedule

import (
	"botarena/arena"
	"botarena/arena/rating"
)

// priorElo keeps the ratings of a ladder finite while bots have met seldom.
const priorElo = 400

// rated is the chooser that a ladder's event names. It rates all results afresh
// for each pair, so that it keeps nothing that a restart would lose.
func rated(event arena.Event) chooser {
	return func(games []arena.Game, bots []string) (first, second string, err error) {
		var underWay [][2]string
		for i := range games {
			if games[i].Result == arena.Unplayed && (i == 0 || games[i].Pair != games[i-1].Pair) {
				underWay = append(underWay, [2]string{games[i].First, games[i].Second})
			}
		}
		results, err := resultsOf(games)
		if err != nil {
			return "", "", err
		}
		for _, b := range bots {
			results.Enter(b)
		}
		table, err := rating.Rate(results, rating.Options{Prior: priorElo})
		if err != nil {
			return "", "", err
		}
		// A chooser draws by lot: the number of games gives each pair its own.
		c, err := rating.NewChooser(rating.Strategy(event.Ladder.Choose), event.Seed+uint64(len(games))<<20)
		if err != nil {
			return "", "", err
		}
		return c.Next(table, underWay...)
	}
}

// narrow reports whether every 95 % interval of the leaderboard is narrower than
// the ladder's width. Of few pairs that happened to end alike the errors by
// pairs are too small, so those of the single games must be small enough too.
func narrow(event arena.Event, games []arena.Game) bool {
	results, err := resultsOf(games)
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

// resultsOf are the games that have results.
func resultsOf(games []arena.Game) (*rating.Results, error) {
	var r rating.Results
	for i := range games {
		g := &games[i]
		score, ok := g.Result.Score()
		if !ok {
			continue
		}
		if err := r.Add(rating.Game{First: g.First, Second: g.Second, Score: rating.Score(2 * score), Pair: int64(g.Pair)}); err != nil {
			return nil, err
		}
	}
	return &r, nil
}
