package live

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"botarena/arena"
	"botarena/arena/schedule"
)

func aMove(n int) arena.MoveRecord {
	return arena.MoveRecord{Move: fmt.Sprintf("m%d", n), Time: time.Duration(n) * time.Millisecond, Score: n, HasScore: n%2 == 0}
}

// TestSnapshots plays random games at a hub, which watchers in other processes ask
// for snapshots when they like: whatever they missed in between, they know the games
// in progress, move by move, and how the others ended.
func TestSnapshots(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		now := time.Unix(1e9, 0)
		hub := NewHub(func() time.Time { return now })
		run := hub.Run(Event{Name: "e", Game: "chess"})
		type watcher struct {
			sender   sender
			receiver receiver
			last     Snapshot
		}
		watchers := make([]watcher, 3)
		ask := func(w *watcher) {
			line, err := w.sender.next(hub.Snapshot())
			if err != nil {
				t.Fatal(err)
			}
			if w.last, err = w.receiver.take(line); err != nil {
				t.Fatal(err)
			}
		}
		playing := map[int]*Playing{}
		moves := map[int][]arena.MoveRecord{}
		begin := func(n int) {
			playing[n], moves[n] = run.Begin(Game{Game: arena.Game{Number: n, First: "a", Second: "b"}}), nil
		}
		for range rapid.IntRange(1, 60).Draw(t, "steps") {
			n := rapid.IntRange(1, 5).Draw(t, "game")
			switch step := rapid.IntRange(0, 5).Draw(t, "step"); {
			case step == 0 || playing[n] == nil:
				begin(n) // maybe another attempt
			case step == 1:
				run.End(&arena.Game{Number: n, Result: arena.Draw, Reason: arena.DrawByRule, Moves: moves[n], Plies: len(moves[n])})
				delete(playing, n)
			case step <= 3:
				for range rapid.IntRange(1, 200).Draw(t, "plies") {
					moves[n] = append(moves[n], aMove(len(moves[n])))
					playing[n].Moved(moves[n], now)
				}
			default:
				ask(&watchers[rapid.IntRange(0, len(watchers)-1).Draw(t, "watcher")])
			}
		}
		for i := range watchers {
			w := &watchers[i]
			ask(w)
			if len(w.last.Games) != len(moves) {
				t.Fatalf("watcher %d knows of %d games, not %d", i, len(w.last.Games), len(moves))
			}
			for _, g := range w.last.Games {
				want := moves[g.Number]
				if g.Over != (playing[g.Number] == nil) || g.Over && g.Result != arena.Draw || g.Brief && g.Plies != len(want) {
					t.Fatalf("watcher %d: %+v", i, g)
				}
				if !g.Brief && !slices.Equal(g.Moves, want) {
					t.Fatalf("watcher %d: game %d has %d moves, not %d, or others", i, g.Number, len(g.Moves), len(want))
				}
			}
		}
	})
}

// All that a hub says of a game arrives.
func TestWireRoundTrip(t *testing.T) {
	t.Parallel()
	now := time.Unix(1e9, 12345).UTC()
	hub := NewHub(func() time.Time { return now })
	run := hub.Run(Event{Name: "e\n\x1b\u202e", Game: "chess", Format: schedule.FormatSwiss, Before: 1})
	run.Progress(Progress{Planned: 1, Played: 2, Total: 3, Slots: 4})
	g := run.Begin(Game{
		Game: arena.Game{
			Number: 7, Round: 2, Pair: 3, Stage: "final", Game: "chess", First: "a", Second: "b",
			Opening: arena.Opening{Name: "o", Position: "p", Moves: []string{"x"}}, Attempts: 1,
		},
		Clocks: [2]arena.TimeControl{{Base: time.Minute}, {Depth: 3}}, Slot: 3, Worker: "far",
	})
	g.Moved([]arena.MoveRecord{{Move: "m", Time: 5, Depth: 6, Nodes: 7, Score: -8, Mate: true, HasScore: true}}, now)
	var s sender
	var r receiver
	for range 2 { // the second time nothing of the game is sent
		line, err := s.next(hub.Snapshot())
		if err != nil {
			t.Fatal(err)
		}
		got, err := r.take(line)
		if err != nil {
			t.Fatal(err)
		}
		for i := range got.Games {
			got.Games[i].At = got.Games[i].At.UTC()
		}
		want := hub.Snapshot()
		want.Games[0].At = want.Games[0].At.UTC()
		if !reflect.DeepEqual(got, want) {
			t.Fatalf("got  %+v\nwant %+v", got, want)
		}
	}
}

