package schedule_test

import (
	"testing"

	"botarena/arena"
	"botarena/arena/rating/sprt"
	"botarena/arena/schedule"
)

// A match without a test counts its pairs in the order of the schedule, and never ends by
// them; other events have no pairs to count.
func TestTrialWithoutTest(t *testing.T) {
	match := arena.Event{Format: schedule.FormatMatch, Swap: true, Bots: bots(2)}
	a, b := match.Bots[0].Name, match.Bots[1].Name
	trial, err := schedule.NewTrial(match)
	if err != nil {
		t.Fatal(err)
	}
	for pair := 1; pair <= 300; pair++ {
		for _, g := range []arena.Game{{Pair: pair, First: a, Second: b, Result: arena.FirstWins}, {Pair: pair, First: b, Second: a, Result: arena.Draw}} {
			if !trial.Add(&g) {
				t.Fatalf("pair %d is not counted", pair)
			}
		}
	}
	if want := (sprt.Pentanomial{0, 0, 0, 300, 0}); trial.Counts() != want || trial.Decided() || trial.Tested {
		t.Errorf("%v, decided: %v", trial.Counts(), trial.Decided())
	}
	if trial.Add(&arena.Game{Pair: 301, First: a, Second: b}) {
		t.Error("a game without a result is counted")
	}
	for _, e := range []arena.Event{{Format: schedule.FormatMatch, Bots: bots(2)}, {Format: schedule.FormatSwiss, Swap: true, Bots: bots(2)}} {
		if trial, err := schedule.NewTrial(e); trial != nil || err != nil {
			t.Errorf("%s, swap %v: a trial, %v", e.Format, e.Swap, err)
		}
	}
}
