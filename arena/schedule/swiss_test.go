package schedule_test

import (
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"botarena/arena"
	"botarena/arena/schedule"
)

var results = []arena.Result{arena.FirstWins, arena.SecondWins, arena.Draw}

// luck gives every game a result that depends on the seed and its number alone.
func luck(seed uint64) func(arena.Game) arena.Result {
	return func(g arena.Game) arena.Result {
		return results[rand.New(rand.NewPCG(seed, uint64(g.Number))).IntN(3)]
	}
}

// play runs an event to its end: each time Next has answered, one to all of the
// open games, in an order drawn by r, get their result. It checks that what was
// planned stays, and that a plan which is asked again and again answers what one
// does that was made anew.
func play(t failer, e arena.Event, from []arena.Game, result func(arena.Game) arena.Result, r *rand.Rand) []arena.Game {
	t.Helper()
	p := plannerOf(t, e)
	games := slices.Clone(from)
	plan := p()
	for i := range games {
		plan.Add(&games[i])
	}
	for range 100_000 {
		more, state := ask(plan)
		if r.IntN(4) == 0 { // each time would take most of the time
			before := slices.Clone(games)
			if anew, as := p.next(games); !reflect.DeepEqual(anew, more) || as != state {
				t.Fatalf("a plan that is kept answers %v, %v; one made anew %v, %v", more, state, anew, as)
			}
			if !reflect.DeepEqual(games, before) {
				t.Fatal("Next changed the games planned")
			}
		}
		games = append(games, more...)
		var open []int
		for i, g := range games {
			if g.Result == arena.Unplayed {
				open = append(open, i)
			}
		}
		if len(open) == 0 {
			if state != schedule.Complete {
				t.Fatalf("nothing to play and still %v: %v", state, games)
			}
			return games
		}
		r.Shuffle(len(open), func(i, j int) { open[i], open[j] = open[j], open[i] })
		for _, i := range open[:1+r.IntN(len(open))] {
			games[i].Result = result(games[i])
			plan.Finish(&arena.Game{Number: i + 1, Result: games[i].Result})
		}
	}
	t.Fatal("the event does not end")
	return nil
}

func order(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 1)) }

func byRound(games []arena.Game) map[int][]arena.Game {
	rounds := map[int][]arena.Game{}
	for _, g := range games {
		rounds[g.Round] = append(rounds[g.Round], g)
	}
	return rounds
}

// canPair tells by trying everything whether the names can be paired without a
// rematch, leaving out one of them where their number is odd: only one who may rest.
func canPair(names []string, met map[[2]string]int, mayRest func(string) bool) bool {
	if len(names) == 0 {
		return true
	}
	a, rest := names[0], names[1:]
	if len(names)%2 == 1 && mayRest(a) && canPair(rest, met, mayRest) {
		return true
	}
	for i, b := range rest {
		if met[[2]string{min(a, b), max(a, b)}] > 0 {
			continue
		}
		if canPair(append(slices.Clone(rest[:i]), rest[i+1:]...), met, mayRest) {
			return true
		}
	}
	return false
}

