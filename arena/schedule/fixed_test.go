package schedule_test

import (
	"fmt"
	"maps"
	"math"
	"reflect"
	"testing"
	"time"

	"pgregory.net/rapid"

	"botarena/arena"
	"botarena/arena/schedule"
)

func bots(n int) []arena.Bot {
	list := make([]arena.Bot, n)
	for i := range list {
		list[i].Name = fmt.Sprintf("bot%d", i+1)
	}
	return list
}

// fixedEvent draws an event of a format whose games are planned at once.
func fixedEvent(t *rapid.T) arena.Event {
	e := arena.Event{
		Name: "e", Game: "g", Cycles: 1,
		Format: rapid.SampledFrom([]arena.Format{schedule.FormatRoundRobin, schedule.FormatGauntlet, schedule.FormatMatch}).Draw(t, "format"),
		Rounds: rapid.IntRange(1, 4).Draw(t, "rounds"),
		Swap:   rapid.Bool().Draw(t, "swap"),
		Bots:   bots(2),
	}
	if e.Format != schedule.FormatMatch {
		e.Bots = bots(rapid.IntRange(2, 9).Draw(t, "bots"))
	}
	if e.Format == schedule.FormatRoundRobin {
		e.Cycles = rapid.IntRange(1, 2).Draw(t, "cycles")
	}
	e.Gauntlet.Challengers = rapid.IntRange(1, len(e.Bots)-1).Draw(t, "challengers")
	return e
}

type failer interface {
	Helper()
	Fatalf(format string, args ...any)
	Fatal(args ...any)
}

func next(t failer, e arena.Event, planned []arena.Game) ([]arena.Game, schedule.State) {
	t.Helper()
	return plannerOf(t, e).next(planned)
}

// count is how often each pairing meets; undirected.
func count(games []arena.Game) map[[2]string]int {
	c := map[[2]string]int{}
	for _, g := range games {
		c[[2]string{min(g.First, g.Second), max(g.First, g.Second)}]++
	}
	return c
}

// checkNumbers checks numbers, pairs and that the games of a pair mirror each other.
func checkNumbers(t failer, e arena.Event, games []arena.Game) {
	t.Helper()
	perPair := 1
	if e.Swap {
		perPair = 2
	}
	for i, g := range games {
		if g.Number != i+1 || g.Pair != i/perPair+1 || g.Event != e.Name || g.Game != e.Game || g.Round < 1 {
			t.Fatalf("game %d is %+v", i+1, g)
		}
		if e.Swap && i%2 == 1 {
			if m := games[i-1]; m.First != g.Second || m.Second != g.First || m.Round != g.Round || m.Stage != g.Stage {
				t.Fatalf("games %d and %d do not mirror each other: %+v %+v", i, i+1, m, g)
			}
		}
	}
}

// checkRounds checks that no bot meets two others in one round, and that rounds
// do not go down.
func checkRounds(t failer, games []arena.Game) {
	t.Helper()
	last, pairOf := 0, map[string]int{}
	for _, g := range games {
		if g.Round < last || g.Round > last+1 {
			t.Fatalf("round %d follows round %d", g.Round, last)
		}
		if g.Round > last {
			last, pairOf = g.Round, map[string]int{}
		}
		for _, b := range []string{g.First, g.Second} {
			if p, ok := pairOf[b]; ok && p != g.Pair {
				t.Fatalf("round %d has %s in pairs %d and %d", g.Round, b, p, g.Pair)
			}
			pairOf[b] = g.Pair
		}
	}
}

// lean is how many games more with the first side than with the second each bot has.
func lean(games []arena.Game) map[string]int {
	c := map[string]int{}
	for _, g := range games {
		c[g.First]++
		c[g.Second]--
	}
	return c
}

func abs(x int) int { return max(x, -x) }

func TestFixedMeetsEachPairing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		e := fixedEvent(t)
		games, state := next(t, e, nil)
		if state != schedule.Complete {
			t.Fatal("a fixed schedule waits")
		}
		checkNumbers(t, e, games)
		checkRounds(t, games)
		if total, exact := schedule.Total(e); !exact || total != len(games) {
			t.Fatalf("%d games, Total says %d, %v", len(games), total, exact)
		}
		want := map[[2]string]int{}
		for i, a := range e.Bots {
			for j, b := range e.Bots[i+1:] {
				c := e.Gauntlet.Challengers
				if e.Format == schedule.FormatGauntlet && (i >= c || i+1+j < c) {
					continue
				}
				n := e.Rounds * e.Cycles
				if e.Swap {
					n *= 2
				}
				want[[2]string{min(a.Name, b.Name), max(a.Name, b.Name)}] = n
			}
		}
		if got := count(games); !maps.Equal(got, want) {
			t.Fatalf("pairings %v, want %v", got, want)
		}
		if more, state := next(t, e, games); len(more) != 0 || state != schedule.Complete {
			t.Fatalf("a complete plan gets %d more games, %v", len(more), state)
		}
		// Side balance: exact in pairs, within one (gauntlet: two) in single games.
		most := 1
		switch {
		case e.Swap:
			most = 0
		case e.Format == schedule.FormatGauntlet:
			most = 2
		}
		for b, d := range lean(games) {
			if abs(d) > most {
				t.Fatalf("%s leans by %d to the first side: %v", b, d, games)
			}
		}
	})
}

