package schedule_test

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"botarena/arena"
	"botarena/arena/rating/race"
	"botarena/arena/rating/sprt"
	"botarena/arena/schedule"
)

func raceOf(n int, best bool) arena.Event {
	return arena.Event{
		Name: "e", Game: "g", Format: schedule.FormatRace, Bots: bots(n), Swap: true, Rounds: 60, Race: arena.Race{Best: best},
		SPRT: &arena.SPRT{Elo1: 150, Alpha: 0.05, Beta: 0.05, Model: "logistic"},
	}
}

// skill gives each game a result by its number and its bots: the later a bot is in the
// event, the stronger it is.
func skill(seed uint64, bots []arena.Bot) func(arena.Game) arena.Result {
	return func(g arena.Game) arena.Result {
		x := rand.New(rand.NewPCG(seed, uint64(g.Number))).Float64()
		edge := float64(arena.BotIndex(bots, g.First)-arena.BotIndex(bots, g.Second)) * 0.1
		switch {
		case x < 0.3+edge:
			return arena.FirstWins
		case x < 0.7+edge:
			return arena.Draw
		}
		return arena.SecondWins
	}
}

// A race has the same games and the same end whatever the order of results, and ends as
// a race of its pairs alone does.
func TestRace(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		e := raceOf(rapid.IntRange(3, 5).Draw(t, "bots"), rapid.Bool().Draw(t, "best"))
		e.Rounds = rapid.IntRange(1, 16).Draw(t, "rounds")
		outcome := skill(rapid.Uint64().Draw(t, "results"), e.Bots)
		games := play(t, e, nil, outcome, order(rapid.Uint64().Draw(t, "order")))
		if again := play(t, e, nil, outcome, order(0)); !reflect.DeepEqual(again, games) {
			t.Fatal("another order of results gives other games")
		}
		checkNumbers(t, e, games)
		if most, exact := schedule.Total(e); exact || len(games) > most {
			t.Fatalf("%d games, at most %d", len(games), most)
		}
		// The same race by its scores.
		scores := make([][]int, len(e.Bots)-1) // of each candidate, in the order of its pairs
		numbers := make([][]int, len(scores))  // of the last games of these
		for i := 0; i < len(games); i += 2 {
			c, points := games[i].First, 0.0
			for _, g := range games[i : i+2] {
				score, _ := g.Result.Score()
				if g.Second == c {
					score = 1 - score
				}
				points += 2 * score
			}
			k := arena.BotIndex(e.Bots, c) - 1
			scores[k], numbers[k] = append(scores[k], int(points)), append(numbers[k], games[i+1].Number)
		}
		want := race.New(race.Rules{Test: sprt.Of(e.SPRT), Best: e.Race.Best}, len(scores))
		last := 0
		for n := 0; n < e.Rounds && len(want.Playing()) > 0; n++ {
			step := make([]int, len(scores))
			for _, i := range want.Playing() {
				step[i], last = scores[i][n], numbers[i][n]
			}
			want.Step(step)
		}
		if len(want.Playing()) > 0 {
			last = 0
		}
		got := standingsOf(e, games).Race
		for i, c := range want.Candidates() {
			if v := got.Candidates[i]; v.State != c.State || v.Counts != c.Counts || v.LLR != c.LLR || v.Beats != c.Beats {
				t.Fatalf("%+v, want %+v", v, c)
			}
		}
		checkEnd(t, e, games, last, order(rapid.Uint64().Draw(t, "end")))
	})
}