func TestSwiss(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(2, 8).Draw(t, "bots")
		e := arena.Event{
			Name: "e", Game: "g", Format: schedule.FormatSwiss, Bots: bots(n),
			Rounds: rapid.IntRange(1, 9).Draw(t, "rounds"),
			Swap:   rapid.Bool().Draw(t, "swap"),
			Seed:   rapid.Uint64().Draw(t, "seed"),
		}
		outcome := luck(rapid.Uint64().Draw(t, "results"))
		games := play(t, e, nil, outcome, order(rapid.Uint64().Draw(t, "order")))
		if again := play(t, e, nil, outcome, order(0)); !reflect.DeepEqual(again, games) {
			t.Fatal("another order of results gives other games")
		}
		checkNumbers(t, e, games)
		checkRounds(t, games)
		if total, exact := schedule.Total(e); !exact || total != len(games) {
			t.Fatalf("%d games, Total says %d, %v", len(games), total, exact)
		}

		byes, met, planned := map[string]int{}, map[[2]string]int{}, 0
		for round := 1; round <= e.Rounds; round++ {
			playing := byRound(games)[round]
			planned += len(playing)
			if total, exact := schedule.TotalAfter(e, planned, round); total != len(games) || !exact {
				t.Fatalf("%d games in all are expected after round %d, %v; there are %d", total, round, exact, len(games))
			}
			var free []string
			leastByes := e.Rounds
			for _, b := range e.Bots {
				if !slices.ContainsFunc(playing, func(g arena.Game) bool { return g.First == b.Name || g.Second == b.Name }) {
					free = append(free, b.Name)
				}
				if round > 1 || b.Name != e.Bots[n-1].Name {
					leastByes = min(leastByes, byes[b.Name])
				}
			}
			if len(free) != n%2 {
				t.Fatalf("round %d leaves out %v", round, free)
			}
			again := 0
			seen := map[int]bool{}
			for _, g := range playing {
				if !seen[g.Pair] {
					seen[g.Pair] = true
					again += met[[2]string{min(g.First, g.Second), max(g.First, g.Second)}]
				}
			}
			mayRest := func(name string) bool {
				return byes[name] == leastByes && (round > 1 || name != e.Bots[n-1].Name)
			}
			var all []string
			for _, b := range e.Bots {
				all = append(all, b.Name)
			}
			if again > 0 && canPair(all, met, mayRest) {
				t.Fatalf("round %d has rematches that could be avoided: %v", round, games)
			}
			for _, f := range free {
				if byes[f] > leastByes {
					t.Fatalf("round %d: %s rests again before others did", round, f)
				}
				byes[f]++
			}
			seen = map[int]bool{}
			for _, g := range playing {
				if !seen[g.Pair] {
					seen[g.Pair] = true
					met[[2]string{min(g.First, g.Second), max(g.First, g.Second)}]++
				}
			}
		}
		for _, r := range schedule.Rows(e, games) {
			if r.Byes != byes[r.Bot] {
				t.Fatalf("%s has %d byes, the standings say %d", r.Bot, byes[r.Bot], r.Byes)
			}
		}
		most := 0
		if !e.Swap {
			most = 2
		}
		if e.Rounds <= n/2 {
			for b, d := range lean(games) {
				if abs(d) > most {
					t.Fatalf("%s leans by %d: %v", b, d, games)
				}
			}
		}
	})
}

// The first of two groups of equal points meet each other.
func TestSwissPairsWithinScores(t *testing.T) {
	e := arena.Event{Format: schedule.FormatSwiss, Bots: bots(8), Rounds: 2, Swap: true, Seed: 3}
	games := play(t, e, nil, func(g arena.Game) arena.Result {
		// The bot with the smaller name always wins.
		if g.First < g.Second {
			return arena.FirstWins
		}
		return arena.SecondWins
	}, order(1))
	points := map[string]int{}
	for _, g := range games[:8] {
		points[min(g.First, g.Second)]++
	}
	for _, g := range games[8:] {
		if points[g.First] != points[g.Second] {
			t.Errorf("round 2 pairs %s (%d points) with %s (%d)", g.First, points[g.First], g.Second, points[g.Second])
		}
	}
}

