package schedule_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"testing"

	"pgregory.net/rapid"

	"botarena/arena"
	"botarena/arena/config"
	"botarena/arena/schedule"
)

func TestLadder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		e := arena.Event{
			Name: "e", Game: "g", Format: schedule.FormatLadder, Rounds: 1,
			Bots:   bots(rapid.IntRange(2, 6).Draw(t, "bots")),
			Swap:   rapid.Bool().Draw(t, "swap"),
			Ladder: arena.Ladder{Games: rapid.IntRange(1, 60).Draw(t, "games"), Choose: rapid.SampledFrom([]string{"information", "thompson"}).Draw(t, "choose")},
		}
		outcome := luck(rapid.Uint64().Draw(t, "results"))
		games := play(t, e, nil, outcome, order(rapid.Uint64().Draw(t, "order")))
		if again := play(t, e, nil, outcome, order(0)); !reflect.DeepEqual(again, games) {
			t.Fatal("another order of results gives other games")
		}
		checkNumbers(t, e, games)
		checkRounds(t, games)
		if total, exact := schedule.Total(e); !exact || total != len(games) || total > e.Ladder.Games {
			t.Fatalf("%d games of at most %d, Total says %d, %v", len(games), e.Ladder.Games, total, exact)
		}
		// A bot that joins gets games.
		more := e
		more.Bots = bots(len(e.Bots) + 1)
		more.Ladder.Games += 40
		games = play(t, more, games, outcome, order(1))
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
	e := arena.Event{Format: schedule.FormatLadder, Bots: bots(3), Swap: true, Ladder: arena.Ladder{Choose: "information"}}
	p := plannerOf(t, e)
	games, state := p.next(nil)
	if len(games) != 2*schedule.Ahead || state != schedule.Waiting {
		t.Fatalf("%d games, %v", len(games), state)
	}
	for i := 2; i < len(games); i++ {
		games[i].Result = arena.Draw
	}
	if more, _ := p.next(games); len(more) != 0 {
		t.Errorf("the oldest pair is open and %d games come", len(more))
	}
	games[0].Result, games[1].Result = arena.Draw, arena.Draw
	if more, _ := p.next(games); len(more) != 2*schedule.Ahead {
		t.Errorf("%d games, want as many again", len(more))
	}
}

// world plays a ladder's games by chance: bot i is 100 Elo stronger than bot i-1.
type world struct {
	rng   *rand.Rand
	place map[string]int
}

func (w world) play(plan *schedule.Plan, games []arena.Game) {
	for i := range games {
		if games[i].Result != arena.Unplayed {
			continue
		}
		elo := float64(100 * (w.place[games[i].First] - w.place[games[i].Second]))
		games[i].Result = arena.SecondWins
		if w.rng.Float64() < 1/(1+math.Pow(10, -elo/400)) {
			games[i].Result = arena.FirstWins
		}
		plan.Finish(&arena.Game{Number: i + 1, Result: games[i].Result})
	}
}

func ladderEvent(bots int) (arena.Event, world) {
	event := config.Default()
	event.Name, event.Game, event.Format, event.Rounds = "ladder", "breakthrough", schedule.FormatLadder, 0
	event.Ladder.Choose = "information"
	w := world{rng: rand.New(rand.NewPCG(9, 9)), place: map[string]int{}}
	for i := range bots {
		b := config.DefaultBot()
		b.Name = fmt.Sprint("bot", i)
		event.Bots = append(event.Bots, b)
		w.place[b.Name] = i
	}
	return event, w
}

func planLadder(t *testing.T, event arena.Event, w world) []arena.Game {
	t.Helper()
	plan, err := schedule.New(event)
	if err != nil {
		t.Fatal(err)
	}
	var games []arena.Game
	for range 10_000 {
		more, state := plan.Next()
		games = append(games, more...)
		w.play(plan, games)
		if state == schedule.Complete && len(more) == 0 {
			break
		}
	}
	return games
}

// A ladder by information lets every bot play, and its intervals are as narrow
// as asked for when it ends, and were not long before.
func TestLadderStopsWhenNarrow(t *testing.T) {
	event, w := ladderEvent(4)
	event.Ladder.Width = 150
	games := planLadder(t, event, w)
	if len(games) < 100 {
		t.Errorf("%d games cannot tell so much", len(games))
	}
	if !schedule.Narrow(event, games) {
		t.Errorf("it ended after %d games with wider intervals", len(games))
	}
	if before := games[:max(0, len(games)-4*schedule.Ahead)]; schedule.Narrow(event, before) {
		t.Errorf("after %d of %d games it was narrow enough", len(before), len(games))
	}
	// A new bot that has not played has no interval at all.
	late, _ := ladderEvent(5)
	late.Ladder.Width = 150
	if schedule.Narrow(late, games) {
		t.Error("it ends although a bot has not played")
	}
}

// Thompson sampling looks for the best bot, information orders all of them.
func TestLadderChoosers(t *testing.T) {
	count := func(choose string) map[string]int {
		event, w := ladderEvent(6)
		event.Ladder.Choose, event.Ladder.Games = choose, 400
		n := map[string]int{}
		games := planLadder(t, event, w)
		if len(games) != 400 {
			t.Fatalf("%s: %d games", choose, len(games))
		}
		for _, g := range games {
			n[g.First]++
			n[g.Second]++
		}
		return n
	}
	information, thompson := count("information"), count("thompson")
	for i := range 6 {
		if name := fmt.Sprint("bot", i); information[name] < 60 {
			t.Errorf("information: %s played %d of 400 games only: %v", name, information[name], information)
		}
	}
	if top, bottom := thompson["bot5"]+thompson["bot4"], thompson["bot0"]+thompson["bot1"]; top < 2*bottom {
		t.Errorf("thompson: the best two played %d games and the worst two %d: %v", top, bottom, thompson)
	}
}

// Alike pairs of few games look certain by pairs alone.
func TestNarrowIsNotFooled(t *testing.T) {
	event, _ := ladderEvent(2)
	event.Ladder.Width = 100
	var games []arena.Game
	for pair := 1; pair <= 3; pair++ {
		games = append(games,
			arena.Game{Pair: pair, First: "bot0", Second: "bot1", Result: arena.FirstWins},
			arena.Game{Pair: pair, First: "bot1", Second: "bot0", Result: arena.FirstWins})
	}
	if schedule.Narrow(event, games) {
		t.Error("three pairs of 1-1 count as certain")
	}
}
