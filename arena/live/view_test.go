package live

import (
	"fmt"
	"reflect"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"botarena/arena"
)

// A mirror is a watcher that knows only what deltas say.
type mirror struct {
	to     uint64
	events map[string]Event
	games  map[Key]Game
}

func (m *mirror) take(t interface{ Fatalf(string, ...any) }, d Delta) {
	if d.Reset || m.games == nil {
		m.events, m.games = map[string]Event{}, map[Key]Game{}
	}
	m.to = d.To
	for _, e := range d.Events {
		m.events[e.Name] = e
	}
	changed := map[Key]bool{}
	for _, c := range d.Games {
		changed[c.Key()] = true
		g := c.Game
		if !c.New {
			old, ok := m.games[c.Key()]
			if !ok || len(old.Moves) != c.From {
				t.Fatalf("%v: moves from ply %d on, of a game with %d", c.Key(), c.From, len(old.Moves))
			}
			g.Moves = append(slices.Clone(old.Moves), c.Moves...)
		}
		m.games[c.Key()] = g
	}
	for k, g := range m.games {
		if !g.Over && !changed[k] && !slices.Contains(d.Air, k) {
			delete(m.games, k)
		}
	}
}

// air is the games in the air that it knows, by their moves.
func (m *mirror) air() map[Key]int {
	list := map[Key]int{}
	for k, g := range m.games {
		if !g.Over {
			list[k] = len(g.Moves)
		}
	}
	return list
}

func aMove(n int) arena.MoveRecord {
	return arena.MoveRecord{Move: fmt.Sprintf("m%d", n), Time: time.Duration(n) * time.Millisecond, Score: n, HasScore: n%2 == 0}
}

// TestViewFollowsHub plays random games at a hub, whose view is looked at by
// watchers that come and look when they like: whatever they missed in between,
// they know the games in the air, move by move.
func TestViewFollowsHub(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		now := time.Unix(1e9, 0)
		clock := func() time.Time { return now }
		hub, view := NewHub(clock), newView(clock)
		pump, from := newPump(hub), &source{}
		runs := []*Run{}
		for i := range 2 {
			runs = append(runs, hub.Run(Event{Name: fmt.Sprint("event", i), Game: "chess"}))
		}
		type playing struct {
			game  *Playing
			moves []arena.MoveRecord
		}
		air := map[Key]*playing{}
		over := map[Key]arena.Result{}
		number := 0
		watchers := make([]mirror, 3)
		follow := mirror{}
		some := func() Key { // of the games in the air
			keys := []Key{}
			for k := range air {
				keys = append(keys, k)
			}
			slices.SortFunc(keys, CompareKeys)
			return rapid.SampledFrom(keys).Draw(t, "game")
		}
		begin := func(r int, n int) {
			k := Key{fmt.Sprint("event", r), n}
			delete(over, k)
			air[k] = &playing{game: runs[r].Begin(Game{Game: arena.Game{Number: n, First: "a", Second: "b"}})}
		}
		for range rapid.IntRange(1, 60).Draw(t, "steps") {
			now = now.Add(time.Second / 10)
			switch step := rapid.IntRange(0, 6).Draw(t, "step"); {
			case step == 0:
				number++
				begin(rapid.IntRange(0, 1).Draw(t, "run"), number)
			case step == 1 && len(air) > 0: // another attempt
				k := some()
				begin(int(k.Event[5]-'0'), k.Number)
			case step <= 3 && len(air) > 0:
				p := air[some()]
				for range rapid.IntRange(1, 200).Draw(t, "plies") {
					p.moves = append(p.moves, aMove(len(p.moves)))
					p.game.Moved(p.moves, now)
				}
			case step == 4 && len(air) > 0:
				k := some()
				g := arena.Game{Number: k.Number, Result: arena.Draw, Reason: arena.DrawByRule, Moves: air[k].moves, Plies: len(air[k].moves)}
				runs[k.Event[5]-'0'].End(&g)
				over[k] = g.Result
				delete(air, k)
			case step == 5:
				if b := pump.next(); !b.empty() && !view.apply(from, &b) {
					t.Fatal("the view does not take what the pump says")
				}
			default:
				w := &watchers[rapid.IntRange(0, len(watchers)-1).Draw(t, "watcher")]
				w.take(t, view.Since(w.to, Filter{}))
			}
		}
		if b := pump.next(); !b.empty() && !view.apply(from, &b) {
			t.Fatal("the view does not take what the pump says")
		}
		want := map[Key]int{}
		for k, p := range air {
			want[k] = len(p.moves)
		}
		for i := range watchers {
			w := &watchers[i]
			w.take(t, view.Since(w.to, Filter{}))
			if got := w.air(); !reflect.DeepEqual(got, want) {
				t.Fatalf("watcher %d knows of %v in the air, not %v", i, got, want)
			}
			for k, g := range w.games {
				if p := air[k]; p != nil && len(p.moves) > 0 && !reflect.DeepEqual(g.Moves, p.moves) {
					t.Fatalf("watcher %d: other moves in game %v", i, k)
				}
				if g.Over && g.Result != over[k] {
					t.Fatalf("watcher %d: game %v has the result %q", i, k, g.Result)
				}
			}
		}
		follow.take(t, view.Since(0, Filter{Event: "event0"}))
		for k := range follow.games {
			if k.Event != "event0" {
				t.Fatalf("the filter lets %v pass", k)
			}
		}
	})
}