// FuzzReceiver takes what strangers send: it is refused, or is a snapshot that a view
// can show.
func FuzzReceiver(f *testing.F) {
	hub := NewHub(time.Now)
	hub.Run(Event{Name: "e"}).Begin(Game{Game: arena.Game{Number: 1, First: "a"}}).Moved([]arena.MoveRecord{aMove(0), aMove(1)}, time.Now())
	line, err := (&sender{}).next(hub.Snapshot())
	if err != nil {
		f.Fatal(err)
	}
	f.Add(line)
	f.Add([]byte(`{"IDs":[1,1,2],"Games":[{"ID":1,"Number":1,"From":-1,"Moves":[{"Move":"x"}]}]}`))
	f.Add([]byte(`{"Games":[{"ID":5,"Number":-1}]}`))
	f.Fuzz(func(t *testing.T, line []byte) {
		var r receiver
		v, s := newView(time.Now), &source{}
		for range 2 {
			if now, err := r.take(line); err == nil {
				v.put(s, now)
			}
		}
		v.lose(s)
		for _, g := range v.Snapshot().Games {
			if !g.Over || g.Number < 1 {
				t.Errorf("%+v of a lost source", g)
			}
		}
	})
}

func TestHubForgets(t *testing.T) {
	t.Parallel()
	now := time.Unix(1e9, 0)
	hub := NewHub(func() time.Time { return now })
	run := hub.Run(Event{Name: "e"})
	for n := range 500 {
		run.Begin(Game{Game: arena.Game{Number: n + 1}})
		run.End(&arena.Game{Number: n + 1, Result: arena.Draw, Reason: arena.DrawByRule})
	}
	if s := hub.Snapshot(); len(s.Games) != keepOver || s.Games[keepOver-1].Number != 500 {
		t.Fatalf("%d games", len(s.Games))
	}
	run.Close()
	if s := hub.Snapshot(); len(s.Events) != 1 || s.Events[0].Running {
		t.Fatalf("after the end: %+v", s)
	}
	now = now.Add(keepFor + time.Second)
	if s := hub.Snapshot(); len(s.Games) != 0 || len(s.Events) != 0 {
		t.Fatalf("long after the end: %+v", s)
	}
}

// TestLostRun is a run whose process is gone: its games are no longer in progress,
// and what it finished stays, until the event goes on in another process.
func TestLostRun(t *testing.T) {
	t.Parallel()
	now := time.Unix(1e9, 0)
	clock := func() time.Time { return now }
	hub, view, from := NewHub(clock), newView(clock), &source{}
	run := hub.Run(Event{Name: "e"})
	run.Begin(Game{Game: arena.Game{Number: 1}})
	run.Begin(Game{Game: arena.Game{Number: 2}})
	run.End(&arena.Game{Number: 1, Result: arena.FirstWins, Reason: arena.Resign})
	view.put(from, hub.Snapshot())
	view.lose(from)
	s := view.Snapshot()
	if len(s.Games) != 1 || s.Games[0].Result != arena.FirstWins || s.Events[0].Running {
		t.Fatalf("%+v", s)
	}
	again := NewHub(clock)
	again.Run(Event{Name: "e"}).Begin(Game{Game: arena.Game{Number: 2}})
	view.put(&source{}, again.Snapshot())
	if s = view.Snapshot(); len(s.Events) != 1 || !s.Events[0].Running || len(s.Games) != 2 || s.Games[1].Over {
		t.Fatalf("%+v", s)
	}
	now = now.Add(keepFor + time.Second)
	if s = view.Snapshot(); len(s.Games) != 1 {
		t.Fatalf("long after: %+v", s)
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

func TestNote(t *testing.T) {
	t.Parallel()
	const key = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
	good := `{"version":1,"hub":"ab","network":"unix","address":"ab.sock","key":"` + key + `"}`
	if _, err := parseNote([]byte(good), "ab.json"); err != nil {
		t.Fatal(err)
	}
	for _, change := range [][2]string{
		{`"unix"`, `"tcp"`},
		{`"unix"`, `"udp"`},
		{`"ab.sock"`, `"../ab.sock"`},
		{`"ab.sock"`, `"/run/other.sock"`},
		{`"unix","address":"ab.sock"`, `"tcp","address":"192.0.2.1:80"`},
		{`"unix","address":"ab.sock"`, `"tcp","address":"example.org:80"`},
		{key, key[2:]},
		{key, "x" + key[1:]},
		{`"ab"`, `"cd"`},
		{good, good + strings.Repeat(" ", mostNote)},
	} {
		text := strings.Replace(good, change[0], change[1], 1)
		if text == good {
			t.Fatalf("%q is not in it", change[0])
		}
		if n, err := parseNote([]byte(text), "ab.json"); err == nil {
			t.Errorf("%s was taken: %+v", text, n)
		}
	}
}
