package schedule_test

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"botarena/arena"
	"botarena/arena/config"
	"botarena/arena/schedule"
)

// leagueSim plays a league with so many slots; games of slow bots never end.
type leagueSim struct {
	world
	plan  *schedule.Plan
	all   []arena.Game
	slow  string
	stuck int
}

func newLeagueSim(t *testing.T, event arena.Event, w world, before []arena.Game) *leagueSim {
	t.Helper()
	plan, err := schedule.New(event)
	if err != nil {
		t.Fatal(err)
	}
	for i := range before {
		plan.Add(&before[i])
	}
	return &leagueSim{world: w, plan: plan, all: slices.Clone(before)}
}

// pair plans a pair and plays it.
func (s *leagueSim) pair(t *testing.T) []arena.Game {
	t.Helper()
	more, state := s.plan.Next()
	if state != schedule.Ready || len(more) != 2 {
		t.Fatalf("%d games, %v", len(more), state)
	}
	at := len(s.all)
	s.all = append(s.all, more...)
	for i := at; i < len(s.all); i++ {
		g := &s.all[i]
		if g.First == s.slow || g.Second == s.slow {
			s.stuck++
			continue
		}
		elo := float64(100 * (s.place[g.First] - s.place[g.Second]))
		g.Result = arena.SecondWins
		if s.rng.Float64() < 1/(1+math.Pow(10, -elo/400)) {
			g.Result = arena.FirstWins
		}
		s.plan.Finish(g)
	}
	return s.all[at:]
}

func games(all []arena.Game) map[string]int {
	n := map[string]int{}
	for i := range all {
		n[all[i].First]++
		n[all[i].Second]++
	}
	return n
}

func leagueEvent(bots int) (arena.Event, world) {
	event, w := ladderEvent(bots)
	event.Ladder.Choose = arena.ChooseLeague
	return event, w
}

// A bot whose games never end holds a few of them, and no other bot waits for it.
func TestLeagueWaitsForNobody(t *testing.T) {
	t.Parallel()
	event, w := leagueEvent(12)
	s := newLeagueSim(t, event, w, nil)
	s.slow = "bot5"
	for range 400 {
		s.pair(t)
	}
	if s.stuck == 0 || s.stuck > 8 {
		t.Errorf("%d games are stuck", s.stuck)
	}
	n := games(s.all)
	for name, n := range n {
		if name != s.slow && n < 25 {
			t.Errorf("%s has %d of %d games: %v", name, n, len(s.all), n)
		}
	}
}

// A version that enters while hundreds of games were played has its first pair at once and
// twenty games soon, against bots near its predecessor; that one plays no more. Nobody is
// left out for long, and the leader plays, too.
func TestLeagueNewVersion(t *testing.T) {
	t.Parallel()
	event, w := leagueEvent(10)
	s := newLeagueSim(t, event, w, nil)
	for range 300 {
		s.pair(t)
	}
	event.Bots = slices.Clone(event.Bots)
	event.Bots[8].Withdrawn = true
	b := config.DefaultBot()
	b.Name, b.Replaces = "bot8 2", []string{"bot8"}
	event.Bots = append(event.Bots, b)
	s.place[b.Name] = 8
	s = newLeagueSim(t, event, s.world, s.all)
	before, first := len(s.all), 0
	for i := 1; i <= 200; i++ {
		list := s.pair(t)
		if list[0].First == "bot8" || list[0].Second == "bot8" {
			t.Fatalf("the old version plays: %+v", list[0])
		}
		if other := opponent(list[0], b.Name); other != "" && first < 2 {
			first++
			if i > 3 {
				t.Errorf("its pair %d is the %d. of all", first, i)
			}
			if place := s.place[other]; place < 4 {
				t.Errorf("its first opponents are not near: %s", other)
			}
		}
	}
	n := games(s.all[before:])
	if n[b.Name] < 20 {
		t.Errorf("the new one has %d games", n[b.Name])
	}
	for i := range 10 {
		if name := fmt.Sprint("bot", i); i != 8 && n[name] < 15 {
			t.Errorf("%s has %d games", name, n[name])
		}
	}
	against := map[string]bool{}
	for _, g := range s.all[before:] {
		if other := opponent(g, "bot9"); other != "" {
			against[other] = true
		}
	}
	if len(against) < 2 {
		t.Errorf("the leader met %v alone", against)
	}
}

// A ladder on which all bots have games enough is over until another one enters.
func TestLeagueEnds(t *testing.T) {
	t.Parallel()
	event, w := leagueEvent(3)
	s := newLeagueSim(t, event, w, nil)
	end := func() int {
		for range 10_000 {
			more, state := s.plan.Next()
			if state == schedule.Complete {
				return len(s.all)
			}
			for i := range more {
				more[i].Result = arena.Draw
				s.plan.Finish(&arena.Game{Number: more[i].Number, Result: arena.Draw})
			}
			s.all = append(s.all, more...)
		}
		t.Fatal("it does not end")
		return 0
	}
	if n := end(); n < 3000 || n > 5000 {
		t.Errorf("%d games between three bots", n)
	}
	more, _ := leagueEvent(4)
	s = newLeagueSim(t, more, w, s.all)
	before := len(s.all)
	if n := end() - before; n < 2000 || n > 5000 {
		t.Errorf("%d games more with a fourth one", n)
	}
}

// opponent returns whom a bot plays in a game; "" if it does not.
func opponent(g arena.Game, name string) string {
	switch name {
	case g.First:
		return g.Second
	case g.Second:
		return g.First
	}
	return ""
}

// Its ratings order the bots, with as many games as a round robin has.
func TestLeagueOrders(t *testing.T) {
	t.Parallel()
	event, w := leagueEvent(8)
	s := newLeagueSim(t, event, w, nil)
	for range 8 * 7 / 2 * 10 {
		s.pair(t)
	}
	rows := schedule.Rows(event, s.all)
	for i, row := range rows {
		if place := len(rows) - 1 - i; s.place[row.Bot] < place-1 || s.place[row.Bot] > place+1 {
			t.Errorf("%s is on place %d", row.Bot, i+1)
		}
	}
}

// A bot that is withdrawn from any ladder is not chosen again.
func TestLadderWithdrawn(t *testing.T) {
	t.Parallel()
	event, w := ladderEvent(4)
	event.Ladder.Games = 100
	before := planLadder(t, event, w)
	event.Bots = slices.Clone(event.Bots)
	event.Bots[1].Withdrawn, event.Ladder.Games = true, 200
	plan, err := schedule.New(event)
	if err != nil {
		t.Fatal(err)
	}
	for i := range before {
		plan.Add(&before[i])
	}
	all := before
	for range 1000 {
		more, state := plan.Next()
		all = append(all, more...)
		w.play(plan, all)
		if state == schedule.Complete && len(more) == 0 {
			break
		}
	}
	if n := games(all[100:]); n["bot1"] != 0 || len(all) != 200 {
		t.Errorf("%v in %d games", n, len(all))
	}
}