// checkEnd gives games their results in any order: as soon as those that decide a race
// are known, its last game is, whatever else has been played; 0: it is not decided.
func checkEnd(t failer, e arena.Event, games []arena.Game, last int, r *rand.Rand) {
	t.Helper()
	plan, err := schedule.New(e)
	if err != nil {
		t.Fatal(err)
	}
	for given := 0; given < len(games); {
		ask(plan)
		for _, i := range r.Perm(plan.Last()) {
			if plan.Result(i+1) != arena.Unplayed {
				continue
			}
			plan.Finish(&arena.Game{Number: i + 1, Result: games[i].Result})
			given++
			if at, ok := plan.Decided(); ok {
				if a, b := standingsOf(e, games[:at]).Race, standingsOf(e, games).Race; at != last || fmt.Sprint(a) != fmt.Sprint(b) {
					t.Fatalf("decided by game %d, want %d: %v, want %v", at, last, a, b)
				}
				// Games that were in progress come in as well, and the plan is asked again.
				for i := range games {
					if i < plan.Last() && plan.Result(i+1) == arena.Unplayed {
						plan.Finish(&arena.Game{Number: i + 1, Result: games[i].Result})
					}
				}
				ask(plan)
				if at, ok := plan.Decided(); !ok || at != last {
					t.Fatalf("decided by game %d, %v, once all are played: want %d", at, ok, last)
				}
				return
			}
		}
	}
	if last > 0 {
		t.Fatalf("it is decided by game %d, and the plan does not know", last)
	}
}

func standingsOf(e arena.Event, games []arena.Game) *schedule.Standings {
	var c arena.Counter
	for i := range games {
		c.Add(&games[i], 1, 1, 0)
	}
	return schedule.StandingsOf(e, schedule.Played{Counts: c.Counts(), Games: games})
}

// Those that are accepted stand first, the base before those that are eliminated, of whom
// the last one is first.
func TestRaceStandings(t *testing.T) {
	e := raceOf(4, false)
	e.Rounds = 1000
	games := play(t, e, nil, func(g arena.Game) arena.Result {
		c, wins, loses := g.First, arena.FirstWins, arena.SecondWins
		if c == "bot1" {
			c, wins, loses = g.Second, arena.SecondWins, arena.FirstWins
		}
		switch {
		case c == "bot3":
			return wins
		case c == "bot2" || g.Pair%2 == 0:
			return loses
		}
		return wins
	}, order(1))
	s := standingsOf(e, games)
	var got []string
	for _, r := range s.Rows {
		got = append(got, fmt.Sprintf("%d %s %s", r.Place, r.Bot, r.Verdict))
	}
	if text := strings.Join(got, ", "); text != "1 bot3 accepted at pair 12, 2 bot1 base, 3 bot4 eliminated at pair 72, 4 bot2 eliminated at pair 6" {
		t.Error(text)
	}
	if text := s.Race.Sentence(); text != "bot3 beats bot1." || s.Race.Verdict() != sprt.AcceptH1 {
		t.Errorf("%s: %s", s.Race.Verdict(), text)
	}
	// Half way through it is not decided.
	half := standingsOf(e, games[:8]).Race
	if text := half.Sentence(); text != "Not decided yet: 3 of 3 candidates." || half.Verdict() != sprt.Continue {
		t.Errorf("%s: %s", half.Verdict(), text)
	}
}

// A race is not extended by bots, and goes on without a candidate that is withdrawn.
func TestRaceWithdrawn(t *testing.T) {
	e := raceOf(4, true)
	outcome := func(g arena.Game) arena.Result {
		if g.First == "bot4" || g.First != "bot1" && g.Pair%2 == 0 || g.First == "bot1" && g.Second != "bot4" && g.Pair%2 == 1 {
			return arena.FirstWins
		}
		return arena.SecondWins
	}
	games := play(t, e, nil, outcome, order(3))[:24]
	without := e
	without.Bots = bots(4)
	without.Bots[1].Withdrawn = true
	if err := schedule.Extends(e, without); err != nil {
		t.Error(err)
	}
	s := standingsOf(without, play(t, without, games, outcome, order(4)))
	if v := s.Race.Candidates; v[0].State != race.Withdrawn || v[2].State != race.Accepted {
		t.Errorf("%+v", v)
	}
	more := e
	more.Bots = bots(5)
	if err := schedule.Extends(e, more); err == nil || !strings.Contains(err.Error(), "all of its candidates from the start") {
		t.Error(err)
	}
	without.Bots[0].Withdrawn = true
	if err := schedule.Validate(&without, arena.Known{}); err == nil || !strings.Contains(err.Error(), "all candidates of a race play the base") {
		t.Error(err)
	}
}