func TestFixedExtends(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		old := fixedEvent(t)
		e := old
		e.Rounds += rapid.IntRange(0, 2).Draw(t, "more rounds")
		if e.Format != schedule.FormatMatch {
			e.Bots = bots(len(old.Bots) + rapid.IntRange(0, 3).Draw(t, "more bots"))
		}
		if err := schedule.Extends(old, e); err != nil {
			t.Fatal(err)
		}
		before, _ := next(t, old, nil)
		more, state := next(t, e, before)
		if state != schedule.Complete {
			t.Fatal("an extension waits")
		}
		after := append(append([]arena.Game{}, before...), more...)
		checkNumbers(t, e, after)
		checkRounds(t, after)
		whole, _ := next(t, e, nil)
		if got, want := count(after), count(whole); !maps.Equal(got, want) {
			t.Fatalf("extended: %v, planned at once: %v", got, want)
		}
		if len(e.Bots) == len(old.Bots) && !reflect.DeepEqual(after, whole) {
			t.Fatal("more rounds alone must give the same games as planned at once")
		}
	})
}

func TestExtendsRefuses(t *testing.T) {
	base := arena.Event{Format: schedule.FormatRoundRobin, Rounds: 2, Cycles: 1, Swap: true, Bots: bots(3)}
	for name, change := range map[string]func(*arena.Event){
		"format": func(e *arena.Event) { e.Format = schedule.FormatSwiss },
		"swap":   func(e *arena.Event) { e.Swap = false },
		"bots":   func(e *arena.Event) { e.Bots = e.Bots[1:] },
		"order":  func(e *arena.Event) { e.Bots = []arena.Bot{e.Bots[1], e.Bots[0], e.Bots[2]} },
		"rounds": func(e *arena.Event) { e.Rounds = 1 },
	} {
		e := base
		change(&e)
		if schedule.Extends(base, e) == nil {
			t.Errorf("%s: no error", name)
		}
	}
	knockout := base
	knockout.Format = schedule.FormatKnockout
	more := knockout
	more.Bots = bots(4)
	if schedule.Extends(knockout, more) == nil {
		t.Error("a knockout must not be extended")
	}
	ladder := base
	ladder.Format, ladder.Ladder = schedule.FormatLadder, arena.Ladder{Games: 100, Time: time.Hour, Width: 50}
	for _, l := range []arena.Ladder{{Games: 99, Time: time.Hour, Width: 50}, {Games: 100, Time: time.Minute, Width: 50}, {Games: 100, Time: time.Hour, Width: 60}} {
		more := ladder
		more.Ladder = l
		if schedule.Extends(ladder, more) == nil {
			t.Errorf("a ladder must not shrink to %+v", l)
		}
		if err := schedule.Extends(more, ladder); err != nil {
			t.Errorf("from %+v: %v", l, err)
		}
	}
	gauntlet := base
	gauntlet.Format, gauntlet.Gauntlet.Challengers = schedule.FormatGauntlet, 1
	more = gauntlet
	more.Gauntlet.Challengers = 2
	if schedule.Extends(gauntlet, more) == nil {
		t.Error("the challengers must not change")
	}
}

// Cycles of a format that has none make no games: their number overflowed once.
func TestTotalWithoutCycles(t *testing.T) {
	e := arena.Event{Format: schedule.FormatMatch, Rounds: 623, Cycles: math.MaxInt - 1, Bots: make([]arena.Bot, 2)}
	if games, exact := schedule.Total(e); games != 623 || !exact {
		t.Errorf("%d games (exact: %t) of 623 rounds", games, exact)
	}
}

func TestChallengers(t *testing.T) {
	e := arena.Event{Format: schedule.FormatGauntlet, Gauntlet: arena.Gauntlet{Challengers: 1}, Bots: []arena.Bot{
		{Name: "a", Withdrawn: true}, {Name: "b"}, {Name: "c"}, {Name: "a 2", Replaces: []string{"a"}}, {Name: "d", Replaces: []string{"c"}},
	}}
	got := schedule.Challengers(e)
	for i, want := range []bool{true, false, false, true, false} {
		if got[i] != want {
			t.Errorf("%s: challenger %v, want %v", e.Bots[i].Name, got[i], want)
		}
	}
}