func TestSwissExtends(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		old := arena.Event{
			Name: "e", Game: "g", Format: schedule.FormatSwiss, Swap: true,
			Bots:   bots(rapid.IntRange(2, 7).Draw(t, "bots")),
			Rounds: rapid.IntRange(1, 3).Draw(t, "rounds"),
		}
		e := old
		e.Rounds += rapid.IntRange(1, 3).Draw(t, "more rounds")
		outcome := luck(rapid.Uint64().Draw(t, "results"))
		half := play(t, old, nil, outcome, order(1))
		if a, b := play(t, e, half, outcome, order(1)), play(t, e, nil, outcome, order(1)); !reflect.DeepEqual(a, b) {
			t.Fatal("more rounds later are not the rounds planned at once")
		}
		e.Bots = bots(len(old.Bots) + rapid.IntRange(1, 3).Draw(t, "more bots"))
		games := play(t, e, half, outcome, order(1))
		checkNumbers(t, e, games)
		checkRounds(t, games)
		if !slices.EqualFunc(half, games[:len(half)], func(a, b arena.Game) bool { return reflect.DeepEqual(a, b) }) {
			t.Fatal("the games played changed")
		}
		joined := map[string]bool{}
		for _, b := range e.Bots[len(old.Bots):] {
			joined[b.Name] = true
		}
		for _, r := range schedule.Rows(e, games) {
			// Who joined has no bye from the rounds before.
			perRound := 2
			entered := e.Rounds
			if joined[r.Bot] {
				entered = e.Rounds - old.Rounds
			}
			if r.Byes+r.Games/perRound != entered {
				t.Fatalf("%s: %d byes and %d games in %d rounds", r.Bot, r.Byes, r.Games, entered)
			}
		}
	})
}

// A large field is paired in good time: Blossoms included.
func BenchmarkSwissRound(b *testing.B) {
	e := arena.Event{Format: schedule.FormatSwiss, Bots: bots(201), Rounds: 10, Swap: true}
	p := plannerOf(b, e)
	var games []arena.Game
	for range 9 {
		more, _ := p.next(games)
		for i := range more {
			more[i].Result = luck(1)(more[i])
		}
		games = append(games, more...)
	}
	for b.Loop() {
		b.StopTimer()
		plan := p()
		for i := range games {
			plan.Add(&games[i])
		}
		b.StartTimer()
		ask(plan)
	}
}

// A bot that joins late adds no games to the rounds before.
func TestTotalAfter(t *testing.T) {
	event := arena.Event{Format: schedule.FormatSwiss, Rounds: 4, Swap: true, Bots: make([]arena.Bot, 6)}
	for _, c := range []struct{ planned, round, want int }{{0, 0, 24}, {12, 3, 18}, {18, 4, 18}, {4, 1, 22}} {
		if got, exact := schedule.TotalAfter(event, c.planned, c.round); got != c.want || !exact {
			t.Errorf("%d games in %d rounds: %d in all, %v; want %d", c.planned, c.round, got, exact, c.want)
		}
	}
}

// A bot that is withdrawn plays no more and has no byes after its last game; who
// was to play it rests.
func TestSwissWithdrawn(t *testing.T) {
	event := arena.Event{Name: "e", Format: schedule.FormatSwiss, Rounds: 4, Swap: true}
	for _, name := range []string{"a", "b", "c", "d"} {
		event.Bots = append(event.Bots, arena.Bot{Name: name})
	}
	play := func(games []arena.Game) []arena.Game {
		for i := range games {
			if games[i].Result == arena.Unplayed {
				games[i].Result = arena.FirstWins
			}
		}
		return games
	}
	next := func(planned []arena.Game) []arena.Game {
		more, _ := plannerOf(t, event).next(planned)
		return append(planned, more...)
	}
	planned := next(play(next(nil)))
	event.Bots[1].Withdrawn = true
	var lost string
	planned = slices.DeleteFunc(planned, func(g arena.Game) bool {
		if g.Result != arena.Unplayed || g.First != "b" && g.Second != "b" {
			return false
		}
		lost = g.First
		if lost == "b" {
			lost = g.Second
		}
		return true
	})
	for range 3 {
		planned = next(play(planned))
	}
	byes, total := map[string]int{}, 0
	for _, row := range schedule.Rows(event, planned) {
		byes[row.Bot] = row.Byes
		total += row.Byes
	}
	if byes["b"] != 0 || byes[lost] == 0 || total != 3 {
		t.Errorf("byes %v: b has none, %s one at least, three bots one a round from the second on", byes, lost)
	}
	for _, g := range planned {
		if g.Round > 1 && (g.First == "b" || g.Second == "b") {
			t.Errorf("b plays in round %d", g.Round)
		}
	}
}
