package fleet_test

import (
	"context"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/nats-io/nats.go"

	"botarena/arena"
	"botarena/arena/event"
	"botarena/arena/fleet"
	"botarena/arena/fleet/wire"
	"botarena/arena/live"
	"botarena/engine/games"
)

// Moves of games that workers play reach whoever watches; while nobody does, none are
// told. Where a worker tells others than it sends in the end, the record is shown.
func TestLiveGames(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	hub := live.NewHub(time.Now)
	told := make(chan string, 10_000)
	ear, err := fleet.Dial("nats://"+r.server.Addr, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer ear.Close()
	if _, err := ear.Subscribe(wire.LiveSubject(wire.Any, wire.Any), func(m *nats.Msg) { told <- m.Subject }); err != nil {
		t.Fatal(err)
	}
	rules, err := games.All().Lookup("breakthrough:5x5")
	if err != nil {
		t.Fatal(err)
	}
	first, more, last := make(chan struct{}), make(chan struct{}), make(chan struct{})
	var truth []string
	slow := func(work event.Work) (event.Workers, error) {
		w, err := walk(1, 0)(work)
		w.(*walkers).before = func(g arena.Game) { // tells of the moves, and waits with the result
			if g.Number == 3 { // what is shown of the first is looked at while the event is played
				<-last
			}
			if g.Number != 1 {
				return
			}
			playing := work.Feed.Begin(live.Game{Game: g})
			walkGame(rules, &g, "")
			moves := g.Moves
			for _, m := range moves {
				truth = append(truth, m.Move)
			}
			playing.Moved(moves[:3], time.Now())
			<-first
			g.Moves = nil
			walkGame(rules, &g, "a lie")
			work.Feed.Begin(live.Game{Game: g}).Moved(g.Moves[:5], time.Now())
			<-more
		}
		return w, err
	}
	r.workerOf("far", r.server.Addr, 1, slow)
	e := r.event(t, 1)
	done := make(chan struct{})
	var record []string
	go func() {
		defer close(done)
		for _, m := range r.runLive("fleet.db", e, r.coord.Workers, nil, hub)[0].Moves {
			record = append(record, m.Move)
		}
	}()
	time.Sleep(1500 * time.Millisecond) // nobody looks: this is about what does not come
	select {
	case subject := <-told:
		t.Errorf("%s is told, and nobody watches", subject)
	default:
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	view := live.Watch(ctx, filepath.Join(r.dir, "fleet.db"), time.Now, hub)
	defer view.Attend()()
	moves := func() int {
		for _, g := range view.Snapshot().Games {
			if g.Worker == "far" {
				return len(g.Moves)
			}
		}
		return -1
	}
	wait := func(n int) {
		t.Helper()
		for end := time.Now().Add(time.Minute); moves() != n; time.Sleep(5 * time.Millisecond) {
			if time.Now().After(end) {
				t.Fatalf("%d moves are shown; want %d", moves(), n)
			}
		}
	}
	wait(3)
	close(first)
	wait(5)
	close(more)
	// Put right and over between two looks, a game is told as a brief one: its moves are
	// those of the record, to whoever asks.
	var shown []string
	brief := false
	for end := time.Now().Add(time.Minute); !slices.Equal(shown, truth) && !brief && time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
		shown = nil
		for _, g := range view.Snapshot().Games {
			brief = g.Over && g.Brief && g.Plies == len(truth)
			for _, m := range g.Moves {
				shown = append(shown, m.Move)
			}
		}
	}
	close(last)
	<-done
	if !slices.Equal(record, truth) || !slices.Equal(shown, truth) && (!brief || len(shown) > 0) {
		t.Errorf("%v is shown, and %v on record; %v was played", shown, record, truth)
	}
	if games, _ := r.played(); games["far"] != 6 {
		t.Errorf("%v", games)
	}
}
