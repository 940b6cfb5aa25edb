package standings_test

import (
	"math"
	"slices"
	"strings"
	"testing"

	"botarena/arena"
	"botarena/arena/rating"
	"botarena/arena/rating/sprt"
	"botarena/arena/schedule"
	"botarena/arena/standings"
	"botarena/arena/store"
)

// Two bots have one number: that of their games against each other, or of their test once
// that has stopped.
func TestTwoBotsHaveOneNumber(t *testing.T) {
	games := season(t, "a b 20 7")
	h := headToHead(t, games, "a", "b")
	lb, text := leaderboard(t, games, standings.Selection{Rated: standings.Rated{PriorIfApart: rating.UsualPrior}})
	c := h.Comparison()
	if a, b := lb.Bots[0], lb.Bots[1]; *a.Elo != *c.Elo || *b.Elo != -*c.Elo || *a.Error != *c.EloError || *a.LOS != *c.LOS {
		t.Errorf("the leaderboard says %v ± %v and %v, head to head it is %v ± %v\n%s", *a.Elo, *a.Error, *b.Elo, *c.Elo, *c.EloError, text)
	}
	test := sprt.Test{Elo0: 0, Elo1: 50, Alpha: 0.4, Beta: 0.4, Model: sprt.Normalized}
	r, err := test.Report(h.Pairs)
	if err != nil || r.Unbiased == nil {
		t.Fatalf("%+v, %v", r, err)
	}
	outcome := standings.NewSPRTOutcome(test, r, h)
	lb, _ = leaderboard(t, games, standings.Selection{Test: outcome})
	if lb.Method != standings.AfterStop || *lb.Bots[0].Elo != r.Unbiased.Elo || *outcome.Elo != r.Unbiased.Elo {
		t.Errorf("%s: %v, the test says %v, unbiased %v", lb.Method, *lb.Bots[0].Elo, *outcome.Elo, r.Unbiased.Elo)
	}
	open, err := (sprt.Test{Elo0: 0, Elo1: 1, Alpha: 0.05, Beta: 0.05, Model: sprt.Normalized}).Report(h.Pairs)
	if err != nil || open.Verdict != sprt.Continue {
		t.Fatalf("%+v, %v", open, err)
	}
	lb, _ = leaderboard(t, games, standings.Selection{Test: standings.NewSPRTOutcome(test, open, h)})
	if lead := lb.Lead(false); lead != "The sequential test has not decided yet who is the stronger one." {
		t.Errorf("while a test is open: %s", lead)
	}
	h = headToHead(t, games, "b", "a")
	h.TakeEstimate(outcome)
	if h.Unbiased.Elo != -r.Unbiased.Elo || h.Unbiased.Low != -r.Unbiased.High || !strings.Contains(strings.Join(h.Table().Notes, "\n"), "Median-unbiased") {
		t.Errorf("head to head, from the other's view: %+v", h.Unbiased)
	}
	history, err := (&standings.Selection{Rated: standings.Rated{PriorIfApart: rating.UsualPrior}}).History([]arena.PeriodCount{{
		Period: "e", First: arena.BotVersion{Name: "b", Version: 1}, Second: arena.BotVersion{Name: "a", Version: 1}, Scores: [3]int{26, 0, 14},
	}}, "event")
	if err != nil {
		t.Fatal(err)
	}
	if last := *history.Bots[0].Elo[0]; history.Bots[0].Bot != "a" || math.Abs(last-*c.Elo) > 1e-9 {
		t.Errorf("the history ends with %v, head to head it is %v", last, *c.Elo)
	}
	// One game says nothing of likelihoods.
	lb, text = leaderboard(t, season(t, "a b 1")[:1], standings.Selection{Rated: standings.Rated{PriorIfApart: rating.UsualPrior}})
	if lb.Bots[0].LOS != nil || lb.Bots[0].Elo != nil || strings.Contains(text, "Note:") || lb.Lead(false) != "" {
		t.Errorf("after one game\n%s%s", text, lb.Lead(false))
	}
}