func TestViewForgets(t *testing.T) {
	t.Parallel()
	now := time.Unix(1e9, 0)
	clock := func() time.Time { return now }
	hub, view := NewHub(clock), newView(clock)
	pump, from := newPump(hub), &source{}
	run := hub.Run(Event{Name: "e"})
	step := func() {
		b := pump.next()
		if !view.apply(from, &b) {
			t.Fatal("refused")
		}
	}
	run.Progress(Progress{Planned: 500})
	step()
	for n := range 500 {
		run.Begin(Game{Game: arena.Game{Number: n + 1}})
		step()
		run.End(&arena.Game{Number: n + 1, Result: arena.Draw, Reason: arena.DrawByRule})
		step()
	}
	d := view.Since(0, Filter{})
	if len(d.Games) != keepEnded || d.Games[len(d.Games)-1].Number != 500 || len(d.Air) != 0 {
		t.Fatalf("%d games, %d in the air", len(d.Games), len(d.Air))
	}
	for n := 500; n < 520; n++ { // too brief to be seen
		run.Begin(Game{Game: arena.Game{Number: n + 1}}).Moved([]arena.MoveRecord{aMove(0)}, now)
		run.End(&arena.Game{Number: n + 1, Result: arena.Draw, Plies: 1})
	}
	step()
	d = view.Since(0, Filter{})
	last := d.Games[len(d.Games)-1]
	if len(d.Games) != keepEnded+keepBriefs || !last.Brief || last.Plies != 1 || len(last.Moves) != 0 {
		t.Fatalf("%d games, the last %+v", len(d.Games), last)
	}
	run.Close()
	step()
	if d = view.Since(d.To, Filter{}); len(d.Events) != 1 || d.Events[0].Running {
		t.Fatalf("after the end: %+v", d)
	}
	now = now.Add(keepFor + time.Second)
	view.tidy()
	if d = view.Since(0, Filter{}); len(d.Games) != 0 || len(d.Events) != 0 {
		t.Fatalf("long after the end: %+v", d)
	}
}

// TestLostRun is a run whose process is gone: its games are no longer in the air,
// and what it finished stays.
func TestLostRun(t *testing.T) {
	t.Parallel()
	hub, view := NewHub(time.Now), newView(time.Now)
	pump, from := newPump(hub), &source{}
	run := hub.Run(Event{Name: "e"})
	run.Begin(Game{Game: arena.Game{Number: 1}})
	run.Begin(Game{Game: arena.Game{Number: 2}})
	run.End(&arena.Game{Number: 1, Result: arena.FirstWins, Reason: arena.Resign})
	b := pump.next()
	view.apply(from, &b)
	w := mirror{}
	w.take(t, view.Since(0, Filter{}))
	if len(w.games) != 2 {
		t.Fatalf("%d games", len(w.games))
	}
	view.drop(from)
	w.take(t, view.Since(w.to, Filter{}))
	if g, ok := w.games[Key{"e", 1}]; len(w.games) != 1 || !ok || g.Result != arena.FirstWins || w.events["e"].Running {
		t.Fatalf("%+v", w)
	}
}

func TestNilHub(t *testing.T) {
	t.Parallel()
	var hub *Hub
	run := hub.Run(Event{Name: "e"})
	run.Progress(Progress{Planned: 1})
	run.Begin(Game{}).Moved([]arena.MoveRecord{aMove(0)}, time.Now())
	run.End(&arena.Game{})
	run.Close()
	var e *Endpoint
	if run != nil || e.Close() != nil {
		t.Error("a hub that is not there did something")
	}
}

func TestMovedAllocatesNothing(t *testing.T) {
	hub := NewHub(time.Now)
	g := hub.Run(Event{Name: "e"}).Begin(Game{Game: arena.Game{Number: 1}})
	moves := make([]arena.MoveRecord, 0, 1<<12)
	at := time.Now()
	if n := testing.AllocsPerRun(1000, func() {
		moves = append(moves, arena.MoveRecord{Move: "e2e4"})
		g.Moved(moves, at)
	}); n != 0 {
		t.Errorf("%v allocations a move", n)
	}
}

func BenchmarkMoved(b *testing.B) {
	hub := NewHub(time.Now)
	g := hub.Run(Event{Name: "e"}).Begin(Game{Game: arena.Game{Number: 1}})
	moves := make([]arena.MoveRecord, 1<<8)
	at := time.Now()
	for i := 0; b.Loop(); i++ {
		g.Moved(moves[:1+i%len(moves)], at)
	}
}
