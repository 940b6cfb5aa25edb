package schedule_test

import (
	"fmt"
	"testing"

	"botarena/arena"
	"botarena/arena/schedule"
)

// playOut plays an event to the end after games that were planned before, with results
// by their numbers, and returns all games and the numbers of their openings. Each answer
// of the plan goes to numbers made anew, as after a restart.
func playOut(t *testing.T, e arena.Event, games []arena.Game) (all []arena.Game, numbers []int, uses *schedule.Openings) {
	t.Helper()
	plan, err := schedule.New(e)
	if err != nil {
		t.Fatal(err)
	}
	for i := range games {
		plan.Add(&games[i])
	}
	for {
		more, state := plan.Next()
		games = append(games, more...)
		o := schedule.NewOpenings(&e)
		numbers = nil
		for i := range games {
			numbers = append(numbers, o.Number(&games[i]))
		}
		if state == schedule.Complete {
			return games, numbers, o
		}
		for i := range games {
			if g := &games[i]; g.Result == arena.Unplayed {
				g.Result = []arena.Result{arena.FirstWins, arena.Draw, arena.SecondWins, arena.SecondWins}[g.Number*7/3%4]
				plan.Finish(g)
			}
		}
	}
}

// Each policy means the same in all formats that have it: what it says of pairs that
// share an opening, and of those that do not. More rounds leave the numbers before as
// they were.
func TestOpeningsByPolicy(t *testing.T) {
	t.Parallel()
	for _, format := range schedule.Formats() {
		for _, policy := range []string{"", arena.PolicyRound, arena.PolicyPairing} {
			for _, swap := range []bool{true, false} {
				e := arena.Event{
					Name: "e", Format: arena.Format(format), Rounds: 3, Cycles: 2, Swap: swap, Seed: 3, Bots: bots(5),
					Gauntlet: arena.Gauntlet{Challengers: 2}, Knockout: arena.Knockout{ThirdPlace: true, TieBreaks: 2},
					Ladder: arena.Ladder{Games: 60, Choose: "information"}, Openings: arena.Openings{Policy: policy},
				}
				if e.Format == schedule.FormatMatch {
					e.Bots = bots(2)
				}
				if e.Format == schedule.FormatRace {
					e.SPRT = &arena.SPRT{Elo1: 5, Alpha: 0.05, Beta: 0.05}
				}
				if e.Format == schedule.FormatTune {
					e.Bots, e.Tune = bots(2), arena.Tune{Games: 60, Pairs: 1, Params: tuningEvent().Tune.Params}
				}
				if e.Format == schedule.FormatLadder && policy == arena.PolicyRound || e.Format == schedule.FormatTune && !swap {
					continue // refused
				}
				name := fmt.Sprintf("%s by %q, swap %t", format, policy, swap)
				games, numbers, o := playOut(t, e, nil)
				checkPolicy(t, name, policy, games, numbers, o)
				more := e
				more.Rounds, more.Ladder.Games = 5, 80
				if schedule.Extends(e, more) != nil {
					continue
				}
				extended, again, o := playOut(t, more, games)
				if len(extended) <= len(games) || fmt.Sprint(again[:len(games)]) != fmt.Sprint(numbers) {
					t.Errorf("%s: extended, it has other openings: %v, were %v", name, again, numbers)
				}
				checkPolicy(t, name+", extended", policy, extended, again, o)
			}
		}
	}
}

func checkPolicy(t *testing.T, name, policy string, games []arena.Game, numbers []int, o *schedule.Openings) {
	t.Helper()
	type meeting struct {
		bots  [2]string
		round int
	}
	met, pairs := map[meeting]int{}, map[int]int{} // by opening
	roundOf := map[int]int{}                       // of an opening
	first := map[int]int{}                         // opening of a round
	needed := 0
	for i, g := range games {
		n := numbers[i]
		needed = max(needed, n+1)
		if i > 0 && games[i-1].Pair == g.Pair {
			if numbers[i-1] != n {
				t.Fatalf("%s: both games of pair %d do not start alike", name, g.Pair)
			}
			continue
		}
		pairs[n]++
		m := meeting{bots: [2]string{min(g.First, g.Second), max(g.First, g.Second)}}
		want := g.Pair - 1
		switch policy {
		case arena.PolicyPairing:
			want = met[m]
		case arena.PolicyRound:
			m.round = g.Round
			if _, ok := first[g.Round]; !ok {
				first[g.Round] = n
			}
			if r, ok := roundOf[n]; ok && r != g.Round {
				t.Errorf("%s: rounds %d and %d share opening %d", name, r, g.Round, n)
			}
			roundOf[n] = g.Round
			want = first[g.Round] + met[m]
		}
		met[m]++
		if n != want {
			t.Errorf("%s: pair %d of round %d, %v, has opening %d, not %d", name, g.Pair, g.Round, m.bots, n, want)
		}
	}
	least, most := len(games), 0
	for _, n := range pairs {
		least, most = min(least, n), max(most, n)
	}
	if a, b := o.Uses(); o.Needed() != needed || len(pairs) != needed || a != least || b != most {
		t.Errorf("%s: %d openings, each for %d to %d pairs; told as %d, for %d to %d", name, len(pairs), least, most, o.Needed(), a, b)
	}
}

// An opening of a round whose bots have withdrawn is not given to a later round.
func TestOpeningsAfterGaps(t *testing.T) {
	e := arena.Event{Openings: arena.Openings{Policy: arena.PolicyRound}}
	o := schedule.NewOpenings(&e)
	for i, g := range []arena.Game{
		{Pair: 1, Round: 1, First: "a", Second: "b"}, {Pair: 4, Round: 3, First: "a", Second: "b"}, {Pair: 5, Round: 3, First: "c", Second: "d"},
	} {
		if n := o.Number(&g); n != []int{0, 2, 2}[i] {
			t.Errorf("pair %d has opening %d", g.Pair, n)
		}
	}
}
