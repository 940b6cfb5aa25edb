package schedule_test

import (
	"fmt"
	"reflect"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"botarena/arena"
	"botarena/arena/schedule"
)

func TestKnockout(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(2, 17).Draw(t, "bots")
		e := arena.Event{
			Name: "e", Game: "g", Format: schedule.FormatKnockout, Bots: bots(n),
			Rounds: rapid.IntRange(1, 4).Draw(t, "rounds"),
			Swap:   rapid.Bool().Draw(t, "swap"),
			Knockout: arena.Knockout{
				ThirdPlace: rapid.Bool().Draw(t, "third place"),
				TieBreaks:  rapid.IntRange(0, 3).Draw(t, "tie breaks"),
			},
		}
		outcome := luck(rapid.Uint64().Draw(t, "results"))
		if rapid.Bool().Draw(t, "all drawn") {
			outcome = func(arena.Game) arena.Result { return arena.Draw }
		}
		games := play(t, e, nil, outcome, order(rapid.Uint64().Draw(t, "order")))
		if again := play(t, e, nil, outcome, order(0)); !reflect.DeepEqual(again, games) {
			t.Fatal("another order of results gives other games")
		}
		checkNumbers(t, e, games)
		if total, exact := schedule.Total(e); exact || len(games) > total {
			t.Fatalf("%d games, Total says at most %d", len(games), total)
		}

		b := schedule.BracketOf(e, games)
		lost := map[string]int{}
		matches := 0
		for _, s := range b.Stages {
			for _, m := range s.Matches {
				if m.Winner == "" {
					t.Fatalf("%s: %+v has no winner", s.Name, m)
				}
				if m.Bye {
					continue
				}
				matches++
				if m.Pairs > e.Rounds+e.Knockout.TieBreaks {
					t.Fatalf("%+v has too many pairs", m)
				}
				if m.BySeed && (m.FirstPoints != m.SecondPoints || m.TieBreaks != e.Knockout.TieBreaks) {
					t.Fatalf("%+v is decided by seed", m)
				}
				if !m.BySeed && (m.FirstPoints > m.SecondPoints) != (m.Winner == m.First) {
					t.Fatalf("%+v goes to the wrong one", m)
				}
				loser := m.First
				if m.Winner == m.First {
					loser = m.Second
				}
				lost[loser]++
			}
		}
		if matches != n-1 {
			t.Fatalf("%d matches of %d bots", matches, n)
		}
		for _, bot := range e.Bots {
			if want := map[bool]int{true: 0, false: 1}[bot.Name == b.Winner]; lost[bot.Name] != want {
				t.Fatalf("%s lost %d matches, winner %s", bot.Name, lost[bot.Name], b.Winner)
			}
		}
		if e.Knockout.ThirdPlace != (b.ThirdPlace != nil) && n > 2 {
			t.Fatalf("third place: %+v", b.ThirdPlace)
		}
		rows := schedule.Rows(e, games)
		if rows[0].Bot != b.Winner || rows[0].Place != 1 {
			t.Fatalf("the standings are led by %+v, the winner is %s", rows[0], b.Winner)
		}
		if b.ThirdPlace != nil && rows[2].Bot != b.ThirdPlace.Winner {
			t.Fatalf("third is %s, not %s", rows[2].Bot, b.ThirdPlace.Winner)
		}
	})
}

// With the better seed always winning everyone gets as far as seeded, and no
// match has more pairs than it takes.
func TestKnockoutSeeding(t *testing.T) {
	e := arena.Event{Format: schedule.FormatKnockout, Bots: bots(6), Rounds: 3, Swap: true, Knockout: arena.Knockout{TieBreaks: 2}}
	// Seeded: bot6 first, then bot4; the others in order of entry.
	e.Bots[5].Seed, e.Bots[3].Seed = 1, 2
	seeds := []string{"bot6", "bot4", "bot1", "bot2", "bot3", "bot5"}
	games := play(t, e, nil, func(g arena.Game) arena.Result {
		if slices.Index(seeds, g.First) < slices.Index(seeds, g.Second) {
			return arena.FirstWins
		}
		return arena.SecondWins
	}, order(1))
	b := schedule.BracketOf(e, games)
	got := ""
	for _, s := range b.Stages {
		got += s.Name + ":"
		for _, m := range s.Matches {
			got += fmt.Sprintf(" %s-%s", m.First, m.Second)
			if !m.Bye && m.Pairs != 2 {
				t.Errorf("%+v: two of three pairs decide it", m)
			}
		}
		got += "\n"
	}
	want := "quarter-final: bot6- bot2-bot3 bot4- bot1-bot5\nsemi-final: bot6-bot2 bot4-bot1\nfinal: bot6-bot4\n"
	if got != want {
		t.Errorf("bracket:\n%swant:\n%s", got, want)
	}
}

func TestKnockoutTieBreaks(t *testing.T) {
	e := arena.Event{Format: schedule.FormatKnockout, Bots: bots(2), Rounds: 2, Swap: true, Knockout: arena.Knockout{TieBreaks: 3}}
	games := play(t, e, nil, func(g arena.Game) arena.Result {
		if g.Pair == 4 && g.First == "bot2" {
			return arena.FirstWins
		}
		return arena.Draw
	}, order(1))
	m := schedule.BracketOf(e, games).Stages[0].Matches[0]
	if m.Pairs != 4 || m.TieBreaks != 2 || m.Winner != "bot2" || m.BySeed {
		t.Errorf("%+v", m)
	}
}
