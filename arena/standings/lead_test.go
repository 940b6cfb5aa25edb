package standings_test

import (
	"testing"

	"botarena/arena"
	"botarena/arena/schedule"
	"botarena/arena/standings"
)

// Who is first by the format's order comes before who is by rating, and nothing is said
// before the first two have played some games.
func TestLead(t *testing.T) {
	elo, los := 145.0, 0.788
	down := -elo
	board := func(format arena.Format, order string, games int) *standings.Leaderboard {
		lb := &standings.Leaderboard{
			Format: format, Order: []string{order}, Method: standings.MaximumLikelihood,
			Bots: []standings.Row{{Rank: 1, Bot: "ann", Elo: &elo, LOS: &los}, {Rank: 2, Bot: "bea", Elo: &down}},
		}
		for i := range lb.Bots {
			lb.Bots[i].Games, lb.Bots[i].Points = games, float64(8-6*i)
		}
		return lb
	}
	const unsure = "ann leads bea by 290 Elo, which does not say yet who is the stronger one (likelihood 78.8 %)."
	two := board("match", "points", 10)
	two.Method = standings.OfTwo
	knockout := board("knockout", "stage reached", 2)
	knockout.Bracket = &schedule.Bracket{Winner: "bea"}
	open := board("knockout", "stage reached", 2)
	open.Bracket = &schedule.Bracket{}
	shared := board("swiss", "points", 2)
	shared.Bots[1].Rank = 1
	for name, c := range map[string]struct {
		lb       *standings.Leaderboard
		finished bool
		want     string
	}{
		"one game":          {board("", "Elo", 1), false, ""},
		"ten games":         {board("", "Elo", 10), false, unsure},
		"a round":           {board("round-robin", "points", 1), false, ""},
		"many rounds":       {board("round-robin", "points", 10), false, "ann is first so far, with 8 points. By rating, " + unsure},
		"a finished league": {board("round-robin", "points", 2), true, "ann won with 8 points."},
		"shared":            {shared, true, "ann is first with 8 points, and so by every tie-break is one other."},
		"two bots":          {two, true, "ann leads bea by 145 Elo, which does not say yet who is the stronger one (likelihood 78.8 %)."},
		"open knockout":     {open, false, ""},
		"knockout":          {knockout, true, "bea won the knockout."},
	} {
		if got := c.lb.Lead(c.finished); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}
