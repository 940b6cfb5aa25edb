package schedule_test

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"testing"

	"botarena/arena"
	"botarena/arena/schedule"
)

// A planner asks a plan that is made anew each time, as after a restart.
type planner func() *schedule.Plan

func (p planner) next(planned []arena.Game) (all []arena.Game, state schedule.State) {
	plan := p()
	for i := range planned {
		plan.Add(&planned[i])
	}
	return ask(plan)
}

// ask asks until there is no more for now.
func ask(plan *schedule.Plan) (all []arena.Game, state schedule.State) {
	for {
		more, state := plan.Next()
		all = append(all, more...)
		if state != schedule.More {
			return all, state
		}
	}
}

func plannerOf(t failer, e arena.Event) planner {
	t.Helper()
	if _, err := schedule.New(e); err != nil {
		t.Fatal(err)
	}
	return func() *schedule.Plan {
		plan, err := schedule.New(e)
		if err != nil {
			panic(err) // it was none before
		}
		return plan
	}
}

// Plans that do not fit into one answer come in parts, whole pairs each.
func TestPlanComesInParts(t *testing.T) {
	e := arena.Event{Name: "e", Format: schedule.FormatMatch, Rounds: 3500, Cycles: 1, Swap: true, Bots: bots(2)}
	plan, err := schedule.New(e)
	if err != nil {
		t.Fatal(err)
	}
	var games []arena.Game
	parts := 0
	for state := schedule.More; state == schedule.More; parts++ {
		var more []arena.Game
		more, state = plan.Next()
		if len(more) > 1100 || len(more)%2 != 0 {
			t.Fatalf("%d games at once", len(more))
		}
		games = append(games, more...)
	}
	checkNumbers(t, e, games)
	if len(games) != 7000 || parts < 4 || plan.Len() != 7000 {
		t.Errorf("%d games in %d parts", len(games), parts)
	}
	// A plan that was cut short before goes on where it was cut.
	half, _ := schedule.New(e)
	for i := range games[:3000] {
		half.Add(&games[i])
	}
	rest, state := ask(half)
	if state != schedule.Complete || !reflect.DeepEqual(rest, games[3000:]) {
		t.Errorf("%d games after 3000, %v", len(rest), state)
	}
}

// Games that were removed leave gaps in the numbers; what is planned on follows the
// last one.
func TestPlanGaps(t *testing.T) {
	e := arena.Event{Name: "e", Format: schedule.FormatRoundRobin, Rounds: 1, Cycles: 1, Swap: true, Bots: bots(3)}
	plan, err := schedule.New(e)
	if err != nil {
		t.Fatal(err)
	}
	all, _ := ask(plan)
	again, err := schedule.New(e)
	if err != nil {
		t.Fatal(err)
	}
	for _, i := range []int{0, 1, 4, 5} { // the second pair is gone
		again.Add(&all[i])
	}
	if again.Len() != 4 || again.Last() != 6 || again.Has(3) || again.Has(4) || !again.Has(5) {
		t.Errorf("%d games up to %d", again.Len(), again.Last())
	}
	more, state := ask(again)
	if state != schedule.Complete || len(more) != 2 || more[0].Number != 7 || more[0].Pair != 4 || count(more)[[2]string{min(all[2].First, all[2].Second), max(all[2].First, all[2].Second)}] != 2 {
		t.Errorf("%+v", more)
	}
	again.Finish(&arena.Game{Number: 5, Result: arena.Draw})
	if again.Cut(4); again.Len() != 2 || again.Last() != 4 {
		t.Errorf("%d games up to %d after the cut", again.Len(), again.Last())
	}
}

func TestPlanCut(t *testing.T) {
	e := arena.Event{Name: "e", Format: schedule.FormatMatch, Rounds: 10, Cycles: 1, Swap: true, Bots: bots(2)}
	plan, err := schedule.New(e)
	if err != nil {
		t.Fatal(err)
	}
	ask(plan)
	plan.Finish(&arena.Game{Number: 1, Result: arena.SecondWins})
	plan.Cut(2)
	if g := plan.Game(1); plan.Len() != 2 || g.Result != arena.SecondWins || g.First != "bot1" || g.Pair != 1 || plan.Result(2) != arena.Unplayed {
		t.Errorf("%d games, %+v", plan.Len(), g)
	}
	if more, state := plan.Next(); more != nil || state != schedule.Complete {
		t.Errorf("%d games after the cut, %v", len(more), state)
	}
}

// BenchmarkNext is the price of a result and what follows from it, after so many
// games: it is the same after a million. The ladder's includes its chooser, the
// Swiss round's (8 bots) the pairing.
func BenchmarkNext(b *testing.B) {
	for _, format := range []arena.Format{schedule.FormatMatch, schedule.FormatSwiss, schedule.FormatKnockout, schedule.FormatLadder} {
		for _, before := range []int{10_000, 100_000, 1_000_000} {
			b.Run(fmt.Sprintf("%s/%d", format, before), func(b *testing.B) {
				e := arena.Event{
					Name: "e", Format: format, Swap: true, Cycles: 1, Bots: bots(8), Rounds: 2 * before,
					Ladder: arena.Ladder{Choose: "information"},
				}
				switch format {
				case schedule.FormatMatch:
					e.Bots = bots(2)
				case schedule.FormatLadder:
					// The past is of the test's own: choosing a million pairs takes minutes.
					benchmarkLadder(b, e, before)
					return
				}
				plan, err := schedule.New(e)
				if err != nil {
					b.Fatal(err)
				}
				r := rand.New(rand.NewPCG(1, 2))
				played := 0
				result := func() {
					for played == plan.Len() {
						if more, state := plan.Next(); len(more) == 0 {
							b.Fatalf("%v after %d games", state, played)
						}
					}
					played++
					plan.Finish(&arena.Game{Number: played, Result: results[r.IntN(3)]})
					if format != schedule.FormatMatch { // which plans all at once
						plan.Next()
					}
				}
				for played < before {
					result()
				}
				for b.Loop() {
					result()
				}
			})
		}
	}
}

func benchmarkLadder(b *testing.B, e arena.Event, before int) {
	plan, err := schedule.New(e)
	if err != nil {
		b.Fatal(err)
	}
	r := rand.New(rand.NewPCG(1, 2))
	for n := 1; n <= before; n++ {
		i, j := (n-1)/2%8, ((n-1)/2+1+(n-1)/16%7)%8
		if n%2 == 0 {
			i, j = j, i
		}
		plan.Add(&arena.Game{Number: n, Pair: (n + 1) / 2, Round: (n + 1) / 2, First: e.Bots[i].Name, Second: e.Bots[j].Name, Result: results[r.IntN(3)]})
	}
	plan.Next()
	played := before
	for b.Loop() {
		played++
		plan.Finish(&arena.Game{Number: played, Result: results[r.IntN(3)]})
		plan.Next()
	}
}
