package schedule_test

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"botarena/arena"
	"botarena/arena/config"
	"botarena/arena/schedule"
)

func tuningEvent() arena.Event {
	e := config.Default()
	e.Name, e.Game, e.Format = "e", "g", schedule.FormatTune
	b := config.DefaultBot()
	b.Name, b.Builtin = "b", "minimax"
	e.Bots = schedule.TunedBots(b)
	e.Tune.Params = []arena.Param{
		{Name: "Margin", Type: "int", Start: 50, Min: 0, Max: 100},
		{Name: "Blend", Type: "float", Start: 0.5, Min: 0, Max: 1, Elo: 30},
	}
	return e
}

// The games of a tuning, with the values that they are played with, depend neither on
// the order in which results come nor on where it was resumed.
func TestTuning(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		e := tuningEvent()
		e.Seed = rapid.Uint64().Draw(t, "seed")
		e.Tune.Games, e.Tune.Pairs, e.Tune.Lag = rapid.IntRange(6, 120).Draw(t, "games"), rapid.IntRange(1, 3).Draw(t, "pairs"), rapid.IntRange(0, 5).Draw(t, "lag")
		outcome := luck(rapid.Uint64().Draw(t, "results"))
		games := play(t, e, nil, outcome, order(rapid.Uint64().Draw(t, "order")))
		if again := play(t, e, nil, outcome, order(0)); !reflect.DeepEqual(again, games) {
			t.Fatal("another order of results gives other games")
		}
		cut := 2 * rapid.IntRange(0, len(games)/2).Draw(t, "cut")
		if again := play(t, e, games[:cut], outcome, order(0)); !reflect.DeepEqual(again, games) {
			t.Fatalf("resumed after %d games, others follow", cut)
		}
		checkNumbers(t, e, games)
		if total, exact := schedule.Total(e); !exact || total != len(games) || total > e.Tune.Games {
			t.Fatalf("%d games of at most %d, Total says %d, %v", len(games), e.Tune.Games, total, exact)
		}
		whole := schedule.NewTuning(e)
		for i := range games {
			g := &games[i]
			whole.Add(g)
			if i%2 == 1 && (fmt.Sprint(g.Options[0]) != fmt.Sprint(games[i-1].Options[1]) || fmt.Sprint(g.Options[1]) != fmt.Sprint(games[i-1].Options[0])) {
				t.Fatalf("options do not change sides: %v, %v", games[i-1].Options, g.Options)
			}
			if len(g.Options[0]) != 2 || g.Options[0][0].Name != "Blend" || fmt.Sprint(g.Options[0]) == fmt.Sprint(g.Options[1]) {
				t.Fatalf("game %d has %v", g.Number, g.Options)
			}
		}
		if n := len(games) / (2 * e.Tune.Pairs); !whole.Take(n) || whole.Take(n+1) || whole.Tuner.Done() != n {
			t.Fatalf("%d iterations are done of %d", whole.Tuner.Done(), n)
		}
	})
}

// An iteration in which one of both bots fails is lost by it, whatever its other games
// came to.
func TestTuningFaults(t *testing.T) {
	e := tuningEvent()
	e.Tune.Pairs, e.Tune.Params = 2, []arena.Param{{Name: "A", Type: "float", Start: 50, Max: 100, CEnd: 10, REnd: 0.1}}
	theta := func(results string, blame string, reason arena.Reason) (float64, *schedule.Tuning) {
		tuning := schedule.NewTuning(e)
		for i, r := range results {
			g := arena.Game{Number: i + 1, Round: 1, Pair: i/2 + 1, First: "b+", Second: "b-", Result: arena.FirstWins}
			if i%2 == 1 {
				g.First, g.Second = g.Second, g.First
			}
			if (r == '+') == (i%2 == 1) {
				g.Result = arena.SecondWins
			}
			if i == 0 {
				g.Blame, g.Reason = blame, reason
			}
			tuning.Add(&g)
		}
		if !tuning.Take(1) {
			t.Fatal("the iteration is not over")
		}
		return tuning.Tuner.Theta()[0], tuning
	}
	won, _ := theta("++++", "", "")
	lost, _ := theta("----", "", "")
	level, _ := theta("-++-", "", "")
	late, n := theta("-+++", "b+", arena.TimeForfeit)
	if won == lost || level != 50 || late == lost || n.Faulty != 0 {
		t.Errorf("won %v, lost %v, level %v, late %v", won, lost, level, late)
	}
	if got, n := theta("-+++", "b+", arena.Crash); got != lost || n.Faulty != 1 || n.FaultyNow != 1 {
		t.Errorf("theta %v after a crash of plus, want %v", got, lost)
	}
	if got, _ := theta("+---", "b-", arena.Stall); got != won {
		t.Errorf("theta %v after a stall of minus, want %v", got, won)
	}
}

func TestInvalidTunings(t *testing.T) {
	for want, change := range map[string]func(e *arena.Event){
		"tune.params: names no option":                              func(e *arena.Event) { e.Tune.Params = nil },
		"tune.params[1].name: Margin is tuned already":              func(e *arena.Event) { e.Tune.Params[1].Name = "Margin" },
		"tune.params[0]: Margin: min and max are both 3":            func(e *arena.Event) { e.Tune.Params[0].Min, e.Tune.Params[0].Max = 3, 3 },
		"tune.params[0]: Margin: start 50 is not between":           func(e *arena.Event) { e.Tune.Params[0].Max = 40 },
		"tune.params[0].elo: -1 is out of range":                    func(e *arena.Event) { e.Tune.Params[0].Elo = -1 },
		"tune.params[0].type: \"floot\" is not known; did you mean": func(e *arena.Event) { e.Tune.Params[0].Type = "floot" },
		"swap: a tuning plays pairs":                                func(e *arena.Event) { e.Swap = false },
		"bots: a tuning has one bot":                                func(e *arena.Event) { e.Bots = append(e.Bots, bots(1)...); e.Bots[2].Builtin = "random" },
		"tune.games: 4 games are not one iteration; at least 6":     func(e *arena.Event) { e.Tune.Games, e.Tune.Pairs = 4, 3 },
		"is set in the bot's options as well":                       func(e *arena.Event) { e.Bots[0].Options = []arena.Option{{Name: "margin", Value: "3"}} },
	} {
		e := tuningEvent()
		e.Bots, e.Tune.Params = slices.Clone(e.Bots), slices.Clone(e.Tune.Params)
		change(&e)
		if err := schedule.Validate(&e, arena.Known{}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
	e := tuningEvent()
	if err := schedule.Validate(&e, arena.Known{}); err != nil {
		t.Error(err)
	}
}