// A bot stands in one row, with its earlier versions and those that it replaced below.
func TestVersionsStandBelow(t *testing.T) {
	var c arena.Counter
	for i, line := range []struct {
		first  string
		number int
		result arena.Result
	}{{"anna", 1, arena.SecondWins}, {"anna", 2, arena.FirstWins}, {"emil", 1, arena.Draw}, {"emil 2", 1, arena.FirstWins}} {
		for k := range 4 {
			c.Add(&arena.Game{Event: "e", Number: 4*i + k, Pair: 4*i + k, First: line.first, Second: "rock", Result: line.result}, line.number, 1, 0)
		}
	}
	lb, err := (&standings.Selection{
		Counts: *c.Counts(), Sides: [2]string{"white", "black"}, Rated: standings.Rated{PriorIfApart: rating.UsualPrior}, Replaced: map[string]string{"emil": "emil 2"},
	}).Leaderboard()
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, r := range lb.All() {
		name := r.Bot
		if r.Rank == 0 {
			name = "- " + name
		}
		got = append(got, name)
	}
	if want := []string{"anna v2", "- anna v1", "emil 2", "- emil", "rock"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	if lb.Bots[2].Rank != 3 || lb.Bots[0].LOS == nil {
		t.Errorf("%+v", lb.Bots)
	}
}

// In an event its format decides the places, whatever the ratings.
func TestTheFormatDecides(t *testing.T) {
	event := arena.Event{Name: "e", Format: schedule.FormatKnockout, Rounds: 1, Swap: false}
	for _, name := range []string{"a", "b", "c", "d"} {
		event.Bots = append(event.Bots, arena.Bot{Name: name})
	}
	played := []arena.Game{
		{Number: 1, Round: 1, Pair: 1, Stage: "semi-final", First: "a", Second: "d", Result: arena.SecondWins},
		{Number: 2, Round: 1, Pair: 2, Stage: "semi-final", First: "b", Second: "c", Result: arena.FirstWins},
		{Number: 3, Round: 2, Pair: 3, Stage: "final", First: "d", Second: "b", Result: arena.FirstWins},
	}
	lb, text := leaderboard(t, played, standings.Selection{Config: event, Games: played, Rated: standings.Rated{PriorIfApart: rating.UsualPrior}})
	var got []string
	for _, r := range lb.Bots {
		got = append(got, r.Bot+" "+r.Reached)
	}
	if want := []string{"d winner", "b final", "a semi-final", "c semi-final"}; !slices.Equal(got, want) || lb.Bots[3].Rank != 3 {
		t.Errorf("%q, want %q\n%s", got, want, text)
	}
	if !strings.Contains(text, "Places: stage reached, then points.") || lb.Lead(true) != "d won the knockout." {
		t.Errorf("%s\n%s", text, lb.Lead(true))
	}
}

// A crosstable has the places of the leaderboard, also where some are shared.
func TestCrosstableHasThePlacesOfTheLeaderboard(t *testing.T) {
	games := season(t, "a b 1", "b a 1", "a c 1", "b c 1")
	event := arena.Event{Name: "e", Format: schedule.FormatRoundRobin, Rounds: 1, Bots: []arena.Bot{{Name: "a"}, {Name: "b"}, {Name: "c"}}}
	sel := &standings.Selection{Counts: *countsOf(games), Event: &store.Event{Name: "e"}, Config: event}
	lb, err := sel.Leaderboard()
	if err != nil {
		t.Fatal(err)
	}
	cross := sel.Crosstable(lb)
	if want := []int{1, 1, 3}; !slices.Equal(cross.Ranks, want) || cross.Long().Rows[2][0] != 1 {
		t.Errorf("places %v, want %v; %v", cross.Ranks, want, cross.Long().Rows)
	}
}
