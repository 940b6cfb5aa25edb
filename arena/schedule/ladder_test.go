package schedule_test

import (
	"fmt"
	"testing"

	"pgregory.net/rapid"

	"botarena/arena"
	"botarena/arena/rating"
	"botarena/arena/schedule"
)

// closest chooses the two bots with the fewest games, results included in how
// ties are broken: so that it depends on all that it is shown.
func closest(v schedule.View, bots []string) (string, string) {
	keys := map[string]float64{}
	for _, p := range v.UnderWay {
		keys[p[0]]++
		keys[p[1]]++
	}
	for _, g := range v.Results {
		for _, side := range []rating.Trinomial{g.AsFirst, g.AsSecond} {
			keys[g.A] += float64(g.Times) * (1 + float64(side[rating.Win])/1000)
			keys[g.B] += float64(g.Times) * (1 + float64(side[rating.Loss])/1000)
		}
	}
	key := func(name string) float64 { return keys[name] }
	a, b := bots[0], bots[1]
	for _, c := range bots[2:] {
		if key(c) < key(a) {
			a, c = c, a
		}
		if key(c) < key(b) {
			b = c
		}
	}
	return a, b
}

func TestLadder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		e := arena.Event{
			Name: "e", Game: "g", Format: arena.FormatLadder, Rounds: 1,
			Bots:   bots(rapid.IntRange(2, 6).Draw(t, "bots")),
			Swap:   rapid.Bool().Draw(t, "swap"),
			Ladder: arena.Ladder{Games: rapid.IntRange(1, 60).Draw(t, "games")},
		}
		ahead := rapid.IntRange(1, 9).Draw(t, "ahead")
		ladderOf := func(e arena.Event) planner {
			return func() *schedule.Plan { return schedule.Ladder(e, closest, nil, ahead) }
		}
		outcome := luck(rapid.Uint64().Draw(t, "results"))
		games := playWith(t, ladderOf(e), nil, outcome, order(rapid.Uint64().Draw(t, "order")))
		if again := playWith(t, ladderOf(e), nil, outcome, order(0)); fmt.Sprint(again) != fmt.Sprint(games) {
			t.Fatal("another order of results gives other games")
		}
		checkNumbers(t, e, games)
		checkRounds(t, games)
		if total, exact := e.Total(); !exact || total != len(games) || total > e.Ladder.Games {
			t.Fatalf("%d games of at most %d, Total says %d, %v", len(games), e.Ladder.Games, total, exact)
		}
		// A bot that joins gets games.
		more := e
		more.Bots = bots(len(e.Bots) + 1)
		more.Ladder.Games += 40
		games = playWith(t, ladderOf(more), games, outcome, order(1))
		joined := 0
		for _, g := range games {
			if name := more.Bots[len(e.Bots)].Name; g.First == name || g.Second == name {
				joined++
			}
		}
		if joined == 0 {
			t.Fatal("the bot that joined never plays")
		}
	})
}

// No more pairs than Ahead are open at any time, and the chooser never sees
// results that another order would hide.
func TestLadderAhead(t *testing.T) {
	e := arena.Event{Format: arena.FormatLadder, Bots: bots(3), Swap: true}
	p := planner(func() *schedule.Plan { return schedule.Ladder(e, closest, nil, 4) })
	games, state := p.next(nil)
	if len(games) != 8 || state != schedule.Waiting {
		t.Fatalf("%d games, %v", len(games), state)
	}
	for i := 2; i < 8; i++ {
		games[i].Result = arena.Draw
	}
	if more, _ := p.next(games); len(more) != 0 {
		t.Errorf("the oldest pair is open and %d games come", len(more))
	}
	games[0].Result, games[1].Result = arena.Draw, arena.Draw
	if more, _ := p.next(games); len(more) != 8 {
		t.Errorf("%d games, want 4 pairs", len(more))
	}
}

func TestLadderEnough(t *testing.T) {
	e := arena.Event{Format: arena.FormatLadder, Bots: bots(2), Swap: true}
	p := planner(func() *schedule.Plan {
		return schedule.Ladder(e, closest, func(v schedule.View) bool {
			pairs := 0
			for _, g := range v.Results {
				pairs += g.Times
			}
			return pairs >= 5
		}, 3)
	})
	// 5 pairs are to be seen, and 2 more are under way then.
	if games := playWith(t, p, nil, luck(1), order(1)); len(games) != 14 {
		t.Errorf("%d games", len(games))
	}
}
