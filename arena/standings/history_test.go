package standings_test

import (
	"bytes"
	"encoding/json"
	"math"
	"strings"
	"testing"
	"unicode/utf8"

	"botarena/arena"
	"botarena/arena/rating"
	"botarena/arena/standings"
)

// weeks is a league of three weeks; carl joins in the second.
func weeks() []arena.PeriodCount {
	v := func(name string) arena.BotVersion { return arena.BotVersion{Name: name, Version: 1} }
	a, b, c := v("anna"), v("bert"), v("carl")
	return []arena.PeriodCount{
		{Period: "2026-01-11", First: a, Second: b, Scores: [3]int{2, 1, 5}},
		{Period: "2026-01-11", First: b, Second: a, Scores: [3]int{4, 0, 3}},
		{Period: "2026-01-18", First: a, Second: b, Scores: [3]int{6, 2, 1}},
		{Period: "2026-01-18", First: c, Second: b, Scores: [3]int{3, 2, 7}},
		{Period: "2026-01-25", First: b, Second: c, Scores: [3]int{5, 0, 2}},
		{Period: "2026-01-25", First: c, Second: a, Scores: [3]int{1, 1, 4}},
	}
}

func TestHistoryEndsWithTheLeaderboard(t *testing.T) {
	h, err := (&standings.Selection{Game: "chess"}).History(weeks(), "week")
	if err != nil {
		t.Fatal(err)
	}
	var c arena.Counts
	for _, p := range weeks() {
		for score, result := range []arena.Result{arena.SecondWins, arena.Draw, arena.FirstWins} {
			var n [3]int
			n[score] = 1
			c.Endings = append(c.Endings, arena.Ending{First: p.First, Second: p.Second, Result: result, Games: p.Scores[score]})
			c.Pairs = append(c.Pairs, arena.PairCount{A: p.First, B: p.Second, AsFirst: n, Times: p.Scores[score]})
		}
	}
	lb, err := (&standings.Selection{Game: "chess", Counts: c}).Leaderboard()
	if err != nil {
		t.Fatal(err)
	}
	if len(h.Bots) != 3 || len(lb.Bots) != 3 {
		t.Fatalf("%d and %d bots", len(h.Bots), len(lb.Bots))
	}
	for i, l := range h.Bots {
		r := lb.Bots[i]
		if l.Bot != r.Bot || math.Abs(*l.Elo[2]-*r.Elo) > 1e-6 || l.Games[2] != r.Games {
			t.Errorf("%s has %.3f after %d games, the leaderboard gives %s %.3f after %d", l.Bot, *l.Elo[2], l.Games[2], r.Bot, *r.Elo, r.Games)
		}
		if (l.Bot == "carl") != (l.Elo[0] == nil) || (l.Bot == "carl") != (l.Games[0] == 0) {
			t.Errorf("%s in the first week: %v after %d games", l.Bot, l.Elo[0], l.Games[0])
		}
	}
	if _, err := json.Marshal(h); err != nil {
		t.Error(err)
	}
}

func TestHistoryAnchored(t *testing.T) {
	h, err := (&standings.Selection{Rated: standings.Rated{Anchor: &rating.Anchor{Name: "bert", Elo: 1500}}}).History(weeks(), "week")
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range h.Bots {
		for k, e := range l.Elo {
			if l.Bot == "bert" && math.Abs(*e-1500) > 1e-9 || e != nil && *e < 1000 {
				t.Errorf("%s has %g at point %d", l.Bot, *e, k)
			}
		}
	}
	if _, err = (&standings.Selection{Rated: standings.Rated{Anchor: &rating.Anchor{Name: "berd"}}}).History(weeks(), "week"); err == nil || !strings.Contains(err.Error(), `"bert"`) {
		t.Errorf("unknown anchor: %v", err)
	}
}

// A bot that lost everything is rated by a prior at all points, which is said.
func TestHistoryNeedsAPrior(t *testing.T) {
	counts := weeks()
	lost := arena.PeriodCount{Period: "2026-02-01", First: counts[0].First, Second: arena.BotVersion{Name: "zero", Version: 1}, Scores: [3]int{0, 0, 4}}
	o := standings.Selection{Game: "chess", Rated: standings.Rated{PriorIfApart: 400}}
	h, err := o.History(append(counts, lost), "week")
	if err != nil {
		t.Fatal(err)
	}
	if h.Prior != 400 || len(h.Notes) != 1 || !strings.Contains(h.Notes[0], "prior") {
		t.Errorf("prior %g, notes %q", h.Prior, h.Notes)
	}
	if l := h.Bots[3]; l.Bot != "zero" || l.Elo[3] == nil {
		t.Errorf("the last bot is %+v", l)
	}
	o.PriorIfApart = 0
	if h, err = o.History(append(counts, lost), "week"); err != nil {
		t.Fatal(err)
	}
	if l := h.Bots[3]; l.Bot != "zero" || l.Elo[3] != nil || len(h.Notes) != 1 || !strings.Contains(h.Notes[0], "do not link all bots") {
		t.Errorf("without a prior: %+v, notes %q", l, h.Notes)
	}
}

func TestHistoryIsDrawn(t *testing.T) {
	for _, points := range []int{2, 4, 6} { // the first ends within the first week
		h, err := (&standings.Selection{Game: "chess"}).History(weeks()[:points], "week")
		if err != nil {
			t.Fatal(err)
		}
		for _, columns := range []int{0, 40, 80, 200} {
			drawn := h.Text(columns)
			for line := range strings.SplitSeq(drawn, "\n") {
				if n := utf8.RuneCountInString(line); n > max(columns, 100) {
					t.Errorf("%d columns: a line of %d: %s", columns, n, line)
				}
			}
			for _, want := range []string{"chess · ratings by week", " a ", "anna", "2026-01-11", "┤", "└"} {
				if !strings.Contains(drawn, want) {
					t.Errorf("no %q in\n%s", want, drawn)
				}
			}
		}
		var svg bytes.Buffer
		if err := h.WriteSVG(&svg); err != nil || strings.Count(svg.String(), "<polyline") != len(h.Bots) || !strings.Contains(svg.String(), ">weeks</text>") {
			t.Errorf("%v in\n%s", err, svg.String())
		}
	}
}
