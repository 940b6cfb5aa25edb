package standings

import (
	"fmt"
	"math"
	"strconv"

	"botarena/arena/schedule"
	"botarena/arena/text"
)

// leadGames is the minimum number of games of each of the first two bots before Lead
// names a leader of an event in progress.
const leadGames = 10

// Lead describes in a sentence or two who is first, by the format's own order and by
// rating; "" if there is too little evidence.
func (lb *Leaderboard) Lead(finished bool) string {
	if len(lb.Bots) < 2 {
		return ""
	}
	first, rated := lb.first(finished), ""
	switch {
	case lb.undecided && !finished:
		return "The sequential test has not decided yet who is the stronger one."
	case lb.Race == nil: // whose ratings are biased: bots drop out by their results
		rated = lb.stronger()
	}
	if first == "" || rated == "" {
		return first + rated
	}
	return first + " By rating, " + rated
}

// first describes who is first if the format has an order of its own.
func (lb *Leaderboard) first(finished bool) string {
	a := &lb.Bots[0]
	name := text.Clip(a.Bot, mostName)
	switch {
	case lb.Bracket != nil && lb.Bracket.Winner != "":
		return text.Clip(lb.Bracket.Winner, mostName) + " won the knockout."
	case lb.Race != nil:
		return lb.Race.Sentence()
	case lb.Bracket != nil, len(lb.Order) == 0, lb.Order[0] != "points", schedule.Compares(lb.Format), a.Points == 0:
		return ""
	case !finished && lb.round < 2 && !lb.evidence():
		return ""
	}
	shared := 0
	for i := range lb.Bots[1:] {
		if lb.Bots[1+i].Rank == a.Rank {
			shared++
		}
	}
	points := strconv.FormatFloat(a.Points, 'f', -1, 64)
	switch {
	case shared > 0:
		others := "is one other"
		if shared > 1 {
			others = fmt.Sprintf("are %d others", shared)
		}
		return fmt.Sprintf("%s is first with %s points, and so by every tie-break %s.", name, points, others)
	case finished:
		return fmt.Sprintf("%s won with %s points.", name, points)
	}
	return fmt.Sprintf("%s is first so far, with %s points.", name, points)
}

// evidence reports whether the first two bots have enough games to be compared.
func (lb *Leaderboard) evidence() bool {
	return min(lb.Bots[0].Games, lb.Bots[1].Games) >= leadGames
}

// stronger describes the difference of the two bots that are rated highest.
func (lb *Leaderboard) stronger() string {
	a, b, next := lb.best()
	if b == nil || min(a.Games, b.Games) < leadGames {
		return ""
	}
	ahead := math.Round(*a.Elo) - math.Round(*b.Elo)
	if lb.Method != MaximumLikelihood {
		ahead = math.Round(*a.Elo) // which is the difference
	}
	name, other := text.Clip(a.Bot, mostName), text.Clip(b.Bot, mostName)
	line := fmt.Sprintf("%s leads %s by %.0f Elo", name, other, ahead)
	if ahead < 1 {
		line = fmt.Sprintf("%s and %s are level", name, other)
	}
	if a.LOS == nil || !next {
		return line + "."
	}
	likelihood := fmt.Sprintf("%.1f %%", 100**a.LOS)
	if *a.LOS > 0.9995 {
		likelihood = "over 99.9 %"
	}
	switch {
	case *a.LOS >= 0.975:
		return fmt.Sprintf("%s, and is almost certainly the stronger one (likelihood %s).", line, likelihood)
	case *a.LOS >= 0.8:
		return fmt.Sprintf("%s, and is likely the stronger one (likelihood %s); more games may turn that round.", line, likelihood)
	}
	return fmt.Sprintf("%s, which does not say yet who is the stronger one (likelihood %s).", line, likelihood)
}

// best returns the two bots of the first piece with the highest ratings, nil if there
// are none that can be compared, and whether b stands next to a.
func (lb *Leaderboard) best() (a, b *Row, next bool) {
	x, y := -1, -1
	for i := range lb.Bots {
		r := &lb.Bots[i]
		switch {
		case r.Elo == nil || r.Component != lb.Bots[0].Component:
		case x < 0 || *r.Elo > *lb.Bots[x].Elo:
			x, y = i, x
		case y < 0 || *r.Elo > *lb.Bots[y].Elo:
			y = i
		}
	}
	if y < 0 {
		return nil, nil, false
	}
	return &lb.Bots[x], &lb.Bots[y], y == x+1
}
