package web

import (
	"testing"

	"botarena/arena/schedule"
	"botarena/arena/standings"
)

// Who is first where the format has an order of its own is not who is first by rating.
func TestFirstPlace(t *testing.T) {
	row := func(rank int, bot string, points float64) schedule.Row {
		return schedule.Row{Rank: rank, Bot: bot, Points: points}
	}
	for _, c := range []struct {
		event    eventJSON
		finished bool
		want     string
	}{
		{eventJSON{}, true, ""},
		{eventJSON{Bracket: &schedule.Bracket{}}, false, ""},
		{eventJSON{Bracket: &schedule.Bracket{Winner: "ann"}}, true, "ann won the knockout."},
		{eventJSON{Standings: []schedule.Row{row(1, "ann", 0), row(1, "bea", 0)}}, false, ""},
		{eventJSON{Standings: []schedule.Row{row(1, "ann", 2.5), row(2, "bea", 2.5)}}, false, "ann leads the Swiss event with 2.5 points."},
		{eventJSON{Standings: []schedule.Row{row(1, "ann", 3), row(2, "bea", 1)}}, true, "ann won the Swiss event with 3 points."},
		{eventJSON{Standings: []schedule.Row{row(1, "ann", 3), row(1, "bea", 3)}}, true, "ann is first in the Swiss event with 3 points, and so by every tie-break is one other."},
	} {
		if got := firstPlace(c.event.Bracket, c.event.Standings, c.finished); got != c.want {
			t.Errorf("firstPlace(%+v, %v) is %q, not %q", c.event, c.finished, got, c.want)
		}
	}
	if got := byRating("ann leads bea by 3 Elo.", true); got != "By rating, ann leads bea by 3 Elo." {
		t.Error(got)
	}
}

// Nothing is said of who leads before the first two have played some games.
func TestLeadNeedsEvidence(t *testing.T) {
	elo, los := 145.0, 0.788
	down := -elo
	board := func(games int) *standings.Leaderboard {
		lb := &standings.Leaderboard{Games: games, Bots: []standings.Row{{Bot: "ann", Elo: &elo, LOSNext: &los}, {Bot: "bea", Elo: &down}}}
		for i := range lb.Bots {
			lb.Bots[i].Games = games
		}
		return lb
	}
	if got := lead(board(1)); got != "" {
		t.Errorf("after one game: %q", got)
	}
	if got, want := lead(board(leadEvidence)), "ann leads bea by 290 Elo, which does not say yet who is the stronger one (likelihood 78.8 %)."; got != want {
		t.Errorf("after %d games: %q, want %q", leadEvidence, got, want)
	}
}
